"""Steps from one schema to the next, one file each; named s<revision>_<what changes>."""
