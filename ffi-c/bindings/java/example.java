import java.util.List;
import java.util.Map;
import modelwire.Client;
import modelwire.Modelwire.Failure;

/** Prints an answer while it is being written. */
class Example {
    public static void main(String[] arguments) {
        var message = Map.of("role", "user", "content", arguments[1]);
        var request = Map.of("model", arguments[0], "messages", List.of(message));
        try (var client = new Client(Map.of());
                var stream = client.chatStream(request)) {
            for (var chunk : stream) System.out.print(chunk.text());
            System.out.println("\n" + stream.response().info().integer("/elapsed_ms") + " ms");
        } catch (Failure failure) {
            System.err.println(failure.getMessage());
        }
    }
}
