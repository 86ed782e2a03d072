# frozen_string_literal: true

# Runs a client at a work between two looks at the clocks, and tells what it received:
#
#     measure.rb CLIENT WORK BASE_URL OPERATIONS AT_ONCE
#
# A client is a file here with a class that takes the base URL and has `chat`, which gives the text of one
# answer, and `stream`, which yields the text of each chunk.

require "json"

KEY = "sk-test"
REQUEST = { model: "bench", messages: [{ role: "user", content: "hello" }] }.freeze

client, work, base_url, operations, = ARGV
require_relative client

def cpu_us = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_microsecond)
def wall_us = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_microsecond)

cpu = cpu_us
wall = wall_us
events = text_bytes = 0
bench = Bench.new(base_url)
case work
when "chat"
  operations.to_i.times do
    text_bytes += bench.chat.bytesize
    events += 1
  end
when "stream"
  bench.stream do |text|
    text_bytes += text.bytesize
    events += 1
  end
else
  abort "no such work: #{work}"
end
told = { cpu_us: cpu_us - cpu, wall_us: wall_us - wall }
puts JSON.generate(**told, events: events, text_bytes: text_bytes)
