"""A small host app that the package's tests run their workflows on."""
