"""modelwire's asyncio client."""

from modelwire import AsyncOpenAI
from measure import measure
from openai_like import async_works

measure(async_works(AsyncOpenAI))
