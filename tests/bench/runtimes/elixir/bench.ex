defmodule Bench do
  @moduledoc """
  What every Elixir client of the benchmark does around its work: reads the arguments, takes CPU and
  wall time, and tells what it received as one line of JSON.
  """

  def main(works) do
    [work, base_url, operations, at_once] = System.argv()
    {cpu, wall} = {cpu_us(), System.monotonic_time(:microsecond)}

    {events, text_bytes} =
      works.(work, base_url, String.to_integer(operations), String.to_integer(at_once))

    {cpu, wall} = {cpu_us() - cpu, System.monotonic_time(:microsecond) - wall}

    IO.puts(~s({"cpu_us":#{cpu},"wall_us":#{wall},"events":#{events},"text_bytes":#{text_bytes}}))
  end

  # Of all threads, to the nanosecond: what the virtual machine tells itself is coarse. None of them
  # ends while it works.
  defp cpu_us do
    for path <- Path.wildcard("/proc/self/task/*/schedstat"), reduce: 0 do
      sum -> sum + (path |> File.read!() |> String.split() |> hd() |> String.to_integer())
    end
    |> div(1000)
  end
end
