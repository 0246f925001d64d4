"""The wire: what is sent and stored, in pydantic and the standard library only."""
