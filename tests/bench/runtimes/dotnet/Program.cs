// Both clients of the benchmark: CLIENT WORK BASE_URL OPERATIONS AT_ONCE, of the last of which there is 1.
using System;
using System.Diagnostics;
using System.IO;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Modelwire;

/// What was received; the harness compares it with what was sent.
internal sealed class Seen
{
    internal long Events, TextBytes;

    internal void Add(string text)
    {
        Events++;
        TextBytes += Encoding.UTF8.GetByteCount(text);
    }
}

internal static class Program
{
    private const string Members =
        "\"model\":\"bench\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]";

    private static async Task Main(string[] arguments)
    {
        var (work, baseUrl, operations) = (arguments[1], arguments[2], int.Parse(arguments[3]));
        using var process = Process.GetCurrentProcess();
        var (cpu, wall, seen) = (process.TotalProcessorTime, Stopwatch.StartNew(), new Seen());
        await (arguments[0] == "modelwire" ? Ours(work, baseUrl, operations, seen)
            : Usual(work, baseUrl, operations, seen));
        process.Refresh();
        cpu = process.TotalProcessorTime - cpu;
        Console.WriteLine(JsonSerializer.Serialize(new
        {
            cpu_us = cpu.TotalMilliseconds * 1e3,
            wall_us = wall.Elapsed.TotalMilliseconds * 1e3,
            events = seen.Events,
            text_bytes = seen.TextBytes,
        }));
    }

    private static async Task Ours(string work, string baseUrl, int operations, Seen seen)
    {
        var request = "{" + Members + "}";
        var options = new ClientOptions { BaseUrl = baseUrl, ApiKey = "sk-test" };
        await using var client = new ModelwireClient(options);
        if (work == "stream")
        {
            await foreach (var chunk in client.StreamChatAsync(request)) seen.Add(chunk.Text);
            return;
        }
        for (var done = 0; done < operations; done++) seen.Add((await client.ChatAsync(request)).Text);
    }

    /// The client that comes with .NET, and System.Text.Json.
    private static async Task Usual(string work, string baseUrl, int operations, Seen seen)
    {
        using var client = new HttpClient();
        client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", "sk-test");
        var url = baseUrl + "/chat/completions";
        if (work == "stream")
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, url)
            {
                Content = Body("{" + Members + ",\"stream\":true}"),
            };
            var headersRead = HttpCompletionOption.ResponseHeadersRead;
            using var response = await client.SendAsync(request, headersRead);
            using var lines = new StreamReader(await response.Content.ReadAsStreamAsync());
            while (await lines.ReadLineAsync() is { } line)
            {
                if (!line.StartsWith("data: ", StringComparison.Ordinal) || line == "data: [DONE]") continue;
                using var chunk = JsonDocument.Parse(line.AsMemory("data: ".Length));
                var delta = chunk.RootElement.GetProperty("choices")[0].GetProperty("delta");
                seen.Add(delta.TryGetProperty("content", out var text) ? text.GetString() : "");
            }
            return;
        }
        for (var done = 0; done < operations; done++)
        {
            using var response = await client.PostAsync(url, Body("{" + Members + "}"));
            using var document = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync());
            var choice = document.RootElement.GetProperty("choices")[0];
            seen.Add(choice.GetProperty("message").GetProperty("content").GetString());
        }
    }

    private static StringContent Body(string json) =>
        new StringContent(json, Encoding.UTF8, "application/json");
}
