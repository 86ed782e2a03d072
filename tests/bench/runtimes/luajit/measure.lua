--- What both clients do around their work: reads the arguments, takes CPU and wall time, tells what
-- was received as one line of JSON.
--
--     measure.lua CLIENT WORK BASE_URL OPERATIONS AT_ONCE

local ffi = require("ffi")

ffi.cdef([[
  struct measure_usage { long user_s, user_us, system_s, system_us, others[14]; };
  int measure_usage(int who, struct measure_usage *usage) __asm__("getrusage");
  int measure_clock(int clock, long *now) __asm__("clock_gettime");
]])

local function cpu_us()
  local usage = ffi.new("struct measure_usage")
  ffi.C.measure_usage(0, usage)
  return tonumber((usage.user_s + usage.system_s) * 1000000 + usage.user_us + usage.system_us)
end

local function wall_us()
  local now = ffi.new("long[2]")
  ffi.C.measure_clock(1, now)
  return tonumber(now[0]) * 1e6 + tonumber(now[1]) / 1e3
end

local client, work, base_url, operations, at_once = unpack(arg)
local works = require(client .. "_works")
local play = works[work] or error("no such work: " .. tostring(work))
local cpu, wall = cpu_us(), wall_us()
local events, text_bytes = play(base_url, tonumber(operations), tonumber(at_once))
cpu, wall = cpu_us() - cpu, wall_us() - wall
local told = '{"cpu_us":%.1f,"wall_us":%.1f,"events":%d,"text_bytes":%d}'
print(told:format(cpu, wall, events, text_bytes))
