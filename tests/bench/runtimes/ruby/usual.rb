# frozen_string_literal: true

require "net/http"
require "uri"

# What comes with Ruby: Net::HTTP on one connection that is kept, and JSON.
class Bench
  def initialize(base_url)
    @url = URI("#{base_url}/chat/completions")
    @http = Net::HTTP.start(@url.host, @url.port, read_timeout: 600)
  end

  def chat
    response = @http.request(post(REQUEST))
    response.value
    JSON.parse(response.body).dig("choices", 0, "message", "content")
  end

  def stream(&given)
    @http.request(post({ **REQUEST, stream: true })) do |response|
      response.value
      rest = +""
      response.read_body do |piece|
        rest << piece
        lines = rest.split("\n", -1)
        rest = lines.pop || +""
        lines.each { |line| read(line, &given) }
      end
    end
  end

  private

  def post(body)
    headers = { "authorization" => "Bearer #{KEY}", "content-type" => "application/json" }
    Net::HTTP::Post.new(@url, headers).tap { |request| request.body = JSON.generate(body) }
  end

  def read(line)
    return if !line.start_with?("data: ") || line == "data: [DONE]"

    yield JSON.parse(line.delete_prefix("data: ")).dig("choices", 0, "delta", "content") || ""
  end
end
