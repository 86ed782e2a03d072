"""One way to call both clients, so that a test of what is parsed is a test of both."""

import asyncio
import inspect

import pytest

import modelwire


class Caller:
    """The calls of a synchronous client."""

    kind = modelwire.OpenAI

    def __init__(self, service, **settings):
        self.service = service
        self.settings = {"base_url": service.base_url, "api_key": service.api_key, **settings}

    def __call__(self, ask):
        """What `ask` returns of a client."""
        with self.kind(**self.settings) as client:
            return ask(client)

    def chat(self, **given):
        return self(lambda client: client.chat.completions.parse(**_chat(given)))

    def response(self, **given):
        return self(lambda client: client.responses.parse(**_response(given)))

    def read(self, stream_of):
        """All events of a helper stream, what it ended with, and its final answer or error."""
        with self.kind(**self.settings) as client, stream_of(client) as stream:
            events, error = [], None
            try:
                for event in stream:
                    events.append(event)
            except modelwire.OpenAIError as raised:
                error = raised
            try:
                return events, error, _final(stream)()
            except modelwire.OpenAIError as raised:
                return events, error, raised

    def chat_stream(self, **given):
        return self.read(lambda client: client.chat.completions.stream(**_chat(given)))

    def response_stream(self, **given):
        return self.read(lambda client: client.responses.stream(**_response(given)))

    def opened(self, ask, look):
        """What `look` finds in what with_streaming_response opens."""
        with self.kind(**self.settings) as client, ask(client) as opened:
            return look(opened)

    def turns(self, ask, events=False):
        """The turns of a run, or its events, what it ended with, and the run."""
        with self.kind(**self.settings) as client:
            run, turns, error = ask(client), [], None
            try:
                for turn in run.events() if events else run:
                    turns.append(turn)
            except Exception as raised:
                error = raised
            return turns, error, run


class AsyncCaller(Caller):
    """The calls of an asynchronous client."""

    kind = modelwire.AsyncOpenAI

    def __call__(self, ask):
        async def main():
            async with self.kind(**self.settings) as client:
                found = ask(client)
                return await found if inspect.isawaitable(found) else found

        return asyncio.run(main())

    def read(self, stream_of):
        async def main():
            async with self.kind(**self.settings) as client, stream_of(client) as stream:
                events, error = [], None
                try:
                    async for event in stream:
                        events.append(event)
                except modelwire.OpenAIError as raised:
                    error = raised
                try:
                    return events, error, await _final(stream)()
                except modelwire.OpenAIError as raised:
                    return events, error, raised

        return asyncio.run(main())

    def opened(self, ask, look):
        async def main():
            async with self.kind(**self.settings) as client, ask(client) as opened:
                found = look(opened)
                return await found if inspect.isawaitable(found) else found

        return asyncio.run(main())

    def turns(self, ask, events=False):
        async def main():
            async with self.kind(**self.settings) as client:
                run, turns, error = ask(client), [], None
                try:
                    async for turn in run.events() if events else run:
                        turns.append(turn)
                except Exception as raised:
                    error = raised
                return turns, error, run

        return asyncio.run(main())


def _final(stream):
    is_chat = hasattr(stream, "get_final_completion")
    return stream.get_final_completion if is_chat else stream.get_final_response


def _chat(given):
    return {"model": "m", "messages": [{"role": "user", "content": "Go."}], **given}


def _response(given):
    return {"model": "m", "input": "Go.", **given}


@pytest.fixture(params=[Caller, AsyncCaller], ids=["sync", "async"])
def caller(request, modelwire_service):
    """Calls the stand-in service through one of the clients."""
    return request.param(modelwire_service)
