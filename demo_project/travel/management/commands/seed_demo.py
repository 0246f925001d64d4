"""``seed_demo``: logins and conversations worth looking at. Run twice, it adds nothing."""

from typing import Any

from django.core.management.base import BaseCommand

from demo_project.travel import seeds


class Command(BaseCommand):
    """Holds the demo's conversations, as far as they were not held before."""

    help = "Create the demo's logins and conversations. Running it again adds nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed and say what was added."""
        taken = seeds.seed(self.stdout.write)
        self.stdout.write(f"seeded: {taken} turns" if taken else "seeded: nothing to add")
