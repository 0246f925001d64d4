"""The verbs, on both databases."""
