"""browser-use: its chat models, plain, structured, limited and refused."""
# needs: browser-use==0.13.14

import drive

drive.stand_in()  # it makes its own client

from browser_use.llm import ChatOpenAI, UserMessage
from pydantic import BaseModel

from modelwire.testing import error


class City(BaseModel):
    """A city."""

    name: str


def model(service):
    return ChatOpenAI(
        model="echo", api_key=service.api_key, base_url=service.base_url, max_retries=0
    )


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
async def refused(service):
    service.queue(error(403, "No."))
    try:
        return (await model(service).ainvoke([UserMessage(content="Say it.")])).completion
    except Exception as failure:
        return [type(failure).__name__, failure.status_code, "No." in str(failure)]


drive.main()
