"""modelwire.bulk without an output: the program writes what it takes, and goes on by the names that
it wrote."""

import json

import modelwire
import spent


def work(source: str, target: str, base_url: str) -> None:
    done = spent.done_before(target)
    where = {"base_url": base_url, "api_key": spent.KEY}
    with open(source) as file, open(target, "a") as out:
        rows = (row for row in map(json.loads, file) if row["custom_id"] not in done)
        for result in modelwire.bulk(rows, **where):
            out.write(json.dumps(result.to_dict()) + "\n")
            out.flush()


spent.measure(work)
