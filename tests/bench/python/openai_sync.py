"""openai-python's blocking client. Knows no other client."""

from measure import measure
from openai import OpenAI
from openai_like import sync_works

measure(sync_works(OpenAI))
