// What a service answered: whole answers, chunks of streams, and their parts.
#nullable enable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Modelwire
{
    /// <summary>A whole answer, or the end of a stream, which has text and JSON with the option Gather
    /// only.</summary>
    public sealed class Response
    {
        private readonly byte[] json;
        private readonly Lazy<JsonElement> info;

        internal Response(string text, byte[] json, string info)
        {
            Text = text;
            this.json = json;
            this.info = new Lazy<JsonElement>(() => JsonText.Element(info));
        }

        /// <summary>The output text.</summary>
        public string Text { get; }

        /// <summary>The answer as the service sent it; empty at the end of a stream.</summary>
        public string Json => JsonText.Of(json);

        /// <summary>The answer as the service sent it; of the kind Undefined at the end of a stream.</summary>
        public JsonElement Document => JsonText.Element(Json);

        /// <summary>What the library found in the answer, in one form for all services.</summary>
        public JsonElement Info => info.Value;

        /// <summary>The HTTP status.</summary>
        public int HttpStatus => (int)Info.Integer("http_status")!;

        /// <summary>The service's name of the request.</summary>
        public string? RequestId => Info.Text("request_id");

        /// <summary>The model that answered.</summary>
        public string? Model => Info.Text("model");

        /// <summary>Why the first choice stopped, or the status of a response.</summary>
        public string? FinishReason => Info.Text("finish_reason");

        /// <summary>The reasoning text.</summary>
        public string? Reasoning => Info.Text("reasoning");

        /// <summary>The tokens that the service reports; null where it reports none.</summary>
        public Usage? Usage => Info.Member("usage") is { ValueKind: JsonValueKind.Object } usage
            ? new Usage(usage) : null;

        /// <summary>What the model wants called.</summary>
        /// <exception cref="InvalidOperationException">It is the end of a stream without the option
        /// Gather, which does not have it.</exception>
        public IReadOnlyList<ToolCall> ToolCalls => Whole.Info.Items("tool_calls")
            .Select(call => new ToolCall(call.Text("id") ?? "", call.Text("name") ?? "",
                call.Text("arguments") ?? "")).ToList();

        /// <summary>The names in a list of models.</summary>
        public IReadOnlyList<string> Models =>
            Info.Items("models").Select(model => model.GetString()!).ToList();

        /// <summary>The answer to a chat as a message of its next request, as the service sent it.</summary>
        /// <exception cref="InvalidOperationException">It is the end of a stream without the option
        /// Gather, or no chat.</exception>
        public Message Message
        {
            get
            {
                var choice = Whole.Document.Items("choices").FirstOrDefault();
                return choice.Member("message") is { ValueKind: JsonValueKind.Object } message
                    ? new Message(message) : throw new InvalidOperationException("the answer has no message");
            }
        }

        /// <summary>The text, which is JSON where the request has a schema, as an object.</summary>
        /// <remarks>Without options, names match in any case.</remarks>
        /// <exception cref="JsonException">The text is no JSON of that type.</exception>
        /// <exception cref="InvalidOperationException">It is the end of a stream without the option
        /// Gather.</exception>
        public T Parse<T>(JsonSerializerOptions? options = null) =>
            JsonSerializer.Deserialize<T>(Whole.Text, options ?? JsonText.AnyCase);

        private Response Whole => json.Length > 0 ? this : throw new InvalidOperationException(
            "the end of a stream does not have it: set the option Gather");
    }

    /// <summary>A piece of an answer.</summary>
    public sealed class Chunk
    {
        private readonly byte[] json;

        internal Chunk(string text, byte[] json, string name)
        {
            Text = text;
            this.json = json;
            Name = name;
        }

        /// <summary>What it adds to the text; "" where it adds none.</summary>
        public string Text { get; }

        /// <summary>The name of the server-sent event, "response.output_text.delta" for instance.</summary>
        public string Name { get; }

        /// <summary>The chunk as the service sent it.</summary>
        public string Json => JsonText.Of(json);

        /// <summary>The chunk as the service sent it.</summary>
        public JsonElement Document => JsonText.Element(Json);
    }

    /// <summary>A call that the model asks for.</summary>
    public sealed class ToolCall
    {
        /// <summary>A call with an id, to which its result refers, and its arguments as JSON text.</summary>
        public ToolCall(string id, string name, string arguments) =>
            (Id, Name, Arguments) = (id, name, arguments);

        /// <summary>What the result refers to.</summary>
        public string Id { get; }

        /// <summary>The name of the function.</summary>
        public string Name { get; }

        /// <summary>JSON text as the model wrote it.</summary>
        public string Arguments { get; }
    }

    /// <summary>The tokens that a service reports; what it does not report is 0.</summary>
    public sealed class Usage
    {
        private readonly JsonElement usage;

        internal Usage(JsonElement usage) => this.usage = usage;

        /// <summary>Tokens of the input.</summary>
        public long InputTokens => Of("input_tokens");

        /// <summary>Tokens of the output.</summary>
        public long OutputTokens => Of("output_tokens");

        /// <summary>All tokens.</summary>
        public long TotalTokens => Of("total_tokens");

        /// <summary>Tokens of the input that came from the service's cache.</summary>
        public long CachedInputTokens => Of("cached_input_tokens");

        /// <summary>Tokens of the input that were written to the service's cache.</summary>
        public long CacheWriteTokens => Of("cache_write_tokens");

        /// <summary>Tokens of the output that are reasoning.</summary>
        public long ReasoningTokens => Of("reasoning_tokens");

        /// <summary>Tokens of the input that are audio.</summary>
        public long AudioInputTokens => Of("audio_input_tokens");

        /// <summary>Tokens of the output that are audio.</summary>
        public long AudioOutputTokens => Of("audio_output_tokens");

        private long Of(string name) => usage.Integer(name) ?? 0;
    }

    /// <summary>How JSON is read: what is absent is null.</summary>
    internal static class JsonText
    {
        private const int DepthMax = 1024; // of the library, too

        internal static readonly JsonSerializerOptions AnyCase =
            new JsonSerializerOptions { PropertyNameCaseInsensitive = true, MaxDepth = DepthMax };

        internal static string Of(byte[] json) => System.Text.Encoding.UTF8.GetString(json);

        /// <summary>On its own; of the kind Undefined where the text is empty.</summary>
        internal static JsonElement Element(string json)
        {
            if (json.Length == 0) return default;
            using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = DepthMax });
            return document.RootElement.Clone();
        }

        internal static JsonElement? Member(this JsonElement of, string name) =>
            of.ValueKind == JsonValueKind.Object && of.TryGetProperty(name, out var found)
                ? found : (JsonElement?)null;

        internal static string? Text(this JsonElement of, string name) =>
            of.Member(name) is { ValueKind: JsonValueKind.String } found ? found.GetString() : null;

        internal static long? Integer(this JsonElement of, string name) =>
            of.Member(name) is { ValueKind: JsonValueKind.Number } found
                && found.TryGetInt64(out var number) ? number : (long?)null;

        internal static IEnumerable<JsonElement> Items(this JsonElement of, string name) =>
            of.Member(name) is { ValueKind: JsonValueKind.Array } found
                ? found.EnumerateArray() : Enumerable.Empty<JsonElement>();
    }
}
