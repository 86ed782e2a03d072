// What options of a client take from the environment.
#nullable enable
using System;
using System.Linq;

namespace Modelwire
{
    public sealed partial class ClientOptions
    {
        /// <summary>These options, with what the program itself put into its environment: .NET keeps that
        /// from libraries.</summary>
        internal static ClientOptions WithEnvironment(ClientOptions? given)
        {
            var all = new ClientOptions();
            foreach (var option in given ?? all) all[option.Key] = option.Value;
            if (!all.ContainsKey("base_url") && !all.ContainsKey("base_urls")) all.BaseUrl = Variable("BASE_URL");
            if (!all.ContainsKey("api_key")) all.ApiKey = Variable("API_KEY");
            return all;
        }

        private static string? Variable(string name) => new[] { "MODELWIRE_", "OPENAI_" }
            .Select(prefix => Environment.GetEnvironmentVariable(prefix + name))
            .FirstOrDefault(value => !string.IsNullOrWhiteSpace(value));
    }
}
