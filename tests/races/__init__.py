"""The same thing done at once by several threads, connections or processes."""
