// Plays one scenario with the binding, as a program would use it: Scenarios NAME.
#nullable enable
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Modelwire;

internal static class Scenarios
{
    private const string Words = "one two three four";
    private const string Odd = "a\0b äöü ß 😀 漢字 \"\\\n end";
    private const int Winch = 28;

    private static Task Main(string[] arguments) => arguments[0] switch
    {
        "plain" => Plain(),
        "installed" => Installed(),
        "typed" => Typed(),
        "streamed" => Streamed(),
        "missing" => Missing(),
        "no_key" => NoKey(),
        "wrong_request" => WrongRequest(),
        "options" => Options(),
        "cut" => Cut(),
        "cancel" => Cancel(),
        "tokens" => Tokens(),
        "slow_reader" => SlowReader(),
        "many" => Many(),
        "large" => Large(),
        "finalizers" => Finalizers(),
        "clients" => Clients(),
        "log" => Log(),
        "close" => Close(),
        "close_paused" => ClosePaused(),
        "interrupt" => Interrupt(),
        _ => throw new ArgumentException("no such scenario: " + arguments[0]),
    };

    private static async Task Plain()
    {
        await using var client = new ModelwireClient();
        var models = await client.ModelsAsync();
        Check(models.Models.Count > 1 && models.Models.Contains("echo"), models.Json);
        Check(models.Json.Contains("\"echo\""), models.Json);
        var response = await client.ChatAsync(Chat("echo", "plain words"));
        Same(response.Text, "plain words");
        var choice = response.Document.GetProperty("choices")[0];
        Same(choice.GetProperty("message").GetProperty("content").GetString(), "plain words");
        Check(response.Json.StartsWith("{"), response.Json);
        Check(response.Usage!.TotalTokens > 0, response.Info);
        Same(response.HttpStatus, 200);
        Same(response.Info.GetProperty("attempts").GetInt32(), 1);
        Same((await client.ResponsesAsync(Ask("echo", "plain words"))).Text, "plain words");
        Same(client.CallsInFlight, 0L);
    }

    /// The library is the one of the package.
    private static async Task Installed()
    {
        await using var client = new ModelwireClient();
        Same((await client.ChatAsync(Chat("echo", "plain words"))).Text, "plain words");
        var loaded = File.ReadLines("/proc/self/maps").First(line => line.Contains("libmodelwire"));
        Check(loaded.Contains("/runtimes/linux-x64/native/libmodelwire.so"), loaded);
    }

    private static async Task Typed()
    {
        var patient = new CallOptions { TotalTimeout = TimeSpan.FromSeconds(60), MaxRetries = 0 };
        await using var client = new ModelwireClient(new ClientOptions { ConnectionsMax = 10 });
        var schema = new { type = "object", properties = new { text = new { type = "string" } } };
        var request = new ChatRequest("echo-tools", Message.System("Be short."), Message.User("one two"))
        {
            Temperature = 0,
            ["a_field"] = true,
        };
        request.AddTool("echo", null, schema);
        var response = await client.ChatAsync(request, patient);
        Same(response.FinishReason, "tool_calls");
        var call = response.ToolCalls.Single();
        Same(call.Name, "echo");
        var given = JsonSerializer.Deserialize<Dictionary<string, string>>(call.Arguments);
        Same(given["text"], "one two");
        request.Messages.Add(response.Message);
        request.Messages.Add(Message.Tool(call, "one two"));
        Same((await client.ChatAsync(request, patient)).HttpStatus, 200);

        response = await client.ChatAsync(new ChatRequest("echo", Message.User("one two")));
        var usage = response.Usage!;
        Same(usage.TotalTokens, usage.InputTokens + usage.OutputTokens);
        // As the service sent it.
        var message = response.Document.GetProperty("choices")[0].GetProperty("message");
        Same(JsonSerializer.Serialize(response.Message), JsonSerializer.Serialize(message));
        Same(response.Message["content"]!.ToString(), "one two");
        var parts = Message.User(Part.Text("x"), Part.Image("image/png", new byte[3]));
        request = new ChatRequest("echo", parts) { MaxTokens = 100 };
        request.SetSchema("thing", JsonDocument.Parse("{\"type\": \"object\"}").RootElement);
        Check((await client.ChatAsync(request)).Text.Contains("x"), "parts");
        response = await client.ChatAsync(new ChatRequest("echo", Message.User("{\"items\": [1, 2]}")));
        Same(response.Parse<Parsed>().Items.Sum(), 3);

        var gathered = new CallOptions { Gather = true, IdleTimeout = Timeout.InfiniteTimeSpan };
        var stream = client.StreamChatAsync(new ChatRequest("echo", Message.User(Words)), gathered);
        response = await stream.ResponseAsync();
        Same(response.Text, Words);
        Same(response.Document.GetProperty("object").GetString(), "chat.completion");
        var ask = new ResponsesRequest("echo", Words) { Instructions = "Be short." };
        Same((await client.ResponsesAsync(ask.SetSchema("thing", schema))).Text, Words);
        ask.AddTool("echo", "It echoes.", new { type = "object" });
        Same((await client.ResponsesAsync(ask)).Text, Words);
        Same(JsonSerializer.Serialize(ask["tools"]), "[{\"type\":\"function\",\"name\":\"echo\","
            + "\"description\":\"It echoes.\",\"parameters\":{\"type\":\"object\"}}]");
        Same(new CallOptions { IdleTimeout = null }.Count, 0);
        Same(new CallOptions { IdleTimeout = TimeSpan.FromMilliseconds(0.5) }["idle_timeout_ms"], (object)1L);
        var named = new CallOptions { ["idle_timeout_ms"] = 200, ["retry_jitter"] = 1, ["total_timeout_ms"] = null };
        Same((named.IdleTimeout, named.RetryJitter), (TimeSpan.FromMilliseconds(200), 1.0));
        Same((named.TotalTimeout, named.PoolTimeout), (Timeout.InfiniteTimeSpan, null));
        var bounded = new CallOptions { TotalTimeout = Timeout.InfiniteTimeSpan };
        Same(JsonSerializer.Serialize(bounded), "{\"total_timeout_ms\":null}");

        // What the end of a stream does not have is not empty.
        response = await client.StreamChatAsync(new ChatRequest("echo", Message.User(Words))).ResponseAsync();
        foreach (var use in new Action[] { () => _ = response.ToolCalls, () => _ = response.Message,
            () => response.Parse<object>(), () => new ChatRequest("m") { ["tools"] = schema }.AddTool("f", null, schema) })
            Check(Thrown(use) is InvalidOperationException, "no error");
        Check(Thrown(() => Message.Tool(null!, "x")) is ArgumentNullException, "no error");
    }

    private sealed class Parsed
    {
        public int[] Items { get; set; } = Array.Empty<int>();
    }

    private static Exception? Thrown(Action use)
    {
        try
        {
            use();
            return null;
        }
        catch (Exception thrown)
        {
            return thrown;
        }
    }

    private static async Task Streamed()
    {
        await using var client = new ModelwireClient();
        var chunks = new List<Chunk>();
        var stream = client.StreamChatAsync(Chat("echo", Words), new CallOptions { Gather = true });
        await foreach (var chunk in stream) chunks.Add(chunk);
        Same(string.Concat(chunks.Select(chunk => chunk.Text)), Words);
        Same(string.Concat(chunks.Select(chunk => Piece(chunk.Document))), Words);
        Check(chunks.Count(chunk => chunk.Text.Length > 0) >= 2, chunks.Count);
        var response = await stream.ResponseAsync();
        Same(response.FinishReason, "stop");
        Same(response.Text, Words);

        chunks.Clear();
        var responses = client.StreamResponsesAsync(Ask("echo", Words));
        await foreach (var chunk in responses) chunks.Add(chunk);
        Same(string.Concat(chunks.Select(chunk => chunk.Text)), Words);
        var deltas = chunks.Where(chunk => chunk.Name == "response.output_text.delta");
        Same(string.Concat(deltas.Select(chunk => chunk.Document.GetProperty("delta").GetString())), Words);
        response = await responses.ResponseAsync();
        Same(response.HttpStatus, 200);
        Same(response.Json + response.Document.ValueKind, "Undefined");
        Same((await client.ChatAsync(Chat("echo", Odd))).Text, Odd);
        Same(await Joined(client.StreamChatAsync(Chat("echo", Odd))), Odd);

        // A token that is cancelled in the loop ends it, whatever has come already.
        using var source = new CancellationTokenSource();
        var count = 0;
        var cancelled = client.StreamChatAsync(Chat("echo", Words), cancellationToken: source.Token);
        Same(await Cancelled(async () =>
        {
            await foreach (var chunk in cancelled)
            {
                if (count++ == 0) await Task.Delay(200);
                source.Cancel();
            }
        }), source.Token);
        Same(count, 1);
    }

    private static string Piece(JsonElement chunk) =>
        chunk.GetProperty("choices").EnumerateArray().FirstOrDefault() is { ValueKind: JsonValueKind.Object } choice
            && choice.GetProperty("delta").TryGetProperty("content", out var text) ? text.GetString() : "";

    private static async Task Missing()
    {
        // What a program has caught is not unobserved.
        var unobserved = 0;
        TaskScheduler.UnobservedTaskException += (sender, of) => unobserved++;
        await using var client = new ModelwireClient();
        var request = Chat("no-such-model", "Hello");
        foreach (var call in new Func<Task>[]
            { () => client.ChatAsync(request), () => Next(client.StreamChatAsync(request)) })
        {
            var failure = await Failure(call);
            Same(failure.Kind, "not_found");
            Same(failure.HttpStatus, 404);
            Same(failure.Attempts, 1);
            Same(failure.Model, "no-such-model");
            Check(failure.Explanation != "" && failure.Hint != "", failure);
            Same(failure.Message, $"not_found: {failure.Explanation}\n{failure.Hint}");
            Check(failure.Path!.EndsWith("/chat/completions"), failure.Path);
            Check(failure.Elapsed >= TimeSpan.Zero, failure.Json);
            Check(DateTimeOffset.UtcNow - failure.RequestTime < TimeSpan.FromMinutes(1), failure.Json);
            Check(failure.Body!.Contains("no-such-model"), failure.Body);
            Check(failure.Headers.Any(header => header.Key == "content-type"), failure.Json);
            Check(failure.Json.Contains($"\"metered\":\"{failure.Metered}\""), failure.Json);
            Check(failure.DocUrl!.Contains("not_found"), failure.DocUrl);
            var all = JsonDocument.Parse(failure.Json).RootElement;
            Same(failure.Type, all.GetProperty("type").GetString());
            Same(failure.Code, all.GetProperty("code").GetString());
            Same(failure.RequestId, all.GetProperty("request_id").GetString());
            Same((failure.Timeout, failure.Partial, failure.RetryAfter, failure.Param),
                (null, null, null, all.GetProperty("param").GetString()));
        }
        Collect();
        Collect();
        Same(unobserved, 0);
    }

    private static async Task NoKey()
    {
        var failure = await Failure(() => Task.Run(() => new ModelwireClient()));
        Same(failure.Kind, "config");
        Check(failure.Message.Contains("api_key"), failure);
        Check(failure.Message.Contains("MODELWIRE_API_KEY"), failure);
        // What the constructor left behind has nothing to end.
        Collect();
        // What the program itself puts into its environment counts.
        Environment.SetEnvironmentVariable("MODELWIRE_API_KEY", "sk-test");
        await new ModelwireClient().DisposeAsync();
    }

    private static async Task WrongRequest()
    {
        await using var client = new ModelwireClient();
        foreach (var request in new object[] { new { model = "echo" }, "{\"model\":\"echo\"}" })
        {
            var failure = await Failure(() => client.ChatAsync(request));
            Same(failure.Kind, "argument");
            Check(failure.Explanation!.Contains("messages"), failure);
        }
        Same((await Failure(() => Next(client.StreamChatAsync("no JSON")))).Kind, "argument");
        Same((await Failure(() => client.ChatAsync(""))).Kind, "argument");
        var wrong = new CallOptions { ["no_such_option"] = 1 };
        foreach (var call in EveryCall(client, wrong, default)) Same((await Failure(call)).Kind, "argument");
        Same(client.CallsInFlight, 0L);
        Collect(); // nothing of a call that was not started
    }

    private static async Task Options()
    {
        await using var client = new ModelwireClient(new ClientOptions { MaxRetries = 1 });
        var slow = Chat("slow", string.Concat(Enumerable.Repeat("w ", 2000)));
        var brief = new CallOptions { TotalTimeout = TimeSpan.FromMilliseconds(200) };
        Same(brief.TotalTimeout, TimeSpan.FromMilliseconds(200));
        var failure = await Failure(() => client.ChatAsync(slow, brief));
        Same((failure.Kind, failure.Timeout), ("timeout", "total_timeout"));
        var wrong = new CallOptions { ["total_timeout"] = 200 };
        failure = await Failure(() => client.ChatAsync(slow, wrong));
        Same(failure.Kind, "argument");
        Check(failure.Message.Contains("total_timeout"), failure);
        var headers = new Dictionary<string, string> { ["x-a"] = "b" };
        var set = new CallOptions { Headers = headers, MaxRetries = 0, RetryStatuses = new[] { 429, 503 } };
        Same((await client.ChatAsync(Chat("echo", "x"), set)).Text, "x");
        var config = new ClientOptions { ["bas_url"] = "http://localhost/v1" };
        failure = await Failure(() => Task.Run(() => new ModelwireClient(config)));
        Same(failure.Kind, "config");
        Check(failure.Message.Contains("base_url"), failure);

        var url = Environment.GetEnvironmentVariable("MODELWIRE_BASE_URL")!;
        var urls = new[] { new BaseUrl(url) { Weight = 2 }, "http://127.0.0.1:1/v1" };
        await using var several = new ModelwireClient(new ClientOptions { BaseUrls = urls });
        Same((await several.ChatAsync(Chat("echo", "x"))).Text, "x");
        Same(await Joined(several.StreamChatAsync(Chat("echo", "x"))), "x");
    }

    private static async Task Cut()
    {
        await using (var client = new ModelwireClient())
        {
            var stream = client.StreamChatAsync(Chat("echo", "x"));
            var reader = stream.GetAsyncEnumerator();
            Check(await reader.MoveNextAsync(), "nothing");
            Same(reader.Current.Text, "half ");
            Same((await Failure(() => reader.MoveNextAsync().AsTask())).Kind, "disconnected");
            // What was cut never looks finished.
            Check(await IsTaken(stream), "it was read again");
            Same((await Failure(() => stream.ResponseAsync())).Kind, "disconnected");
        }
        Cue();
    }

    private static async Task Cancel()
    {
        await using var client = new ModelwireClient();
        var stream = client.StreamChatAsync(Chat("echo", "x"));
        var reader = stream.GetAsyncEnumerator();
        Check(await reader.MoveNextAsync(), "nothing");
        Same(reader.Current.Text, "one ");
        var waiting = reader.MoveNextAsync().AsTask();
        stream.Cancel();
        Same((await Failure(() => waiting)).Kind, "cancelled");
        Same((await Failure(() => stream.ResponseAsync())).Kind, "cancelled");
        stream.Cancel();
        await stream.DisposeAsync();
        await using (var left = client.StreamChatAsync(Chat("echo", "x")))
        {
            await foreach (var chunk in left)
            {
                Same(chunk.Text, "one ");
                break;
            }
            Check(await IsTaken(left), "it was read again");
            Same((await Failure(() => left.ResponseAsync())).Kind, "closed");
        }
        Console.WriteLine("left");
        Cue();
        // Its last event comes a moment after the service saw the end.
        Until(() => client.CallsInFlight == 0);
    }

    /// Tokens end calls as .NET's users expect it, in each place that takes one.
    private static async Task Tokens()
    {
        await using var client = new ModelwireClient();
        var request = Chat("echo", "x");
        using var early = new CancellationTokenSource();
        early.Cancel();
        foreach (var call in EveryCall(client, null, early.Token)) Same(await Cancelled(call), early.Token);
        Same(client.CallsInFlight, 0L);

        using var source = new CancellationTokenSource();
        var whole = client.ChatAsync(request, cancellationToken: source.Token);
        var stream = client.StreamChatAsync(request, cancellationToken: source.Token);
        var reader = stream.GetAsyncEnumerator();
        Check(await reader.MoveNextAsync(), "nothing");
        Check(!whole.IsCompleted, "it ended");
        source.Cancel();
        Same(await Cancelled(() => whole), source.Token);
        Check(whole.IsCanceled, whole.Status);
        Same(await Cancelled(() => reader.MoveNextAsync().AsTask()), source.Token);

        using var of = new CancellationTokenSource();
        var other = client.StreamChatAsync(request).WithCancellation(of.Token).GetAsyncEnumerator();
        Check(await other.MoveNextAsync(), "nothing");
        of.Cancel();
        Same(await Cancelled(async () => await other.MoveNextAsync()), of.Token);
        Until(() => client.CallsInFlight == 0);
        Cue();
    }

    private static async Task SlowReader()
    {
        await using (var client = new ModelwireClient())
        {
            var slow = client.StreamChatAsync(Chat("echo", "x")).GetAsyncEnumerator();
            Check(await slow.MoveNextAsync(), "nothing");
            Same(slow.Current.Text.Length, 1000);
            // Once, so that what the runtime itself needs for this is there.
            Same(await Count(client.StreamChatAsync(Chat("echo", "x"))), 20);
            var before = ResidentKiB();
            for (var at = 0; at < 19; at++) Same(await Count(client.StreamChatAsync(Chat("echo", "x"))), 20);
            await Task.Delay(1000);
            var grown = ResidentKiB() - before;
            Check(grown < 40 * 1024, $"{grown} KiB more");
            var count = 1;
            while (await slow.MoveNextAsync()) count += slow.Current.Text.Length > 0 ? 1 : 0;
            Same(count, 64_000);
            grown = ResidentKiB() - before;
            Check(grown < 60 * 1024, $"{grown} KiB more in the end");
        }
        Cue();
    }

    private static async Task Many()
    {
        await using var client = new ModelwireClient(new ClientOptions { ConnectionsMax = 1100 });
        foreach (var count in new[] { 100, 1000 })
        {
            var texts = Enumerable.Range(0, count)
                .Select(at => Joined(client.StreamChatAsync(Chat("slow", $"stream {at}")))).ToList();
            for (var at = 0; at < count; at++) Same(await texts[at], $"stream {at}");
        }
        Same(client.CallsInFlight, 0L);
    }

    /// Events that are larger than what is read at once, beside small ones.
    private static async Task Large()
    {
        await using var client = new ModelwireClient();
        foreach (var size in new[] { 1, 60_000, 1_000_000 })
        {
            var text = string.Concat(Enumerable.Repeat("ä", size));
            Same((await client.ChatAsync(Chat("echo", text))).Text, text);
            Same(await Joined(client.StreamChatAsync(Chat("echo", text))), text);
            Same(await Joined(client.StreamChatAsync(Chat("echo", Words))), Words);
        }
    }

    private static async Task Finalizers()
    {
        var client = new ModelwireClient();
        DropStreams(client, 40);
        DropClient();
        Until(() =>
        {
            Collect();
            return client.CallsInFlight == 0;
        });
        // Those of the client that was dropped are seen by the service alone.
        var isOver = false;
        var collecting = Task.Run(() =>
        {
            while (!isOver)
            {
                Collect();
                Thread.Sleep(50);
            }
        });
        Cue();
        isOver = true;
        await collecting;
        await client.DisposeAsync();
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropClient() => DropStreams(new ModelwireClient(), 10);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropStreams(ModelwireClient client, int count)
    {
        for (var at = 0; at < count; at++)
        {
            var reader = client.StreamChatAsync(Chat("echo", "x")).GetAsyncEnumerator();
            Check(reader.MoveNextAsync().AsTask().GetAwaiter().GetResult(), "nothing");
            Same(reader.Current.Text, "one ");
        }
    }

    private static async Task Clients()
    {
        long descriptors = 0, resident = 0;
        for (var at = 0; at < 2000; at++)
        {
            var client = new ModelwireClient();
            if (at % 100 == 0) Same((await client.ChatAsync(Chat("echo", "x"))).Text, "x");
            if (at % 200 == 0) client.Dispose();
            else if (at % 2 == 1) await client.DisposeAsync();
            if (at % 100 == 99) Collect();
            if (at == 199) (descriptors, resident) = (Descriptors(), ResidentKiB());
        }
        Check(Descriptors() - descriptors < 20, $"{Descriptors() - descriptors} descriptors more");
        Check(ResidentKiB() - resident < 16 * 1024, $"{ResidentKiB() - resident} KiB more");
    }

    private static async Task Log()
    {
        var records = new ConcurrentQueue<ModelwireLogRecord>();
        await using var client = new ModelwireClient();
        // The log handler sees no AsyncLocal value of the first caller.
        var local = new AsyncLocal<string?> { Value = "of the caller" };
        var isLocal = false;
        client.LogTo(ModelwireLogLevel.Debug, record =>
        {
            records.Enqueue(record);
            isLocal |= local.Value != null;
            throw new InvalidOperationException("a handler that fails ends nothing");
        });
        Same((await client.ChatAsync(Chat("echo", "x"))).Text, "x");
        Until(() => records.Any(record => record.Area == "modelwire" && record.Level == ModelwireLogLevel.Info));
        client.LogTo(ModelwireLogLevel.Off, record => records.Enqueue(record));
        var count = records.Count;
        Same((await client.ChatAsync(Chat("echo", "x"))).Text, "x");
        Same((records.Count, isLocal), (count, false));
        Check(records.Any(record => record.Level == ModelwireLogLevel.Debug), "levels");
        foreach (var record in records)
        {
            Check(record.Area != "" && record.Level >= ModelwireLogLevel.Info && record.Message != "", record.Message);
            Check(!record.Message.Contains("sk-test"), "the key is in the log");
        }
        // One that closes the client does not wait for itself.
        var other = new ModelwireClient();
        var isClosed = new TaskCompletionSource<bool>();
        other.LogTo(ModelwireLogLevel.Debug, record =>
        {
            other.Dispose();
            isClosed.TrySetResult(true);
        });
        Same((await Failure(() => other.ChatAsync(Chat("slow", Words)))).Kind, "closed");
        Check(await isClosed.Task, "");
    }

    private static async Task Close()
    {
        var client = new ModelwireClient();
        var stream = client.StreamChatAsync(Chat("echo", "x"));
        var reader = stream.GetAsyncEnumerator();
        Check(await reader.MoveNextAsync(), "nothing");
        Same(reader.Current.Text, "one ");
        var waiting = reader.MoveNextAsync().AsTask();
        await client.DisposeAsync();
        Same((await Failure(() => waiting)).Kind, "closed");
        Same((await Failure(() => client.ChatAsync(Chat("echo", "x")))).Kind, "closed");
        Same((await Failure(() => Next(client.StreamChatAsync(Chat("echo", "x"))))).Kind, "closed");
        Same(client.CallsInFlight, 0L);
        stream.Cancel();
        await stream.DisposeAsync();
        await client.DisposeAsync();
        client.Dispose();
        Cue();
    }

    /// A stream that its reader holds up ends with its client all the same.
    private static async Task ClosePaused()
    {
        var client = new ModelwireClient();
        var stream = client.StreamChatAsync(Chat("echo", "x"));
        var reader = stream.GetAsyncEnumerator();
        Check(await reader.MoveNextAsync(), "nothing");
        await Task.Delay(500);
        await client.DisposeAsync();
        var failure = await Failure(async () =>
        {
            while (await reader.MoveNextAsync()) Same(reader.Current.Text.Length, 1000);
        });
        Same(failure.Kind, "closed");
        Collect();
        Cue();
    }

    [DllImport("libc")]
    private static extern int kill(int pid, int signal);

    [DllImport("libc")]
    private static extern IntPtr signal(int signal, IntPtr handler);

    private static async Task Interrupt()
    {
        signal(2, IntPtr.Zero); // a parent may have ignored it, which .NET leaves so
        await using var client = new ModelwireClient();
        // A signal that .NET handles reaches its program while a call is in flight.
        using var source = new CancellationTokenSource();
        Console.CancelKeyPress += (_, press) =>
        {
            press.Cancel = true;
            source.Cancel();
        };
        var whole = client.ChatAsync(Chat("echo", "x"), cancellationToken: source.Token);
        Same(client.CallsInFlight, 1L);
        kill(Process.GetCurrentProcess().Id, Winch);
        await Task.Delay(200);
        Check(!whole.IsCompleted, "a signal that nobody handles ended it");
        kill(Process.GetCurrentProcess().Id, 2);
        Same(await Cancelled(() => whole), source.Token);
        Until(() => client.CallsInFlight == 0);

        using var brief = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
        var stream = client.StreamChatAsync(Chat("echo", "x"), cancellationToken: brief.Token);
        Same(await Cancelled(() => Next(stream)), brief.Token);
        Until(() => client.CallsInFlight == 0);
    }

    private static ChatRequest Chat(string model, string text) =>
        new ChatRequest(model, Message.User(text));

    private static object Ask(string model, string text) => new { model, input = text };

    private static async Task<string> Joined(ChunkStream stream)
    {
        var text = new StringBuilder();
        await foreach (var chunk in stream) text.Append(chunk.Text);
        return text.ToString();
    }

    /// How many chunks with text there are.
    private static async Task<int> Count(ChunkStream stream)
    {
        var count = 0;
        await foreach (var chunk in stream) count += chunk.Text.Length > 0 ? 1 : 0;
        return count;
    }

    /// Each kind of call, with its options and token.
    private static IEnumerable<Func<Task>> EveryCall(
        ModelwireClient client, CallOptions? options, CancellationToken token) => new Func<Task>[]
    {
        () => client.ModelsAsync(options, token),
        () => client.ChatAsync(Chat("echo", "x"), options, token),
        () => client.ResponsesAsync(Ask("echo", "x"), options, token),
        () => Next(client.StreamChatAsync(Chat("echo", "x"), options, token)),
        () => Next(client.StreamResponsesAsync(Ask("echo", "x"), options, token)),
    };

    /// Whether a stream refuses to be read again.
    private static async Task<bool> IsTaken(ChunkStream stream)
    {
        try
        {
            await Next(stream);
            return false;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }

    private static async Task Next(ChunkStream stream) => await stream.GetAsyncEnumerator().MoveNextAsync();

    private static async Task<ModelwireException> Failure(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (ModelwireException failure)
        {
            return failure;
        }
        throw new InvalidOperationException("it did not fail");
    }

    /// The token that ended a call.
    private static async Task<CancellationToken> Cancelled(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (OperationCanceledException cancelled)
        {
            return cancelled.CancellationToken;
        }
        throw new InvalidOperationException("it was not cancelled");
    }

    private static void Until(Func<bool> isSo)
    {
        var time = Stopwatch.StartNew();
        while (!isSo())
        {
            Check(time.Elapsed < TimeSpan.FromSeconds(20), "it did not come to be");
            Thread.Sleep(20);
        }
    }

    /// Waits until the harness says that the service saw what it should.
    private static void Cue() => Console.In.ReadLine();

    private static long ResidentKiB()
    {
        var line = File.ReadLines("/proc/self/status").First(one => one.StartsWith("VmRSS:"));
        return long.Parse(string.Concat(line.Where(char.IsDigit)));
    }

    private static long Descriptors() => Directory.EnumerateFileSystemEntries("/proc/self/fd").Count();

    private static void Same<T>(T found, T wanted) =>
        Check(EqualityComparer<T>.Default.Equals(found, wanted), $"{found} instead of {wanted}");

    private static void Check(bool isSo, object otherwise)
    {
        if (!isSo) throw new InvalidOperationException(otherwise.ToString());
    }
}
