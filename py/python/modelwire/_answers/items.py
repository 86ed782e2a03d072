"""The items of a streamed response by their place, and the refusal of a stream that contradicts
itself: an answer put together from it would be another one than the service gave."""

from __future__ import annotations

from typing import Any, TypeVar

from modelwire._errors import StreamContradictionError

_T = TypeVar("_T")

# Items that a program answers by their call_id. Their id may come later, and may never change.
_CALLS = ("function_call", "custom_tool_call", "shell_call", "shell_call_output")
_MAY_GAIN_AN_ID = ("function_call", "custom_tool_call")


def of_type(value: Any, kind: type[_T]) -> _T | None:
    """A value that a service sent; None if it is of another type, as if it were absent."""
    return value if type(value) is kind else None


def _field(item: Any, name: str) -> Any:
    return getattr(item, name, None)  # an item may be anything that a service sends


def _name(item: Any) -> str:
    """What makes an item the same one in another event."""
    kind = _field(item, "type")
    own = None if kind in _CALLS else _field(item, "id")
    return repr((kind, own, _field(item, "call_id")))


def _is_same(item: Any, later: Any) -> bool:
    if _name(item) != _name(later):
        return False
    before, kind = _field(item, "id"), _field(item, "type")
    return before == _field(later, "id") or (before is None and kind in _MAY_GAIN_AN_ID)


def _refuse(what: str) -> None:
    raise StreamContradictionError(
        what,
        kind="protocol",
        hint="The events as the service sent them are those of create(stream=True).",
    )


class ResponseItems:
    """The items that were added and done, by their output_index. A stream is judged from
    `response.created` on; one that is continued in its middle is not, nor are items without an
    index, which some servers send."""

    def __init__(self) -> None:
        self.added: dict[int | None, Any] = {}
        self.done: dict[int | None, Any] = {}
        self._places: dict[str, int | None] = {}  # of what was done
        self._id: Any = None
        self._is_judged = False

    def _judges(self, at: int | None) -> bool:
        return self._is_judged and at is not None

    def need(self, at: int | None, kind: str) -> None:
        """An event of this kind adds content to the item of this index. Like the methods below, it
        raises a StreamContradictionError for what contradicts the events before it."""
        if self._judges(at) and at not in self.added:
            _refuse(f"{kind} came for output index {at} before receiving its output item")

    def add(self, at: int | None, item: Any) -> None:
        """An item begins."""
        if self._judges(at) and at in self.added:
            _refuse(f"Duplicate response output index {at}")
        self.added[at] = item

    def finish(self, at: int | None, item: Any) -> None:
        """An item is done."""
        name = _name(item)
        if self._judges(at):
            if at in self.added and not _is_same(self.added[at], item):
                _refuse(f"the output item identity of index {at} changed until it was done")
            other = self._places.get(name, at)
            if other != at:
                _refuse(f"conflicting output identities: index {at} and {other} are the same item")
        if at in self.done:
            self._places.pop(_name(self.done[at]), None)
        self.done[at] = item
        self._places[name] = at

    def follow(self, kind: str, response: Any) -> None:
        """An event of this kind has the response so far: what it says of items that were done
        replaces them, and a completed one has all that were added."""
        output = response.output if isinstance(response.output, list) else []
        if not self._is_judged:
            if kind == "response.created":
                self._is_judged = True
                self._id = response.id
                self.added.update(enumerate(output))
            return
        if response.id != self._id:
            _refuse(
                f"Lifecycle response identity changed: {kind} is of {response.id!r}, "
                f"the stream of {self._id!r}"
            )
        if kind == "response.completed":
            self._complete(output)
        elif kind not in ("response.failed", "response.incomplete"):
            self._replace(output)

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
            last = items.get(_name(item), item)
            if self._judges(at) and not _is_same(item, last):
                _refuse(f"the output item identity of index {at} changed at the end")
        for at in self.added.keys() - self.done.keys():
            item = self.added[at]
            if self._judges(at) and not _is_same(item, items.get(_name(item))):
                _refuse(
                    f"the response was completed with unfinished output items: that of index {at}"
                )
