"""Copies of a client with other keys, headers and base URLs, and calls with their own: one pool of
connections, one sum of usage."""

from functools import partial

import pytest

import modelwire
from callers import asked
from conftest import KEY, together
from wire import answer

COPIES = 64
CALLS = 20
FEW = 5
"""So many connections calls one after another may take; each its own would be ten times more."""


def settings(service):
    return {"base_url": service.base_url, "api_key": KEY}


def connections(service, calls):
    """How many connections these calls made."""
    before = service.state()["connections"]
    calls()
    return service.state()["connections"] - before


def test_calls_with_their_own_headers_share_connections(quiet, connect):
    """Fifty calls, each with headers of its own, added, replaced and left out."""
    with connect(**settings(quiet), default_headers={"X-Team": "blue"}) as client:
        client.models.list()

        def calls():
            for number in range(10):
                own = client.with_options(default_headers={"X-Own": str(number)})
                asked(own, model="echo", extra_headers={"X-More": "1"})
                client.models.list(extra_headers={"X-Number": str(number)})
                client.models.list(extra_headers={"x-team": f"red {number}"})
                client.models.list(extra_headers={"X-TEAM": modelwire.omit})
                own.models.list()

        quiet.clear()
        assert connections(quiet, calls) <= FEW
        assert client.usage()["echo"]["calls"] == 10
        sent = [dict(request["headers"]) for request in quiet.requests()]
        found = [{name: one.get(name) for name in ("x-team", "x-number", "x-own")} for one in sent]
        assert found[-4:] == [
            {"x-team": "blue", "x-number": "9", "x-own": None},
            {"x-team": "red 9", "x-number": None, "x-own": None},
            {"x-team": None, "x-number": None, "x-own": None},
            {"x-team": "blue", "x-number": None, "x-own": "9"},
        ]


def test_rotating_keys_share_connections(quiet):
    """By a function, by copies, by assignment; each call has its key."""
    keys = [f"sk-test-{number}" for number in range(10)]
    base_url = quiet.script("rotating-keys", [answer({"data": []})])
    left = iter(keys)
    with modelwire.Client(base_url=base_url, api_key=lambda: next(left)) as asking:
        asking.copy(api_key=KEY).models.list()

        def calls():
            for key in keys:
                asking.models.list()
                asking.copy(api_key=key).models.list()

        assert connections(quiet, calls) <= FEW
        sent = [dict(one["headers"])["authorization"] for one in quiet.requests("rotating-keys")]
        assert sent[1:] == [f"Bearer {key}" for key in keys for _ in range(2)]
    with modelwire.Client(base_url=base_url, api_key=KEY) as client:
        client.api_key = "sk-test-anew"
        client.models.list()
        sent = dict(quiet.requests("rotating-keys")[-1]["headers"])
        assert sent["authorization"] == "Bearer sk-test-anew" and client.api_key == "sk-test-anew"


def test_no_call_of_a_copy_is_missing_in_the_sum(service):
    """Sixty-four variants, from eight threads at once, and other base URLs as well."""
    with modelwire.Client(**settings(service)) as client:

        def call(thread):
            for number in range(COPIES // 8):
                headers = {"X-Variant": f"{thread}-{number}"}
                made = client.with_options(api_key=f"{KEY} ", default_headers=headers)
                apart = client.copy(base_url=f"{service.base_url}/?{thread}-{number}")
                for _ in range(CALLS // 2):
                    asked(made, model="echo")
                    asked(apart, model="echo")

        together(*[partial(call, number) for number in range(8)])
        assert client.usage()["echo"]["calls"] == COPIES * CALLS


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"api_key": '"sk-test"'}, "quotes"),
        ({"api_key": ""}, "empty"),
        ({"default_headers": {"bad name": "x"}}, "header name"),
        ({"default_headers": {"authorization": "x"}}, "cannot be set"),
        ({"base_url": "nonsense"}, "base_url"),
    ],
)
def test_an_invalid_copy_is_refused_when_it_is_made(service, changed, said):
    """Not at its first call."""
    with modelwire.Client(**settings(service)) as client:
        with pytest.raises(modelwire.OpenAIError, match=said):
            client.copy(**changed)
        assert client.models.list().data


def test_the_authorization_header_cannot_be_omitted(service):
    """A clear error, and nothing is sent."""
    with modelwire.Client(**settings(service)) as client:
        with pytest.raises(modelwire.OpenAIError, match="cannot be left out"):
            client.models.list(extra_headers={"Authorization": modelwire.omit})
        assert service.requests() == []
