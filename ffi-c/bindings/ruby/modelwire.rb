# frozen_string_literal: true

# modelwire for Ruby: chats and responses of a service that speaks as OpenAI's does.
#
# Copy this file and raw.rb. It needs Ruby 3.1, the gem ffi (`gem install ffi`, or Debian's
# ruby-ffi) and libmodelwire.so.0.1 where the loader finds it, or its path in MODELWIRE_LIBRARY.
# The example beside it is run with: ruby example.rb a-model "Say hello."
#
# Threads and the fibers of a scheduler may share a client: who waits lets the others go on.
# Timeout.timeout, a signal handler that raises, Thread#raise and Thread#kill end a wait, and so its
# call. A forked child uses the client as its parent does; the streams under way are the parent's.

require "io/wait"
require "json"
require "logger"
require_relative "raw"

module Modelwire
  raise LoadError, "libmodelwire is another version" unless Raw.check_abi(Raw::ABI) == Raw::OK

  # What went wrong. `message` shows kind, message and hint; `explanation` is the message alone,
  # `json` everything as text. Each kind has a class: RateLimitedError, TimeoutError ...
  class Error < StandardError
    attr_reader :json

    def self.of(json) = ERRORS.fetch(JSON.parse(json)["kind"], Error).new(json)

    def initialize(json)
      @json = json
      super([[kind, explanation].join(": "), hint].compact.join("\n"))
    end

    def to_h = @members ||= JSON.parse(json)
    def explanation = to_h["message"]

    %w[kind hint http_status type code param request_id path model timeout metered body partial
       headers request_time_unix_ms attempts elapsed_ms retry_after_ms].each do |member|
      define_method(member) { to_h[member] }
    end
  end

  # One piece of a stream: the text that it adds, and what the service sent.
  Chunk = Struct.new(:text, :json, :name) do
    def document = @document ||= JSON.parse(json)
  end

  # A whole response, or the end of a stream, which has text and JSON with the option `gather` only.
  # `info` is what the library knows: "http_status", "usage", "tool_calls", "models" ...
  Response = Struct.new(:text, :json, :info_json) do
    def document = @document ||= json.empty? ? nil : JSON.parse(json)
    def info = @info ||= JSON.parse(info_json)
  end

  # One call: what came of it and was not read yet; and its last event, once that is there.
  Call = Struct.new(:tag, :arrived, :last, :ready, :is_paused, :is_text_only, :is_left) do
    def self.begin = new(nil, [], [], ConditionVariable.new)
  end
  # Who waits for a call, in which thread; and from whom it took the watch.
  Waiter = Struct.new(:call, :thread, :former)

  # The calls of a client in one process.
  #
  # One of those who wait has the watch: it waits for the descriptor, and takes what comes for all.
  # The others sleep until there is something of their own, or until the watch is theirs: who leaves
  # hands it over, however it leaves. Who takes without having the watch rings, for the descriptor
  # may have been emptied before the one who has it saw that it was readable.
  #
  # A signal handler may raise wherever a method returns or a branch is taken, and so may
  # Thread#raise. What was taken is in @handles until it was given, and a piece is given and counted
  # in one go, for `<<` and `+=` are no methods there. Finalizers and signal handlers cannot take
  # locks: `cancel` takes none.
  class Calls
    UNINTERRUPTED = { Object => :never }.freeze
    UTF_8 = Encoding::UTF_8

    attr_reader :process

    def initialize(client, logger)
      @process = Process.pid
      @client = client
      @logger = logger
      @queue = Raw.made(:queue_new, 0)
      @lock = Mutex.new
      @last_tag = 0
      @calls = {}
      @waiting = {}.compare_by_identity
      @given = 0
      @records = []
      @handles = FFI::MemoryPointer.new(:pointer, 64)
      @count = FFI::MemoryPointer.new(:size_t)
      @length = FFI::MemoryPointer.new(:size_t)
      Raw.check(:queue_log, @queue, [4 - logger.level, Raw::LOG_ERROR].max, 0) if logger
    end

    def start(call, operation, json, is_stream, options)
      submit = :queue_submit
      request = [operation, json, json.to_s.bytesize]
      if options
        submit = :queue_submit_request
        request = [Raw.made(:request_new, *request)]
        options = JSON.generate(options)
        Raw.check(:request_set_options, *request, options, options.bytesize)
      end
      locked do
        fail_with("closed", "the client was closed", "Make a new one.") if @is_over
        take unless @watcher
        call.tag = @last_tag += 1
        Raw.check(submit, @queue, @client, *request, is_stream ? 1 : 0, call.tag)
        @calls[call.tag] = call
      end
    rescue Exception # rubocop:disable Lint/RescueException
      cancel(call)
      raise
    end

    # The next chunk of a call, or nil when nothing comes but its last event.
    def read(call)
      loop do
        is_over = !call.last.empty?
        chunk = call.arrived.shift
        return chunk if chunk || is_over

        wait(call)
      end
    end

    def result(call)
      read(call) while call.last.empty?
      last = call.last.first
      last.is_a?(Error) ? raise(last) : last
    end

    def cancel(call)
      call.is_left = true
      Thread.handle_interrupt(UNINTERRUPTED) { Raw.queue_cancel(@queue, call.tag) if call.tag }
    end

    def unfinished
      locked { take unless @watcher }
      log
      Raw.queue_count(@queue)
    end

    def close
      Raw.queue_close(@queue)
      wait(Call.begin)
    end

    private

    def locked
      Thread.handle_interrupt(UNINTERRUPTED) do
        lock
        yield
      ensure
        hand_over
      end
    end

    # The lock is held for microseconds. Ruby 3.1 breaks down later if a signal handler raises while
    # Mutex#lock waits.
    def lock
      Thread.pass until @lock.owned? || @lock.try_lock
    end

    def has_news?(call) = @is_over || !call.arrived.empty? || !call.last.empty?

    def fail_with(kind, message, hint)
      raise Error.of(JSON.generate(kind: kind, message: message, hint: hint))
    end

    def wait(call)
      if @process != Process.pid
        fail_with("forked", "the call belongs to the parent process", "Make calls of the child's own.")
      end
      waiter = Waiter.new(call, Thread.current)
      lock
      @waiting[waiter] = true
      Raw.queue_resume(@queue, call.tag) if call.is_paused
      call.is_paused = false
      wait_once(waiter) until has_news?(call)
    ensure
      leave(waiter) if waiter
    end

    def wait_once(waiter)
      @watcher = waiter unless @watcher&.thread&.alive?
      is_here = @watcher.thread.equal?(waiter.thread)
      # Where no scheduler runs the others of this thread, the one who has the watch cannot go on.
      if is_here && !Fiber.current_scheduler && !@watcher.equal?(waiter)
        waiter.former = @watcher
        @watcher = waiter
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

    def leave(waiter)
      Thread.handle_interrupt(UNINTERRUPTED) { hand_over(waiter) }
      log
    end

    # Done again from the beginning where a signal handler raises in the middle.
    def hand_over(waiter = nil)
      is_done = false
      lock
      if waiter && @watcher.equal?(waiter)
        Raw.queue_wakeup(@queue) if waiter.former
        @watcher = waiter.former
      end
      heir = @waiting.each_key.find { |one| one.thread.alive? && !one.equal?(waiter) } unless @watcher
      heir&.call&.ready&.broadcast
      @waiting.delete(waiter)
      if @is_over && @waiting.empty? && !@queue.null?
        queue = @queue
        @queue = FFI::Pointer::NULL
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

        status = Raw.queue_take_at_once(@queue, 0, @handles, 64, @count)
        @is_over ||= status == Raw::CLOSED
        return true if status != Raw::OK
      end
    end

    # Gives each event that was taken to its call, also those that somebody before was kept from.
    def give_out
      while @given < @count.read_ulong
        event = @handles.get_pointer(@given * FFI::Pointer.size)
        call = @calls[Raw.event_tag(event)] || @ending || Call.begin
        case Raw.event_kind(event)
        when Raw::EVENT_CHUNK
          piece = Chunk.new(read_text(Raw.event_text(event, @length)))
          unless call.is_text_only
            piece.json = read_text(Raw.event_json(event, @length))
            piece.name = read_text(Raw.event_name(event, @length))
          end
          to = call.arrived
          hold_back(call) if to.size >= 64
        when Raw::EVENT_LOG
          piece = Raw.text(:event_json, event)
          to = @records
        else
          piece = outcome(event)
          to = call.last
          @ending = call
          @calls.delete(call.tag)
        end
        call.ready.broadcast if to.empty?
        to << piece
        @ending = nil
        @given += 1
        Raw.event_free(event)
      end
      @given = 0
      @count.write_ulong(0)
    end

    # Marked first: what is marked and goes on does no harm. What was cancelled is to end.
    def hold_back(call)
      call.is_paused = true
      Raw.queue_pause(@queue, call.tag)
      Raw.queue_resume(@queue, call.tag) if call.is_left
    end

    def read_text(pointer) = pointer.get_bytes(0, @length.read_ulong).force_encoding(UTF_8)

    def outcome(event)
      text, json = %i[event_text event_json].map { |function| Raw.text(function, event) }
      return Error.of(json) if Raw.event_response(event).null?

      Response.new(text, json, Raw.text(:value_json, Raw.event_info(event), "", 0))
    end

    # Outside of the lock: whatever a logger does holds up nobody else.
    def log
      while (record = @records.shift)
        record = JSON.parse(record)
        level = Logger.const_get(record["level"].upcase.sub("TRACE", "DEBUG"))
        @logger.add(level, record["message"], record["target"])
      end
    end
  end
  private_constant :Call, :Waiter, :Calls

  # The chunks of a response, while they come. Read once; who leaves early ends the exchange.
  class Stream
    include Enumerable

    def self.ending(calls, call) = proc { calls.cancel(call) }

    def initialize(calls, *request)
      @calls = calls
      @call = Call.begin
      ObjectSpace.define_finalizer(self, Stream.ending(calls, @call))
      calls.start(@call, *request)
    end

    # Each chunk; gives the response after the last one.
    def each
      return enum_for(:each) unless block_given?

      begin
        while (chunk = @calls.read(@call))
          yield chunk
        end
        response
      ensure
        cancel
      end
    end

    # Each text; nothing else of the chunks is copied.
    def each_text
      return enum_for(:each_text) unless block_given?

      @call.is_text_only = true
      each { |chunk| yield chunk.text }
    end

    # The response at the end. What was not read is passed over.
    def response = @calls.result(@call)

    # Ends the exchange: who reads gets a CancelledError. For any thread, and for signal handlers.
    def cancel = @calls.cancel(@call)
    alias close cancel
  end

  # A client of one service. Options are those of the library, by name; base URL and key come from
  # the environment where they are not given. The log goes to `logger`, while calls are waited for.
  class Client
    def initialize(logger: nil, **options)
      json = JSON.generate(options)
      @client = Raw.made(:client_new, json, json.bytesize)
      @logger = logger
      @lock = Mutex.new
    end

    def models(options: nil) = run(Raw::OPERATION_MODELS, nil, false, options)

    # The fields of the request by name; the options of this call as `options: {...}`. It gives a
    # Response, or with `stream: true` a Stream.
    def chat(stream: false, options: nil, **fields) = run(Raw::OPERATION_CHAT, fields, stream, options)

    def responses(stream: false, options: nil, **fields)
      run(Raw::OPERATION_RESPONSES, fields, stream, options)
    end

    # How many calls have not ended.
    def unfinished = calls.unfinished

    # Ends the streams under way, with a ClosedError, and refuses new calls.
    def close
      Raw.check(:client_close, @client, -1)
      calls.close
    end

    private

    # Those of this process: a forked child has its own.
    def calls
      calls = @calls
      return calls if calls&.process == Process.pid

      @lock.synchronize do
        @calls = Calls.new(@client, @logger) if @calls.equal?(calls)
        @calls
      end
    end

    def run(operation, fields, is_stream, options)
      calls = self.calls
      json = fields && JSON.generate(fields)
      return Stream.new(calls, operation, json, true, options) if is_stream

      begin
        call = Call.begin
        calls.start(call, operation, json, false, options)
        calls.result(call)
      ensure
        calls.cancel(call)
      end
    end
  end
end
