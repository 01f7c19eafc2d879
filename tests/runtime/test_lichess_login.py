"""“Log in with Lichess” as a browser and the bot go through it, over real HTTP."""

from __future__ import annotations

import asyncio
import http.client
import logging
from base64 import urlsafe_b64decode
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from acwc_bot.lichess_login import OAuthLogin
from engine import pkce
from engine.errors import AcwcError, BadInput, LichessUnavailable
from tests.support_lichess import Rig, offline_lichess, until_asked

BACK = "http://127.0.0.1:8080/login?server=7"
VERIFIER = pkce.verifier(bytes(range(32)))
THREE = ["/api/token", "/api/account", "/api/token"]


def browse(rig: Rig, *, challenge: str = pkce.challenge(VERIFIER), back: str = BACK) -> dict[str, str]:
    """Opens the page as a browser and gives the query that it is sent back with."""
    address = urlsplit(OAuthLogin(rig.lichess.http).authorize_url("st&te/1", challenge, back))
    connection = http.client.HTTPConnection(address.netloc)
    connection.request("GET", f"{address.path}?{address.query}")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 303
    location = answer.headers["Location"]
    assert location.startswith(back)
    return dict(parse_qsl(urlsplit(location).query))


async def agreed(rig: Rig) -> str:
    """A code for Quick_Hare."""
    rig.world.add_account("Quick_Hare")
    rig.world.logins.account = "quick_hare"
    return (await asyncio.to_thread(browse, rig))["code"]


async def refused(rig: Rig, code: str, verifier: str = VERIFIER, back: str = BACK) -> AcwcError:
    with pytest.raises(AcwcError) as caught:
        await OAuthLogin(rig.lichess.http).who(code, verifier, back)
    return caught.value


# --- The proof key --------------------------------------------------------------------------------------------------


def test_the_example_of_rfc_7636():
    octets = [116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186]
    octets += [22, 212, 37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121]
    verifier = pkce.verifier(bytes(octets))
    assert verifier == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert pkce.challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.mark.parametrize("size", [32, 33, 64, 96])
def test_a_verifier_has_43_to_128_characters_and_keeps_all_its_chance(size: int):
    verifier = pkce.verifier(bytes(range(size)))
    assert 43 <= len(verifier) <= 128
    assert urlsafe_b64decode(verifier + "=" * (-len(verifier) % 4)) == bytes(range(size))


@pytest.mark.parametrize("size", [0, 31, 97])
def test_too_little_or_too_much_chance_is_refused(size: int):
    with pytest.raises(ValueError, match=str(size)):
        pkce.verifier(bytes(size))


# --- The way through ------------------------------------------------------------------------------------------------


async def test_the_page_is_asked_for_a_code_with_s256_and_no_scope():
    async with offline_lichess() as rig:
        url = urlsplit(OAuthLogin(rig.lichess.http).authorize_url("state 1", "challenge", BACK))
        assert f"{url.scheme}://{url.netloc}{url.path}" == f"{rig.server.url}/oauth"
        assert parse_qs(url.query) == {
            "response_type": ["code"],
            "client_id": ["acwc-bot"],
            "redirect_uri": [BACK],
            "code_challenge_method": ["S256"],
            "code_challenge": ["challenge"],
            "state": ["state 1"],
        }


async def test_whoever_agrees_is_known_and_the_token_is_given_back():
    async with offline_lichess() as rig:
        rig.world.add_account("Quick_Hare")
        rig.world.logins.account = "quick_hare"
        back = await asyncio.to_thread(browse, rig)
        assert (back["state"], back["server"]) == ("st&te/1", "7")
        assert await OAuthLogin(rig.lichess.http).who(back["code"], VERIFIER, BACK) == "quick_hare"
        assert rig.paths()[1:] == THREE
        assert [asked.method for asked in rig.world.asked][1:] == ["POST", "GET", "DELETE"]
        assert rig.world.logins.tokens == 0


async def test_the_bot_s_own_token_is_never_sent_along():
    async with offline_lichess(token="lip_of_the_bot") as rig:
        code = await agreed(rig)
        await OAuthLogin(rig.lichess.http).who(code, VERIFIER, BACK)
        sent = [asked.headers.get("Authorization") for asked in rig.world.asked[1:]]
        assert sent[0] is None
        assert sent[1] == sent[2] != "Bearer lip_of_the_bot"
        await rig.lichess.account("quick_hare")
        assert rig.world.asked[-1].headers["Authorization"] == "Bearer lip_of_the_bot"


async def test_whoever_declines_comes_back_without_a_code():
    async with offline_lichess() as rig:
        rig.world.logins.declines = True
        back = await asyncio.to_thread(browse, rig)
        assert (back["error"], back["state"]) == ("access_denied", "st&te/1")
        assert "code" not in back


# --- Refusals and failures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verifier", "back"), [(pkce.verifier(bytes(32)), BACK), (VERIFIER, "http://127.0.0.1:8080/other")]
)
async def test_a_code_of_another_verifier_or_address_is_refused(verifier: str, back: str):
    async with offline_lichess() as rig:
        error = await refused(rig, await agreed(rig), verifier, back)
        assert isinstance(error, BadInput)
        assert error.code == "login_refused"
        assert rig.paths()[1:] == ["/api/token"]


async def test_a_code_works_once_and_an_invented_one_never():
    async with offline_lichess() as rig:
        code = await agreed(rig)
        assert await OAuthLogin(rig.lichess.http).who(code, VERIFIER, BACK) == "quick_hare"
        assert (await refused(rig, code)).code == "login_refused"
        assert (await refused(rig, "liu_invented")).code == "login_refused"


@pytest.mark.parametrize("fault", ["502", "down", "cut", "html", "401", "404"])
async def test_a_token_is_given_back_though_the_account_could_not_be_read(fault: str):
    async with offline_lichess() as rig:
        code = await agreed(rig)
        rig.world.fail_next(fault, 3, on="/api/account")
        error = await refused(rig, code)
        assert isinstance(error, BadInput if fault == "401" else LichessUnavailable)
        assert rig.world.logins.tokens == 0


@pytest.mark.parametrize("fault", ["502", "down", "429", "html", "404"])
async def test_an_exchange_that_fails_is_no_refusal(fault: str):
    async with offline_lichess() as rig:
        code = await agreed(rig)
        rig.world.fail_next(fault, 3, on="/api/token")
        assert isinstance(await refused(rig, code), LichessUnavailable)


async def test_a_token_that_cannot_be_given_back_does_not_undo_the_login(caplog: pytest.LogCaptureFixture):
    async with offline_lichess() as rig:
        code = await agreed(rig)
        rig.world.fail_next("502", 3, on="/api/token", after=1)
        with caplog.at_level(logging.WARNING):
            assert await OAuthLogin(rig.lichess.http).who(code, VERIFIER, BACK) == "quick_hare"
        assert "not revoked (lichess_down)" in caplog.text


async def test_nothing_of_a_login_is_logged(caplog: pytest.LogCaptureFixture):
    async with offline_lichess() as rig:
        code = await agreed(rig)
        rig.world.fail_next("502", 2, on="/api/account")
        with caplog.at_level(logging.INFO):
            await OAuthLogin(rig.lichess.http).who(code, VERIFIER, BACK)
        assert caplog.text
        assert not [secret for secret in (code, VERIFIER, "lio_") if secret in caplog.text]


async def test_a_login_waits_in_the_same_queue_before_a_check():
    async with offline_lichess() as rig:
        ids = [rig.world.add_account(f"Player-{n}") for n in range(900)]
        code = await agreed(rig)
        rig.world.fail_next("held", on="/api/users")
        check = asyncio.create_task(rig.lichess.accounts(ids))
        await until_asked(rig, 2)
        login = asyncio.create_task(OAuthLogin(rig.lichess.http).who(code, VERIFIER, BACK))
        await asyncio.sleep(0)
        rig.world.let_go()
        assert await login == "quick_hare"
        await check
        assert rig.paths()[2] == "/api/token"
        assert rig.world.most_at_once == 1
