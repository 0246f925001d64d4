"""The template tags that pages and the admin share."""
