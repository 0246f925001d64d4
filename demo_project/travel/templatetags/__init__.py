"""Template tags of the travel desk."""
