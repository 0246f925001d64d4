"""The demo's addresses: the page at the root, the app's REST interface and the admin."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("turnframe/", include("turnframe_django.urls")),
    path("", include("demo_project.travel.urls")),
]
