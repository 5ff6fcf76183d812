"""Plain functions by theme; each module can be imported, and given to `--execute` as a file."""
