"""openai-python's asyncio client."""

from openai import AsyncOpenAI
from measure import measure
from openai_like import async_works

measure(async_works(AsyncOpenAI))
