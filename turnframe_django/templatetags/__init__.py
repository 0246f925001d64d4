"""Template tags that the pages of a host and the admin share."""
