from django.urls import path

from validation import views

urlpatterns = [
    path("start/", views.start, name="start"),
    path("work/mine/", views.my_work, name="my-work"),
    path("work/validation/<slug:slug>/", views.labelling, name="labelling"),
    path("work/validation/<slug:slug>/instructions/", views.instructions, name="labelling-instructions"),
]
