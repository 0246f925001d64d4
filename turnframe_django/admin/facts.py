"""What every page of the admin shares: it reads, it refuses anything else, and it shows a fact on a page of its own making.

A page shows other models' rows only to those who may view them; without the permission it says that there is something it does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.contrib import messages
from django.contrib.admin import ModelAdmin, ShowFacets
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import searching
from turnframe_django.admin.links import Links
from turnframe_django.admin.lists import FactList, UncountedPaginator

M = TypeVar("M", bound=Model)

READING = frozenset({"GET", "HEAD", "OPTIONS"})


if TYPE_CHECKING:

    class _Typed(ModelAdmin[M]):
        """The stock admin of one model."""
else:

    class _Typed(ModelAdmin):
        """The stock admin, which takes its model as a parameter only where types are checked."""

        def __class_getitem__(cls, model):
            return cls


class FactAdmin(_Typed[M]):
    """The admin of one kind of fact. A subclass says what the list shows, how it is searched, and what the page is made of.

    ``ordering`` follows an index. ``linked`` names the lookups that other pages link with; no other is taken from an address.
    """

    actions = None
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    sortable_by = ()
    paginator = UncountedPaginator
    empty_value_display = "—"
    view_on_site = False

    #: The template of the page.
    page: ClassVar[str]
    #: What is read together with the fact.
    page_related: ClassVar[tuple[str, ...]] = ()
    linked: ClassVar[frozenset[str]] = frozenset()
    #: The UUID columns a search compares with; each is indexed.
    search_ids: ClassVar[tuple[str, ...]] = ("id",)
    #: The text column a search compares with, and the column that comes before it in its index.
    search_text: ClassVar[searching.ScopedText | None] = None

    class Media:
        css = {"all": ("turnframe/blocks.css", "turnframe/admin.css")}

    # --- nobody changes anything -----------------------------------------------------------------------------------------------------

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds a fact by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Nobody changes a fact."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Nobody deletes a fact."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Whoever has the permission to view reads; a permission to change does not stand in for it."""
        return request.user.has_perm(f"{self.opts.app_label}.view_{self.opts.model_name}")

    # --- the list --------------------------------------------------------------------------------------------------------------------

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[FactList]:
        """The list reads one row more than it shows, and counts nothing."""
        return FactList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list; take nothing."""
        _only_reading(request)
        return super().changelist_view(request, {"title": capfirst(self.opts.verbose_name_plural or ""), **(extra_context or {})})

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Take the filters' own names and the lookups of links, and no text that a database cannot hold."""
        filters = {getattr(known, "parameter_name", None) for known in self.list_filter}
        return (lookup in self.linked or lookup in filters) and "\x00" not in str(value)

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """What the search box stands for."""
        return self.search_ids

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[M], search_term: str) -> tuple[QuerySet[M], bool]:
        """Keep the rows whose id or key is exactly the term."""
        found = searching.condition(search_term, self.search_ids, self.search_text, partial(self.newest, queryset))
        return (queryset if found is None else queryset.filter(found)), False

    @property
    def search_help_text(self) -> str | Promise:  # type: ignore[override]
        """What can be searched for."""
        return self.search_text.words if self.search_text else _("The id of a row, or of what it belongs to: whole and exact.")

    def newest(self, queryset: QuerySet[M], column: str) -> Iterable[tuple[Any, ...]]:
        """Read the key and one column of the newest rows: as far as a text without its scope is looked for."""
        return queryset.order_by(*self.ordering or ()).values_list("pk", column)[: searching.NEWEST]

    # --- the page --------------------------------------------------------------------------------------------------------------------

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the fact with all that belongs to it."""
        _only_reading(request)
        if not self.has_view_permission(request):
            raise PermissionDenied
        fact = self.read(request, unquote(object_id))
        if fact is None:
            return self._nothing_there(request, object_id)
        links = Links(request, self.admin_site)
        request.__dict__["current_app"] = self.admin_site.name
        context = {
            **self.admin_site.each_context(request),
            "fact": fact,
            "links": links,
            "media": self.media,
            "opts": self.opts,
            "title": self.title_of(fact),
            **self.page_context(request, fact, links),
            **(extra_context or {}),
        }
        return TemplateResponse(request, self.page, context)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """There is none: nothing is edited here, and a fact's own history stands on its page."""
        raise Http404

    def read(self, request: HttpRequest, key: str) -> M | None:
        """Read the fact, or nothing where no such key can be."""
        try:
            return self.get_queryset(request).select_related(*self.page_related).filter(Q(pk=self.opts.pk.to_python(key))).first()
        except (ValidationError, ValueError):
            return None

    def _nothing_there(self, request: HttpRequest, object_id: str) -> HttpResponse:
        words = _("There is no %(kind)s “%(key)s”.")
        messages.warning(request, words % {"kind": self.opts.verbose_name, "key": Truncator(unquote(object_id)).chars(80)})
        return HttpResponseRedirect(reverse("admin:index", current_app=self.admin_site.name))

    def title_of(self, fact: M) -> str:
        """The heading of the page."""
        return str(fact)

    def page_context(self, request: HttpRequest, fact: M, links: Links) -> Mapping[str, Any]:
        """Read what the page shows beside the fact itself, in a constant number of statements."""
        return {}


def _only_reading(request: HttpRequest) -> None:
    if request.method not in READING:
        raise PermissionDenied
