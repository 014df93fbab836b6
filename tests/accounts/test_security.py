"""Second factors, sessions, asking once more, signing in with other sites, and a cache that is gone."""

import re
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.core import mail
from django.test import Client

from accounts.models import User
from headroom import services
from headroom.env import BadEnvironment, Env
from tests.accounts.test_pages import PASSWORD, confirm, sign_in

pytestmark = pytest.mark.django_db
SENSITIVE = ["2fa/totp/activate/", "2fa/webauthn/add/", "2fa/recovery-codes/generate/"]


def code(secret: str, ahead: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead))


@pytest.fixture
def signed_in(client: Client, member: User) -> Client:
    sign_in(client)
    confirm(client)
    return client


@pytest.fixture
def secret(signed_in: Client) -> str:
    """The secret of an authenticator app that was set up through the pages."""
    page = signed_in.get("/account/2fa/totp/activate/").text
    found = re.search(r'value="([A-Z2-7]{32})"', page)
    assert found and "<svg" in page
    assert signed_in.post("/account/2fa/totp/activate/", {"code": code(found[1])}).status_code == 302
    return found[1]


@pytest.mark.django_db(transaction=True)
def test_an_app_is_asked_for_at_the_next_sign_in(secret: str, member: User) -> None:
    subjects = [message.subject for message in mail.outbox]
    assert "An authenticator app was set up for your Headroom account" in subjects
    other = Client()
    asked = sign_in(other, next="/labs/")
    assert asked.url.startswith("/account/2fa/authenticate/")
    assert "_auth_user_id" not in other.session
    wrong = other.post("/account/2fa/authenticate/", {"code": "000000"})
    assert "Incorrect code." in wrong.text and "_auth_user_id" not in other.session
    assert other.post("/account/2fa/authenticate/", {"code": code(secret, 1)}).url == "/labs/"
    assert other.session["_auth_user_id"] == str(member.pk)


def test_a_recovery_code_signs_in_once(secret: str, signed_in: Client) -> None:
    page = signed_in.get("/account/2fa/recovery-codes/").text
    codes = re.findall(r"^(\d{8})$", page.replace(">", ">\n"), re.MULTILINE)
    assert len(codes) == 10
    assert signed_in.get("/account/2fa/recovery-codes/download/").text.split() == codes
    for expected in (302, 200):
        other = Client()
        sign_in(other)
        assert other.post("/account/2fa/authenticate/", {"code": codes[0]}).status_code == expected


def test_turning_the_app_off_tells_its_owner(secret: str, signed_in: Client) -> None:
    signed_in.post("/account/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert mail.outbox[-1].subject == "The authenticator app of your Headroom account was turned off"
    assert sign_in(Client()).url == "/"


@pytest.mark.parametrize("page", SENSITIVE)
def test_a_sensitive_page_asks_once_more(client: Client, member: User, page: str) -> None:
    sign_in(client)
    assert client.get(f"/account/{page}").url.startswith("/account/reauthenticate/")
    assert "Incorrect password." in client.post("/account/reauthenticate/", {"password": "wrong"}).text
    confirm(client)
    assert "/account/reauthenticate/" not in client.get(f"/account/{page}").get("Location", "")


@pytest.mark.parametrize(
    "page",
    ["2fa/", "2fa/totp/activate/", "2fa/webauthn/", "2fa/webauthn/add/", "sessions/", "3rdparty/", "reauthenticate/",
     "confirm-email/", "inactive/", "3rdparty/login/cancelled/", "3rdparty/login/error/"],
)  # fmt: skip
def test_every_page_stands_in_the_frame_of_the_site(signed_in: Client, page: str) -> None:
    response = signed_in.get(f"/account/{page}")
    assert response.status_code in (200, 401)
    assert "· Headroom</title>" in response.text and response.text.count("<h1>") == 1
    assert not re.search(r'\sstyle="|\son\w+="|<script(?![^>]*\b(?:src=|type="application/json"))', response.text)


def test_sessions_are_listed_and_the_others_ended(signed_in: Client, member: User) -> None:
    other = Client(HTTP_USER_AGENT="A browser at the library")
    sign_in(other)
    assert "A browser at the library" in signed_in.get("/account/sessions/").text
    signed_in.post("/account/sessions/")
    assert other.get("/account/").status_code == 302
    assert signed_in.get("/account/").status_code == 200
    assert "A browser at the library" not in signed_in.get("/account/sessions/").text


def test_one_session_is_ended_and_no_other(signed_in: Client, member: User, stranger: User) -> None:
    library, train, elsewhere = (Client(HTTP_USER_AGENT=name) for name in ("Library", "Train", "Elsewhere"))
    sign_in(library)
    sign_in(train)
    elsewhere.force_login(stranger)
    UserSession.objects.create(user=stranger, session_key=elsewhere.session.session_key, ip="127.0.0.1")
    for session in UserSession.objects.exclude(user_agent="Train"):
        signed_in.post(f"/account/sessions/{session.pk}/end/")
    assert library.get("/account/").status_code == 302
    assert {each.get("/account/").status_code for each in (train, elsewhere, signed_in)} == {200}
    assert "Library" not in signed_in.get("/account/sessions/").text
    assert signed_in.get("/account/sessions/1/end/").status_code == 405


def test_a_changed_password_ends_the_other_sessions(signed_in: Client, member: User) -> None:
    other = Client()
    sign_in(other)
    new = {"oldpassword": PASSWORD, "password1": "another passphrase", "password2": "another passphrase"}
    signed_in.post("/account/password/change/", new)
    assert other.get("/account/").status_code == 302
    assert signed_in.get("/account/").status_code == 200


def test_without_keys_no_other_site_is_offered(client: Client, signed_in: Client) -> None:
    assert "another site" not in Client().get("/account/login/").text
    for name in services.SIGN_IN:
        assert Client().get(f"/account/{name}/login/").status_code == 404


def test_with_keys_the_site_is_offered_and_asked(client: Client, db: None, settings) -> None:
    env = Env({"GITHUB_CLIENT_ID": "an-id", "GITHUB_CLIENT_SECRET": "a secret"})
    settings.SOCIALACCOUNT_PROVIDERS = services.sign_in_providers(env)
    text = client.get("/account/login/").text
    assert "/account/github/login/" in text and "/account/google/login/" not in text
    assert "Go on to GitHub" in client.get("/account/github/login/").text
    onward = client.post("/account/github/login/")
    assert onward.url.startswith("https://github.com/login/oauth/authorize?client_id=an-id")
    assert services.sign_in_hosts(settings.SOCIALACCOUNT_PROVIDERS) == ["https://github.com"]


def test_half_of_the_keys_are_refused() -> None:
    for given in ({"GOOGLE_CLIENT_ID": "an-id"}, {"GOOGLE_CLIENT_SECRET": "a secret"}):
        with pytest.raises(BadEnvironment, match="GOOGLE_CLIENT_"):
            services.sign_in_providers(Env(given))


def test_another_site_cannot_take_over_an_account_by_its_address(client: Client, member: User, settings) -> None:
    """Whoever controls an address elsewhere gets no account here: its owner is told instead, the stranger nothing."""
    from allauth.socialaccount.adapter import get_adapter
    from allauth.socialaccount.helpers import complete_social_login
    from allauth.socialaccount.models import SocialAccount, SocialLogin
    from django.contrib.messages.storage.fallback import FallbackStorage

    settings.SOCIALACCOUNT_PROVIDERS = services.sign_in_providers(
        Env({"GITHUB_CLIENT_ID": "an-id", "GITHUB_CLIENT_SECRET": "a secret"})
    )
    request = client.get("/account/login/").wsgi_request
    request._messages = FallbackStorage(request)
    login = SocialLogin(
        provider=get_adapter().get_provider(request, "github"),
        user=User(email=member.email),
        account=SocialAccount(provider="github", uid="7"),
        email_addresses=[EmailAddress(email=member.email, verified=True, primary=True)],
    )
    login.state = {"process": "login"}
    response = complete_social_login(request, login)
    assert response.status_code == 302
    assert not request.user.is_authenticated
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1


class TestWithADeadRedis:
    """Signing in counts attempts in the cache; where that is gone it works without the count."""

    @pytest.fixture(autouse=True)
    def _dead(self, settings, tmp_path) -> None:
        from headroom.settings import CACHES as as_served

        settings.CACHES = {"default": {**as_served["default"], "LOCATION": f"unix://{tmp_path}/no-redis.sock"}}

    def test_people_sign_in_and_out_and_reset(self, client: Client, member: User, caplog) -> None:
        assert sign_in(client, password="wrong").status_code == 200
        assert sign_in(client).url == "/"
        assert client.get("/account/").status_code == 200
        assert "rate limits do not hold now" in caplog.text
        assert Client().post("/account/password/reset/", {"email": member.email}).status_code == 302

    def test_signing_up_works(self, client: Client) -> None:
        response = client.post("/account/signup/", {"email": "new@example.org", "password1": PASSWORD})
        assert response.status_code == 302
        assert User.objects.filter(email="new@example.org").exists()

    def test_ready_says_what_is_missing(self, client: Client) -> None:
        assert client.get("/readyz").json() == {"database": True, "redis": False}


def test_with_a_living_redis_the_limit_holds(client: Client, member: User, settings, redis_url: str) -> None:
    from headroom.settings import CACHES as as_served

    settings.CACHES = {"default": {**as_served["default"], "LOCATION": redis_url}}
    for _ in range(5):
        sign_in(client, password="wrong")
    assert "Too many failed login attempts" in sign_in(client).text
