import dev.modelwire.ChatRequest;
import dev.modelwire.Client;
import dev.modelwire.ModelwireException;

/** Prints an answer while it is being written: java -cp modelwire.jar:... Example.java MODEL TEXT. */
class Example {
    public static void main(String[] arguments) {
        var request = new ChatRequest(arguments[0]).user(arguments[1]);
        try (var client = new Client();
                var stream = client.chatStream(request)) {
            for (var chunk : stream) System.out.print(chunk.text());
            System.out.println("\n" + stream.response().info().integer("/elapsed_ms") + " ms");
        } catch (ModelwireException failure) {
            System.err.println(failure.getMessage());
        }
    }
}
