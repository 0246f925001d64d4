"""The demo, held to what it shows."""
