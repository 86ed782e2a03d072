"""The fixture `modelwire_service` for pytest, which finds it by an entry point of the package. `-p
no:modelwire` leaves it out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from modelwire.testing import Service


@pytest.fixture
def modelwire_service() -> Iterator[Service]:
    """A fake inference service, new for each test: see modelwire.testing."""
    from modelwire.testing import Service  # most pytest runs do not use it

    with Service() as service:
        yield service
