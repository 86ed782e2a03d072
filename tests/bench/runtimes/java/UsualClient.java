import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** The client that comes with Java, and Jackson. */
final class UsualClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        Measure.main(arguments, UsualClient::run);
    }

    private static Measure.Seen run(String work, String baseUrl, int operations) throws Exception {
        var seen = new Measure.Seen();
        try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            if (work.equals("stream")) stream(client, baseUrl, seen);
            else for (int done = 0; done < operations; done++) chat(client, baseUrl, seen);
        }
        return seen;
    }

    private static void chat(HttpClient client, String baseUrl, Measure.Seen seen)
            throws Exception {
        var request = request(baseUrl, "{" + Measure.CHAT + "}");
        var document = MAPPER.readTree(client.send(request, BodyHandlers.ofByteArray()).body());
        seen.add(document.at("/choices/0/message/content").asText());
    }

    private static void stream(HttpClient client, String baseUrl, Measure.Seen seen)
            throws Exception {
        var request = request(baseUrl, "{" + Measure.CHAT + ",\"stream\":true}");
        try (var lines = client.send(request, BodyHandlers.ofLines()).body()) {
            for (String line : (Iterable<String>) lines::iterator) {
                if (!line.startsWith("data: ") || line.equals("data: [DONE]")) continue;
                var chunk = MAPPER.readTree(line.substring("data: ".length()));
                seen.add(chunk.path("choices").path(0).path("delta").path("content").asText(""));
            }
        }
    }

    private static HttpRequest request(String baseUrl, String body) {
        return HttpRequest.newBuilder(URI.create(baseUrl + "/chat/completions"))
                .header("authorization", "Bearer sk-test")
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }
}
