"""The travel desk: a workflow over trips, its airline, and a page to talk to it."""
