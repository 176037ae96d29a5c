"""The bots that ship with the project, one module each. `arena bot new` starts one of your own."""
