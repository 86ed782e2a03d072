// What went wrong, with all that is known of it.
#nullable enable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;

namespace Modelwire
{
    /// <summary>What went wrong, with all that is known of it; null where nothing is known.
    /// Kind says what it is: docs/errors.md lists the kinds.</summary>
    public sealed class ModelwireException : Exception
    {
        internal const string Closed = "{\"kind\":\"closed\",\"message\":\"the client or the stream is "
            + "closed\",\"hint\":\"Make a new one.\"}";

        private readonly JsonElement known;

        internal ModelwireException(string json) : this(json, JsonText.Element(json)) { }

        private ModelwireException(string json, JsonElement known) : base(Told(known)) =>
            (Json, this.known) = (json, known);

        /// <summary>All of it, as JSON text.</summary>
        public string Json { get; }

        /// <summary>The category, "rate_limited" for instance.</summary>
        public string Kind => known.Text("kind")!;

        /// <summary>What went wrong, without kind and hint.</summary>
        public string? Explanation => known.Text("message");

        /// <summary>What to do about it.</summary>
        public string? Hint => known.Text("hint");

        /// <summary>Where the documentation explains errors of this kind.</summary>
        public string? DocUrl => known.Text("doc_url");

        /// <summary>The HTTP status.</summary>
        public int? HttpStatus => (int?)known.Integer("http_status");

        /// <summary>The service's type of the error.</summary>
        public string? Type => known.Text("type");

        /// <summary>The service's code of the error.</summary>
        public string? Code => known.Text("code");

        /// <summary>The field of the request that the service names.</summary>
        public string? Param => known.Text("param");

        /// <summary>The service's name of the request.</summary>
        public string? RequestId => known.Text("request_id");

        /// <summary>The path that was called.</summary>
        public string? Path => known.Text("path");

        /// <summary>The model of the request.</summary>
        public string? Model => known.Text("model");

        /// <summary>The timeout that expired, "idle_timeout" for instance.</summary>
        public string? Timeout => known.Text("timeout");

        /// <summary>Whether the call may be billed: "not_sent", "normally_not", "entered" or
        /// "unknown".</summary>
        public string? Metered => known.Text("metered");

        /// <summary>The body of the answer.</summary>
        public string? Body => known.Text("body");

        /// <summary>What had come before the failure, as JSON text, if the call gathers.</summary>
        public string? Partial => known.Text("partial");

        /// <summary>How often it was tried.</summary>
        public int? Attempts => (int?)known.Integer("attempts");

        /// <summary>From the start of the call to its failure.</summary>
        public TimeSpan? Elapsed => Time("elapsed_ms");

        /// <summary>When the call began.</summary>
        public DateTimeOffset? RequestTime => known.Integer("request_time_unix_ms") is { } time
            ? DateTimeOffset.FromUnixTimeMilliseconds(time) : (DateTimeOffset?)null;

        /// <summary>How long the service asks to wait.</summary>
        public TimeSpan? RetryAfter => Time("retry_after_ms");

        /// <summary>The headers of the answer, in their order.</summary>
        public IReadOnlyList<KeyValuePair<string, string>> Headers => known.Items("headers")
            .Select(header => new KeyValuePair<string, string>(header.Text("name") ?? "",
                header.Text("value") ?? "")).ToList();

        /// <summary>Whether a token that is cancelled ended the call.</summary>
        internal bool IsBy(CancellationToken token) =>
            Kind == "cancelled" && token.IsCancellationRequested;

        private TimeSpan? Time(string name) => known.Integer(name) is { } time
            ? TimeSpan.FromMilliseconds(time) : (TimeSpan?)null;

        private static string Told(JsonElement known)
        {
            var (message, hint) = (known.Text("message"), known.Text("hint"));
            return $"{known.Text("kind")}: {message}{(string.IsNullOrEmpty(hint) ? "" : "\n" + hint)}";
        }
    }
}
