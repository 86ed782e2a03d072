# frozen_string_literal: true

# modelwire for Ruby: chats and responses of a service that speaks as OpenAI's does.
#
# Threads and the fibers of a scheduler may share a client: who waits lets the others go on.
# Timeout.timeout, a signal handler that raises, Thread#raise and Thread#kill end a wait, and so its
# call. In a handler itself only `cancel` may be called: everything else takes locks, which Ruby
# refuses there (ThreadError). A forked child uses the client as its parent does; the streams under
# way are the parent's.

require "logger"
require_relative "modelwire/raw"
require_relative "modelwire/calls"

module Modelwire
  raise LoadError, "libmodelwire is another version" unless Raw.check_abi(Raw::ABI) == Raw::OK

  # Shows the text alone: the JSON would repeat it.
  module Inspect
    def inspect = "#<#{self.class} text=#{text.inspect}>"
    alias to_s inspect
    def pretty_print(printer) = printer.text(inspect)
  end
  private_constant :Inspect

  # One piece of a stream: the text that it adds, and what the service sent.
  Chunk = Struct.new(:text, :json, :name) do
    include Inspect

    def document = @document ||= JSON.parse(json)
  end

  # A whole response, or the end of a stream, which has text and JSON with the option `gather` only.
  # `info` is what the library knows: "http_status", "usage", "tool_calls", "models" ...
  Response = Struct.new(:text, :json, :info_json) do
    include Inspect

    def document = @document ||= json.empty? ? nil : JSON.parse(json)
    def info = @info ||= JSON.parse(info_json)
  end

  # The chunks of a response, while they come. Read once; who leaves early ends the exchange.
  class Stream
    include Enumerable

    def self.ending(calls, call) = proc { calls.cancel(call) }

    def initialize(calls, is_stream, *request)
      @calls = calls
      @call = Call.begin
      # A whole response is waited for where it is asked for: nobody forgets it.
      ObjectSpace.define_finalizer(self, Stream.ending(calls, @call)) if is_stream
      calls.start(@call, is_stream, *request)
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
    def response
      @calls.read(@call) while @call.last.empty?
      @call.last.first.then { |last| last.is_a?(Error) ? raise(last) : last }
    ensure
      cancel
    end

    # Ends the exchange: its reader gets a CancelledError. For any thread, and for signal handlers.
    def cancel = @calls.cancel(@call)
    alias close cancel
  end

  # A client of one service. Options are those of the library, by name; base URL and key come from
  # the environment where they are not given. The log goes to `logger`, a Logger, while calls are
  # waited for.
  class Client
    def initialize(logger: nil, **options)
      json = JSON.generate(options)
      @client = Raw.made(:client_new, json, json.bytesize)
      @logger, @lock = logger, Mutex.new
      @calls = Calls.new(@client, logger)
    end

    def models(options: nil) = run(Raw::OPERATION_MODELS, nil, false, options)

    # The fields of the request by name, as symbols or strings; the options of this call as
    # `options: {...}`. It gives a Response, or with `stream: true` a Stream.
    def chat(stream: false, options: nil, **body) = run(Raw::OPERATION_CHAT, body, stream, options)

    def responses(stream: false, options: nil, **body)
      run(Raw::OPERATION_RESPONSES, body, stream, options)
    end

    # How many calls have not ended.
    def unfinished = calls.unfinished

    # Ends the streams in flight, with a ClosedError, and refuses new calls.
    def close
      Raw.check(:client_close, @client, -1)
      calls.close
    end

    private

    # Those of this process: a forked child has its own.
    def calls
      @lock.synchronize do
        @calls = Calls.new(@client, @logger) unless @calls.process == Process.pid
        @calls
      end
    end

    def run(operation, body, is_stream, options)
      if body # The library looks whether `stream` is a boolean.
        is_stream = body.delete("stream") { is_stream }
        options = body.delete("options") { options }
        json = JSON.generate(is_stream ? body.merge(stream: is_stream) : body)
      end
      stream = Stream.new(calls, is_stream, operation, json, options)
      is_stream ? stream : stream.response
    end
  end
end
