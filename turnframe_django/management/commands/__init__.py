"""``manage.py turnframe_…``."""
