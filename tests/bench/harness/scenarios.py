"""What is measured and the bar for it: data."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from harness.clients import RUNTIME_CLIENTS

CHUNKS = 100_032  # a multiple of 64
CHAT_ROUTE = "plain/1/1/1/0"
SOCKET, BARE = "socket", "reqwest-bare"
RUST, RUST_BLOCKING = "modelwire-rust", "modelwire-rust-blocking"
RUST_IO_THREAD = "modelwire-rust-io-thread"
RUST_RECORDED = "modelwire-rust-recorded"
C, C_QUEUE = "modelwire-c-callback", "modelwire-c-queue"
PYTHON, ASYNCIO = "modelwire-python", "modelwire-asyncio"
OTEL = "modelwire-otel"
OPENAI, OPENAI_ASYNCIO = "openai", "openai-asyncio"
AIOHTTP, LITER_LLM, MSGSPEC = "aiohttp-orjson", "liter-llm", "msgspec"
ASYNC_OPENAI, REQWEST_SERDE = "async-openai", "reqwest-serde"
LIBCURL, LIBCURL_MULTI = "libcurl-jansson", "libcurl-multi"
GO, GO_USUAL = "modelwire-go", "go-net-http"
# Runtimes in which calls into C are expensive; and the others.
BY_MANY = (
    *("modelwire-ruby", "modelwire-ruby-texts", "modelwire-python-cffi"),
    *("modelwire-elixir", "modelwire-perl"),
)
ONE_BY_ONE = (
    *("modelwire-go", "modelwire-java", "modelwire-dotnet", "modelwire-luajit"),
    "modelwire-php",
)
OTHER_RUNTIMES = tuple(client.name for client in RUNTIME_CLIENTS)


@dataclass(frozen=True)
class Bar:
    """The most that something may cost: in all, beyond another client of the same run, or as a multiple of it."""

    limit: float
    of: str | None = None
    kind: Literal["in all", "beyond", "times"] = "in all"
    figure: Literal["value", "wall_us"] = "value"


@dataclass(frozen=True)
class Scenario:
    """One kind of work, the clients that do it, and the bars."""

    name: str
    title: str
    clients: tuple[str, ...]
    #: What the client's program is told to do.
    work: str = "stream"
    #: What the byte server answers: KIND/EVENTS/PER_HTTP_CHUNK/BYTES/PAUSE_MS.
    route: str = CHAT_ROUTE
    operations: int = CHUNKS
    at_once: int = 1
    #: CPU time per operation, or a figure that the client itself found out.
    metric: str = "cpu_us"
    unit: str = "µs"
    floor: str | None = None
    bars: dict[str, tuple[Bar, ...]] = field(default_factory=dict)
    #: Whether the clients speak TLS with the byte server.
    is_tls: bool = False
    #: Whether slow clients do a smaller part; a figure that depends on the size is left whole.
    may_shorten: bool = True
    #: A table of several scenarios: its name, and the column of this one.
    family: str | None = None
    point: str = ""


Bars = dict[str, tuple[Bar, ...]]


def beyond(floor: str, limits: dict[float, Iterable[str]]) -> Bars:
    """The same bar for several clients."""
    return {one: (Bar(limit, floor, "beyond"),) for limit, of in limits.items() for one in of}


def at_most(limits: dict[float, Iterable[str]]) -> Bars:
    """The same bar for several clients."""
    return {client: (Bar(limit),) for limit, of in limits.items() for client in of}


def times(limit: float, of: str) -> tuple[Bar, ...]:
    """A multiple of the CPU of another client."""
    return (Bar(limit, of, "times"),)


def as_cheap_as(*others: str) -> tuple[Bar, ...]:
    """At most the CPU and the wall time of others."""
    figures: tuple[Literal["value", "wall_us"], ...] = ("value", "wall_us")
    return tuple(Bar(1, other, "times", figure) for other in others for figure in figures)


STREAM_BARS = beyond(
    BARE,
    {0.2: (RUST, RUST_IO_THREAD, RUST_BLOCKING), 0.25: (C, C_QUEUE), 0.7: (PYTHON,), 0.9: (ASYNCIO,)},
)
ONE_STREAM = (
    *(SOCKET, BARE, RUST, RUST_IO_THREAD, RUST_BLOCKING, C, C_QUEUE, PYTHON, ASYNCIO),
    *(REQWEST_SERDE, ASYNC_OPENAI, LIBCURL, AIOHTTP, LITER_LLM, OPENAI, OPENAI_ASYNCIO),
)


def chunk(name: str, per_http_chunk: int) -> Scenario:
    """One stream at full speed."""
    return Scenario(
        name=name,
        title=f"chunk of 230 bytes, one stream, {per_http_chunk} in each HTTP chunk",
        route=f"chat/{{events}}/{per_http_chunk}/230/0",
        clients=ONE_STREAM,
        floor=BARE,
        bars=STREAM_BARS,
    )


def tls(scenario: Scenario) -> Scenario:
    """The same work over TLS. liter-llm trusts no authority but its own."""
    clients = tuple(one for one in scenario.clients if one not in (SOCKET, LITER_LLM))
    title = f"{scenario.title}, over TLS"
    return replace(scenario, name=f"{scenario.name}-tls", title=title, clients=clients, is_tls=True)


def streams(at_once: int) -> Scenario:
    """The same number of chunks on more and more streams."""
    return Scenario(
        name=f"streams-{at_once}",
        title=f"chunk of 230 bytes, {at_once} streams at full speed",
        route="chat/{events}/1/230/0",
        operations=200_000,
        at_once=at_once,
        clients=(BARE, RUST, C_QUEUE, ASYNCIO, REQWEST_SERDE, AIOHTTP),
        floor=BARE,
        family="streams",
        point=str(at_once),
    )


def size(bytes_: int, chunks: int) -> Scenario:
    """Larger and larger chunks."""
    return Scenario(
        name=f"size-{bytes_}",
        title=f"chunk of {bytes_} bytes, one stream",
        route=f"chat/{{events}}/1/{bytes_}/0",
        operations=chunks,
        clients=(BARE, RUST, C, PYTHON, REQWEST_SERDE, LIBCURL),
        floor=BARE,
        family="size",
        point=f"{bytes_} B" if bytes_ < 1024 else f"{bytes_ >> 10} KiB",
    )


def gather(deltas: int) -> Scenario:
    """A plain call that a stream answers."""
    return Scenario(
        name=f"gather-{deltas}",
        title=f"a plain call, answered by {deltas} deltas that are gathered",
        work="gather",
        route="chat/{events}/1/230/0",
        operations=deltas,
        clients=(RUST, PYTHON),
        may_shorten=False,
        family="gather",
        point=str(deltas),
    )


def reading(work: str, title: str) -> Scenario:
    """What a program pays for looking into an answer; no network."""
    return Scenario(
        name=work, title=title, work=work, operations=20_000, clients=(MSGSPEC, PYTHON, OPENAI)
    )


CHAT = Scenario(
    name="chat",
    title="chat, one after another",
    work="chat",
    operations=4000,
    clients=(
        *(BARE, RUST, RUST_IO_THREAD, RUST_BLOCKING, C, C_QUEUE, PYTHON),
        *(REQWEST_SERDE, ASYNC_OPENAI, LIBCURL, OPENAI),
    ),
    floor=BARE,
    bars={
        RUST: times(1.2, BARE),
        C: times(1, LIBCURL),
        C_QUEUE: times(1, LIBCURL),
        PYTHON: times(1.4, REQWEST_SERDE),
    },
)
CHAT_64 = Scenario(
    name="chat-64",
    title="chat, 64 at once",
    work="chat",
    operations=12_800,
    at_once=64,
    clients=(
        *(BARE, RUST, RUST_IO_THREAD, C_QUEUE, ASYNCIO),
        *(REQWEST_SERDE, ASYNC_OPENAI, LIBCURL_MULTI, AIOHTTP, LITER_LLM, OPENAI_ASYNCIO),
    ),
    floor=BARE,
    bars={
        **dict.fromkeys((RUST, C_QUEUE), as_cheap_as(ASYNC_OPENAI, LIBCURL_MULTI)),
        ASYNCIO: times(2, BARE),
    },
)
FIRST_CHUNK = Scenario(
    name="first-chunk",
    title="time from the request to the first chunk, median of 1,000",
    work="first",
    route="chat/1/1/230/0",
    operations=1000,
    clients=(SOCKET, BARE, RUST, PYTHON, OPENAI),
    metric="first_us",
    floor=SOCKET,
    bars=beyond(SOCKET, {100: (RUST,), 40: (PYTHON,)}),
)
# One client, whose calls each open a connection: the first handshake is whole, the others resume its session
# where client and server do.
HANDSHAKE = Scenario(
    name="handshake-tls",
    title="chat, each on a new connection over TLS",
    work="chat",
    route="closing/1/1/1/0",
    operations=1000,
    clients=(BARE, RUST, C, PYTHON, REQWEST_SERDE, ASYNC_OPENAI, LIBCURL),
    floor=BARE,
    is_tls=True,
)

SCENARIOS = (
    Scenario(
        name="new-client",
        title="Python: a new client for plain http",
        work="new",
        operations=1000,
        clients=(PYTHON, OPENAI),
        bars=at_most({100: (PYTHON,)}),
    ),
    CHAT,
    Scenario(
        name="chat-threads",
        title="chat, 16 threads",
        work="chat",
        operations=8000,
        at_once=16,
        clients=(RUST_BLOCKING, PYTHON, OPENAI),
        bars=at_most({50: (PYTHON,)}),
    ),
    Scenario(
        name="chat-goroutines",
        title="chat, 16 goroutines",
        work="chat",
        operations=16_000,
        at_once=16,
        clients=(GO, GO_USUAL),
        bars={GO: times(1, GO_USUAL)},
    ),
    CHAT_64,
    chunk("chunk", 1),
    chunk("chunk-x64", 64),
    # As many chunks in each stream as a record has times of.
    Scenario(
        name="recorded",
        title="chunk of 230 bytes, 10 streams, with chunk_times on and records collected",
        route="chat/{events}/1/230/0",
        operations=10 * 16_000,
        at_once=10,
        clients=(RUST, RUST_RECORDED),
        floor=RUST,
        bars=beyond(RUST, {0.2: (RUST_RECORDED,)}),
    ),
    Scenario(
        name="recorded-paced",
        title="the same on 100 streams paced at 50 chunks a second",
        route="chat/{events}/1/230/20",
        operations=100 * 200,
        at_once=100,
        clients=(RUST, RUST_RECORDED),
        floor=RUST,
    ),
    Scenario(
        name="runtime-chat",
        title="chat, one after another, in other runtimes",
        work="chat",
        operations=8000,
        clients=(C_QUEUE, *OTHER_RUNTIMES),
        floor=C_QUEUE,
    ),
    Scenario(
        name="runtime-chunk",
        title="chunk of 230 bytes, one stream, in other runtimes",
        route="chat/{events}/1/230/0",
        operations=10 * CHUNKS,  # so that what compiles while it runs is not all that is seen
        clients=(C_QUEUE, *OTHER_RUNTIMES),
        floor=C_QUEUE,
        bars=beyond(C_QUEUE, {1.5: BY_MANY, 2.0: ONE_BY_ONE, 3.0: ("modelwire-node",)}),
    ),
    Scenario(
        name="responses",
        title="response event of 230 bytes, one stream",
        work="responses",
        route="responses/{events}/1/230/0",
        clients=(BARE, PYTHON, OPENAI),
        floor=BARE,
        bars=beyond(BARE, {0.9: (PYTHON,)}),
    ),
    Scenario(
        name="paced",
        title="chunk of 230 bytes, 500 streams paced at 50 chunks a second",
        route="chat/{events}/1/230/20",
        operations=500 * 200,
        at_once=500,
        clients=(
            *(BARE, RUST, RUST_IO_THREAD, C_QUEUE, ASYNCIO),
            *(REQWEST_SERDE, ASYNC_OPENAI, AIOHTTP, OPENAI_ASYNCIO),
        ),
        floor=BARE,
        bars=beyond(BARE, {1: (RUST,), 5: (ASYNCIO,)}),
    ),
    Scenario(
        name="paced-2000",
        title="chunk of 230 bytes, 2,000 streams paced at 10 chunks a second, one thread",
        route="chat/{events}/1/230/100",
        operations=2000 * 40,
        at_once=2000,
        clients=(BARE, RUST, C_QUEUE),
        floor=BARE,
        bars=beyond(BARE, {2: (C_QUEUE,)}),
    ),
    FIRST_CHUNK,
    tls(CHAT),
    tls(CHAT_64),
    tls(chunk("chunk", 1)),
    # The socket of the plain one is no floor of this: it speaks no TLS.
    replace(tls(FIRST_CHUNK), floor=BARE, bars={}),
    HANDSHAKE,
    Scenario(
        name="open",
        title="resident memory of each of 2,000 open streams",
        work="open",
        route="chat/1000/1/230/600000",
        operations=2000,
        at_once=2000,
        clients=(BARE, RUST),
        metric="kib_per_stream",
        unit="KiB",
        floor=BARE,
        bars=beyond(BARE, {4: (RUST,)}),
        may_shorten=False,
    ),
    # With the first one, which is not counted, as many as a client has connections.
    Scenario(
        name="open-python",
        title="resident memory of each of 1,000 open streams of Python",
        work="open",
        route="chat/1000/1/230/600000",
        operations=999,
        at_once=999,
        clients=(RUST, ASYNCIO, OPENAI_ASYNCIO),
        metric="kib_per_stream",
        unit="KiB",
        floor=RUST,
        may_shorten=False,
    ),
    Scenario(
        name="telemetry",
        title="chat, one after another, told to OpenTelemetry",
        work="chat",
        operations=4000,
        clients=(PYTHON, OTEL),
        floor=PYTHON,
    ),
    Scenario(
        name="telemetry-chunk",
        title="chunk of 230 bytes, one stream, told to OpenTelemetry",
        route="chat/{events}/1/230/0",
        clients=(PYTHON, OTEL),
        floor=PYTHON,
    ),
    reading("fields", "every field of a chat answer of 4 KiB, from its text"),
    reading("dump", "model_dump() of a chat answer of 4 KiB, from its text"),
    Scenario(
        name="long",
        title="resident memory gained in the last nine tenths of 1,000,000 chunks",
        work="long",
        route="chat/{events}/1/230/0",
        operations=1_000_000,
        clients=(RUST, PYTHON),
        metric="growth_kib",
        unit="KiB",
        bars=at_most({1024: (RUST, PYTHON)}),
        may_shorten=False,
    ),
    *(streams(at_once) for at_once in (1, 10, 100, 1000)),
    *(size(*point) for point in ((50, 200_000), (230, 100_000), (4 << 10, 50_000), (64 << 10, 5_000))),
    *(gather(deltas) for deltas in (2_000, 8_000, 32_000)),
)
