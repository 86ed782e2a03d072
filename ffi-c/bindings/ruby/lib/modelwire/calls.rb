# frozen_string_literal: true

# Brings each event of a client's calls to who waits for it, in threads and in fibers.

require "io/wait"

module Modelwire
  # One call: what came of it and was not read yet; and its last event, once that is there.
  Call = Struct.new(:tag, :arrived, :last, :ready, :is_paused, :is_text_only) do
    def self.begin = new(nil, [], [], ConditionVariable.new)
  end
  # Events of one take, from one up to another, and what was read of them: their tags and kinds, the
  # lengths of text, JSON and name of each, and all of these in one.
  Batch = Struct.new(:first, :upto, :read)
  # Who waits for a call, in which thread; and from whom it took the watch.
  Waiter = Struct.new(:call, :thread, :former)

  # The calls of a client in one process.
  #
  # One of those who wait has the watch: it waits for the descriptor, and takes what comes for all.
  # The others sleep until there is something of their own, or until the watch is theirs: who leaves
  # hands it over, however it leaves. Who takes without having the watch rings, for the descriptor
  # may have been emptied before the one who has it saw that it was readable.
  #
  # A signal handler and Thread#raise may raise where a method returns or a branch is taken. What
  # was taken is in @handles until it was given; a piece is given and counted in one go, for `<<`
  # and `+=` are no methods there. Finalizers and handlers cannot take locks: `cancel` takes none.
  class Calls
    TAKEN_AT_ONCE, TEXTS_MAX = 64, 65_536
    PARTS = Raw::READ_TEXT | Raw::READ_JSON | Raw::READ_NAME
    UNINTERRUPTED = { Object => :never }.freeze
    CLOSED = '{"kind":"closed","message":"the client was closed","hint":"Make a new one."}'
    NO_LOGGER = '{"kind":"argument","message":"logger must be a Logger",' \
                '"hint":"Logger.new($stderr), for instance."}'
    FORKED = '{"kind":"forked","message":"it is a call of the parent","hint":"Make a new one."}'

    attr_reader :process

    def initialize(client, logger)
      raise Error.of(NO_LOGGER) if logger && !logger.respond_to?(:level)

      @process, @client, @logger = Process.pid, client, logger
      @queue = Raw.made(:queue_new, 0)
      @lock = Mutex.new
      @last_tag = @given = @at = 0
      @calls, @records = {}, []
      @waiting = {}.compare_by_identity
      @handles = FFI::MemoryPointer.new(:pointer, TAKEN_AT_ONCE)
      @tags = FFI::MemoryPointer.new(:uint64, TAKEN_AT_ONCE)
      @kinds = FFI::MemoryPointer.new(:int32, TAKEN_AT_ONCE)
      @lengths = FFI::MemoryPointer.new(:size_t, TAKEN_AT_ONCE * 3)
      @texts = FFI::MemoryPointer.new(TEXTS_MAX)
      @count = FFI::MemoryPointer.new(:size_t)
      Raw.check(:queue_log, @queue, [4 - logger.level, Raw::LOG_ERROR].max, 0) if logger
    end

    def start(call, is_stream, operation, json, options)
      submit = options ? :queue_submit_request : :queue_submit
      request = [operation, json, json.to_s.bytesize]
      if options
        request = [Raw.made(:request_new, *request)]
        options = JSON.generate(options)
        Raw.check(:request_set_options, *request, options, options.bytesize)
      end
      locked do
        raise Error.of(CLOSED) if @is_over

        take unless @watcher
        call.tag = @last_tag += 1
        Raw.check(submit, @queue, @client, *request, is_stream ? 1 : 0, call.tag)
        @calls[call.tag] = call
      end
    rescue Exception # rubocop:disable Lint/RescueException
      cancel(call)
      raise
    end

    # The next chunk of a call, or nil when nothing comes but its last event. That is looked for
    # first, and the chunk in any case: both may come in between.
    def read(call)
      wait(call) until !call.last.empty? | (chunk = call.arrived.shift)
      chunk
    end

    def cancel(call)
      Thread.handle_interrupt(UNINTERRUPTED) { Raw.queue_cancel(@queue, call.tag) if call.tag }
    end

    def unfinished
      locked { take unless @watcher }
      Raw.queue_count(@queue)
    end

    def close
      Raw.queue_close(@queue)
      wait(Call.begin)
    end

    private

    # Outside of the lock is logged: whatever a logger does holds up nobody else.
    def locked(waiter = nil)
      lock
      yield
    ensure
      Thread.handle_interrupt(UNINTERRUPTED) { hand_over(waiter) }
      log
    end

    # Held for microseconds. Mutex#unlock of Ruby 3.1 leaves its work undone where a signal handler
    # raises while it wakes a fiber that waits in Mutex#lock.
    def lock = (Thread.pass until @lock.owned? || @lock.try_lock)

    def has_news?(call) = @is_over || !call.arrived.empty? || !call.last.empty?

    def wait(call)
      raise Error.of(FORKED) unless @process == Process.pid

      waiter = Waiter.new(call, Thread.current)
      locked(waiter) do
        @waiting[waiter] = true
        Raw.queue_resume(@queue, call.tag) if call.is_paused
        call.is_paused = false
        wait_once(waiter) until has_news?(call)
      end
    end

    def wait_once(waiter)
      @watcher = waiter unless @watcher&.thread&.alive?
      is_here = @watcher.thread.equal?(waiter.thread)
      # Where no scheduler runs the others of this thread, the one who has the watch cannot go on.
      if is_here && !Fiber.current_scheduler && !@watcher.equal?(waiter)
        waiter.former, @watcher = @watcher, waiter
      end
      if @watcher.equal?(waiter)
        take(waiter.call)
        return if has_news?(waiter.call)

        @io ||= IO.for_fd(Raw.queue_fd(@queue), autoclose: false)
        @lock.unlock
        @io.wait_readable
        lock
      else
        # A scheduler that has the watch in another thread may be held up there.
        waiter.call.ready.wait(@lock, is_here ? nil : 1)
        take && Raw.queue_wakeup(@queue) unless is_here || !@watcher || has_news?(waiter.call)
      end
    end

    # Done again from the beginning where a signal handler raises in the middle.
    def hand_over(waiter)
      is_done = false
      lock
      if waiter && @watcher.equal?(waiter)
        Raw.queue_wakeup(@queue) if waiter.former
        @watcher = waiter.former
      end
      @waiting.delete(waiter)
      heir = @waiting.each_key.find { |other| other.thread.alive? } unless @watcher
      heir&.call&.ready&.broadcast
      if @is_over && @waiting.empty? && !@queue.null?
        queue, @queue = @queue, FFI::Pointer::NULL
        queue.free
      end
      @lock.unlock
      is_done = true
    ensure
      hand_over(waiter) unless is_done
    end

    # Takes what is there, until there is something of this call.
    def take(call = nil)
      loop do
        give_out
        return if call && has_news?(call)

        status = Raw.queue_take_at_once(@queue, 0, @handles, TAKEN_AT_ONCE, @count)
        @is_over ||= status == Raw::CLOSED
        return true if status != Raw::OK
      end
    end

    # Gives each event that was taken to its call, also those that somebody before was kept from.
    def give_out
      count = @count.read_ulong
      while @given < count
        read_on(count) unless @batch && @given < @batch.upto
        give(@batch, *@batch.read)
      end
      Raw.event_read_all(@handles, count, Raw::READ_FREE, nil, nil, nil, nil, 0)
      @batch = nil
      @given = 0
      @count.write_ulong(0)
    end

    def give(batch, tags, kinds, lengths, texts)
      while @given < batch.upto
        place, at = @given - batch.first, @at
        json_at = at + lengths[place * 3]
        name_at = json_at + lengths[place * 3 + 1]
        next_at = name_at + lengths[place * 3 + 2]
        call = @calls[tags[place]] || @ending || Call.begin
        case kinds[place]
        when Raw::EVENT_CHUNK
          piece = Chunk.new(texts.byteslice(at, json_at - at))
          unless call.is_text_only
            piece.json = texts.byteslice(json_at, name_at - json_at)
            piece.name = texts.byteslice(name_at, next_at - name_at)
          end
          to = call.arrived
          hold_back(call) if to.size >= 64
        when Raw::EVENT_LOG
          piece = texts.byteslice(json_at, name_at - json_at)
          to = @records
        else
          piece = outcome(@handles.get_pointer(@given * FFI::Pointer.size))
          to = call.last
          @ending = call
          @calls.delete(call.tag)
        end
        call.ready.broadcast if to.empty?
        to << piece
        @ending = nil
        @given += 1
        @at = next_at
      end
    end

    # What the next events say, as many as there is room for; and one for which there is none.
    def read_on(count)
      events, left = @handles + @given * FFI::Pointer.size, count - @given
      read = Raw.event_read_all(events, left, PARTS, @tags, @kinds, @lengths, @texts, TEXTS_MAX)
      tags, kinds = @tags.read_array_of_uint64(read), @kinds.read_array_of_int32(read)
      lengths = @lengths.read_array_of_uint64(read * 3)
      texts = @texts.read_bytes(lengths.sum)
      if read.zero?
        event = events.read_pointer
        all = %i[event_text event_json event_name].map { |function| Raw.text(function, event) }
        tags, kinds, lengths = [Raw.event_tag(event)], [Raw.event_kind(event)], all.map(&:bytesize)
        texts, read = all.join, 1
      end
      said = [tags, kinds, lengths, texts.force_encoding("UTF-8")]
      batch = Batch.new(@given, @given + read, said)
      @batch, @at = batch, 0
    end

    # Marked first: what is marked and goes on does no harm.
    def hold_back(call)
      call.is_paused = true
      Raw.queue_pause(@queue, call.tag)
    end

    def outcome(event)
      text, json = %i[event_text event_json].map { |function| Raw.text(function, event) }
      return Error.of(json) if Raw.event_response(event).null?

      Response.new(text, json, Raw.text(:value_json, Raw.event_info(event), "", 0))
    end

    def log
      while (record = @records.shift)
        level, *rest = JSON.parse(record).values_at("level", "message", "target")
        @logger.add(Logger.const_get(level.upcase.sub("TRACE", "DEBUG")), *rest)
      end
    end
  end
  private_constant :Call, :Batch, :Waiter, :Calls
end
