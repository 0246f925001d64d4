"""``manage.py seed_demo`` and ``manage.py demo``."""
