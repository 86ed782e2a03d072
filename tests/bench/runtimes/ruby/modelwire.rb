# frozen_string_literal: true

require_relative "../../../../ffi-c/bindings/ruby/lib/modelwire"

# The binding: chunks as objects, as most programs read them.
class Bench
  def initialize(base_url)
    @client = Modelwire::Client.new(base_url: base_url, api_key: KEY)
  end

  def chat = @client.chat(**REQUEST).text

  def stream
    @client.chat(**REQUEST, stream: true).each { |chunk| yield chunk.text }
  end
end
