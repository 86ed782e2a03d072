"""litellm's batch_completion: a list in, a list out, on threads of its own. It has no word of what
it did in an earlier run."""

import litellm
import spent


def work(source: str, target: str, base_url: str) -> None:
    rows = spent.rows(source)
    model = rows[0]["body"]["model"]
    answers = litellm.batch_completion(
        model=f"openai/{model}",
        messages=[row["body"]["messages"] for row in rows],
        api_base=base_url,
        api_key=spent.KEY,
    )
    with open(target, "w") as out:
        for row, answer in zip(rows, answers, strict=True):
            if not isinstance(answer, Exception):
                out.write(spent.result(row["custom_id"], answer.model_dump()))


spent.measure(work)
