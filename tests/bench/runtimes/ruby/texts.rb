# frozen_string_literal: true

require_relative "modelwire"

# The binding where only texts are asked for.
class Bench
  def stream(&)
    @client.chat(**REQUEST, stream: true).each_text(&)
  end
end
