// Generated from include/modelwire.json by generate.py (`make generate`); do not edit.
#nullable enable
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

namespace Modelwire
{
    /// <summary>libmodelwire as include/modelwire.h declares it, and how its texts and errors are read.</summary>
    internal static class Native
    {
        private const string Library = "modelwire";

        static Native()
        {
            NativeLibrary.SetDllImportResolver(typeof(Native).Assembly, Find);
            if (modelwire_check_abi(MODELWIRE_ABI) != MODELWIRE_OK)
                throw new DllNotFoundException("libmodelwire has another ABI than this package");
        }

        /// <summary>By the path in the environment, else from the package, else by the loader.</summary>
        private static IntPtr Find(string name, Assembly assembly, DllImportSearchPath? path)
        {
            if (name != Library) return IntPtr.Zero;
            var given = Environment.GetEnvironmentVariable("MODELWIRE_LIBRARY");
            var found = IntPtr.Zero;
            var isFound = string.IsNullOrEmpty(given)
                ? NativeLibrary.TryLoad(Library, assembly, path, out found)
                    || NativeLibrary.TryLoad("libmodelwire.so.0.1", out found)
                : NativeLibrary.TryLoad(given, out found);
            if (isFound) return found;
            throw new DllNotFoundException((string.IsNullOrEmpty(given) ? "libmodelwire" : given)
                + " cannot be loaded: install libmodelwire, or set MODELWIRE_LIBRARY to its path");
        }

        internal static long Length(byte[]? text) => text?.Length ?? 0;

        /// <summary>A text that the library holds, copied.</summary>
        internal static unsafe string Text(IntPtr text, long length) =>
            Encoding.UTF8.GetString((byte*)text, checked((int)length));

        /// <summary>Throws the error of a function that failed.</summary>
        internal static void Check(int status, IntPtr error)
        {
            if (status >= 0) return;
            if (error == IntPtr.Zero)
                throw new ModelwireException($"{{\"kind\":\"{StatusName(status)}\"}}");
            var json = Text(modelwire_error_json(error, out var length), length);
            modelwire_error_free(error);
            throw new ModelwireException(json);
        }

        private static string StatusName(int status) =>
            Marshal.PtrToStringUTF8(modelwire_status_name(status))!;

        internal const long MODELWIRE_NUL = -1;
        internal const uint MODELWIRE_INTERRUPTIBLE = 1;
        internal const uint MODELWIRE_SOCKET = 2;
        internal const uint MODELWIRE_VERSION_NUMBER = 1000;
        internal const uint MODELWIRE_ABI = 1;
        internal const int MODELWIRE_OPERATION_MODELS = 1;
        internal const int MODELWIRE_OPERATION_CHAT = 2;
        internal const int MODELWIRE_OPERATION_RESPONSES = 3;
        internal const int MODELWIRE_EVENT_CHUNK = 1;
        internal const int MODELWIRE_EVENT_RESPONSE = 2;
        internal const int MODELWIRE_EVENT_ERROR = 3;
        internal const int MODELWIRE_EVENT_LOG = 4;
        internal const int MODELWIRE_EVENT_CALL = 5;
        internal const uint MODELWIRE_READ_TEXT = 1;
        internal const uint MODELWIRE_READ_JSON = 2;
        internal const uint MODELWIRE_READ_NAME = 4;
        internal const uint MODELWIRE_READ_FREE = 8;
        internal const int MODELWIRE_FINISH_NONE = 0;
        internal const int MODELWIRE_FINISH_STOP = 1;
        internal const int MODELWIRE_FINISH_LENGTH = 2;
        internal const int MODELWIRE_FINISH_TOOL_CALLS = 3;
        internal const int MODELWIRE_FINISH_CONTENT_FILTER = 4;
        internal const int MODELWIRE_FINISH_OTHER = 5;
        internal const int MODELWIRE_TOKENS_INPUT = 1;
        internal const int MODELWIRE_TOKENS_OUTPUT = 2;
        internal const int MODELWIRE_TOKENS_TOTAL = 3;
        internal const int MODELWIRE_TOKENS_CACHED_INPUT = 4;
        internal const int MODELWIRE_TOKENS_REASONING = 5;
        internal const int MODELWIRE_LOG_OFF = 0;
        internal const int MODELWIRE_LOG_ERROR = 1;
        internal const int MODELWIRE_LOG_WARN = 2;
        internal const int MODELWIRE_LOG_INFO = 3;
        internal const int MODELWIRE_LOG_DEBUG = 4;
        internal const int MODELWIRE_LOG_TRACE = 5;
        internal const int MODELWIRE_OK = 0;
        internal const int MODELWIRE_STOPPED = 1;
        internal const int MODELWIRE_TIMEOUT = 2;
        internal const int MODELWIRE_ABSENT = 3;
        internal const int MODELWIRE_CLOSED = 4;
        internal const int MODELWIRE_INTERRUPTED = 5;
        internal const int MODELWIRE_E_ARGUMENT = -1;
        internal const int MODELWIRE_E_CONFIG = -2;
        internal const int MODELWIRE_E_INVALID_REQUEST = -3;
        internal const int MODELWIRE_E_AUTHENTICATION = -4;
        internal const int MODELWIRE_E_PERMISSION = -5;
        internal const int MODELWIRE_E_NOT_FOUND = -6;
        internal const int MODELWIRE_E_RATE_LIMITED = -7;
        internal const int MODELWIRE_E_SERVER = -8;
        internal const int MODELWIRE_E_STATUS = -9;
        internal const int MODELWIRE_E_CONNECT = -10;
        internal const int MODELWIRE_E_TLS = -11;
        internal const int MODELWIRE_E_TIMEOUT = -12;
        internal const int MODELWIRE_E_DISCONNECTED = -13;
        internal const int MODELWIRE_E_PROTOCOL = -14;
        internal const int MODELWIRE_E_INCOMPLETE = -15;
        internal const int MODELWIRE_E_STREAM = -16;
        internal const int MODELWIRE_E_CANCELLED = -17;
        internal const int MODELWIRE_E_CLOSED = -18;
        internal const int MODELWIRE_E_FORKED = -19;
        internal const int MODELWIRE_E_SHUTDOWN = -20;
        internal const int MODELWIRE_E_INTERNAL = -21;
        internal const int MODELWIRE_E_CALLBACK = -22;

        [DllImport(Library)]
        internal static extern uint modelwire_version_number();

        [DllImport(Library)]
        internal static extern int modelwire_check_abi(uint header_abi);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_status_name(int status);

        [DllImport(Library)]
        internal static extern int modelwire_set_io_threads(uint count, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_shutdown(int timeout_ms);

        [DllImport(Library)]
        internal static extern int modelwire_client_new(byte[]? options, long length,
            out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern void modelwire_client_free(IntPtr client);

        [DllImport(Library)]
        internal static extern int modelwire_client_close(IntPtr client, int timeout_ms,
            out IntPtr err);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_client_usage(IntPtr client, int reset);

        [DllImport(Library)]
        internal static extern int modelwire_client_on_call(IntPtr client, IntPtr on_call,
            IntPtr user_data, IntPtr finalizer, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_client_before_attempt(IntPtr client,
            IntPtr before_attempt, IntPtr user_data, IntPtr finalizer, out IntPtr err);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_attempt_json(IntPtr attempt, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_attempt_body(IntPtr attempt, out long length);

        [DllImport(Library)]
        internal static extern int modelwire_attempt_set_header(IntPtr attempt, byte[]? name,
            long name_length, byte[]? value, long value_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_new(int operation, byte[]? json, long length,
            out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern void modelwire_request_free(IntPtr request);

        [DllImport(Library)]
        internal static extern int modelwire_request_add_message(IntPtr request, byte[]? role,
            long role_length, byte[]? content, long content_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_add_part(IntPtr request, byte[]? type,
            long type_length, byte[]? value, long value_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_add_response(IntPtr request, IntPtr response,
            out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_add_tool_result(IntPtr request, byte[]? id,
            long id_length, byte[]? output, long output_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_add_json(IntPtr request, byte[]? name,
            long name_length, byte[]? json, long json_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_set_text(IntPtr request, byte[]? name,
            long name_length, byte[]? value, long value_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_set_json(IntPtr request, byte[]? name,
            long name_length, byte[]? json, long json_length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_request_set_options(IntPtr request, byte[]? json,
            long length, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_queue_new(uint flags, out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern void modelwire_queue_free(IntPtr queue);

        [DllImport(Library)]
        internal static extern void modelwire_queue_close(IntPtr queue);

        [DllImport(Library)]
        internal static extern void modelwire_queue_wakeup(IntPtr queue);

        [DllImport(Library)]
        internal static extern int modelwire_queue_fd(IntPtr queue);

        [DllImport(Library)]
        internal static extern int modelwire_queue_next(IntPtr queue, int timeout_ms,
            out IntPtr @out);

        [DllImport(Library)]
        internal static extern int modelwire_queue_take(IntPtr queue, int timeout_ms, IntPtr[] @out,
            long max, out long count);

        [DllImport(Library)]
        internal static extern int modelwire_queue_submit(IntPtr queue, IntPtr client,
            int operation, byte[]? json, long length, int stream, ulong tag,
            out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_queue_submit_request(IntPtr queue, IntPtr client,
            IntPtr request, int stream, ulong tag, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_queue_cancel(IntPtr queue, ulong tag);

        [DllImport(Library)]
        internal static extern int modelwire_queue_pause(IntPtr queue, ulong tag);

        [DllImport(Library)]
        internal static extern int modelwire_queue_resume(IntPtr queue, ulong tag);

        [DllImport(Library)]
        internal static extern long modelwire_queue_count(IntPtr queue);

        [DllImport(Library)]
        internal static extern int modelwire_queue_log(IntPtr queue, int level, ulong tag,
            out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_queue_follow_calls(IntPtr queue, IntPtr client, int on,
            ulong tag, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_call_new(IntPtr client, IntPtr request, uint flags,
            out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_call_run(IntPtr call, out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_call_stream(IntPtr call, IntPtr on_event,
            IntPtr user_data, out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_call_start(IntPtr call, int stream, IntPtr on_event,
            IntPtr user_data, IntPtr finalizer, out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_call_wait(IntPtr call, int timeout_ms, out IntPtr err);

        [DllImport(Library)]
        internal static extern void modelwire_call_cancel(IntPtr call);

        [DllImport(Library)]
        internal static extern void modelwire_call_wakeup(IntPtr call);

        [DllImport(Library)]
        internal static extern void modelwire_call_free(IntPtr call);

        [DllImport(Library)]
        internal static extern void modelwire_event_free(IntPtr @event);

        [DllImport(Library)]
        internal static extern int modelwire_event_kind(IntPtr @event);

        [DllImport(Library)]
        internal static extern ulong modelwire_event_tag(IntPtr @event);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_text(IntPtr @event, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_json(IntPtr @event, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_name(IntPtr @event, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_value(IntPtr @event);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_info(IntPtr @event);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_response(IntPtr @event);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_event_error(IntPtr @event);

        [DllImport(Library)]
        internal static extern long modelwire_event_read_all(IntPtr[]? events, long count,
            uint parts, ulong[]? tags, int[]? kinds, long[]? lengths, byte[]? texts,
            long texts_max);

        [DllImport(Library)]
        internal static extern void modelwire_response_free(IntPtr response);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_response_text(IntPtr response, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_response_json(IntPtr response, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_response_value(IntPtr response);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_response_info(IntPtr response);

        [DllImport(Library)]
        internal static extern int modelwire_response_finish_reason(IntPtr response);

        [DllImport(Library)]
        internal static extern long modelwire_response_tokens(IntPtr response, int kind);

        [DllImport(Library)]
        internal static extern void modelwire_error_free(IntPtr error);

        [DllImport(Library)]
        internal static extern int modelwire_error_status(IntPtr error);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_error_message(IntPtr error, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_error_report(IntPtr error, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_error_json(IntPtr error, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_error_value(IntPtr error);

        [DllImport(Library)]
        internal static extern int modelwire_value_new(byte[]? json, long length, out IntPtr @out,
            out IntPtr err);

        [DllImport(Library)]
        internal static extern int modelwire_value_new_text(byte[]? text, long length,
            out IntPtr @out, out IntPtr err);

        [DllImport(Library)]
        internal static extern void modelwire_value_free(IntPtr value);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_value_text(IntPtr value, byte[]? path,
            long path_length, out long length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_value_json(IntPtr value, byte[]? path,
            long path_length, out long length);

        [DllImport(Library)]
        internal static extern int modelwire_value_int(IntPtr value, byte[]? path, long path_length,
            out long @out);

        [DllImport(Library)]
        internal static extern int modelwire_value_number(IntPtr value, byte[]? path,
            long path_length, out double @out);

        [DllImport(Library)]
        internal static extern long modelwire_value_count(IntPtr value, byte[]? path,
            long path_length);

        [DllImport(Library)]
        internal static extern IntPtr modelwire_value_name(IntPtr value, byte[]? path,
            long path_length, long index, out long length);
    }
}
