"""modelwire.bulk as its documentation shows it, with an output that it goes on with."""

import json

import modelwire
import spent


def work(source: str, target: str, base_url: str) -> None:
    where = {"base_url": base_url, "api_key": spent.KEY}
    with open(source) as file:
        for result in modelwire.bulk(map(json.loads, file), output=target, **where):
            result.raise_for_error()


spent.measure(work)
