"""Tests of the REST interface, on the parcels of ``tests.desk``."""
