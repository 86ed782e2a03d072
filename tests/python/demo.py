"""The example: models; a chat and a response, whole and streamed; a model that only streams; a call
that is refused at first; an error; and what it cost. Takes everything from the
environment:

    MODELWIRE_BASE_URL                where the service is, https://host/v1 for instance
    MODELWIRE_API_KEY                 the key
    MODELWIRE_MODEL                   the model to ask; the first that the service lists if not set
    MODELWIRE_DEMO_STREAM_ONLY_MODEL  one that only streams; the same one if not set
    MODELWIRE_DEMO_REFUSED_MODEL      one that answers 429 at first; left out if not set

    pip install modelwire && python demo.py
"""

import os
import sys

from modelwire import APIStatusError, NotFoundError, OpenAI, OpenAIError

PROMPT = "Hello, and good morning to you!"  # a model that echoes gives a good answer to it, too
MESSAGES = [{"role": "user", "content": PROMPT}]
TOKENS_MAX = 40
MODELS_SHOWN_MAX = 8
METERED = {
    "not_sent": "nothing was sent",
    "normally_not": "it normally did not reach processing",
    "entered": "the service processed it, at least in part",
    "unknown": "the service may or may not have processed it",
}


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


def ask(create, model, **options):
    """A chat; `create` is the method that makes it."""
    return create(model=model, messages=MESSAGES, max_tokens=TOKENS_MAX, **options)


def show_answer(text, reason):
    print(f"  answered: {text}")
    print(f"  (finished: {reason or 'unknown'})")


def show_completion(completion):
    show_answer(completion.choices[0].message.content, completion.choices[0].finish_reason)


def show_chat(client, model):
    """A chat that is answered whole; returns whether that takes the option stream_only."""
    print(f"Chat ({model})\n  asked:    {PROMPT}")
    create = client.chat.completions.create
    try:
        show_completion(ask(create, model))
    except APIStatusError as error:
        # The service tells in no agreed way that a model only streams. It may be that, unless the
        # status speaks of the key or of a limit.
        status = error.status_code
        if status < 400 or status in (401, 429):
            raise
        print(f"  (status {status}: asked again with stream_only, as by the plain calls below)")
        show_completion(ask(create, model, stream_only=True))
        return True
    return False


def show_pieces(texts):
    """Prints each piece of text as soon as it is there."""
    pieces = 0
    print("  answered: ", end="")
    for text in filter(None, texts):
        pieces += 1
        print(text, end="", flush=True)
    print(f"\n  ({pieces} pieces)")


def show_chat_stream(client, model):
    print("Chat, streamed")
    with ask(client.chat.completions.create, model, stream=True) as chunks:
        # A chunk that only reports usage has no choice.
        show_pieces(chunk.choices[0].delta.content for chunk in chunks if chunk.choices)


def show_response(client, model, stream_only):
    """A response, whole and streamed. Some services have none: that is no failure of ours."""
    print("Response")
    create, asked = client.responses.create, {"model": model, "input": PROMPT}
    asked["max_output_tokens"] = TOKENS_MAX
    try:
        response = create(**asked, stream_only=stream_only)
    except NotFoundError:
        print("  (404: this service has no /responses)")
        return
    show_answer(response.output_text, response.status)
    print("Response, streamed")
    with create(**asked, stream=True) as events:
        show_pieces(event.delta for event in events if event.type == "response.output_text.delta")


def show_stream_only(client, model):
    print(f"Chat with the option stream_only, for models that only stream ({model})")
    show_completion(ask(client.chat.completions.create, model, stream_only=True))


def show_refused(client, model):
    print(f"Chat that is refused with 429 at first ({model})")
    # Nothing to do here: the retry policy of the client waits and tries again. The raw response
    # is asked for because it counts.
    raw = ask(client.chat.completions.with_raw_response.create, model)
    show_completion(raw.parse())
    print(f"  (answered after {raw.retries_taken + 1} attempts)")


def show_error(client):
    """What an error tells. A service may answer an unknown model all the same."""
    print("An error")
    try:
        ask(client.chat.completions.create, "no-such-model")
    except OpenAIError as error:
        print(f"  {'kind':11} {error.kind}")
        print(f"  {'http status':11} {error.status_code or '-'}")
        for name in ("message", "type", "code", "model", "path", "request_id"):
            print(f"  {name.replace('_', ' '):11} {getattr(error, name) or '-'}")
        print(f"  {'metered':11} {error.metered}: {METERED[error.metered]}")
        print(f"  {'hint':11} {error.hint}")
    else:
        print('  none: the service answered for "no-such-model" all the same')


def show_cost(client):
    """Chats and responses that were answered; lists and failures are not counted."""
    names = ("calls", "calls_without_usage", "input_tokens", "output_tokens", "total_tokens")
    models = client.usage().values()
    calls, silent, given, got, total = (sum(model[name] for model in models) for name in names)
    print(f"What it cost\n  calls: {calls}")
    print(f"  of these {silent} reported no usage: what they used is not among the tokens")
    print(f"  tokens: {given} in, {got} out, {total} in all")


def main():
    try:
        with OpenAI() as client:  # base URL and key come from the environment
            model = show_models(client)
            stream_only = show_chat(client, model)
            show_chat_stream(client, model)
            show_response(client, model, stream_only)
            show_stream_only(client, os.environ.get("MODELWIRE_DEMO_STREAM_ONLY_MODEL") or model)
            if refused := os.environ.get("MODELWIRE_DEMO_REFUSED_MODEL"):
                show_refused(client, refused)
            show_error(client)
            show_cost(client)
    except OpenAIError as error:
        sys.exit(str(error))  # the hint is in it


if __name__ == "__main__":
    main()
