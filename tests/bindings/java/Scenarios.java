import dev.modelwire.ChatRequest;
import dev.modelwire.Chunk;
import dev.modelwire.Chunks;
import dev.modelwire.Client;
import dev.modelwire.Json;
import dev.modelwire.Message;
import dev.modelwire.ModelwireException;
import dev.modelwire.Options;
import dev.modelwire.Response;
import dev.modelwire.ResponsesRequest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import sun.misc.Signal;

/** Plays one scenario with the binding, as a program would use it: {@code Scenarios NAME}. */
final class Scenarios {
    private static final String WORDS = "one two three four";
    private static final String ODD = "a\0b äöü ß 😀 漢字 \"\\\n end";

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "plain" -> plain();
            case "installed" -> installed();
            case "typed" -> typed();
            case "publisher" -> publisher();
            case "streamed" -> streamed();
            case "missing" -> missing();
            case "no_key" -> noKey();
            case "wrong_request" -> wrongRequest();
            case "options" -> options();
            case "cut" -> cut();
            case "cancel" -> cancel();
            case "slow_reader" -> slowReader();
            case "many" -> many();
            case "finalizers" -> finalizers();
            case "clients" -> clients();
            case "log" -> log();
            case "close" -> close();
            case "interrupt" -> interrupt();
            case "late" -> late();
            case "virtual" -> virtual();
            default -> throw new IllegalArgumentException("no such scenario: " + arguments[0]);
        }
    }

    private static void plain() {
        try (var client = new Client(Map.of())) {
            Response models = client.models();
            check(models.info().count("/models") > 1, models.json());
            check(models.json().toString().contains("\"echo\""), models.json());
            Response response = client.chat(chat("echo", "plain words"));
            same(response.text(), "plain words");
            same(response.json().text("/choices/0/message/content"), "plain words");
            check(response.json().toString().startsWith("{"), response.json());
            check(response.info().integer("/usage/total_tokens") > 0, response.info());
            same(response.info().integer("/http_status"), 200L);
            same(response.info().integer("/attempts"), 1L);
            same(client.responses(ask("echo", "plain words")).text(), "plain words");
            same(client.unfinished(), 0L);
        }
    }

    /** The library is the one of the artefact: unpacked, loaded and deleted. */
    private static void installed() throws IOException {
        try (var client = new Client()) {
            same(client.chat(chat("echo", "plain words")).text(), "plain words");
        }
        String loaded =
                Files.readString(Path.of("/proc/self/maps"))
                        .lines()
                        .filter(line -> line.contains("libmodelwire"))
                        .findFirst()
                        .orElseThrow();
        check(loaded.endsWith(".so (deleted)"), loaded);
        check(loaded.contains(System.getProperty("java.io.tmpdir")), loaded);
    }

    private static void typed() {
        var patient = new Options().totalTimeout(Duration.ofSeconds(60)).maxRetries(0);
        try (var client = new Client(new Options().set("connections_max", 10))) {
            check(client.models().models().contains("echo"), "models");
            var schema = Map.of("type", "object", "properties",
                    Map.of("text", Map.of("type", "string")));
            var request = new ChatRequest("echo-tools").system("Be short.").user("one two")
                    .tool("echo", null, schema).temperature(0).set("a_field", true);
            Response response = client.chat(request, patient);
            same(response.finishReason(), "tool_calls");
            var call = response.toolCalls().get(0);
            same(call.name(), "echo");
            same(new Json(call.arguments()).text("/text"), "one two");
            request.add(response.message()).add(Message.tool(call, "one two"));
            same(client.chat(request, patient).httpStatus(), 200L);

            response = client.chat(new ChatRequest("echo").user("one two"));
            var usage = response.usage();
            same(usage.totalTokens(), usage.inputTokens() + usage.outputTokens());
            same(response.message(), Message.assistant("one two"));
            response = client.chat(new ChatRequest("echo").maxTokens(100)
                    .user(Message.Part.text("x"), Message.Part.image("image/png", new byte[3]))
                    .schema("thing", new Json("{\"type\": \"object\"}")));
            check(response.text().contains("x"), response.text());

            var stream = client.chatStream(new ChatRequest("echo").user(WORDS),
                    new Options().gather(true).idleTimeout(null));
            same(stream.response().text(), WORDS);
            var ask = new ResponsesRequest("echo", WORDS).instructions("Be short.");
            same(client.responses(ask).text(), WORDS);
        }
    }

    /** The texts of the next chunks of a stream, at most this many; then leaves it. */
    private static final class Reader implements Flow.Subscriber<Chunk> {
        final CompletableFuture<String> text = new CompletableFuture<>();
        private final StringBuilder read = new StringBuilder();
        private final long most;
        private Flow.Subscription subscription;
        private int count;

        Reader(long most) { this.most = most; }

        @Override public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(1);
        }

        @Override public void onNext(Chunk chunk) {
            read.append(chunk.text());
            if (++count == most) {
                subscription.cancel();
                text.complete(read.toString());
            } else {
                subscription.request(1);
            }
        }

        @Override public void onError(Throwable failure) { text.completeExceptionally(failure); }

        @Override public void onComplete() { text.complete(read.toString()); }
    }

    private static void publisher() throws Exception {
        try (var client = new Client()) {
            var publisher = client.chatStream(chat("echo", WORDS)).publisher();
            Reader all = new Reader(Long.MAX_VALUE), other = new Reader(1), left = new Reader(1);
            publisher.subscribe(all);
            publisher.subscribe(other);
            same(all.text.get(20, TimeUnit.SECONDS), WORDS);
            check(other.text.isCompletedExceptionally(), "a second subscriber");
            client.chatStream(chat("slow", WORDS.repeat(100))).publisher().subscribe(left);
            left.text.get(20, TimeUnit.SECONDS);
            until(() -> client.unfinished() == 0);

            var failing = new Reader(1);
            client.chatStream(chat("no-such-model", "x")).publisher().subscribe(failing);
            try {
                failing.text.get(20, TimeUnit.SECONDS);
                throw new AssertionError("it did not fail");
            } catch (ExecutionException failure) {
                same(((ModelwireException) failure.getCause()).kind(), "not_found");
            }
        }
    }

    private static void streamed() {
        try (var client = new Client(Map.of())) {
            List<Chunk> chunks = new ArrayList<>();
            var pieces = new StringBuilder();
            Chunks stream = client.chatStream(chat("echo", WORDS), Map.of("gather", true));
            for (Chunk chunk : stream) {
                chunks.add(chunk);
                String piece = chunk.json().text("/choices/0/delta/content");
                if (piece != null) pieces.append(piece);
            }
            same(joined(chunks), WORDS);
            same(pieces.toString(), WORDS);
            check(chunks.stream().filter(chunk -> !chunk.text().isEmpty()).count() >= 2, chunks);
            same(stream.response().info().text("/finish_reason"), "stop");
            same(stream.response().text(), WORDS);

            try (var responses = client.responsesStream(ask("echo", WORDS))) {
                // What comes by stream() is kept.
                List<Chunk> all = responses.stream().toList();
                same(joined(all), WORDS);
                same(
                        all.stream()
                                .filter(chunk -> chunk.name().equals("response.output_text.delta"))
                                .map(chunk -> chunk.json().text("/delta"))
                                .collect(Collectors.joining()),
                        WORDS);
                same(responses.response().info().integer("/http_status"), 200L);
            }
            same(client.chat(chat("echo", ODD)).text(), ODD);
            same(joined(client.chatStream(chat("echo", ODD))), ODD);
        }
    }

    private static void missing() {
        try (var client = new Client(Map.of())) {
            var request = chat("no-such-model", "Hello");
            for (Callable<?> call :
                    List.<Callable<?>>of(
                            () -> client.chat(request), () -> client.chatStream(request).next())) {
                ModelwireException failure = failure(call);
                same(failure.kind(), "not_found");
                same(failure.httpStatus(), 404L);
                same(failure.attempts(), 1L);
                same(failure.model(), "no-such-model");
                check(!failure.explanation().isEmpty() && !failure.hint().isEmpty(), failure);
                check(failure.getMessage().contains(failure.hint()), failure);
                check(failure.getMessage().startsWith("not_found: "), failure);
                check(failure.path().endsWith("/chat/completions"), failure.path());
                check(failure.elapsedMs() >= 0 && failure.requestTimeUnixMs() > 0, failure.json());
                check(failure.body().contains("no-such-model"), failure.body());
                check(failure.headers().count("") > 0, failure.headers());
                check(failure.headers().text("/0/name") != null, failure.headers());
                check(failure.json().contains("\"metered\":\"" + failure.metered()), failure.json());
                Json all = new Json(failure.json());
                same(failure.type(), all.text("/type"));
                same(failure.code(), all.text("/code"));
                same(failure.param(), all.text("/param"));
                same(failure.requestId(), all.text("/request_id"));
                same(failure.timeout(), null);
                same(failure.partial(), null);
                same(failure.retryAfterMs(), null);
            }
        }
    }

    private static void noKey() {
        ModelwireException failure = failure(() -> new Client(Map.of()));
        same(failure.kind(), "config");
        check(failure.getMessage().contains("api_key"), failure);
        check(failure.getMessage().contains("MODELWIRE_API_KEY"), failure);
    }

    private static void wrongRequest() {
        try (var client = new Client(Map.of())) {
            for (Callable<?> call :
                    List.<Callable<?>>of(
                            () -> client.chat(Map.of("model", "echo")),
                            () -> client.chat("{\"model\":\"echo\"}"))) {
                ModelwireException failure = failure(call);
                same(failure.kind(), "argument");
                check(failure.explanation().contains("messages"), failure);
            }
            same(failure(() -> client.chatStream("no JSON")).kind(), "argument");
            same(client.unfinished(), 0L);
        }
    }

    private static void options() {
        try (var client = new Client(Map.of())) {
            var slow = chat("slow", "w ".repeat(2000));
            ModelwireException failure = failure(() -> client.chat(slow, Map.of("total_timeout_ms", 200)));
            same(failure.kind(), "timeout");
            same(failure.timeout(), "total_timeout");
            ModelwireException unknown = failure(() -> client.chat(slow, Map.of("total_timeout", 200)));
            same(unknown.kind(), "argument");
            check(unknown.getMessage().contains("total_timeout"), unknown);
            var headers = Map.of("headers", Map.of("x-a", "b"));
            var retries = Map.of("max_retries", 0);
            same(client.chat(chat("echo", "x"), headers, retries).text(), "x");
            ModelwireException config = failure(() -> new Client(Map.of("bas_url", "http://localhost/v1")));
            same(config.kind(), "config");
            check(config.getMessage().contains("base_url"), config);
        }
        String url = System.getenv("MODELWIRE_BASE_URL");
        var urls = List.of(Map.of("url", url, "weight", 2), "http://127.0.0.1:1/v1");
        try (var client = new Client(new Options().baseUrls(urls))) {
            same(client.chat(chat("echo", "x")).text(), "x");
            try (var stream = client.chatStream(chat("echo", "x"))) {
                check(stream.stream().anyMatch(chunk -> chunk.toString().equals("Chunk[text=x]")), "");
            }
        }
    }

    private static void cut() {
        try (var client = new Client(Map.of());
                var stream = client.chatStream(chat("echo", "x"))) {
            same(stream.next().text(), "half ");
            same(failure(stream::hasNext).kind(), "disconnected");
            // What was cut never looks finished.
            same(failure(stream::next).kind(), "disconnected");
            same(failure(stream::response).kind(), "disconnected");
        }
        cue();
    }

    private static void cancel() throws Exception {
        try (var client = new Client(Map.of())) {
            Chunks stream = client.chatStream(chat("echo", "x"));
            same(stream.next().text(), "one ");
            Future<ModelwireException> reader = start(() -> failure(stream::next));
            Thread.sleep(200);
            stream.cancel();
            same(reader.get(20, TimeUnit.SECONDS).kind(), "cancelled");
            same(failure(stream::hasNext).kind(), "cancelled");
            stream.cancel();
            stream.close();
            try (var left = client.chatStream(chat("echo", "x"))) {
                for (Chunk chunk : left) {
                    same(chunk.text(), "one ");
                    break;
                }
            }
            System.out.println("left");
            cue();
            // Its last event comes a moment after the service saw the end.
            until(() -> client.unfinished() == 0);
        }
    }

    private static void slowReader() {
        try (var client = new Client(Map.of());
                var slow = client.chatStream(chat("echo", "x"))) {
            same(slow.next().text().length(), 1000);
            // Once, so that what the runtime itself needs for this is there.
            same(read(client.chatStream(chat("echo", "x"))), 20);
            long before = residentKiB();
            for (int at = 0; at < 19; at++) {
                same(read(client.chatStream(chat("echo", "x"))), 20);
            }
            pause(1000);
            long grown = residentKiB() - before;
            check(grown < 40 * 1024, grown + " KiB more");
            same(1 + read(slow), 64_000);
            grown = residentKiB() - before;
            check(grown < 60 * 1024, grown + " KiB more in the end");
        }
        cue();
    }

    private static void many() throws Exception {
        try (var client = new Client(Map.of("connections_max", 1100))) {
            for (int count : List.of(100, 1000)) {
                List<Future<String>> texts = new ArrayList<>();
                for (int at = 0; at < count; at++) {
                    String text = "stream " + at;
                    texts.add(start(() -> joined(client.chatStream(chat("slow", text)))));
                }
                for (int at = 0; at < count; at++) {
                    same(texts.get(at).get(20, TimeUnit.SECONDS), "stream " + at);
                }
            }
            same(client.unfinished(), 0L);
        }
    }

    private static void finalizers() {
        var client = new Client(Map.of());
        dropStreams(client, 40);
        dropStreams(new Client(Map.of()), 10);
        collectUntil(() -> client.unfinished() == 0);
        // Those of the client that was dropped are seen by the service alone.
        Thread collector = Thread.ofPlatform().daemon().start(() -> collectUntil(() -> false));
        cue();
        collector.interrupt();
        client.close();
    }

    private static void dropStreams(Client client, int count) {
        for (int at = 0; at < count; at++) {
            same(client.chatStream(chat("echo", "x")).next().text(), "one ");
        }
    }

    private static void clients() throws IOException {
        long descriptors = 0, resident = 0;
        for (int at = 0; at < 2000; at++) {
            var client = new Client(Map.of());
            if (at % 100 == 0) same(client.chat(chat("echo", "x")).text(), "x");
            if (at % 2 == 1 || at % 200 == 0) client.close();
            if (at % 100 == 99) System.gc();
            if (at == 199) {
                descriptors = descriptors();
                resident = residentKiB();
            }
        }
        long more = descriptors() - descriptors, grown = residentKiB() - resident;
        check(more < 20, more + " descriptors more");
        check(grown < 16 * 1024, grown + " KiB more");
    }

    private static void log() {
        var records = new ConcurrentLinkedQueue<LogRecord>();
        Logger logger = Logger.getLogger("modelwire");
        logger.setUseParentHandlers(false);
        logger.setLevel(java.util.logging.Level.ALL);
        logger.addHandler(
                new Handler() {
                    @Override public void publish(LogRecord record) {
                        records.add(record);
                        throw new IllegalStateException("a logger that fails ends nothing");
                    }

                    @Override public void flush() {}

                    @Override public void close() {}
                });
        try (var client = new Client(Map.of())) {
            client.log(Level.DEBUG);
            same(client.chat(chat("echo", "x")).text(), "x");
            until(() -> !records.isEmpty());
            client.log(Level.OFF);
        }
        for (LogRecord record : records) {
            same(record.getLoggerName(), "modelwire");
            check(!record.getMessage().isEmpty(), record);
            check(!record.getMessage().contains("sk-test"), "the key is in the log");
        }
        check(
                records.stream().anyMatch(one -> one.getLevel() == java.util.logging.Level.INFO),
                records);
    }

    private static void close() throws Exception {
        var client = new Client(Map.of());
        Chunks stream = client.chatStream(chat("echo", "x"));
        same(stream.next().text(), "one ");
        Future<ModelwireException> reader = start(() -> failure(stream::next));
        Thread.sleep(200);
        client.close();
        same(reader.get(20, TimeUnit.SECONDS).kind(), "closed");
        same(failure(() -> client.chat(chat("echo", "x"))).kind(), "closed");
        same(failure(() -> client.chatStream(chat("echo", "x"))).kind(), "closed");
        same(client.unfinished(), 0L);
        stream.cancel();
        stream.close();
        client.close();
        cue();
    }

    private static void interrupt() throws Exception {
        try (var client = new Client(Map.of())) {
            var handled = new CountDownLatch(1);
            // Not one that a parent may have ignored, which Java leaves so.
            Signal.handle(new Signal("WINCH"), signal -> handled.countDown());
            var failed = new FutureTask<>(() -> failure(() -> client.chat(chat("echo", "x"))));
            Thread caller = Thread.ofPlatform().start(failed);
            until(() -> client.unfinished() == 1);
            Thread.sleep(200);
            Signal.raise(new Signal("WINCH"));
            check(handled.await(20, TimeUnit.SECONDS), "the handler did not run");
            caller.interrupt();
            same(failed.get(20, TimeUnit.SECONDS).kind(), "cancelled");
            until(() -> client.unfinished() == 0);

            // A virtual thread, whose flag is set when it comes back.
            var flagged = new FutureTask<>(() -> {
                ModelwireException failure = failure(() -> client.chatStream(chat("echo", "x")).next());
                return failure.kind() + " " + Thread.currentThread().isInterrupted();
            });
            Thread virtual = Thread.ofVirtual().start(flagged);
            until(() -> client.unfinished() == 1);
            virtual.interrupt();
            same(flagged.get(20, TimeUnit.SECONDS), "cancelled true");
            until(() -> client.unfinished() == 0);
        }
    }

    /** What a chunk has beside its text is there until the stream goes on, or it was kept. */
    private static void late() {
        try (var client = new Client(Map.of());
                var stream = client.chatStream(chat("echo", WORDS))) {
            Chunk gone = stream.next();
            Chunk kept = stream.next().keep();
            check(kept.json().count("/choices") == 1, kept.json());
            Chunk last = stream.next();
            while (stream.hasNext()) stream.next();
            check(kept.json().count("/choices") == 1, kept.json());
            for (Chunk chunk : List.of(gone, last)) {
                check(chunk.text() != null, chunk);
                try {
                    chunk.json();
                    throw new AssertionError("it is still there");
                } catch (IllegalStateException expected) {
                    check(expected.getMessage().contains("keep()"), expected);
                }
            }
        }
    }

    /** Whole calls of virtual threads, which hold no thread of the machine while they wait. */
    private static void virtual() throws Exception {
        try (var client = new Client(Map.of("connections_max", 300));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> texts = new ArrayList<>();
            for (int at = 0; at < 300; at++) {
                String text = "call " + at;
                texts.add(threads.submit(() -> client.chat(chat("slow", text)).text()));
            }
            long start = System.nanoTime();
            threads.submit(() -> {}).get(20, TimeUnit.SECONDS);
            check(System.nanoTime() - start < 5e9, "a virtual thread waited for the others");
            for (int at = 0; at < 300; at++) {
                same(texts.get(at).get(20, TimeUnit.SECONDS), "call " + at);
            }
        }
    }

    private static Map<String, ?> chat(String model, String text) {
        return Map.of("model", model, "messages", List.of(Map.of("role", "user", "content", text)));
    }

    private static Map<String, ?> ask(String model, String text) {
        return Map.of("model", model, "input", text);
    }

    private static String joined(Iterable<Chunk> chunks) {
        var text = new StringBuilder();
        for (Chunk chunk : chunks) text.append(chunk.text());
        return text.toString();
    }

    /** How many chunks with text there are. */
    private static int read(Chunks stream) {
        int count = 0;
        for (Chunk chunk : stream) {
            if (!chunk.text().isEmpty()) count++;
        }
        return count;
    }

    private static <T> Future<T> start(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    private static ModelwireException failure(Callable<?> call) {
        try {
            call.call();
        } catch (ModelwireException failure) {
            return failure;
        } catch (Exception other) {
            throw new AssertionError("another failure", other);
        }
        throw new AssertionError("it did not fail");
    }

    private static void collectUntil(BooleanSupplier isSo) {
        until(() -> {
            System.gc();
            return isSo.getAsBoolean();
        });
    }

    private static void until(BooleanSupplier isSo) {
        long start = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) return;
            check(System.nanoTime() - start < 20e9, "it did not come to be");
            pause(50);
        }
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the harness says that the service saw what it should. */
    private static void cue() {
        try {
            while (System.in.read() != '\n') {}
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static long residentKiB() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(one -> one.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("[^0-9]", ""));
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static void same(Object found, Object wanted) {
        check(java.util.Objects.equals(found, wanted), found + " instead of " + wanted);
    }

    private static void check(boolean isSo, Object otherwise) {
        if (!isSo) throw new AssertionError(otherwise);
    }
}
