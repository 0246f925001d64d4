"""An adopter's code, for the type checker and for the tests of the decisions."""
