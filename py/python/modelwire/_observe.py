"""Observers of calls, for instrumentation: called at the start of a call in the caller's context,
and at its end with its record. The interface alone.

    class Watching(Observer):
        def started(self, call):
            return time.time()          # the token of this call

        def ended(self, token, record, response):
            print(token, record)

    observers.append(Watching())        # all clients; of one client: observe(client, Watching())
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from modelwire._answers.record import CallRecord
    from modelwire._key import Secret


observers: list[Observer] = []
"""The observers of the calls of all clients in this process."""


class StartedCall:
    """A call that is about to be made, as observers see it. What they set is theirs to ask for; the
    rest is the program's and is not changed."""

    __slots__ = (
        "chunk_times",
        "client",
        "fields",
        "gather",
        "headers",
        "key",
        "operation",
        "stream",
    )

    def __init__(self, client: Any, operation: str, fields: Any, stream: bool, key: Secret) -> None:
        self.client = client
        """The client: an OpenAI or AsyncOpenAI."""
        self.operation = operation
        """What is called: "models", "chat" or "responses"."""
        self.fields: Mapping[str, Any] = {} if fields is None else fields
        """The fields of the request as the program gave them; nothing was checked yet."""
        self.stream = stream
        """Whether the program asked for a stream."""
        self.key = key
        """The key that this call goes with, to look for it in what is told; its `value` is None
        where there is none."""
        self.headers: dict[str, str] = {}
        """To add: headers for this call. Where the program set one itself, that one is sent; one
        that cannot be sent is left out."""
        self.gather = False
        """To set: the answer of a stream is gathered, so that `ended` is given it. The program does
        not see it; a stream that is longer than `answer_bytes_max` fails where it would not."""
        self.chunk_times = False
        """To set: the record has the time of each chunk."""


class Observer:
    """One who is told of calls. What it raises is logged, and changes no call."""

    def started(self, call: StartedCall) -> Any:
        """A call is about to be made: in the thread, the task and the context of the caller, before
        anything is sent. What is returned is the token that `ended` is given; None asks for no
        `ended` of this call. A caller waits for it: it does nothing slow."""

    def ended(self, token: Any, record: CallRecord | None, response: Any) -> None:
        """A call ended, whichever way: answered, failed, cancelled, abandoned, or never sent. Once
        for each token, in the order of the ends, on the one thread that hands on records.

        response is the answer where there is a whole one: of a plain call, and of a stream that was
        gathered; else None. record is None where more calls ended than could be kept until this
        thread came to them (`RECORDS_WAITING_MAX` of the core).
        """


def observe(client: Any, observer: Observer) -> None:
    """Tells this one of the calls of one client, and of its copies."""
    natives = client._natives
    natives.observers = [*natives.observers, observer]


def ignore(client: Any, observer: Observer) -> None:
    """Tells it no more; of calls under way it is still told the end."""
    natives = client._natives
    natives.observers = [one for one in natives.observers if one is not observer]
