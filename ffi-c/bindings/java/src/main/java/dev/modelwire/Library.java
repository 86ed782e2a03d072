// Generated from include/modelwire.json by generate.py (`make generate`); do not edit.
package dev.modelwire;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * libmodelwire as include/modelwire.h declares it, each function linked when it is first called. A
 * handle is a {@code long}; a failure is thrown; what comes back through a pointer is returned.
 */
final class Library {
    private static final SymbolLookup LIBRARY = find();
    static final Cleaner CLEANER = Cleaner.create();
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** Of functions that are short and wait for nothing: they may see Java's own arrays. */
    private static final Linker.Option READS = Linker.Option.critical(true);

    static {
        if (check_abi(Library.ABI) != Library.OK) {
            throw new UnsatisfiedLinkError("libmodelwire has another ABI than this binding");
        }
    }

    private Library() {}

    /**
     * By the path in the environment, else as a resource for this platform, else by the loader. A
     * library for glibc may load with musl, and then fail; one for musl never loads with glibc.
     */
    private static SymbolLookup find() {
        String path = System.getenv("MODELWIRE_LIBRARY");
        if (path != null && !path.isEmpty()) return load(path);
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch");
        arch = arch.replace("amd64", "x86_64").replace("aarch64", "arm64");
        os = os.startsWith("mac") ? "darwin" : os;
        for (String libc : new String[] {"-musl", ""}) {
            String resource = "native/" + os + "-" + arch + libc + "/libmodelwire.so";
            try (InputStream packed = Library.class.getResourceAsStream(resource)) {
                if (packed != null) return loadCopy(packed);
            } catch (IOException failure) {
                throw new UnsatisfiedLinkError("libmodelwire cannot be unpacked: " + failure);
            } catch (UnsatisfiedLinkError failure) {
                if (libc.isEmpty()) throw failure;
            }
        }
        return load("libmodelwire.so.0.1");
    }

    private static SymbolLookup loadCopy(InputStream packed) throws IOException {
        Path copy = Files.createTempFile("libmodelwire", ".so");
        try {
            Files.copy(packed, copy, StandardCopyOption.REPLACE_EXISTING);
            return load(copy.toString());
        } finally {
            Files.delete(copy); // what is loaded stays
        }
    }

    private static SymbolLookup load(String path) {
        try {
            return SymbolLookup.libraryLookup(path, Arena.global());
        } catch (IllegalArgumentException failure) {
            throw new UnsatisfiedLinkError(path + " cannot be loaded. Add the package for this "
                    + "platform, install libmodelwire, or set MODELWIRE_LIBRARY to its path.");
        }
    }

    private static MethodHandle link(String name, FunctionDescriptor of, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), of, options);
    }

    private static MemorySegment text(Arena arena, String text) {
        return text == null ? MemorySegment.NULL : arena.allocateFrom(text);
    }

    /** Without the NUL at its end. */
    private static long length(MemorySegment text) {
        return Math.max(0, text.byteSize() - 1);
    }

    private static String copied(long address, long length) {
        if (address == 0) return null;
        byte[] bytes = new byte[Math.toIntExact(length)];
        MemorySegment.copy(MEMORY, JAVA_BYTE, address, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int checked(int status, MemorySegment err) {
        if (status >= 0) return status;
        long error = err.get(JAVA_LONG, 0);
        String known = error_json(error);
        error_free(error);
        throw new ModelwireException(known);
    }

    private static RuntimeException thrown(Throwable fault) {
        if (fault instanceof Error error) throw error;
        return (RuntimeException) fault;
    }

    static final long NUL = -1;
    static final int INTERRUPTIBLE = 1;
    static final int SOCKET = 2;
    static final int VERSION_NUMBER = 1000;
    static final int ABI = 1;
    static final int OPERATION_MODELS = 1;
    static final int OPERATION_CHAT = 2;
    static final int OPERATION_RESPONSES = 3;
    static final int EVENT_CHUNK = 1;
    static final int EVENT_RESPONSE = 2;
    static final int EVENT_ERROR = 3;
    static final int EVENT_LOG = 4;
    static final int EVENT_CALL = 5;
    static final int READ_TEXT = 1;
    static final int READ_JSON = 2;
    static final int READ_NAME = 4;
    static final int READ_FREE = 8;
    static final int FINISH_NONE = 0;
    static final int FINISH_STOP = 1;
    static final int FINISH_LENGTH = 2;
    static final int FINISH_TOOL_CALLS = 3;
    static final int FINISH_CONTENT_FILTER = 4;
    static final int FINISH_OTHER = 5;
    static final int TOKENS_INPUT = 1;
    static final int TOKENS_OUTPUT = 2;
    static final int TOKENS_TOTAL = 3;
    static final int TOKENS_CACHED_INPUT = 4;
    static final int TOKENS_REASONING = 5;
    static final int LOG_OFF = 0;
    static final int LOG_ERROR = 1;
    static final int LOG_WARN = 2;
    static final int LOG_INFO = 3;
    static final int LOG_DEBUG = 4;
    static final int LOG_TRACE = 5;
    static final int OK = 0;
    static final int STOPPED = 1;
    static final int TIMEOUT = 2;
    static final int ABSENT = 3;
    static final int CLOSED = 4;
    static final int INTERRUPTED = 5;
    static final int E_ARGUMENT = -1;
    static final int E_CONFIG = -2;
    static final int E_INVALID_REQUEST = -3;
    static final int E_AUTHENTICATION = -4;
    static final int E_PERMISSION = -5;
    static final int E_NOT_FOUND = -6;
    static final int E_RATE_LIMITED = -7;
    static final int E_SERVER = -8;
    static final int E_STATUS = -9;
    static final int E_CONNECT = -10;
    static final int E_TLS = -11;
    static final int E_TIMEOUT = -12;
    static final int E_DISCONNECTED = -13;
    static final int E_PROTOCOL = -14;
    static final int E_INCOMPLETE = -15;
    static final int E_STREAM = -16;
    static final int E_CANCELLED = -17;
    static final int E_CLOSED = -18;
    static final int E_FORKED = -19;
    static final int E_SHUTDOWN = -20;
    static final int E_INTERNAL = -21;
    static final int E_CALLBACK = -22;

    private static final class version_number {
        static final MethodHandle HANDLE =
                link("modelwire_version_number",
                        FunctionDescriptor.of(JAVA_INT));
    }

    static int version_number() {
        try {
            return (int) version_number.HANDLE.invokeExact();
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class check_abi {
        static final MethodHandle HANDLE =
                link("modelwire_check_abi",
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    static int check_abi(int header_abi) {
        try {
            return (int) check_abi.HANDLE.invokeExact(header_abi);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class status_name {
        static final MethodHandle HANDLE =
                link("modelwire_status_name",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    }

    static String status_name(int status) {
        try {
            return MEMORY.getString((long) status_name.HANDLE.invokeExact(status));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class set_io_threads {
        static final MethodHandle HANDLE =
                link("modelwire_set_io_threads",
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    static int set_io_threads(int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) set_io_threads.HANDLE.invokeExact(count, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class shutdown {
        static final MethodHandle HANDLE =
                link("modelwire_shutdown",
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    static int shutdown(int timeout_ms) {
        try {
            return (int) shutdown.HANDLE.invokeExact(timeout_ms);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_new {
        static final MethodHandle HANDLE =
                link("modelwire_client_new",
                        FunctionDescriptor.of(
                                JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    }

    static long client_new(String options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment options_ = text(arena, options);
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) client_new.HANDLE.invokeExact(
                        options_, length(options_), out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_free {
        static final MethodHandle HANDLE =
                link("modelwire_client_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void client_free(long client) {
        try {
            client_free.HANDLE.invokeExact(client);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_close {
        static final MethodHandle HANDLE =
                link("modelwire_client_close",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS));
    }

    static int client_close(long client, int timeout_ms) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) client_close.HANDLE.invokeExact(client, timeout_ms, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_usage {
        static final MethodHandle HANDLE =
                link("modelwire_client_usage",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    static long client_usage(long client, int reset) {
        try {
            return (long) client_usage.HANDLE.invokeExact(client, reset);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_on_call {
        static final MethodHandle HANDLE =
                link("modelwire_client_on_call",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    }

    static int client_on_call(
            long client, MemorySegment on_call, MemorySegment user_data, MemorySegment finalizer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) client_on_call.HANDLE.invokeExact(
                        client, on_call, user_data, finalizer, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class client_before_attempt {
        static final MethodHandle HANDLE =
                link("modelwire_client_before_attempt",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    }

    static int client_before_attempt(
            long client, MemorySegment before_attempt, MemorySegment user_data, MemorySegment
            finalizer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) client_before_attempt.HANDLE.invokeExact(
                        client, before_attempt, user_data, finalizer, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class attempt_json {
        static final MethodHandle HANDLE =
                link("modelwire_attempt_json",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS));
    }

    static String attempt_json(long attempt) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocate(JAVA_LONG);
            long address = (long) attempt_json.HANDLE.invokeExact(attempt, length);
            return copied(address, length.get(JAVA_LONG, 0));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class attempt_body {
        static final MethodHandle HANDLE =
                link("modelwire_attempt_body",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS));
    }

    static String attempt_body(long attempt) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocate(JAVA_LONG);
            long address = (long) attempt_body.HANDLE.invokeExact(attempt, length);
            return copied(address, length.get(JAVA_LONG, 0));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class attempt_set_header {
        static final MethodHandle HANDLE =
                link("modelwire_attempt_set_header",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int attempt_set_header(
            long attempt, String name, String value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name_ = text(arena, name);
            MemorySegment value_ = text(arena, value);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) attempt_set_header.HANDLE.invokeExact(
                        attempt, name_, length(name_), value_, length(value_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_new {
        static final MethodHandle HANDLE =
                link("modelwire_request_new",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    }

    static long request_new(int operation, String json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment json_ = text(arena, json);
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) request_new.HANDLE.invokeExact(
                        operation, json_, length(json_), out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_free {
        static final MethodHandle HANDLE =
                link("modelwire_request_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void request_free(long request) {
        try {
            request_free.HANDLE.invokeExact(request);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_add_message {
        static final MethodHandle HANDLE =
                link("modelwire_request_add_message",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_add_message(
            long request, String role, String content) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment role_ = text(arena, role);
            MemorySegment content_ = text(arena, content);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_add_message.HANDLE.invokeExact(
                        request, role_, length(role_), content_, length(content_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_add_part {
        static final MethodHandle HANDLE =
                link("modelwire_request_add_part",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_add_part(
            long request, String type, String value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment type_ = text(arena, type);
            MemorySegment value_ = text(arena, value);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_add_part.HANDLE.invokeExact(
                        request, type_, length(type_), value_, length(value_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_add_response {
        static final MethodHandle HANDLE =
                link("modelwire_request_add_response",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS));
    }

    static int request_add_response(long request, long response) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_add_response.HANDLE.invokeExact(request, response, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_add_tool_result {
        static final MethodHandle HANDLE =
                link("modelwire_request_add_tool_result",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_add_tool_result(
            long request, String id, String output) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id_ = text(arena, id);
            MemorySegment output_ = text(arena, output);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_add_tool_result.HANDLE.invokeExact(
                        request, id_, length(id_), output_, length(output_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_add_json {
        static final MethodHandle HANDLE =
                link("modelwire_request_add_json",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_add_json(
            long request, String name, String json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name_ = text(arena, name);
            MemorySegment json_ = text(arena, json);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_add_json.HANDLE.invokeExact(
                        request, name_, length(name_), json_, length(json_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_set_text {
        static final MethodHandle HANDLE =
                link("modelwire_request_set_text",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_set_text(
            long request, String name, String value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name_ = text(arena, name);
            MemorySegment value_ = text(arena, value);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_set_text.HANDLE.invokeExact(
                        request, name_, length(name_), value_, length(value_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_set_json {
        static final MethodHandle HANDLE =
                link("modelwire_request_set_json",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG,
                                ADDRESS));
    }

    static int request_set_json(
            long request, String name, String json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name_ = text(arena, name);
            MemorySegment json_ = text(arena, json);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_set_json.HANDLE.invokeExact(
                        request, name_, length(name_), json_, length(json_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class request_set_options {
        static final MethodHandle HANDLE =
                link("modelwire_request_set_options",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static int request_set_options(long request, String json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment json_ = text(arena, json);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) request_set_options.HANDLE.invokeExact(
                        request, json_, length(json_), err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_new {
        static final MethodHandle HANDLE =
                link("modelwire_queue_new",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    }

    static long queue_new(int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) queue_new.HANDLE.invokeExact(flags, out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_free {
        static final MethodHandle HANDLE =
                link("modelwire_queue_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void queue_free(long queue) {
        try {
            queue_free.HANDLE.invokeExact(queue);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_close {
        static final MethodHandle HANDLE =
                link("modelwire_queue_close",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void queue_close(long queue) {
        try {
            queue_close.HANDLE.invokeExact(queue);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_wakeup {
        static final MethodHandle HANDLE =
                link("modelwire_queue_wakeup",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void queue_wakeup(long queue) {
        try {
            queue_wakeup.HANDLE.invokeExact(queue);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_fd {
        static final MethodHandle HANDLE =
                link("modelwire_queue_fd",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    }

    static int queue_fd(long queue) {
        try {
            return (int) queue_fd.HANDLE.invokeExact(queue);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_next {
        static final MethodHandle HANDLE =
                link("modelwire_queue_next",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS));
    }

    static int queue_next(
            long queue, int timeout_ms, MemorySegment out) {
        try {
            return (int) queue_next.HANDLE.invokeExact(queue, timeout_ms, out);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_take {
        static final MethodHandle HANDLE =
                link("modelwire_queue_take",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static int queue_take(
            long queue, int timeout_ms, MemorySegment out, long max, MemorySegment count) {
        try {
            return (int) queue_take.HANDLE.invokeExact(
                        queue, timeout_ms, out, max, count);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_submit {
        static final MethodHandle HANDLE =
                link("modelwire_queue_submit",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG,
                                JAVA_INT, JAVA_LONG, ADDRESS));
    }

    static int queue_submit(
            long queue, long client, int operation, String json, int stream, long tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment json_ = text(arena, json);
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) queue_submit.HANDLE.invokeExact(
                        queue, client, operation, json_, length(json_), stream, tag, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_submit_request {
        static final MethodHandle HANDLE =
                link("modelwire_queue_submit_request",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
                                ADDRESS));
    }

    static int queue_submit_request(
            long queue, long client, long request, int stream, long tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) queue_submit_request.HANDLE.invokeExact(
                        queue, client, request, stream, tag, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_cancel {
        static final MethodHandle HANDLE =
                link("modelwire_queue_cancel",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    static int queue_cancel(long queue, long tag) {
        try {
            return (int) queue_cancel.HANDLE.invokeExact(queue, tag);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_pause {
        static final MethodHandle HANDLE =
                link("modelwire_queue_pause",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    static int queue_pause(long queue, long tag) {
        try {
            return (int) queue_pause.HANDLE.invokeExact(queue, tag);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_resume {
        static final MethodHandle HANDLE =
                link("modelwire_queue_resume",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    static int queue_resume(long queue, long tag) {
        try {
            return (int) queue_resume.HANDLE.invokeExact(queue, tag);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_count {
        static final MethodHandle HANDLE =
                link("modelwire_queue_count",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long queue_count(long queue) {
        try {
            return (long) queue_count.HANDLE.invokeExact(queue);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_log {
        static final MethodHandle HANDLE =
                link("modelwire_queue_log",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS));
    }

    static int queue_log(
            long queue, int level, long tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) queue_log.HANDLE.invokeExact(queue, level, tag, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class queue_follow_calls {
        static final MethodHandle HANDLE =
                link("modelwire_queue_follow_calls",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS));
    }

    static int queue_follow_calls(
            long queue, long client, int on, long tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) queue_follow_calls.HANDLE.invokeExact(queue, client, on, tag, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_new {
        static final MethodHandle HANDLE =
                link("modelwire_call_new",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS));
    }

    static long call_new(
            long client, long request, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) call_new.HANDLE.invokeExact(
                        client, request, flags, out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_run {
        static final MethodHandle HANDLE =
                link("modelwire_call_run",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS));
    }

    static long call_run(long call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) call_run.HANDLE.invokeExact(call, out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_stream {
        static final MethodHandle HANDLE =
                link("modelwire_call_stream",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    }

    static long call_stream(
            long call, MemorySegment on_event, MemorySegment user_data) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) call_stream.HANDLE.invokeExact(
                        call, on_event, user_data, out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_start {
        static final MethodHandle HANDLE =
                link("modelwire_call_start",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS,
                                ADDRESS));
    }

    static int call_start(
            long call, int stream, MemorySegment on_event, MemorySegment user_data,
            MemorySegment finalizer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) call_start.HANDLE.invokeExact(
                        call, stream, on_event, user_data, finalizer, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_wait {
        static final MethodHandle HANDLE =
                link("modelwire_call_wait",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS));
    }

    static int call_wait(long call, int timeout_ms) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment err = arena.allocate(JAVA_LONG);
            return checked((int) call_wait.HANDLE.invokeExact(call, timeout_ms, err), err);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_cancel {
        static final MethodHandle HANDLE =
                link("modelwire_call_cancel",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void call_cancel(long call) {
        try {
            call_cancel.HANDLE.invokeExact(call);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_wakeup {
        static final MethodHandle HANDLE =
                link("modelwire_call_wakeup",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void call_wakeup(long call) {
        try {
            call_wakeup.HANDLE.invokeExact(call);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class call_free {
        static final MethodHandle HANDLE =
                link("modelwire_call_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void call_free(long call) {
        try {
            call_free.HANDLE.invokeExact(call);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_free {
        static final MethodHandle HANDLE =
                link("modelwire_event_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG), READS);
    }

    static void event_free(long event) {
        try {
            event_free.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_kind {
        static final MethodHandle HANDLE =
                link("modelwire_event_kind",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG), READS);
    }

    static int event_kind(long event) {
        try {
            return (int) event_kind.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_tag {
        static final MethodHandle HANDLE =
                link("modelwire_event_tag",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), READS);
    }

    static long event_tag(long event) {
        try {
            return (long) event_tag.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_text {
        static final MethodHandle HANDLE =
                link("modelwire_event_text",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String event_text(long event) {
        try {
            long[] length = new long[1];
            long address = (long) event_text.HANDLE.invokeExact(
                        event, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_json {
        static final MethodHandle HANDLE =
                link("modelwire_event_json",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String event_json(long event) {
        try {
            long[] length = new long[1];
            long address = (long) event_json.HANDLE.invokeExact(
                        event, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_name {
        static final MethodHandle HANDLE =
                link("modelwire_event_name",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String event_name(long event) {
        try {
            long[] length = new long[1];
            long address = (long) event_name.HANDLE.invokeExact(
                        event, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_value {
        static final MethodHandle HANDLE =
                link("modelwire_event_value",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long event_value(long event) {
        try {
            return (long) event_value.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_info {
        static final MethodHandle HANDLE =
                link("modelwire_event_info",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long event_info(long event) {
        try {
            return (long) event_info.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_response {
        static final MethodHandle HANDLE =
                link("modelwire_event_response",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long event_response(long event) {
        try {
            return (long) event_response.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_error {
        static final MethodHandle HANDLE =
                link("modelwire_event_error",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long event_error(long event) {
        try {
            return (long) event_error.HANDLE.invokeExact(event);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class event_read_all {
        static final MethodHandle HANDLE =
                link("modelwire_event_read_all",
                        FunctionDescriptor.of(
                                JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS,
                                ADDRESS, ADDRESS, JAVA_LONG));
    }

    static long event_read_all(
            MemorySegment events, long count, int parts, MemorySegment tags, MemorySegment
            kinds, MemorySegment lengths, MemorySegment texts, long texts_max) {
        try {
            return (long) event_read_all.HANDLE.invokeExact(
                        events, count, parts, tags, kinds, lengths, texts, texts_max);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_free {
        static final MethodHandle HANDLE =
                link("modelwire_response_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void response_free(long response) {
        try {
            response_free.HANDLE.invokeExact(response);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_text {
        static final MethodHandle HANDLE =
                link("modelwire_response_text",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String response_text(long response) {
        try {
            long[] length = new long[1];
            long address = (long) response_text.HANDLE.invokeExact(
                        response, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_json {
        static final MethodHandle HANDLE =
                link("modelwire_response_json",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String response_json(long response) {
        try {
            long[] length = new long[1];
            long address = (long) response_json.HANDLE.invokeExact(
                        response, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_value {
        static final MethodHandle HANDLE =
                link("modelwire_response_value",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long response_value(long response) {
        try {
            return (long) response_value.HANDLE.invokeExact(response);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_info {
        static final MethodHandle HANDLE =
                link("modelwire_response_info",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long response_info(long response) {
        try {
            return (long) response_info.HANDLE.invokeExact(response);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_finish_reason {
        static final MethodHandle HANDLE =
                link("modelwire_response_finish_reason",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG), READS);
    }

    static int response_finish_reason(long response) {
        try {
            return (int) response_finish_reason.HANDLE.invokeExact(response);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class response_tokens {
        static final MethodHandle HANDLE =
                link("modelwire_response_tokens",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    static long response_tokens(long response, int kind) {
        try {
            return (long) response_tokens.HANDLE.invokeExact(response, kind);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_free {
        static final MethodHandle HANDLE =
                link("modelwire_error_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void error_free(long error) {
        try {
            error_free.HANDLE.invokeExact(error);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_status {
        static final MethodHandle HANDLE =
                link("modelwire_error_status",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG), READS);
    }

    static int error_status(long error) {
        try {
            return (int) error_status.HANDLE.invokeExact(error);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_message {
        static final MethodHandle HANDLE =
                link("modelwire_error_message",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String error_message(long error) {
        try {
            long[] length = new long[1];
            long address = (long) error_message.HANDLE.invokeExact(
                        error, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_report {
        static final MethodHandle HANDLE =
                link("modelwire_error_report",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String error_report(long error) {
        try {
            long[] length = new long[1];
            long address = (long) error_report.HANDLE.invokeExact(
                        error, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_json {
        static final MethodHandle HANDLE =
                link("modelwire_error_json",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS), READS);
    }

    static String error_json(long error) {
        try {
            long[] length = new long[1];
            long address = (long) error_json.HANDLE.invokeExact(
                        error, MemorySegment.ofArray(length));
            return copied(address, length[0]);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class error_value {
        static final MethodHandle HANDLE =
                link("modelwire_error_value",
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    static long error_value(long error) {
        try {
            return (long) error_value.HANDLE.invokeExact(error);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_new {
        static final MethodHandle HANDLE =
                link("modelwire_value_new",
                        FunctionDescriptor.of(
                                JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    }

    static long value_new(String json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment json_ = text(arena, json);
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) value_new.HANDLE.invokeExact(
                        json_, length(json_), out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_new_text {
        static final MethodHandle HANDLE =
                link("modelwire_value_new_text",
                        FunctionDescriptor.of(
                                JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    }

    static long value_new_text(String text) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text_ = text(arena, text);
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment err = arena.allocate(JAVA_LONG);
            checked((int) value_new_text.HANDLE.invokeExact(
                        text_, length(text_), out, err), err);
            return out.get(JAVA_LONG, 0);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_free {
        static final MethodHandle HANDLE =
                link("modelwire_value_free",
                        FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    static void value_free(long value) {
        try {
            value_free.HANDLE.invokeExact(value);
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_text {
        static final MethodHandle HANDLE =
                link("modelwire_value_text",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static String value_text(long value, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            MemorySegment length = arena.allocate(JAVA_LONG);
            long address = (long) value_text.HANDLE.invokeExact(
                        value, path_, length(path_), length);
            return copied(address, length.get(JAVA_LONG, 0));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_json {
        static final MethodHandle HANDLE =
                link("modelwire_value_json",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static String value_json(long value, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            MemorySegment length = arena.allocate(JAVA_LONG);
            long address = (long) value_json.HANDLE.invokeExact(
                        value, path_, length(path_), length);
            return copied(address, length.get(JAVA_LONG, 0));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_int {
        static final MethodHandle HANDLE =
                link("modelwire_value_int",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static Long value_int(long value, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            MemorySegment out = arena.allocate(JAVA_LONG);
            int status = (int) value_int.HANDLE.invokeExact(
                        value, path_, length(path_), out);
            return status == OK ? out.get(JAVA_LONG, 0) : null;
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_number {
        static final MethodHandle HANDLE =
                link("modelwire_value_number",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
    }

    static Double value_number(long value, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            MemorySegment out = arena.allocate(JAVA_LONG);
            int status = (int) value_number.HANDLE.invokeExact(
                        value, path_, length(path_), out);
            return status == OK ? out.get(JAVA_DOUBLE, 0) : null;
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_count {
        static final MethodHandle HANDLE =
                link("modelwire_value_count",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG));
    }

    static long value_count(long value, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            return (long) value_count.HANDLE.invokeExact(value, path_, length(path_));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }

    private static final class value_name {
        static final MethodHandle HANDLE =
                link("modelwire_value_name",
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
    }

    static String value_name(
            long value, String path, long index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path_ = text(arena, path);
            MemorySegment length = arena.allocate(JAVA_LONG);
            long address = (long) value_name.HANDLE.invokeExact(
                        value, path_, length(path_), index, length);
            return copied(address, length.get(JAVA_LONG, 0));
        } catch (Throwable fault) {
            throw thrown(fault);
        }
    }
}
