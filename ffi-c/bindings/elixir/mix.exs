defmodule Mix.Tasks.Compile.ModelwireNif do
  @moduledoc false
  use Mix.Task.Compiler

  @impl true
  def run(_arguments) do
    native = "native/#{platform()}"
    priv = Path.join(Mix.Project.app_path(), "priv")

    if File.dir?(native) and System.get_env("MODELWIRE_BUILD") in [nil, ""] do
      File.mkdir_p!(priv)
      File.cp_r!(native, priv)
      :ok
    else
      build()
    end
  end

  # As the package names it: "linux-x86_64", "linux-arm64-musl" or "darwin-arm64".
  defp platform do
    [architecture | rest] =
      :erlang.system_info(:system_architecture) |> to_string() |> String.split("-")

    os = if Enum.any?(rest, &String.starts_with?(&1, "darwin")), do: "darwin", else: "linux"
    libc = if "musl" in rest, do: "-musl", else: ""
    "#{os}-#{String.replace(architecture, "aarch64", "arm64")}#{libc}"
  end

  defp build do
    root = :code.root_dir() |> to_string()

    environment = [
      {"MIX_APP_PATH", Mix.Project.app_path()},
      {"ERTS_INCLUDE_DIR", Path.join(root, "usr/include")}
    ]

    case System.cmd("make", ["-s"], env: environment, into: IO.stream()) do
      {_, 0} ->
        :ok

      {_, _} ->
        Mix.raise(
          "the package has no NIF for #{platform()}, and none was built, which needs make, a C compiler, " <>
            "and libmodelwire by pkg-config"
        )
    end
  end
end

defmodule Modelwire.MixProject do
  use Mix.Project

  def project do
    [
      app: :modelwire,
      version: "0.1.0",
      elixir: "~> 1.14",
      compilers: [:modelwire_nif] ++ Mix.compilers(),
      description: "Client for OpenAI-compatible model inference services",
      package: [
        licenses: ["MIT", "Apache-2.0"],
        links: %{},
        files: ~w(lib c_src native Makefile mix.exs README.md options.md LICENSE-MIT LICENSE-APACHE)
      ]
    ]
  end

  def application, do: [extra_applications: [:logger]]
end
