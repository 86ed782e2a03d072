"""browser-use: its chat model, plain, structured, limited and refused."""
# needs: browser-use==0.13.14

import drive

drive.stand_in()  # it makes its own client

from browser_use.llm import ChatOpenAI, SystemMessage, UserMessage
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


def model(service, **options):
    given = {"model": "echo", "max_retries": 0, **options}
    return ChatOpenAI(api_key=service.api_key, base_url=service.base_url, **given)


@drive.case
async def plain(service):
    answer = await model(service).ainvoke([UserMessage(content="Say hello.")])
    return [answer.completion, answer.usage.total_tokens]


@drive.case
async def structured(service):
    service.queue('{"name": "Paris"}')
    answer = await model(service).ainvoke([UserMessage(content="Which city?")], City)
    return answer.completion.model_dump()


@drive.case
async def structured_by_prompt(service):
    """For services without schemas: the schema is in the prompt."""
    service.queue('{"name": "Paris"}')
    found = model(service, add_schema_to_system_prompt=True, dont_force_structured_output=True)
    ask = [SystemMessage(content="Be brief."), UserMessage(content="Which city?")]
    return (await found.ainvoke(ask, City)).completion.model_dump()


@drive.case
async def reasoning(service):
    found = model(service, model="echo-reasoning", reasoning_models=["echo-reasoning"])
    answer = await found.ainvoke([UserMessage(content="Say hello.")])
    return [answer.completion, answer.stop_reason]


@drive.case
async def truncated(service):
    service.queue(text('{"name": ', finish_reason="length"))
    try:
        await model(service).ainvoke([UserMessage(content="Which city?")], City)
    except Exception as failure:
        return type(failure).__name__


@drive.case
async def limited(service):
    service.queue(error(429, "Slow down.", retry_after=0))
    try:
        await model(service).ainvoke([UserMessage(content="Say it.")])
    except Exception as failure:
        return [type(failure).__name__, failure.status_code, "Slow down." in str(failure)]


@drive.case
async def refused(service):
    service.queue(error(403, "No."))
    try:
        return (await model(service).ainvoke([UserMessage(content="Say it.")])).completion
    except Exception as failure:
        return [type(failure).__name__, failure.status_code, "No." in str(failure)]


drive.main()
