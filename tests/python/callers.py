"""Short ways to parse answers, with both clients (see `connect` of conftest.py)."""

import pytest

import modelwire
from wire import HELLO


def asked(client, model="m", messages=HELLO, **given):
    """What a chat gives."""
    return client.chat.completions.create(model=model, messages=messages, **given)


def headers(request):
    """The headers of a request that the service received, by their names in small letters."""
    return {name.lower(): value for name, value in request["headers"]}


class Caller:
    """Calls a service, each time through a new client."""

    def __init__(self, connect, service, **settings):
        self.connect = connect
        self.is_async = connect is not modelwire.Client
        self.service = service
        self.settings = {"base_url": service.base_url, "api_key": service.api_key, **settings}

    def __call__(self, ask):
        """What `ask` returns of a client."""
        with self.connect(**self.settings) as client:
            return ask(client)

    def chat(self, **given):
        return self(lambda client: client.chat.completions.parse(**_chat(given)))

    def response(self, **given):
        return self(lambda client: client.responses.parse(**_response(given)))

    def read(self, stream_of):
        """All events of a helper stream, what it ended with, and its final answer or error."""
        with self.connect(**self.settings) as client, stream_of(client) as stream:
            events, error = [], None
            try:
                for event in stream:
                    events.append(event)
            except modelwire.OpenAIError as raised:
                error = raised
            try:
                return events, error, final_of(stream)()
            except modelwire.OpenAIError as raised:
                return events, error, raised

    def chat_stream(self, **given):
        return self.read(lambda client: client.chat.completions.stream(**_chat(given)))

    def response_stream(self, **given):
        return self.read(lambda client: client.responses.stream(**_response(given)))

    def opened(self, ask, look):
        """What `look` finds in what with_streaming_response opens."""
        with self.connect(**self.settings) as client, ask(client) as opened:
            return look(opened)

    def turns(self, ask, events=False):
        """The turns of a run, or its events, what it ended with, and the run."""
        with self.connect(**self.settings) as client:
            run, turns, error = ask(client), [], None
            try:
                for turn in run.events() if events else run:
                    turns.append(turn)
            except Exception as raised:
                error = raised
            return turns, error, run


def final_of(stream):
    """The method that gives the final answer of a helper stream."""
    is_chat = hasattr(stream, "get_final_completion")
    return stream.get_final_completion if is_chat else stream.get_final_response


def _chat(given):
    return {"model": "m", "messages": [{"role": "user", "content": "Go."}], **given}


def _response(given):
    return {"model": "m", "input": "Go.", **given}


@pytest.fixture
def caller(connect, modelwire_service):
    """Calls the stand-in service through one of the clients."""
    return Caller(connect, modelwire_service)
