# frozen_string_literal: true

# The gem for one platform has the library in lib/modelwire/native; the one for all has none.
Gem::Specification.new do |spec|
  spec.name = "modelwire"
  spec.version = "0.1.0"
  spec.platform = ENV.fetch("MODELWIRE_GEM_PLATFORM", Gem::Platform::RUBY)
  spec.summary = "Client for OpenAI-compatible model inference services"
  spec.description = "Models, chat completions and responses, plain or streamed, over libmodelwire."
  spec.authors = ["The modelwire authors"]
  spec.licenses = %w[MIT Apache-2.0]
  spec.required_ruby_version = ">= 3.1"
  # An older one takes any gem for Linux, whatever the libc.
  spec.required_rubygems_version = ">= 3.3.22" if spec.platform.to_s.end_with?("-musl")
  spec.files = Dir["lib/**/*", "sig/*", "*.md", "LICENSE-*"]
  spec.add_dependency "ffi", "~> 1.15" # calls the library
end
