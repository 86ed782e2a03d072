"""openai-python's blocking client."""

import json

from answers import reading_works
from measure import measure
from openai import OpenAI
from openai._models import construct_type
from openai.types.chat import ChatCompletion
from openai_like import sync_works

# What its client makes of the body of a response.
reading = reading_works(
    lambda text: construct_type(type_=ChatCompletion, value=json.loads(text)),
    lambda answer: answer.model_dump(),
)
measure({**sync_works(OpenAI), **reading})
