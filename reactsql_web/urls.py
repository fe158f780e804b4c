"""Every address of the site. The product's pages are in agents/urls.py; its start page is named `home`."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from reactsql_web import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.prometheus, name="metrics"),
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
    path("admin/", admin.site.urls),
    path("", include("agents.urls")),
]
if settings.OIDC_SERVER_URL:
    urlpatterns.insert(0, path("sso/", include("allauth.urls")))
