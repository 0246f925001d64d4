"""The facts: what the tables hold, refuse and allow."""
