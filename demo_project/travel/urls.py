"""The addresses of the page, of signing in and out, and of a trip's documents."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from demo_project.travel import views

desk = [
    path("", views.home, name="home"),
    path("conversations/", views.start, name="start"),
    path("conversations/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("conversations/<uuid:conversation_id>/say/", views.say, name="say"),
    path("conversations/<uuid:conversation_id>/answer/", views.answer, name="answer"),
    path("trips/<uuid:trip_id>/itinerary/", views.itinerary, name="itinerary"),
]

urlpatterns = [
    path("login/", views.DeskLoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", include((desk, "travel"))),
]
