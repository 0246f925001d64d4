"""An adopter's app."""
