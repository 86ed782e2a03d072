"""deepeval: its model plain, structured and asynchronous."""
# needs: deepeval==4.3.1 openai==3.57.0

import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

import drive

drive.stand_in()  # it makes its own clients

from deepeval.models import GPTModel
from pydantic import BaseModel


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


drive.main()
