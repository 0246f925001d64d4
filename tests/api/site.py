"""The addresses of a site that includes the app and nothing else."""

from django.urls import include, path

urlpatterns = [path("turnframe/", include("turnframe_django.urls"))]
