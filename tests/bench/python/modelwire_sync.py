"""modelwire's blocking client."""

from modelwire import OpenAI
from modelwire.types.chat import ChatCompletion
from answers import reading_works
from measure import measure
from openai_like import sync_works

reading = reading_works(ChatCompletion.model_validate_json, lambda answer: answer.model_dump())
measure({**sync_works(OpenAI), **reading})
