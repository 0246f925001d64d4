"""The runtime's scenarios, one by one, with their numbers."""
