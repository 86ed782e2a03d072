"""FastChat's model worker with the dummy model. Takes the controller's port and its own."""

import json
import sys

import dummy
import uvicorn
from fastchat.constants import ErrorCode
from fastchat.conversation import get_conv_template
from fastchat.serve import base_model_worker

CONTEXT_TOKENS = 2048


class Dummy(base_model_worker.BaseModelWorker):
    def __init__(self, controller, own):
        super().__init__(controller, own, "dummy", "tiny-model", ["tiny-model"], 16)
        self.context_len = CONTEXT_TOKENS
        self.init_heart_beat()

    def make_conv_template(self, template, path):
        return get_conv_template("zero_shot")  # the usual way imports torch

    def count_token(self, params):
        return {"count": len(params["prompt"].split()), "error_code": 0}

    def generate_stream_gate(self, params):
        prompt = params["prompt"].rpartition("### Human: ")[2]
        tokens_in, tokens_out, text = len(prompt.split()), 0, ""
        try:
            for piece in dummy.answer(prompt):
                if tokens_out == params["max_new_tokens"]:
                    yield self.told(text, tokens_in, tokens_out, "length")
                    return
                text, tokens_out = text + piece, tokens_out + 1
                ends = [text.find(stop) for stop in params["stop"] if stop in text]
                if ends:
                    text = text[: min(ends)]
                    break
                yield self.told(text, tokens_in, tokens_out, None)
        except Exception as error:
            failed = {"text": str(error), "error_code": ErrorCode.CUDA_OUT_OF_MEMORY}
            yield json.dumps(failed).encode() + b"\0"
            return
        yield self.told(text, tokens_in, tokens_out, "stop")

    def told(self, text, tokens_in, tokens_out, finish_reason):
        usage = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
        value = {"text": text, "error_code": 0, "usage": usage, "finish_reason": finish_reason}
        return json.dumps(value).encode() + b"\0"

    def generate_gate(self, params):
        *_, last = self.generate_stream_gate(params)
        return json.loads(last[:-1])


if __name__ == "__main__":
    controller, own = sys.argv[1:]
    Dummy(f"http://127.0.0.1:{controller}", f"http://127.0.0.1:{own}")
    uvicorn.run(base_model_worker.app, host="127.0.0.1", port=int(own))
