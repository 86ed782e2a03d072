# frozen_string_literal: true

# A streamed chat, piece by piece: ruby example.rb echo "Say hello."
# Base URL and key come from the environment: MODELWIRE_BASE_URL, MODELWIRE_API_KEY.

require "modelwire"

model, text = ARGV
abort "usage: #{$PROGRAM_NAME} MODEL TEXT" unless text

begin
  client = Modelwire::Client.new(idle_timeout_ms: 30_000)
  stream = client.chat(model: model, messages: [{ role: "user", content: text }], stream: true)
  stream.each_text { |piece| print piece }
  puts
  usage = stream.response.info["usage"]
  puts "#{usage['total_tokens']} tokens" if usage
rescue Modelwire::Error => error
  abort error.message
end
