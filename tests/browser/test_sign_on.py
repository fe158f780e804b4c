"""Single sign-on leaves the site for the provider's, which the content security policy must let a form do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site, site

pytestmark = pytest.mark.browser


class Provider(BaseHTTPRequestHandler):
    """As much of an OpenID provider as a browser sees before the person logs in there."""

    def do_GET(self) -> None:
        host = f"http://{self.headers['Host']}"
        if self.path == "/.well-known/openid-configuration":
            ways = {f"{name}_endpoint": f"{host}/{name}" for name in ("authorization", "token", "userinfo")}
            self._answer(json.dumps({"issuer": host, **ways, "jwks_uri": f"{host}/keys"}), "application/json")
        elif self.path.startswith("/authorization?"):
            self._answer("<!doctype html><title>Provider</title><h1>Log in at the provider</h1>", "text/html")
        else:
            self._answer("", "image/png")

    def _answer(self, body: str, kind: str) -> None:
        self.send_response(200 if body else 204)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def place(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = {"OIDC_SERVER_URL": provider, "OIDC_CLIENT_ID": "shop", "OIDC_CLIENT_SECRET": "x"}
    with site(tmp_path_factory.mktemp("site"), **settings) as started:
        yield started


def test_the_button_leads_to_the_provider(place: Site, provider: str, page: Page) -> None:
    page.goto(f"{place.url}/login/?next=/settings/")
    expect(page.locator("form[action^='/sso/'] input[name=next]")).to_have_value("/settings/")  # and back from there
    page.get_by_role("button", name="Continue with Single sign-on").click()
    page.wait_for_url(f"{provider}/authorization?*", timeout=15_000)
    expect(page.get_by_role("heading")).to_have_text("Log in at the provider")
    assert "client_id=shop" in page.url
