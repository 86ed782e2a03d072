import dev.modelwire.Client;
import java.util.Map;

/** modelwire's binding, used as a program would. */
final class ModelwireClient {
    public static void main(String[] arguments) throws Exception {
        Measure.main(arguments, ModelwireClient::run);
    }

    private static Measure.Seen run(String work, String baseUrl, int operations) {
        var seen = new Measure.Seen();
        String request = "{" + Measure.CHAT + "}";
        try (var client = new Client(Map.of("base_url", baseUrl, "api_key", "sk-test"))) {
            if (work.equals("stream")) {
                try (var stream = client.chatStream(request)) {
                    for (var chunk : stream) seen.add(chunk.text());
                }
            } else {
                for (int done = 0; done < operations; done++) seen.add(client.chat(request).text());
            }
        }
        return seen;
    }
}
