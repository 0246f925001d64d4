"""The demo's addresses: the page at the root, the app's REST interface, the admin, and signing in and out."""

from django.contrib import admin
from django.contrib.auth import urls as auth_urls
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include(auth_urls)),
    path("turnframe/", include("turnframe_django.urls")),
    path("", include("demo_project.travel.urls")),
]
