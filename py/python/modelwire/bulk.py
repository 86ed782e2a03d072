"""`modelwire.bulk` as an importable module: it is the class with that name, whose attributes are
the other names."""

import sys

from modelwire._bulk.arrow import read_parquet, write_parquet
from modelwire._bulk.batches import Rows
from modelwire._bulk.budget import BudgetError, Estimate, Pilot
from modelwire._bulk.checks import CheckError
from modelwire._bulk.job import bulk
from modelwire._bulk.repair import Repaired, repair
from modelwire._bulk.result import Result, Status

__all__ = [
    "BudgetError",
    "CheckError",
    "Estimate",
    "Pilot",
    "Repaired",
    "Result",
    "Rows",
    "Status",
    "bulk",
    "read_parquet",
    "repair",
    "write_parquet",
]

sys.modules[__name__] = bulk  # type: ignore[assignment]
