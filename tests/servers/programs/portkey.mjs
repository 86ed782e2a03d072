// Portkey's gateway changes headers of what fetch gives, which Node 20 and newer refuse: they are
// copied here. Takes the path of the gateway's program; its own arguments follow.
const fetched = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const answer = await fetched(...request);
  const { status, statusText, headers } = answer;
  return new Response(answer.body, { status, statusText, headers: new Headers(headers) });
};
await import(process.argv[2]);
