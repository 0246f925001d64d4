"""The addresses of a benchmark: ours and the two baselines."""

from django.urls import include, path

from tests.benchmarks import naive, plain

urlpatterns = [
    path("turnframe/", include("turnframe_django.urls")),
    path("naive/", naive.Chats.as_view()),
    path("naive/<uuid:key>/messages/", naive.Messages.as_view()),
    path("plain/", plain.Conversations.as_view()),
    path("plain/<uuid:key>/turns/", plain.Turns.as_view()),
]
