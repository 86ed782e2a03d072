"""Streams handed on to browsers by a web application (Starlette, FastAPI, uvicorn), and browsers
that leave."""

import contextlib
import socket
import threading

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route

import modelwire
from conftest import DEADLINE, KEY, eventually
from wire import HELLO, STALL, piece, stream

ENDLESS = stream(piece("a"), piece("b"), STALL)


@contextlib.contextmanager
def serving(app):
    """The address of an application that runs in a thread of this process."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            eventually("the application runs", lambda: server.started)
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join(DEADLINE)
            assert not thread.is_alive()


def leave_after_the_first_piece(address, path):
    """A browser that closes its connection in the middle of an answer."""
    with socket.create_connection(address, timeout=DEADLINE) as browser:
        browser.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        seen = b""
        while b"a" not in seen.partition(b"\r\n\r\n")[2]:
            more = browser.recv(4096)
            assert more, seen
            seen += more


def settings(service, request):
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)
    return {"base_url": service.script(name, [ENDLESS]), "api_key": KEY}


def texts(chunk):
    return chunk.choices[0].delta.content or ""


def forms(given):
    """The ways in which an application hands on a stream, by their path."""
    client, patient = modelwire.AsyncClient(**given), modelwire.Client(**given)
    asked = {"model": "m", "messages": HELLO}

    async def chunks():
        async for chunk in await client.chat.completions.create(**asked, stream=True):
            yield texts(chunk)

    async def named():
        answer = await client.chat.completions.create(**asked, stream=True)
        async for chunk in answer:
            yield texts(chunk)

    async def deltas():
        async for text in (
            await client.chat.completions.create(**asked, stream=True)
        ).text_deltas():
            yield text

    async def helper():
        async with client.chat.completions.stream(**asked) as events:
            async for event in events:
                if event.type == "content.delta":
                    yield event.delta

    def threaded():
        for chunk in patient.chat.completions.create(**asked, stream=True):
            yield texts(chunk)
            yield texts(chunk)

    ways = [chunks, named, deltas, helper]
    return {f"/{way.__name__}": way for way in ways}, threaded


@pytest.mark.parametrize("way", ["/chunks", "/named", "/deltas", "/helper"])
def test_a_browser_that_leaves_ends_the_stream(quiet, request, way):
    """Upstream is closed, not read to its end and paid for."""
    ways, _ = forms(settings(quiet, request))

    async def respond(_request):
        return StreamingResponse(ways[way](), media_type="text/plain")

    with serving(Starlette(routes=[Route(way, respond)])) as address:
        leave_after_the_first_piece(address, way)
        quiet.until_closed()


def test_fastapi_ends_the_stream_of_a_disconnected_browser(quiet, request):
    """The application of most tutorials."""
    ways, _ = forms(settings(quiet, request))
    app = FastAPI()

    @app.get("/chat")
    async def chat():
        return StreamingResponse(ways["/chunks"]())

    with serving(app) as address:
        for _ in range(7):
            leave_after_the_first_piece(address, "/chat")
        quiet.until_closed()


def test_a_synchronous_generator_is_bounded_by_its_timeout(quiet, request):
    """The application does not close it while its thread waits for a piece; a timeout does."""
    _, threaded = forms({**settings(quiet, request), "timeout": modelwire.Timeout(idle=1)})

    async def respond(_request):
        return StreamingResponse(threaded(), media_type="text/plain")

    with serving(Starlette(routes=[Route("/", respond)])) as address:
        leave_after_the_first_piece(address, "/")
        quiet.until_closed()
