"""The tables of the naive baseline: a host app that only the database of a benchmark has."""
