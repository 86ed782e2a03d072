"""modelwire's blocking client. Knows no other client."""

from modelwire import OpenAI
from measure import measure
from openai_like import sync_works

measure(sync_works(OpenAI))
