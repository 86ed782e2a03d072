"""inspect_ai: its model over chat and responses, tools, structured output and an evaluation."""
# needs: inspect_ai==0.3.285 openai==3.57.0

import tempfile

import drive

drive.stand_in()  # it makes its own client, whose transport is its own, too

from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ResponseSchema, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool
from inspect_ai.util import json_schema
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


def model(service, **options):
    return get_model(
        "openai/echo",
        base_url=service.base_url,
        api_key=service.api_key,
        memoize=False,
        **{"responses_api": False, **options},
    )


@tool
def weather():
    async def execute(city: str) -> str:
        """The weather of a city.

        Args:
            city: The city.
        """
        return f"sunny in {city}"

    return execute


@drive.case
async def plain(service):
    answer = await model(service).generate("Say hello.")
    return [answer.completion, answer.usage.output_tokens, answer.stop_reason]


@drive.case
async def response(service):
    answer = await model(service, responses_api=True).generate("Say hello.")
    return [answer.completion, answer.usage.output_tokens, answer.stop_reason]


@drive.case
async def streamed(service):
    answer = await model(service, streaming=True).generate("Say hello.")
    return [answer.completion, answer.stop_reason]


@drive.case
async def tools(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    messages, answer = await model(service).generate_loop("Weather in Paris?", tools=[weather()])
    return [[one.role for one in messages], answer.completion]


@drive.case
async def structured(service):
    service.queue('{"name": "Paris"}')
    schema = ResponseSchema(name="city", json_schema=json_schema(City))
    answer = await model(service).generate(
        "Which city?", config=GenerateConfig(response_schema=schema)
    )
    return answer.completion


@drive.case
async def evaluation(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    task = Task(
        dataset=[Sample(input="Weather in Paris?", target="sunny")],
        solver=[use_tools(weather()), generate()],
        scorer=includes(),
    )
    with tempfile.TemporaryDirectory() as folder:
        [log] = await eval_async(task, model=model(service), log_dir=folder)
    return [log.status, log.results.scores[0].metrics["accuracy"].value]


@drive.case
async def refused(service):
    service.queue(error(400, "No."))
    try:
        return (await model(service).generate("Say it.")).completion
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
