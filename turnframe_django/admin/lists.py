"""Lists of any length: a page is read with one row more than it shows, so that nothing has to be counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.options import ModelAdmin
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise

from turnframe_django.admin.links import Links, lend

#: The last page that can be asked for; what is beyond is found by a filter or a search.
LAST_PAGE = 1_000_000


if TYPE_CHECKING:
    AnyPage = Page[Any]
    AnyPaginator = Paginator[Any]
else:
    AnyPage, AnyPaginator = Page, Paginator


class UncountedPage(AnyPage):
    """A page that knows whether another follows, and not how many."""

    def __init__(self, rows: list[Any], number: int, paginator: UncountedPaginator, follows: bool) -> None:
        super().__init__(rows, number, paginator)
        self.follows = follows

    def has_next(self) -> bool:
        """Whether another page follows."""
        return self.follows

    def next_page_number(self) -> int:
        """The number of the page that follows."""
        return self.number + 1

    def previous_page_number(self) -> int:
        """The number of the page before."""
        return max(1, self.number - 1)


class UncountedPaginator(AnyPaginator):
    """A paginator that never asks how many rows there are. A page beyond the last is empty, not an error."""

    @property
    def count(self) -> int:
        """Unknown: counting reads the whole table."""
        raise NotImplementedError("Rows are not counted here.")

    def page(self, number: int | float | str | None) -> UncountedPage:
        """Read one page and one row more."""
        at = min(max(1, int(number or 1)), LAST_PAGE)
        start = (at - 1) * self.per_page
        rows = list(self.object_list[start : start + self.per_page + 1])
        return UncountedPage(rows[: self.per_page], at, self, len(rows) > self.per_page)

    get_page = page


class FactList(ChangeList):
    """A list in the one order its index gives, with a link to the newer and to the older rows."""

    newer_url = ""
    older_url = ""
    first_row = 0

    def get_results(self, request: HttpRequest) -> None:
        """Read the page that was asked for."""
        page = self.model_admin.get_paginator(request, self.queryset, self.list_per_page).page(self.page_num)
        self.page_num = page.number
        self.paginator = page.paginator
        self.result_list = page.object_list
        lend(Links(request, self.model_admin.admin_site), page.object_list)
        self.result_count = self.full_result_count = len(page.object_list)
        self.show_admin_actions = self.can_show_all = self.multi_page = False
        self.first_row = (page.number - 1) * self.list_per_page + 1
        self.newer_url = self.get_query_string({PAGE_VAR: page.previous_page_number()}) if page.number > 1 else ""
        self.older_url = self.get_query_string({PAGE_VAR: page.next_page_number()}) if page.has_next() else ""

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """The order of the index, whatever the address asks for."""
        return list(self.model_admin.ordering or ())

    @property
    def is_narrowed(self) -> bool:
        """Whether a search, a filter or a link leaves rows out."""
        return bool(self.query or self.get_filters_params())

    @property
    def last_row(self) -> int:
        """The number of the last row shown."""
        return self.first_row + len(self.result_list) - 1


def one_of(column: str, title: str | Promise, values: Iterable[str]) -> type[SimpleListFilter]:
    """Return a filter by the known values of ``column``. The rows are not asked which there are."""
    known = tuple((str(value), str(value)) for value in values)
    heading = title

    class OneOf(SimpleListFilter):
        title = heading  # type: ignore[assignment]
        parameter_name = column

        def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> tuple[tuple[str, str], ...]:
            return known

        def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
            value = self.value()
            if value is None:
                return queryset
            return queryset.filter(**{column: value}) if (value, value) in known else queryset.none()

    return OneOf
