"""The blocks of `with` and `async with` whose end calls `close`."""

from __future__ import annotations

# True for type checkers; importing typing would cost more than all the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing_extensions import Self


class Closing:
    """A context manager that closes itself."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()  # type: ignore[attr-defined]


class AsyncClosing:
    """An asynchronous context manager that closes itself."""

    __slots__ = ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        closing = self.close()  # type: ignore[attr-defined]
        if closing is not None:
            await closing
