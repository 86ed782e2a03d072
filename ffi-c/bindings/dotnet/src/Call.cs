// One call of a client.
#nullable enable
using System;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Modelwire
{
    /// <summary>One call: what has come of it, and its end.</summary>
    internal sealed class Call
    {
        private const int PausedAt = 128, ResumedAt = 32;
        private readonly Calls calls;
        private readonly ulong tag;
        private readonly Channel<Chunk>? chunks;
        private readonly TaskCompletionSource<Response> ended =
            new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        private int held;
        private bool isPaused;

        internal Call(Calls calls, ulong tag, bool isStream)
        {
            (this.calls, this.tag) = (calls, tag);
            if (!isStream) return;
            chunks = Channel.CreateUnbounded<Chunk>();
            Observe(chunks.Reader.Completion);
            Observe(ended.Task);
        }

        internal Task<Response> Ended => ended.Task;

        internal void Cancel() => calls.Cancel(tag);

        internal void Add(Chunk chunk)
        {
            if (!chunks!.Writer.TryWrite(chunk)) return;
            lock (this)
            {
                if (++held < PausedAt || isPaused) return;
                isPaused = true;
                calls.Pause(tag);
            }
        }

        /// <summary>The next chunk, once <see cref="HasNext"/> says so.</summary>
        internal bool TryNext(out Chunk chunk)
        {
            if (!chunks!.Reader.TryRead(out chunk)) return false;
            lock (this)
            {
                if (--held > ResumedAt || !isPaused) return true;
                isPaused = false;
                calls.Resume(tag);
                return true;
            }
        }

        internal ValueTask<bool> HasNext() => chunks!.Reader.WaitToReadAsync();

        internal void End(Response response)
        {
            ended.TrySetResult(response);
            chunks?.Writer.TryComplete();
        }

        internal void Fail(Exception failure)
        {
            ended.TrySetException(failure);
            chunks?.Writer.TryComplete(failure);
        }

        /// <summary>The reader of the chunks sees how it failed: nobody has to await this task, too.</summary>
        private static void Observe(Task task) => task.ContinueWith(failed => failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }
}
