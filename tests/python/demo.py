"""The example: models, a chat and a response, whole and streamed, an error, and what it cost.
Knows no service: it takes everything from the environment.

    MODELWIRE_BASE_URL  where the service is, https://host/v1 for instance
    MODELWIRE_API_KEY   the key
    MODELWIRE_MODEL     the model to ask; the first that the service lists if it is not set

    pip install modelwire && python demo.py
"""

import os
import sys

from modelwire import NotFoundError, OpenAI, OpenAIError

MODELS_SHOWN_MAX = 8
PROMPT = "Say hello in five words."
MESSAGES = [{"role": "user", "content": PROMPT}]


def show_models(client):
    """Lists the models; returns the one to ask."""
    models = client.models.list()
    print("Models")
    for model in models.data[:MODELS_SHOWN_MAX]:
        print(f"  {model.id}")
    if len(models) > MODELS_SHOWN_MAX:
        print(f"  ... and {len(models) - MODELS_SHOWN_MAX} more")
    model = os.environ.get("MODELWIRE_MODEL") or (models[0].id if len(models) else None)
    if model is None:
        sys.exit("the service lists no model: set MODELWIRE_MODEL")
    return model


def show_chat(client, model):
    print(f"Chat ({model})")
    completion = client.chat.completions.create(model=model, messages=MESSAGES, max_tokens=40)
    choice = completion.choices[0]
    print(f"  {choice.message.content}")
    print(f"  (finished: {choice.finish_reason or 'unknown'})")


def show_pieces(texts):
    """Prints each piece of text as soon as it is there."""
    pieces = 0
    print("  ", end="")
    for text in filter(None, texts):
        pieces += 1
        print(text, end="", flush=True)
    print(f"\n  ({pieces} pieces)")


def show_chat_stream(client, model):
    print("Chat, streamed")
    create = client.chat.completions.create
    with create(model=model, messages=MESSAGES, max_tokens=40, stream=True) as chunks:
        # A chunk that only reports usage has no choice.
        show_pieces(chunk.choices[0].delta.content for chunk in chunks if chunk.choices)


def show_response(client, model):
    print("Response")
    response = client.responses.create(model=model, input=PROMPT, max_output_tokens=40)
    print(f"  {response.output_text}")
    print(f"  (finished: {response.status or 'unknown'})")


def show_response_stream(client, model):
    print("Response, streamed")
    create = client.responses.create
    with create(model=model, input=PROMPT, max_output_tokens=40, stream=True) as events:
        show_pieces(event.delta for event in events if event.type == "response.output_text.delta")


def if_served(show, client, model):
    """Some services have no /responses: that is no failure of this program."""
    try:
        show(client, model)
    except NotFoundError:
        print("  (404: this service has no /responses)")


def show_error(client):
    """What an error tells. A service may answer an unknown model all the same."""
    print("An error")
    try:
        client.chat.completions.create(model="no-such-model", messages=MESSAGES, max_tokens=40)
    except OpenAIError as error:
        print(f"  {'status':11} {type(error).__name__}")
        print(f"  {'http status':11} {error.status_code or '-'}")
        for name in ("message", "type", "code", "model", "path", "request_id", "metered", "hint"):
            print(f"  {name.replace('_', ' '):11} {getattr(error, name) or '-'}")
    else:
        print('  none: the service answered for "no-such-model" all the same')


def show_cost(client):
    names = ("calls", "input_tokens", "output_tokens", "total_tokens")
    models = client.usage().values()
    calls, given, got, total = (sum(model[name] for model in models) for name in names)
    print(f"What it cost\n  calls: {calls}")
    print(f"  tokens: {given} in, {got} out, {total} in all")


def main():
    try:
        with OpenAI() as client:  # base URL and key come from the environment
            model = show_models(client)
            show_chat(client, model)
            show_chat_stream(client, model)
            if_served(show_response, client, model)
            if_served(show_response_stream, client, model)
            show_error(client)
            show_cost(client)
    except OpenAIError as error:
        sys.exit(f"{error}\nhint: {error.hint}")


if __name__ == "__main__":
    main()
