rockspec_format = "3.0"
package = "modelwire"
version = "0.1.0-1"
description = {
  summary = "Client for OpenAI-compatible model inference services",
  detailed = "Models, chat completions and responses, plain or streamed, for LuaJIT.",
  license = "MIT OR Apache-2.0",
}
source = { url = "file://." } -- the rock has all
dependencies = { "lua == 5.1" } -- LuaJIT 2.1 is one
build = {
  type = "builtin",
  modules = { modelwire = "modelwire.lua" },
  install = { lua = { "modelwire.ffi.h" }, lib = { "libmodelwire.so" } },
  copy_directories = {},
}
