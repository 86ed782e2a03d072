"""deepeval: its models plain, structured, asynchronous, with samples and probabilities, and a
metric."""
# needs: deepeval==4.3.1 openai==3.57.0

import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

import drive

drive.stand_in()  # it makes its own clients

from deepeval.metrics import GEval
from deepeval.models import GPTModel
from deepeval.test_case import LLMTestCase, LLMTestCaseParams
from pydantic import BaseModel

from modelwire.testing import error


class City(BaseModel):
    """A city."""

    name: str


def model(service):
    return GPTModel(
        model="echo",
        base_url=service.base_url,
        api_key=service.api_key,
        cost_per_input_token=0,
        cost_per_output_token=0,
    )


@drive.case
def plain(service):
    return model(service).generate("Say hello.")


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    return str(model(service).generate("Which city?", schema=City)[0])


@drive.case
async def asynchronous(service):
    return await model(service).a_generate("Say hello.")


@drive.case
async def structured_async(service):
    service.queue('{"name": "Paris"}')
    return str((await model(service).a_generate("Which city?", schema=City))[0])


def parsing(service):
    """A model that is listed with structured answers, which it has parsed."""
    return GPTModel(model="gpt-4.1", base_url=service.base_url, api_key=service.api_key)


@drive.case
def parsed(service):
    service.queue('{"name": "Paris"}')
    return parsing(service).generate("Which city?", schema=City)[0].model_dump()


@drive.case
async def parsed_async(service):
    service.queue('{"name": "Paris"}')
    return (await parsing(service).a_generate("Which city?", schema=City))[0].model_dump()


@drive.case
def samples(service):
    service.queue("Paris.")
    return model(service).generate_samples("Which city?", 1, 0.5)


@drive.case
def metric(service):
    """A metric of the manual, which asks in steps."""
    service.queue('{"steps": ["Compare."]}', '{"score": 10, "reason": "It is right."}')
    found = GEval(
        name="Right",
        criteria="Is it right?",
        evaluation_params=[LLMTestCaseParams.INPUT, LLMTestCaseParams.ACTUAL_OUTPUT],
        model=parsing(service),
        async_mode=False,
    )
    found.measure(LLMTestCase(input="Which city?", actual_output="Paris."), _show_indicator=False)
    return [found.score, found.reason]


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    try:
        return model(service).generate("Say it.")
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
