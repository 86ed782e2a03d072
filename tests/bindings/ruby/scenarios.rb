# frozen_string_literal: true

# The scenarios that every binding of modelwire passes, and some of Ruby's own: scenarios.rb NAME.

require "stringio"
require "timeout"
require "modelwire"
require_relative "scheduler"

$stdout.sync = true

ODD_TEXT = "N\0UL, \u{1F600} \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}, äöü ÄÖÜ ß 你好"
PATIENCE = 20

def check(holds, what, *seen)
  raise "#{what}: #{seen.map(&:inspect).join(', ')}" unless holds
end

def same(expected, seen, what)
  check(expected == seen, "#{what} is not what was expected", expected, seen)
end

# The error that this ends with, of one of these kinds.
def failure(*kinds)
  yield
rescue Modelwire::Error => error
  check(kinds.include?(error.kind), "another kind", kinds, error.json)
  error
else
  raise "nothing failed, where one of these should: #{kinds.join(', ')}"
end

def said(text, model = "echo") = { model: model, messages: [{ role: "user", content: text }] }
def client(**options) = Modelwire::Client.new(**options)
def stream(client, text = "x", model = "echo") = client.chat(**said(text, model), stream: true)

# The first piece of text; the stream goes on.
def first_text(chunks)
  loop do
    text = chunks.next.text
    return text unless text.empty?
  end
end

def wait_until(what, seconds = 20)
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  until yield
    raise "not in time: #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

    sleep 0.02
  end
end

# A thread that has read the first text of a stream and waits for more, until that fails.
def reader_of(stream, kind)
  reader = Thread.new do
    Thread.current.report_on_exception = false
    failure(kind) { stream.each_text { |text| Thread.current[:text] = text } }
  end
  wait_until("the first text") { reader[:text] == "one " && reader.status == "sleep" }
  reader
end

# Each text as it was said, by a stream.
def echoed(client, text) = same(text, stream(client, text, "slow").map(&:text).join, "a text")

def resident_mb = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i / 1024.0
def descriptors = Dir.children("/proc/self/fd").size
def cue = check($stdin.gets, "no cue came")

module Scenarios
  module_function

  def plain
    client = client()
    check(client.models.info["models"].include?("echo"), "models")
    response = client.chat(**said("plain words"))
    same("plain words", response.text, "the text")
    same('#<Modelwire::Response text="plain words">', response.inspect, "the inspection")
    same("plain words", response.document.dig("choices", 0, "message", "content"), "the document")
    same([200, 1], response.info.values_at("http_status", "attempts"), "status and attempts")
    check(response.info.dig("usage", "total_tokens").positive?, "usage")
    same("plain words", client.responses(model: "echo", input: "plain words").text, "the response")
  end

  def installed
    same("plain words", client.chat(**said("plain words")).text, "the text")
    loaded = File.read("/proc/self/maps")[/\S*libmodelwire\S*/]
    check(loaded.include?("/lib/modelwire/native/"), "the library of the gem", loaded)
    specification = Gem.loaded_specs.fetch("modelwire")
    signatures = File.read("#{specification.full_gem_path}/sig/modelwire.rbs")
    Modelwire::ERRORS.each_value do |error|
      check(signatures.include?("class #{error.name[/\w+\z/]} < Error"), "no signature", error)
    end
  end

  # Checks the signatures in sig/ against the methods; a wrong call raises an error.
  def signatures
    client = client(logger: Logger.new(IO::NULL))
    client.models.info
    client.chat(**said("x")).document
    stream(client).each { |chunk| [chunk.text, chunk.name, chunk.document] }
    same(%w[a b], stream(client, "a b").lazy.map(&:text).reject(&:empty?).first(2).map(&:strip), "lazy")
    stream(client).each_text { |text| text }
    client.responses(model: "echo", input: "x", stream: true).response
    error = failure("not_found") { client.chat(**said("x", "no-such-model")) }
    error.to_h.each_key { |name| error.public_send(name) }
    [{ model: 5, messages: [] }, { model: "echo" }].each do |body|
      client.chat(**body)
      raise "#{body} has the types of the signatures"
    rescue RBS::Test::Tester::TypeError, Modelwire::ArgumentError => error
      check([error, error.cause].grep(RBS::Test::Tester::TypeError).any?, "no error of types", error)
    end
    client.close
  end

  def streamed
    client = client()
    stream = stream(client, "one two three four")
    chunks = stream.to_a
    check(chunks.count { |chunk| !chunk.text.empty? } >= 2, "chunks", chunks)
    same("one two three four", chunks.map(&:text).join, "the texts")
    deltas = chunks.map { |chunk| chunk.document.dig("choices", 0, "delta", "content") }
    same("one two three four", deltas.join, "the documents")
    same(200, stream.response.info["http_status"], "the response at the end")
    same([], stream.to_a, "what comes after the end")

    # Longer than what is read of many events at once, between shorter ones.
    long = ["short", "é" * 40_000, "x", "y" * 65_536, *["z" * 3000] * 40].join(" ")
    chunks = stream(client, long).to_a
    same(long, chunks.map(&:text).join, "long texts")
    same(long, stream(client, long).each_text.to_a.join, "long texts alone")
    deltas = chunks.map { |chunk| chunk.document.dig("choices", 0, "delta", "content") }
    same(long, deltas.join, "the documents of long texts")

    chunks = client.responses(model: "echo", input: "one two three four", stream: true).to_a
    same("one two three four", chunks.map(&:text).join, "the texts of a response")
    check(chunks.map(&:name).include?("response.output_text.delta"), "names", chunks.map(&:name))

    same(ODD_TEXT, client.chat(**said(ODD_TEXT)).text, "odd text")
    same(ODD_TEXT, stream(client, ODD_TEXT).each_text.to_a.join, "odd text by a stream")
    strings = { "stream" => true, "options" => { gather: true } }
    by_strings = client.chat(**said("by strings").transform_keys(&:to_s), **strings)
    same("by strings", by_strings.map(&:text).join, "the text of a request with strings as keys")
    same("by strings", by_strings.response.text, "the same gathered")
    gathered = client.chat(**said("all of it"), stream: true, options: { gather: true }).response
    same("all of it", gathered.text, "a gathered text")
    same("stop", gathered.info["finish_reason"], "the finish reason")
  end

  def missing
    client = client()
    request = said("x", "no-such-model")
    [-> { client.chat(**request) }, -> { client.chat(**request, stream: true).to_a }].each do |ask|
      error = failure("not_found", &ask)
      check(error.is_a?(Modelwire::NotFoundError), "the class", error.class)
      same([404, 1, "no-such-model"], [error.http_status, error.attempts, error.model], "members")
      check(!error.explanation.empty? && !error.hint.empty?, "message and hint", error)
      [error.kind, error.explanation, error.hint].each do |part|
        check(error.message.include?(part), "the message lacks a part", error.message, part)
      end
      error.to_h.each do |name, value|
        same(value, name == "message" ? error.explanation : error.public_send(name), name)
      end
      same(22, error.to_h.size, "the number of members")
    end
  end

  def no_key
    check(failure("config") { client }.message.match?(/key/i), "the key is not named")
    example = File.expand_path("../../../ffi-c/bindings/ruby/example.rb", __dir__)
    expected = { "/nowhere.so" => "MODELWIRE_LIBRARY", nil => "usage: " }
    expected.each do |path, part|
      command = [{ "MODELWIRE_LIBRARY" => path }, RbConfig.ruby, example]
      said = IO.popen(command, err: %i[child out], &:read)
      check(said.include?(part), "the example does not say #{part}", said)
    end
  end

  def wrong_request
    error = failure("argument", "invalid_request") { client.chat(model: "echo") }
    check(error.message.include?("messages"), "the field is not named", error.message)
    error = failure("argument") { client.chat(**said("x"), stream: "yes").to_a }
    check(error.message.include?("stream must be"), "stream is not named", error.message)
    failure("argument") { client.chat(model: "echo", stream: true, messages: [{ role: 1 }]).to_a }
  end

  def options
    client = client()
    same("x", client.chat(**said("x"), options: { total_timeout_ms: 20_000 }).text, "the text")
    slow = said("a b c d e f", "slow")
    error = failure("timeout") { client.chat(**slow, options: { total_timeout_ms: 1 }) }
    same("total_timeout", error.timeout, "the timeout")
    error = failure("argument") { client.chat(**said("x"), options: { no_such_option: 1 }) }
    check(error.message.include?("no_such_option"), "the option is not named", error.message)
    urls = [{ url: ENV.fetch("MODELWIRE_BASE_URL"), weight: 2 }, "http://127.0.0.1:1/v1"]
    same("x", client(base_urls: urls).chat(**said("x")).text, "of the first service")
    error = failure("config") { client(no_such_option: 1) }
    check(error.message.include?("no_such_option"), "the option is not named", error.message)
  end

  def cut
    text = +""
    failure("disconnected") { stream(client).each { |chunk| text << chunk.text } }
    same("half ", text, "what came before")
  end

  def cancel
    client = client()
    stream = stream(client)
    reader = reader_of(stream, "cancelled")
    stream.cancel
    check(reader.join(PATIENCE), "the reader waits on")
    same("cancelled: #{reader.value.explanation}", reader.value.message, "what an error says")
    stream(client).each { |chunk| break if chunk.text == "one " }
    wait_until("the end of both") { client.unfinished.zero? }
    puts "left"
    cue
  end

  def slow_reader
    client = client()
    large = stream(client)
    chunks = large.each
    same(1000, first_text(chunks).size, "the first text")
    before = resident_mb
    20.times { same(20_000, stream(client).sum { |chunk| chunk.text.size }, "a small stream") }
    check(resident_mb - before < 40, "memory", before, resident_mb)
    count = 1
    loop { count += 1 unless chunks.next.text.empty? }
    same(64_000, count, "chunks")
    check(resident_mb - before < 40, "memory at the end", before, resident_mb)
  end

  def many
    client = client(connections_max: 1100)
    [100, 1000].each do |count|
      texts = {}
      Scheduler.run do
        count.times do |number|
          Fiber.schedule do
            texts[number] = stream(client, "stream #{number}", "slow").map(&:text).join
          rescue StandardError => error
            texts[number] = error
          end
        end
      end
      same(Array.new(count) { |number| "stream #{number}" }, texts.sort.map(&:last), "the texts")
    end
  end

  def finalizers
    kept = client
    clients = [kept, client]
    # In a thread of its own, so that no forgotten place of this one's stack keeps a stream.
    Thread.new { 50.times { |number| first_text(stream(clients[number % 2]).each) } }.join
    clients = nil
    wait_until("the end of all") do
      GC.start
      kept.unfinished.zero?
    end
    # The streams of the client that was dropped kept its calls; now those go.
    5.times { GC.start }
    cue
  end

  def clients
    before = nil
    2000.times do |number|
      client = client()
      same("x", client.chat(**said("x")).text, "a text") if (number % 100).zero?
      client.close if number.even?
      before = [descriptors, resident_mb] if number == 200
    end
    check(descriptors - before[0] < 20, "descriptors", before, descriptors)
    check(resident_mb - before[1] < 16, "memory", before, resident_mb)
  end

  def log
    records = []
    logger = Logger.new(StringIO.new, level: Logger::DEBUG)
    logger.formatter = ->(level, _, target, message) { records << [level, target, message] }
    client = client(logger: logger)
    client.chat(**said("x"))
    client.close
    error = failure("argument") { client(logger: $stderr) }
    check(error.message.include?("Logger.new"), "the class is not named", error.message)
    check(records.any?, "no record came")
    records.each do |record|
      check(record.all? { |part| part.is_a?(String) && !part.empty? }, "an empty part", record)
      check(record.none? { |part| part.include?("sk-test") }, "the key", record)
    end
  end

  def close
    client = client()
    stream = stream(client)
    reader = reader_of(stream, "closed")
    client.close
    check(reader.join(PATIENCE), "the reader waits on")
    reader.value
    failure("closed") { client.chat(**said("x")) }
    same(0, client.unfinished, "what is unfinished")
    client.close
    cue
  end

  def interrupt
    client = client()
    handled = Thread::Queue.new
    old = trap("USR1") { handled << "handled" }
    waiting = Thread.current
    sender = Thread.new do
      sleep 0.3
      Process.kill("USR1", Process.pid)
      wait_until("the handler, while the call waits") { !handled.empty? }
      waiting.raise(IOError, "handled")
    rescue RuntimeError => late
      waiting.raise(late)
    end
    begin
      client.chat(**said("x"))
      raise "an answer came"
    rescue IOError => ended
      same("handled", ended.message, "what ended the call")
    end
    sender.join
    same(1, handled.size, "how often the handler ran")
    trap("USR1", old)
    begin
      Timeout.timeout(0.3) { client.chat(**said("x")) }
      raise "an answer came"
    rescue Timeout::Error
      # Ruby's own way of a timeout.
    end
    wait_until("the end of the call") { client.unfinished.zero? }
  end

  def fork
    client = client()
    words = Array.new(20) { |number| "word#{number} " }.join
    stream = stream(client, words, "slow")
    chunks = stream.each
    text = first_text(chunks)
    child = Process.fork do
      same("of the child", client.chat(**said("of the child")).text, "the child's text")
      failure("forked") { loop { chunks.next } }
      failure("forked") { stream.response }
      client.close
      exit!(0)
    end
    loop { text += chunks.next.text }
    same(words, text, "the parent's text")
    check(Process.wait2(child).last.success?, "the child failed")
  end

  # Threads that are killed, raised in, timed out or that leave, beside others that read to the end.
  def threads
    client = client()
    Thread.report_on_exception = false
    steady = Array.new(20) { |number| Thread.new { echoed(client, "steady #{number} to the end") } }
    is_over = false
    victims = Array.new(20) do |number|
      Thread.new do
        until is_over
          begin
            chunks = stream(client, "victim #{number} of many", "slow")
            number.even? ? Timeout.timeout(rand / 10) { chunks.to_a } : chunks.first(2)
          rescue Timeout::Error, IOError
            next
          end
        end
      end
    end
    victims.sample.raise(IOError, "wanted") while steady.any?(&:alive?) && sleep(0.002)
    steady.each(&:value)
    # An exception that reaches a thread while it unwinds from a kill takes the kill's place; Ruby then
    # counts the thread as killed, no further kill reaches it, and it ends by itself.
    is_over = true
    wait_until("the end of the threads") { victims.each(&:kill).none?(&:alive?) }
    wait_until("the end of all") { client.unfinished.zero? }
  end

  # Fibers of a scheduler share a client, alone and beside threads. Some hold up their thread,
  # as enumerators do; what comes for the others meanwhile is not lost.
  def fibers
    client = client()
    work = lambda do
      Scheduler.run do
        10.times { |number| Fiber.schedule { echoed(client, "fiber #{number}") } }
        2.times { |number| Fiber.schedule { held_up(client, "held up #{number}") } }
        Fiber.schedule { echoed(client, "the last of the fibers is this one") }
      end
    end
    work.call
    Scheduler.run do
      Fiber.schedule { echoed(client, "short") }
      Fiber.new(blocking: true) { client.chat(**said("one that takes longer", "slow")) }.resume
    end
    schedulers = Array.new(2) { Thread.new(&work) }
    threads = Array.new(5) { |number| Thread.new { echoed(client, "thread #{number}") } }
    [*schedulers, *threads].each(&:value)
    same(0, client.unfinished, "what is unfinished")
  end

  def held_up(client, words)
    chunks = stream(client, words, "slow").each
    text = +""
    loop { text << chunks.next.text }
    same(words, text, "a text by an enumerator")
  end

  # The same in the reactor of the gem async.
  def async
    require "async"
    client = client()
    Async do |task|
      50.times { |number| task.async { echoed(client, "task #{number}") } }
      stopped = task.async { stream(client, "never read to its end", "slow").to_a }
      task.async { task.sleep(0.1) && stopped.stop }
      task.with_timeout(0.3) { client.chat(**said("too slow for that", "slow")) }
    rescue Async::TimeoutError
      task.children&.each(&:wait)
    end
    wait_until("the end of all") { client.unfinished.zero? }
  end

  # A signal handler that raises ends the wait, and the client goes on.
  def handler_raises
    client = client()
    is_reading = false
    trap("USR1") { (is_reading = false) || raise(IOError, "wanted") if is_reading }
    sender = Process.spawn("while kill -USR1 #{Process.pid}; do sleep 0.01; done", err: File::NULL)
    others = Array.new(5) { |number| Thread.new { echoed(client, "beside it #{number} a b c") } }
    raised = 0
    while others.any?(&:alive?)
      begin
        is_reading = true
        stream(client, "interrupted", "slow").to_a
        is_reading = false
      rescue IOError
        raised += 1
      end
    end
    trap("USR1", "IGNORE")
    Process.kill("KILL", sender)
    others.each(&:value)
    check(raised > 10, "the handler did not raise", raised)
    wait_until("the end of all") { client.unfinished.zero? }
    same("x", client.chat(**said("x")).text, "a text afterwards")
  end
end

name = ARGV.fetch(0)
begin
  Scenarios.public_send(name)
rescue StandardError => error
  abort "#{name}: #{error.full_message(highlight: false)}"
end
