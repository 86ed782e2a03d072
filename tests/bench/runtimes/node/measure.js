// Takes the time of one client at one work, and prints what it received: measure.js CLIENT WORK
// BASE_URL OPERATIONS AT_ONCE. A client is a file that exports a function which makes one with chat(), which
// gives a text, and stream(), which gives many.

const [client, work, baseUrl, operations, atOnce] = process.argv.slice(2);
const { makeClient } = await import(`./${client}.js`);
const seen = { events: 0, text_bytes: 0 };

function count(text) {
  seen.events += 1;
  seen.text_bytes += Buffer.byteLength(text ?? "");
}

const works = {
  async chat(api) {
    for (let left = operations / atOnce; left > 0; left--) count(await api.chat());
  },
  stream: (api) => api.stream(count),
};

const [cpu, wall] = [process.cpuUsage(), performance.now()];
const api = makeClient(baseUrl, "sk-test", {
  model: "bench",
  messages: [{ role: "user", content: "hello" }],
});
await Promise.all(Array.from({ length: Number(atOnce) }, () => works[work](api)));
const spent = process.cpuUsage(cpu);
const told = { cpu_us: spent.user + spent.system, wall_us: (performance.now() - wall) * 1000 };
console.log(JSON.stringify({ ...told, ...seen }));
process.exit();
