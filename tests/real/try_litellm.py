"""litellm: completion() in its four forms, handed a client."""
# needs: litellm==1.110.2

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import drive

drive.stand_in()

import litellm

litellm.drop_params = True
ASK = {"model": "openai/echo", "messages": [{"role": "user", "content": "One two."}]}


@drive.case
def whole(service):
    answer = litellm.completion(client=drive.client(service), max_retries=0, **ASK)
    return [answer.choices[0].message.content, answer.usage.total_tokens]


@drive.case
def streamed(service):
    chunks = litellm.completion(client=drive.client(service), stream=True, max_retries=0, **ASK)
    return [chunk.choices[0].delta.content for chunk in chunks]


@drive.case
async def whole_async(service):
    answer = await litellm.acompletion(client=drive.async_client(service), max_retries=0, **ASK)
    return answer.choices[0].message.content


@drive.case
async def streamed_async(service):
    client = drive.async_client(service)
    chunks = await litellm.acompletion(client=client, stream=True, max_retries=0, **ASK)
    return [chunk.choices[0].delta.content async for chunk in chunks]


@drive.case
def refused(service):
    service.queue(401)
    try:
        litellm.completion(client=drive.client(service), max_retries=0, **ASK)
    except Exception as error:
        return [type(error).__name__, error.status_code]


@drive.case
def made_by_it(service):
    answer = litellm.completion(
        api_base=service.base_url, api_key=service.api_key, max_retries=0, **ASK
    )
    return answer.choices[0].message.content


drive.main()
