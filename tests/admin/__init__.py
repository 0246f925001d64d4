"""The admin's pages, read by staff of several kinds."""
