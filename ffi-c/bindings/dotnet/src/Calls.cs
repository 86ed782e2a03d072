// The queue of a client, and the thread that takes their events.
#nullable enable
using System;
using System.Collections.Concurrent;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using static Modelwire.Native;

namespace Modelwire
{
    /// <summary>One queue, and the thread that takes its events. They refer to neither the client nor
    /// its streams, so that the collector finds those.</summary>
    internal sealed class Calls
    {
        private const ulong LogTag = ulong.MaxValue;
        private const int StackBytes = 256 * 1024;
        private readonly ConcurrentDictionary<ulong, Call> open = new ConcurrentDictionary<ulong, Call>();
        private readonly TaskCompletionSource<bool> ended =
            new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly IntPtr client;
        private volatile Action<ModelwireLogRecord>? log;
        private Thread? thread;
        private IntPtr queue;
        private ulong last;
        private bool isClosed;

        internal Calls(IntPtr client) => this.client = client;

        /// <summary>When all calls have ended after <see cref="Close"/>. A handler of log records, which
        /// runs on the thread that would have to end, waits for nothing.</summary>
        internal Task Ended => thread == Thread.CurrentThread ? Task.CompletedTask : ended.Task;

        internal Call Start(int operation, bool isStream, object? body, CallOptions? options)
        {
            var (json, set) = (Fields.Json(body), Fields.Json(options));
            Check(modelwire_request_new(operation, json, Length(json), out var request, out var error),
                error);
            try
            {
                if (set != null)
                    Check(modelwire_request_set_options(request, set, set.Length, out error), error);
                lock (this)
                {
                    var call = new Call(this, ++last, isStream);
                    var begun = Begun();
                    open[last] = call;
                    var status = modelwire_queue_submit_request(begun, client, request,
                        isStream ? 1 : 0, last, out error);
                    if (status < 0) open.TryRemove(last, out _);
                    Check(status, error);
                    return call;
                }
            }
            finally
            {
                modelwire_request_free(request);
            }
        }

        /// <summary>The queue, from the first call on: a client without calls has none.</summary>
        private IntPtr Begun()
        {
            if (isClosed) throw new ModelwireException(ModelwireException.Closed);
            if (queue != IntPtr.Zero) return queue;
            Check(modelwire_queue_new(0, out var made, out var error), error);
            try
            {
                var taking = new Thread(() => Take(made), StackBytes) { IsBackground = true, Name = "modelwire" };
                // What is local to the first call, as its activity, is not the thread's.
                if (ExecutionContext.IsFlowSuppressed()) taking.Start();
                else
                    using (ExecutionContext.SuppressFlow()) taking.Start();
                thread = taking;
            }
            catch (Exception)
            {
                modelwire_queue_free(made);
                throw;
            }
            return queue = made;
        }

        internal void LogTo(ModelwireLogLevel level, Action<ModelwireLogRecord>? handler)
        {
            lock (this)
            {
                log = handler;
                Check(modelwire_queue_log(Begun(), (int)level, LogTag, out var error), error);
            }
        }

        internal long Unfinished()
        {
            lock (this) return modelwire_queue_count(queue);
        }

        internal void Cancel(ulong tag)
        {
            lock (this) modelwire_queue_cancel(queue, tag);
        }

        internal void Pause(ulong tag)
        {
            lock (this) modelwire_queue_pause(queue, tag);
        }

        internal void Resume(ulong tag)
        {
            lock (this) modelwire_queue_resume(queue, tag);
        }

        /// <summary>Waits for nothing: the finalizer calls it too.</summary>
        internal void Close()
        {
            lock (this)
            {
                if (isClosed) return;
                isClosed = true;
                modelwire_client_close(client, 0, out var error);
                modelwire_error_free(error);
                if (queue == IntPtr.Zero)
                {
                    modelwire_client_free(client);
                    ended.SetResult(true);
                }
                modelwire_queue_close(queue);
            }
        }

        private void Take(IntPtr queue)
        {
            try
            {
                var batch = new Batch();
                while (batch.Take(queue)) batch.Give(this);
            }
            catch (Exception)
            {
                // The calls that are open fail below.
            }
            finally
            {
                lock (this)
                {
                    isClosed = true;
                    this.queue = IntPtr.Zero;
                    modelwire_queue_free(queue);
                    modelwire_client_free(client);
                }
                // None is left, unless this thread itself failed.
                foreach (var call in open.Values)
                    call.Fail(new ModelwireException(ModelwireException.Closed));
                ended.SetResult(true);
            }
        }

        private void Give(ulong tag, int kind, IntPtr @event, string text, byte[] json, string name)
        {
            if (kind == MODELWIRE_EVENT_LOG) Record(text, json, name);
            if (!open.TryGetValue(tag, out var call)) return;
            if (kind == MODELWIRE_EVENT_CHUNK)
            {
                call.Add(new Chunk(text, json, name));
                return;
            }
            if (kind == MODELWIRE_EVENT_ERROR)
            {
                call.Fail(new ModelwireException(Encoding.UTF8.GetString(json)));
            }
            else
            {
                var value = modelwire_event_info(@event);
                var info = Text(modelwire_value_json(value, new byte[1], 0, out var length), length);
                call.End(new Response(text, json, info));
            }
            // Once it has ended: until then Drop finds a call whose last event cannot be read.
            open.TryRemove(tag, out _);
        }

        /// <summary>Ends the call of an event that cannot be read.</summary>
        private void Drop(ulong tag, Exception failure)
        {
            if (!open.TryRemove(tag, out var call)) return;
            call.Fail(failure);
            Cancel(tag);
        }

        private void Record(string text, byte[] json, string name)
        {
            try
            {
                var level = JsonText.Element(Encoding.UTF8.GetString(json)).Text("level");
                Enum.TryParse<ModelwireLogLevel>(level == "warn" ? "warning" : level, true, out var known);
                log?.Invoke(new ModelwireLogRecord(known, name, text));
            }
            catch (Exception)
            {
                // What is wrong with a handler of log records is not the calls' concern.
            }
        }

        /// <summary>The events of one take, read by few calls into the library.</summary>
        private sealed class Batch
        {
            private const int EventsMax = 64, Parts = 3, BytesMin = 64 * 1024, BytesKeptMax = 1024 * 1024;
            private const uint Read = MODELWIRE_READ_TEXT | MODELWIRE_READ_JSON | MODELWIRE_READ_NAME;
            private readonly IntPtr[] events = new IntPtr[EventsMax];
            private readonly ulong[] tags = new ulong[EventsMax];
            private readonly int[] kinds = new int[EventsMax];
            private readonly long[] lengths = new long[EventsMax * Parts];
            private byte[] texts = new byte[BytesMin];
            private int count, at;

            /// <summary>Whether there will be more events.</summary>
            internal bool Take(IntPtr queue)
            {
                var status = modelwire_queue_take(queue, -1, events, EventsMax, out var taken);
                count = (int)taken;
                return status == MODELWIRE_OK;
            }

            internal void Give(Calls calls)
            {
                while (count > 0)
                {
                    var read = (int)modelwire_event_read_all(events, count, Read, tags, kinds, lengths,
                        texts, texts.Length);
                    at = 0;
                    for (var one = 0; one < read; one++) GiveOne(calls, one);
                    if (read == 0 && !Grow(calls)) read = 1;
                    modelwire_event_read_all(events, read, MODELWIRE_READ_FREE, null, null, null, null, 0);
                    count -= read;
                    Array.Copy(events, read, events, 0, count);
                }
                if (texts.Length > BytesKeptMax) texts = new byte[BytesMin];
            }

            private void GiveOne(Calls calls, int one)
            {
                // What was read goes on in this order: text, JSON, name.
                var (text, json) = (at, at + (int)lengths[one * Parts]);
                var name = json + (int)lengths[one * Parts + 1];
                at = name + (int)lengths[one * Parts + 2];
                try
                {
                    calls.Give(tags[one], kinds[one], events[one], Decoded(text, json),
                        texts.AsSpan(json, name - json).ToArray(), Decoded(name, at));
                }
                catch (Exception failure)
                {
                    calls.Drop(tags[one], failure); // there is no memory for it, for instance
                }
            }

            private string Decoded(int from, int to) => Encoding.UTF8.GetString(texts, from, to - from);

            /// <summary>Makes room for one event, or gives it up.</summary>
            private bool Grow(Calls calls)
            {
                try
                {
                    texts = new byte[checked(texts.Length * 2)];
                    return true;
                }
                catch (Exception failure)
                {
                    calls.Drop(modelwire_event_tag(events[0]), failure);
                    return false;
                }
            }
        }
    }
}
