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

require "ffi"
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

    def initialize(json)
      @json = json
      super([kind, [explanation, hint].compact.join("\n")].join(": "))
    end

    def to_h = @members ||= JSON.parse(@json)
    def explanation = to_h["message"]

    %w[kind hint http_status type code param request_id path model timeout metered body partial
       headers request_time_unix_ms attempts elapsed_ms retry_after_ms].each do |member|
      define_method(member) { to_h[member] }
    end
  end

  ERRORS = Raw.constants.grep(/\AE_/).to_h do |constant|
    kind = Raw.status_name(Raw.const_get(constant))
    [kind, const_set("#{kind.split('_').map(&:capitalize).join}Error", Class.new(Error))]
  end.freeze

  # One piece of a stream: the text that it adds, and what the service sent, read when asked for.
  class Chunk
    attr_reader :text, :json, :name

    def initialize(text, json, name)
      @text = text
      @json = json
      @name = name
    end

    def document = @document ||= JSON.parse(json)
  end

  # A whole response, or the end of a stream, whose text and JSON are empty without `gather`.
  # `info` is what the library knows: "http_status", "request_id", "attempts", "finish_reason",
  # "usage", "tool_calls", "models" ...
  class Response
    attr_reader :text, :json

    def initialize(text, json, info)
      @text = text
      @json = json
      @info_json = info
    end

    def document = @document ||= json.empty? ? nil : JSON.parse(json)
    def info = @info ||= JSON.parse(@info_json)
  end

  # How values get into the library and out of it.
  module Values
    module_function

    # What a function gives through `out`. It is freed with the object that is returned.
    def made(function, *arguments)
      out = FFI::MemoryPointer.new(:pointer)
      call(function, *arguments, out)
      release = Raw.method(function.to_s.sub(/_new\z/, "_free"))
      FFI::AutoPointer.new(out.read_pointer, release)
    end

    # Calls a function that gives an error through `err`, and raises that.
    def call(function, *arguments)
      out = FFI::MemoryPointer.new(:pointer)
      return if Raw.public_send(function, *arguments, out) == Raw::OK

      json = read(:error_json, out.read_pointer)
      Raw.error_free(out.read_pointer)
      raise error(json)
    end

    def read(function, *arguments, length: FFI::MemoryPointer.new(:size_t))
      text = Raw.public_send(function, *arguments, length)
      text.get_bytes(0, length.read_ulong).force_encoding(Encoding::UTF_8)
    end

    def error(json) = ERRORS.fetch(JSON.parse(json)["kind"], Error).new(json)

    def own_error(status, message, hint)
      error(JSON.generate(kind: Raw.status_name(status), message: message, hint: hint))
    end
  end

  # One call: what came of it and was not read yet; and its last event, once that is there.
  Call = Struct.new(:tag, :arrived, :last, :ready, :is_paused, :is_text_only) do
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
  # A signal handler may raise anywhere, but not between statements that call no method written in
  # Ruby and branch nowhere: so what must not be done by halves is done in such lines. Finalizers
  # and signal handlers cannot take locks: `cancel` takes none.
  class Calls
    UTF_8 = Encoding::UTF_8
    AT_ONCE = 64      # events are taken
    WAITING_MAX = 64  # chunks of a stream that nobody reads, before it is paused
    PATIENCE = 1      # seconds with one who has the watch in a thread that may be held up
    UNINTERRUPTED = { Object => :never }.freeze

    attr_reader :process

    def initialize(client, logger)
      @process = Process.pid
      @client = client
      @logger = logger
      @queue = Values.made(:queue_new, 0)
      @lock = Mutex.new
      @last_tag = 0
      @calls = {}
      @waiting = {}.compare_by_identity
      @taken = []
      @records = []
      @handles = FFI::MemoryPointer.new(:pointer, AT_ONCE)
      @count = FFI::MemoryPointer.new(:size_t)
      @length = FFI::MemoryPointer.new(:size_t)
      Values.call(:queue_log, @queue, [4 - logger.level, Raw::LOG_ERROR].max, 0) if logger
    end

    def start(call, operation, json, is_stream, options)
      function = :queue_submit
      request = [operation, json, json.to_s.bytesize]
      if options
        function = :queue_submit_request
        request = [Values.made(:request_new, *request)]
        set = JSON.generate(options)
        Values.call(:request_set_options, *request, set, set.bytesize)
      end
      locked do
        raise Values.own_error(Raw::E_CLOSED, "the client was closed", "Make a new one.") if @is_over

        take unless @watcher
        call.tag = @last_tag += 1
        Values.call(function, @queue, @client, *request, is_stream ? 1 : 0, call.tag)
        @calls[call.tag] = call
      end
    end

    # The next chunk of a call, or nil when nothing comes but its last event.
    def read(call)
      loop do
        is_over = !call.last.empty?
        chunk = call.arrived.shift
        return chunk if chunk || is_over

        wait(call)
        log
      end
    end

    def result(call)
      read(call) while call.last.empty?
      last = call.last.first
      last.is_a?(Error) ? raise(last) : last
    end

    def cancel(call)
      Raw.queue_cancel(@queue, call.tag) if call.tag
    end

    def unfinished
      locked { take unless @watcher }
      log
      Raw.queue_count(@queue)
    end

    def close
      Raw.queue_close(@queue)
      wait(Call.begin)
      log
    end

    private

    def locked(&work) = Thread.handle_interrupt(UNINTERRUPTED) { @lock.synchronize(&work) }
    def has_news?(call) = @is_over || !call.arrived.empty? || !call.last.empty?

    def wait(call)
      unless @process == Process.pid
        raise Values.own_error(Raw::E_FORKED, "the call belongs to the parent process",
                               "Make calls of the child's own, with the same client.")
      end
      waiter = Waiter.new(call, Thread.current)
      @lock.lock
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
      take_over(waiter) if is_here && !Fiber.current_scheduler && !@watcher.equal?(waiter)
      return watch(waiter) if @watcher.equal?(waiter)

      waiter.call.ready.wait(@lock, is_here ? nil : PATIENCE)
      return if is_here || has_news?(waiter.call) || !@watcher

      take
      Raw.queue_wakeup(@queue)
    end

    def take_over(waiter)
      waiter.former = @watcher
      @watcher = waiter
    end

    def watch(waiter)
      take(waiter.call)
      return if has_news?(waiter.call)

      @io ||= IO.for_fd(Raw.queue_fd(@queue), autoclose: false)
      @lock.unlock
      @io.wait_readable
      @lock.lock
    end

    def leave(waiter)
      Thread.handle_interrupt(UNINTERRUPTED) do
        @lock.lock unless @lock.owned?
        @waiting.delete(waiter)
        if @watcher.equal?(waiter)
          @watcher = waiter.former
          Raw.queue_wakeup(@queue) if @watcher
        end
        heir = @waiting.each_key.find { |other| other.thread.alive? } unless @watcher
        heir&.call&.ready&.broadcast
        free if @is_over && @waiting.empty?
        @lock.unlock
      end
    end

    # The descriptor goes with the queue; nobody watches it any more.
    def free
      queue = @queue
      @queue = FFI::Pointer::NULL
      queue.free unless queue.null?
    end

    # Takes what is there, until there is something of this call.
    def take(call = nil)
      loop do
        give_out
        return if call && has_news?(call)

        status = Raw.queue_take_at_once(@queue, 0, @handles, AT_ONCE, @count)
        @taken.concat(@handles.read_array_of_pointer(@count.read_ulong))
        @is_over ||= status == Raw::CLOSED
        return if status != Raw::OK
      end
    end

    # Gives each event that was taken to its call.
    def give_out
      while (event = @taken.first)
        call = @calls[Raw.event_tag(event)] || Call.begin
        over = nil
        case Raw.event_kind(event)
        when Raw::EVENT_CHUNK
          piece = chunk(event, call.is_text_only)
          to = call.arrived
          hold_back(call) if to.size >= WAITING_MAX
        when Raw::EVENT_LOG
          piece = text(:event_json, event)
          to = @records
        else
          piece = outcome(event)
          to = call.last
          over = call.tag
        end
        call.ready.broadcast if to.empty?
        to << piece
        @calls.delete(over)
        @taken.shift
        Raw.event_free(event)
      end
    end

    def chunk(event, is_text_only)
      text = Raw.event_text(event, @length).get_bytes(0, @length.read_ulong).force_encoding(UTF_8)
      return Chunk.new(text, nil, nil) if is_text_only

      json = Raw.event_json(event, @length).get_bytes(0, @length.read_ulong).force_encoding(UTF_8)
      name = Raw.event_name(event, @length).get_bytes(0, @length.read_ulong).force_encoding(UTF_8)
      Chunk.new(text, json, name)
    end

    def outcome(event)
      return Values.error(text(:event_json, event)) if Raw.event_response(event).null?

      info = text(:value_json, Raw.event_info(event), "", 0)
      Response.new(text(:event_text, event), text(:event_json, event), info)
    end

    def text(function, *arguments) = Values.read(function, *arguments, length: @length)

    def hold_back(call)
      Raw.queue_pause(@queue, call.tag)
      call.is_paused = true
    end

    # Outside of the lock: whatever a logger does, it holds up nobody else.
    def log
      while (record = @records.shift)
        known = JSON.parse(record)
        level = Logger.const_get(known["level"].upcase.sub("TRACE", "DEBUG"))
        @logger.add(level, known["message"], known["target"])
      end
    end
  end
  private_constant :Values, :Call, :Waiter, :Calls

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

    # Each text only: the rest of the chunks is not even copied.
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
      @client = Values.made(:client_new, json, json.bytesize)
      @logger = logger
      @lock = Mutex.new
    end

    def models(options: nil) = run(Raw::OPERATION_MODELS, nil, false, options)

    # Fields of the request are given by name, options of this call as `options: {...}`. A Response;
    # with `stream: true` a Stream.
    def chat(stream: false, options: nil, **request)
      run(Raw::OPERATION_CHAT, request, stream, options)
    end

    def responses(stream: false, options: nil, **request)
      run(Raw::OPERATION_RESPONSES, request, stream, options)
    end

    # How many calls have not ended.
    def unfinished = calls.unfinished

    # Ends the streams under way, with a ClosedError, and refuses new calls.
    def close
      Values.call(:client_close, @client, -1)
      calls.close
    end

    private

    # Those of this process: a forked child has its own.
    def calls
      @lock.synchronize do
        @calls = Calls.new(@client, @logger) unless @calls&.process == Process.pid
        @calls
      end
    end

    def run(operation, request, is_stream, options)
      mine = calls
      json = request && JSON.generate(request)
      return Stream.new(mine, operation, json, true, options) if is_stream

      begin
        call = Call.begin
        mine.start(call, operation, json, false, options)
        mine.result(call)
      ensure
        mine.cancel(call)
      end
    end
  end
end
