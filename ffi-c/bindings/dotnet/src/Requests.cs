// Requests: chats and responses, messages, their parts and tools.
#nullable enable
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Modelwire
{
    /// <summary>The body of a chat. Fields without a property are set by their names:
    /// request["seed"] = 7.</summary>
    public sealed class ChatRequest : Fields
    {
        /// <summary>A chat with a model, of these messages and those that are added.</summary>
        public ChatRequest(string model, params Message[] messages)
            : this(model, (IEnumerable<Message>)messages) { }

        /// <summary>A chat with a model, of these messages and those that are added.</summary>
        public ChatRequest(string model, IEnumerable<Message> messages)
        {
            this["model"] = model;
            this["messages"] = messages.ToList();
        }

        /// <summary>The messages so far.</summary>
        public List<Message> Messages => Items<Message>("messages");

        /// <summary>The randomness of the choice of tokens.</summary>
        public double? Temperature
        {
            get => Get<double?>("temperature");
            set => Set("temperature", value);
        }

        /// <summary>The longest answer, in tokens.</summary>
        public int? MaxTokens
        {
            get => Get<int?>("max_tokens");
            set => Set("max_tokens", value);
        }

        /// <summary>Adds a function that the model may call; its parameters are a JSON schema.</summary>
        public ChatRequest AddTool(string name, string? description, object parameters)
        {
            var function = Message.Object(("name", name), ("description", description),
                ("parameters", parameters));
            Items<object>("tools").Add(Message.Object(("type", "function"), ("function", function)));
            return this;
        }

        /// <summary>Has the answer follow a JSON schema.</summary>
        public ChatRequest SetSchema(string name, object schema)
        {
            var described = Message.Object(("name", name), ("schema", schema), ("strict", true));
            this["response_format"] =
                Message.Object(("type", "json_schema"), ("json_schema", described));
            return this;
        }
    }

    /// <summary>The body of a response. Fields without a property are set by their names.</summary>
    public sealed class ResponsesRequest : Fields
    {
        /// <summary>Asks a model; the input is a text, or a list of items.</summary>
        public ResponsesRequest(string model, object input)
        {
            this["model"] = model;
            this["input"] = input;
        }

        /// <summary>What the model is to follow.</summary>
        public string? Instructions
        {
            get => Get<string?>("instructions");
            set => Set("instructions", value);
        }

        /// <summary>Adds a function that the model may call; its parameters are a JSON schema.</summary>
        public ResponsesRequest AddTool(string name, string? description, object parameters)
        {
            Items<object>("tools").Add(Message.Object(("type", "function"), ("name", name),
                ("description", description), ("parameters", parameters)));
            return this;
        }

        /// <summary>Has the answer follow a JSON schema.</summary>
        public ResponsesRequest SetSchema(string name, object schema)
        {
            this["text"] = Message.Object(("format", Message.Object(("type", "json_schema"),
                ("name", name), ("schema", schema), ("strict", true))));
            return this;
        }
    }

    /// <summary>A message of a chat.</summary>
    public sealed class Message : Fields
    {
        /// <summary>A message of any role; the content is a text, or parts.</summary>
        public Message(string role, object? content)
        {
            this["role"] = role;
            this["content"] = content;
        }

        /// <summary>As a service sent it.</summary>
        internal Message(JsonElement sent)
        {
            foreach (var member in sent.EnumerateObject()) this[member.Name] = member.Value;
        }

        /// <summary>Instructions to the model.</summary>
        public static Message System(string text) => new Message("system", text);

        /// <summary>What the user says.</summary>
        public static Message User(string text) => new Message("user", text);

        /// <summary>What the user says and shows.</summary>
        public static Message User(params Part[] parts) => new Message("user", parts);

        /// <summary>An answer of the model, with the calls that it asked for.</summary>
        public static Message Assistant(string text, IReadOnlyList<ToolCall>? toolCalls = null)
        {
            if (toolCalls == null || toolCalls.Count == 0) return new Message("assistant", text);
            var calls = toolCalls.Select(call => Object(("id", call.Id), ("type", "function"),
                ("function", Object(("name", call.Name), ("arguments", call.Arguments)))));
            var content = text.Length == 0 ? null : text;
            return new Message("assistant", content) { ["tool_calls"] = calls.ToList() };
        }

        /// <summary>The result of a call that the model asked for.</summary>
        public static Message Tool(ToolCall call, string result) =>
            new Message("tool", result)
            {
                ["tool_call_id"] = (call ?? throw new ArgumentNullException(nameof(call))).Id,
            };

        /// <summary>Names and values, without those that are null.</summary>
        internal static Dictionary<string, object> Object(params (string, object?)[] members) =>
            members.Where(member => member.Item2 != null)
                .ToDictionary(member => member.Item1, member => member.Item2!);
    }

    /// <summary>A part of a message.</summary>
    public sealed class Part : Fields
    {
        private Part(string type, object value)
        {
            this["type"] = type;
            this[type] = value;
        }

        /// <summary>A text.</summary>
        public static Part Text(string text) => new Part("text", text);

        /// <summary>An image at a URL.</summary>
        public static Part Image(string url) => new Part("image_url", Message.Object(("url", url)));

        /// <summary>An image itself, of a type such as "image/png".</summary>
        public static Part Image(string type, byte[] bytes) =>
            Image($"data:{type};base64,{Convert.ToBase64String(bytes)}");
    }
}
