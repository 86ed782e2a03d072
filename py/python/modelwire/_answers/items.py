"""The items of a streamed response by their place, and the refusal of a stream that contradicts
itself: an answer put together from it would be another one than the service gave."""

from __future__ import annotations

from typing import Any

from modelwire._errors import StreamContradictionError

# Items that a program answers by their call_id. Their id may come later, and may never change.
_CALLS = ("function_call", "custom_tool_call", "shell_call", "shell_call_output")
_MAY_GAIN_AN_ID = ("function_call", "custom_tool_call")

_CONTENT = (
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.function_call_arguments.delta",
)


def _name(item: Any) -> tuple[str, Any, Any]:
    """What makes an item the same one in another event."""
    call = getattr(item, "call_id", None)
    return item.type, None if item.type in _CALLS else getattr(item, "id", None), call


def _is_same(item: Any, later: Any) -> bool:
    before = getattr(item, "id", None)
    if _name(item) != _name(later):
        return False
    return before == getattr(later, "id", None) or (before is None and item.type in _MAY_GAIN_AN_ID)


def _refuse(what: str) -> None:
    raise StreamContradictionError(
        what,
        kind="protocol",
        hint="The events as the service sent them are those of create(stream=True).",
    )


class ResponseItems:
    """The items that were added and done, by their output_index. A stream is judged from
    `response.created` on; one that is continued in its middle is not."""

    def __init__(self) -> None:
        self.added: dict[int, Any] = {}
        self.done: dict[int, Any] = {}
        self._places: dict[tuple[str, Any, Any], int] = {}  # of what was done
        self._id: Any = None
        self._is_judged = False

    def handle(self, event: Any) -> None:
        """Takes what an event says of the items. A StreamContradictionError is raised for an event
        that contradicts those before it."""
        kind = event.type
        if kind == "response.output_item.added":
            if event.item is not None:
                self._add(event.output_index, event.item)
        elif kind == "response.output_item.done":
            if event.item is not None:
                self._finish(event.output_index, event.item)
        elif kind in _CONTENT:
            if self._judges(event.output_index) and event.output_index not in self.added:
                _refuse(
                    f"{kind} arrived for output index {event.output_index} before receiving its "
                    "output item"
                )

    def handle_response(self, event: Any) -> None:
        """The same for an event with a response: what it says of items that were done replaces
        them, and a completed one has all that were added."""
        output = event.response.output
        output = output if isinstance(output, list) else []
        if not self._is_judged:
            if event.type == "response.created":
                self._is_judged = True
                self._id = event.response.id
                self.added.update(enumerate(output))
            return
        if event.response.id != self._id:
            _refuse(
                f"Lifecycle response identity changed: {event.type} is of {event.response.id!r}, "
                f"the stream of {self._id!r}"
            )
        if event.type == "response.completed":
            self._complete(output)
        elif event.type not in ("response.failed", "response.incomplete"):
            self._replace(output)

    def _judges(self, at: int | None) -> bool:
        return self._is_judged and at is not None  # some services send no index

    def _add(self, at: int, item: Any) -> None:
        if self._judges(at) and at in self.added:
            _refuse(f"Duplicate response output index {at}")
        self.added[at] = item

    def _finish(self, at: int, item: Any) -> None:
        begun, name = self.added.get(at), _name(item)
        if self._judges(at) and begun is not None and not _is_same(begun, item):
            _refuse(f"the output item identity of index {at} changed until it was done")
        if self._judges(at) and self._places.get(name, at) != at:
            _refuse(
                f"conflicting output identities: index {at} and {self._places[name]} are the same"
            )
        if at in self.done:
            self._places.pop(_name(self.done[at]), None)
        self.done[at] = item
        self._places[name] = at

    def _replace(self, output: list[Any]) -> None:
        items = {_name(item): item for item in output}
        if len(items) < len(output):
            _refuse("conflicting output identities: an item stands twice in one response")
        for name, item in items.items():
            at = self._places.get(name)
            if at is None:
                continue
            if not _is_same(self.done[at], item):
                _refuse(f"conflicting output identities: the id of index {at} changed")
            self.done[at] = item

    def _complete(self, output: list[Any]) -> None:
        items = {_name(item): item for item in output}
        for at, item in self.done.items():
            last = items.get(_name(item))
            if last is not None and not _is_same(item, last):
                _refuse(f"the output item identity of index {at} changed at the end")
        for at in self.added.keys() - self.done.keys() - {None}:
            last = items.get(_name(self.added[at]))
            if last is None or not _is_same(self.added[at], last):
                _refuse(
                    f"the response was completed with unfinished output items: that of index {at}"
                )
