// Members of a JSON object by their names: the base of options and requests.
#nullable enable
using System;
using System.Collections.Generic;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Threading;

namespace Modelwire
{
    /// <summary>Members of a JSON object. Any name may be set, with any value that System.Text.Json
    /// writes; null is sent as null. A property that is set to null is not sent.</summary>
    public abstract class Fields : Dictionary<string, object?>
    {
        private static readonly JsonSerializerOptions Plain =
            new JsonSerializerOptions
            {
                Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
                MaxDepth = 1000,
            };

        private protected Fields() { }

        private protected T Get<T>(string name)
        {
            if (!TryGetValue(name, out var value) || value == null) return default!;
            if (value is T found) return found;
            var kind = Nullable.GetUnderlyingType(typeof(T));
            return kind != null && value is IConvertible ? (T)Convert.ChangeType(value, kind) : default!;
        }

        /// <summary>The items of an array to which more are added.</summary>
        private protected List<T> Items<T>(string name)
        {
            if (!TryGetValue(name, out var value)) this[name] = value = new List<T>();
            return value as List<T> ?? throw new InvalidOperationException(
                $"[\"{name}\"] has a value of its own: add to that");
        }

        private protected void Set(string name, object? value)
        {
            if (value == null) Remove(name);
            else this[name] = value;
        }

        private protected TimeSpan? GetTime(string name) =>
            Get<double?>(name) is { } time ? TimeSpan.FromMilliseconds(time)
            : ContainsKey(name) ? Timeout.InfiniteTimeSpan : (TimeSpan?)null;

        private protected void SetTime(string name, TimeSpan? time)
        {
            if (time == Timeout.InfiniteTimeSpan) this[name] = null;
            else Set(name, time is { } given ? (long?)Math.Ceiling(given.TotalMilliseconds) : null);
        }

        /// <summary>As JSON in UTF-8. Text is taken as JSON already.</summary>
        internal static byte[]? Json(object? given) => given switch
        {
            null => null,
            string text => System.Text.Encoding.UTF8.GetBytes(text),
            _ => JsonSerializer.SerializeToUtf8Bytes(given, given.GetType(), Plain),
        };
    }

    /// <summary>One of the services of a client.</summary>
    public sealed class BaseUrl : Fields
    {
        /// <summary>The service at this URL, "https://host/v1" for instance.</summary>
        public BaseUrl(string url) => this["url"] = url;

        /// <summary>Its key, if it is not the client's.</summary>
        public string? ApiKey
        {
            get => Get<string?>("api_key");
            set => Set("api_key", value);
        }

        /// <summary>Its part of the calls where they are balanced; 1 by default.</summary>
        public int? Weight
        {
            get => Get<int?>("weight");
            set => Set("weight", value);
        }

        /// <summary>The names of models there, by the names in requests.</summary>
        public IReadOnlyDictionary<string, string>? Models
        {
            get => Get<IReadOnlyDictionary<string, string>?>("models");
            set => Set("models", value);
        }

        /// <summary>A URL alone.</summary>
        public static implicit operator BaseUrl(string url) => new BaseUrl(url);
    }
}
