"""Steps from one schema to the next, one file each: s<revision>_<what changes>.py."""
