"""LitServe with the dummy model behind its OpenAISpec. Takes the port."""

import sys

import dummy
import fastapi
import litserve


class Dummy(litserve.LitAPI):
    def setup(self, device):
        pass

    def predict(self, request):
        prompt = request.messages[-1].content
        if isinstance(prompt, list):
            prompt = "".join(part.text for part in prompt)
        try:
            yield from dummy.answer(prompt)
        except dummy.Refused as error:
            raise fastapi.HTTPException(429, str(error)) from error


if __name__ == "__main__":
    api = Dummy(spec=litserve.OpenAISpec())
    server = litserve.LitServer(api, accelerator="cpu", restart_workers=True)
    server.run(host="127.0.0.1", port=int(sys.argv[1]), generate_client_file=False)
