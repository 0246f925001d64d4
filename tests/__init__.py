"""The tests of the package and of its demo; the tree mirrors theirs."""
