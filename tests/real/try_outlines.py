"""outlines: text, structured output and streams of a model that is handed a client,
synchronous and asynchronous."""
# needs: outlines[openai]==1.3.3 openai==3.57.0

import drive

drive.stand_in()

import outlines
from pydantic import BaseModel

from modelwire.testing import error


class City(BaseModel):
    """A city."""

    name: str


def model(service):
    return outlines.from_openai(drive.client(service), "echo")


@drive.case
def plain(service):
    return model(service)("Say hello.")


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    return model(service)("Which city?", City)


@drive.case
def streamed(service):
    return list(model(service).stream("One two three."))


@drive.case
async def asynchronous(service):
    return await outlines.from_openai(drive.async_client(service), "echo")("Say hello.")


@drive.case
def refused(service):
    service.queue(error(400, "No."))
    try:
        return model(service)("Say it.")
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


@drive.case
async def structured_async(service):
    service.queue('{"name": "Paris"}')
    return await outlines.from_openai(drive.async_client(service), "echo")("Which city?", City)


@drive.case
async def streamed_async(service):
    found = outlines.from_openai(drive.async_client(service), "echo")
    return [piece async for piece in found.stream("One two three.")]


@drive.case
def structured_and_streamed(service):
    service.queue(['{"name": ', '"Paris"}'])
    return list(model(service).stream("Which city?", City))


@drive.case
def without_a_schema(service):
    service.queue('{"name": "Paris"}')
    return model(service)("Which city?", dict)


drive.main()
