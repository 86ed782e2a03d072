"""The HTTP stage of ray.data.llm on a local Ray. It has no word of what it did in an earlier run. By default
it does not retry, and one refusal ends the job: here it makes up to five retries."""

import json
import os

import ray
import spent
from ray.data.llm import HttpRequestProcessorConfig, build_processor

ray.init(num_cpus=4, include_dashboard=False, logging_level="error", log_to_driver=False)
ray.data.DataContext.get_current().enable_progress_bars = False


def work(source: str, target: str, base_url: str) -> None:
    config = HttpRequestProcessorConfig(
        url=f"{base_url}/chat/completions",
        headers={"Authorization": f"Bearer {spent.KEY}"},
        batch_size=64,
        concurrency=1,
        max_retries=5,
    )
    processor = build_processor(
        config,
        preprocess=lambda row: {"payload": json.loads(row["body"])},
        postprocess=lambda row: {
            "custom_id": row["custom_id"],
            "answer": json.dumps(row["http_response"]),
        },
    )
    rows = [
        {"custom_id": row["custom_id"], "body": json.dumps(row["body"])}
        for row in spent.rows(source)
    ]
    found = processor(ray.data.from_items(rows, override_num_blocks=4))
    with open(f"{target}.part", "w") as out:
        for row in found.iter_rows():
            out.write(spent.result(row["custom_id"], json.loads(row["answer"])))
    os.replace(f"{target}.part", target)


spent.measure(work)
