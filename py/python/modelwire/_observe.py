"""Observers of calls, for instrumentation: called at the start of a call in the caller's context,
and at its end with its record. This is only the interface.

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
    """A call that is about to be made, for observers. They may set the fields for their requests;
    the others belong to the program and must not be changed."""

    __slots__ = (
        "chunk_times",
        "client",
        "fields",
        "gather",
        "headers",
        "key",
        "operation",
        "other_keys",
        "stream",
    )

    def __init__(self, client: Any, operation: str, fields: Any, stream: bool, key: Secret) -> None:
        self.client = client
        """The client: an OpenAI or AsyncOpenAI."""
        self.operation = operation
        """The operation: "models", "chat" or "responses"."""
        self.fields: Mapping[str, Any] = {} if fields is None else fields
        """The fields of the request as given by the program, not checked yet."""
        self.stream = stream
        """Whether the program requested a stream."""
        self.key = key
        """The key of this call, to redact it; its `value` is None if there is none."""
        urls = client._natives.options.get("base_urls") or ()
        own = (url.get("api_key") for url in urls if isinstance(url, dict))
        self.other_keys: tuple[str, ...] = tuple(key for key in own if isinstance(key, str))
        """The keys of the client's base URLs, to redact them."""
        self.headers: dict[str, str] = {}
        """To add: headers for this call. A header that the program set takes precedence; one that
        cannot be sent is omitted."""
        self.gather = False
        """To set: the answer of a stream is gathered, so that `ended` receives it. The program
        does not see it; a stream that is longer than `answer_bytes_max` fails although it
        otherwise would not."""
        self.chunk_times = False
        """To set: the record has the time of each chunk."""


class Observer:
    """The base of observers. Its exceptions are logged, and do not affect a call."""

    def started(self, call: StartedCall) -> Any:
        """A call is about to be made: runs in the thread, the task and the context of the caller,
        before anything is sent. The returned token is passed to `ended`; None means no `ended` for
        this call. The caller waits for it: do nothing slow here."""

    def ended(self, token: Any, record: CallRecord | None, response: Any) -> None:
        """A call ended in any way: answered, failed, cancelled, abandoned, or never sent. Called
        once for each token, in the order in which calls end, on the thread that delivers records.

        response is the whole answer, of a call without stream or of a gathered stream; otherwise
        None. record is None if more calls ended than could be queued for this thread
        (`RECORDS_WAITING_MAX` of the core).
        """


def observe(client: Any, observer: Observer) -> None:
    """Notifies this observer of the calls of one client, and of its copies."""
    natives = client._natives
    natives.observers = [*natives.observers, observer]


def ignore(client: Any, observer: Observer) -> None:
    """Stops notifying it of new calls; it is still notified of the end of calls in flight."""
    natives = client._natives
    natives.observers = [one for one in natives.observers if one is not observer]
