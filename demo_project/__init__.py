"""A host for the app: a travel desk that is served on one machine, without keys and without a network."""
