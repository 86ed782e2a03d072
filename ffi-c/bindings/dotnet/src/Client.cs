// The client, its streams, and its log.
#nullable enable
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using static Modelwire.Native;

namespace Modelwire
{
    /// <summary>A client of one service, for any number of threads and calls at once.</summary>
    /// <remarks>One thread of its own takes the events of all its calls; what awaits one goes on in the
    /// thread pool. A request is a <see cref="ChatRequest"/> or <see cref="ResponsesRequest"/>, any object
    /// that System.Text.Json writes as the service takes it, or a string that is JSON already, which is
    /// sent as it is. Failures are a <see cref="ModelwireException"/>; a call whose token is cancelled
    /// ends with an <see cref="OperationCanceledException"/>.</remarks>
    public sealed class ModelwireClient : IDisposable, IAsyncDisposable
    {
        private readonly Calls calls;

        /// <summary>A client with these options. Base URL and key come from the environment
        /// otherwise.</summary>
        public ModelwireClient(ClientOptions? options = null)
        {
            var json = Fields.Json(ClientOptions.WithEnvironment(options));
            var status = modelwire_client_new(json, Length(json), out var client, out var error);
            Check(status, error);
            calls = new Calls(client);
        }

        /// <summary>Ends the calls in flight.</summary>
        ~ModelwireClient() => calls?.Close();

        /// <summary>How many calls are in flight.</summary>
        public long CallsInFlight => calls.Unfinished();

        /// <summary>Lists the models: Models of the response has their names.</summary>
        public Task<Response> ModelsAsync(CallOptions? options = null, CancellationToken cancellationToken = default) =>
            WholeAsync(MODELWIRE_OPERATION_MODELS, null, options, cancellationToken);

        /// <summary>Completes a chat.</summary>
        public Task<Response> ChatAsync(object request, CallOptions? options = null,
            CancellationToken cancellationToken = default) =>
            WholeAsync(MODELWIRE_OPERATION_CHAT, request, options, cancellationToken);

        /// <summary>Makes a response.</summary>
        public Task<Response> ResponsesAsync(object request, CallOptions? options = null,
            CancellationToken cancellationToken = default) =>
            WholeAsync(MODELWIRE_OPERATION_RESPONSES, request, options, cancellationToken);

        /// <summary>Completes a chat piece by piece.</summary>
        public ChunkStream StreamChatAsync(object request, CallOptions? options = null,
            CancellationToken cancellationToken = default) =>
            Stream(MODELWIRE_OPERATION_CHAT, request, options, cancellationToken);

        /// <summary>Makes a response piece by piece.</summary>
        public ChunkStream StreamResponsesAsync(object request, CallOptions? options = null,
            CancellationToken cancellationToken = default) =>
            Stream(MODELWIRE_OPERATION_RESPONSES, request, options, cancellationToken);

        /// <summary>Hands the library's log to a handler, on the client's thread, which it must not hold
        /// up, as long as somebody has the client. Null and Off end it.</summary>
        public void LogTo(ModelwireLogLevel level,
            Action<ModelwireLogRecord>? handler) => calls.LogTo(level, handler);

        /// <summary>Ends the calls in flight, and waits until they have ended.</summary>
        public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

        /// <summary>Ends the calls in flight, and waits until they have ended.</summary>
        public ValueTask DisposeAsync()
        {
            calls.Close();
            GC.SuppressFinalize(this);
            return new ValueTask(calls.Ended);
        }

        private ChunkStream Stream(int operation, object request, CallOptions? options,
            CancellationToken token)
        {
            if (request == null) throw new ArgumentNullException(nameof(request));
            token.ThrowIfCancellationRequested();
            return new ChunkStream(this, calls.Start(operation, true, request, options), token);
        }

        private async Task<Response> WholeAsync(int operation, object? request, CallOptions? options,
            CancellationToken token)
        {
            if (request == null && operation != MODELWIRE_OPERATION_MODELS)
                throw new ArgumentNullException(nameof(request));
            token.ThrowIfCancellationRequested();
            var call = calls.Start(operation, false, request, options);
            using var registration = token.Register(call.Cancel);
            try
            {
                return await call.Ended.ConfigureAwait(false);
            }
            catch (ModelwireException failure) when (failure.IsBy(token))
            {
                throw new OperationCanceledException(failure.Message, failure, token);
            }
            finally
            {
                GC.KeepAlive(this);
            }
        }
    }

    /// <summary>An answer piece by piece, which is read once. Leaving the loop over it ends the call; a
    /// stream that nobody reads is to be disposed of.</summary>
    public sealed class ChunkStream : IAsyncEnumerable<Chunk>, IAsyncDisposable
    {
        private readonly ModelwireClient client; // which is not collected before
        private readonly Call call;
        private readonly CancellationToken ofCall;
        private readonly CancellationTokenRegistration registration;
        private CancellationTokenRegistration readerRegistration;
        private int isTaken;

        internal ChunkStream(ModelwireClient client, Call call, CancellationToken token)
        {
            (this.client, this.call, ofCall) = (client, call, token);
            registration = token.Register(call.Cancel);
        }

        /// <summary>Ends the call.</summary>
        ~ChunkStream()
        {
            if (call == null) return; // it could not be started
            registration.Unregister();
            readerRegistration.Unregister();
            if (!call.Ended.IsCompleted) call.Cancel();
        }

        /// <summary>The chunks. The token ends the call.</summary>
        /// <exception cref="InvalidOperationException">The stream was read or disposed of
        /// before.</exception>
        public async IAsyncEnumerator<Chunk> GetAsyncEnumerator(
            CancellationToken cancellationToken = default)
        {
            if (Interlocked.Exchange(ref isTaken, 1) != 0)
                throw new InvalidOperationException("a stream is read once: keep its chunks in a list");
            readerRegistration = cancellationToken.Register(call.Cancel);
            try
            {
                while (await HasNextAsync(cancellationToken).ConfigureAwait(false))
                {
                    while (call.TryNext(out var chunk))
                    {
                        ofCall.ThrowIfCancellationRequested();
                        cancellationToken.ThrowIfCancellationRequested();
                        yield return chunk;
                    }
                }
            }
            finally
            {
                await DisposeAsync().ConfigureAwait(false);
            }
        }

        /// <summary>How it ended, once the rest is read.</summary>
        public async Task<Response> ResponseAsync(CancellationToken cancellationToken = default)
        {
            Interlocked.Exchange(ref isTaken, 1);
            using (cancellationToken.Register(call.Cancel))
            {
                while (await HasNextAsync(cancellationToken).ConfigureAwait(false))
                {
                    while (call.TryNext(out _)) { }
                }
            }
            GC.KeepAlive(this);
            return await call.Ended.ConfigureAwait(false);
        }

        /// <summary>Ends the call, from any thread: its reader gets an exception of the kind
        /// "cancelled".</summary>
        public void Cancel() => call.Cancel();

        /// <summary>Ends the call, if it has not ended.</summary>
        public ValueTask DisposeAsync()
        {
            Interlocked.Exchange(ref isTaken, 1);
            if (!call.Ended.IsCompleted)
            {
                call.Fail(new ModelwireException(ModelwireException.Closed));
                call.Cancel();
            }
            registration.Dispose();
            readerRegistration.Dispose();
            GC.SuppressFinalize(this);
            GC.KeepAlive(client);
            return default;
        }

        private async ValueTask<bool> HasNextAsync(CancellationToken ofReader)
        {
            try
            {
                return await call.HasNext().ConfigureAwait(false);
            }
            catch (ModelwireException failure) when (failure.IsBy(ofCall) || failure.IsBy(ofReader))
            {
                var token = failure.IsBy(ofCall) ? ofCall : ofReader;
                throw new OperationCanceledException(failure.Message, failure, token);
            }
        }
    }

    /// <summary>How serious a log record is.</summary>
    public enum ModelwireLogLevel
    {
        /// <summary>No records.</summary>
        Off,
        /// <summary>What failed.</summary>
        Error,
        /// <summary>What may fail.</summary>
        Warning,
        /// <summary>Each call.</summary>
        Info,
        /// <summary>Each attempt.</summary>
        Debug,
        /// <summary>Everything.</summary>
        Trace,
    }

    /// <summary>A record of the library's log.</summary>
    public sealed class ModelwireLogRecord
    {
        internal ModelwireLogRecord(ModelwireLogLevel level, string area, string message) =>
            (Level, Area, Message) = (level, area, message);

        /// <summary>How serious it is.</summary>
        public ModelwireLogLevel Level { get; }

        /// <summary>"modelwire", or the part of a library below it.</summary>
        public string Area { get; }

        /// <summary>What happened.</summary>
        public string Message { get; }
    }
}
