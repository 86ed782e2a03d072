// What programs write without a client: fetch and JSON.parse.

export function makeClient(baseUrl, key, body) {
  async function post(content) {
    const answer = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(content),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer;
  }

  return {
    chat: async () => (await (await post(body)).json()).choices[0].message.content,
    async stream(count) {
      const answer = await post({ ...body, stream: true });
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of answer.body) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (!line.startsWith("data: ") || line.startsWith("data: [DONE]")) continue;
          count(JSON.parse(line.slice(6)).choices[0]?.delta.content);
        }
      }
    },
  };
}
