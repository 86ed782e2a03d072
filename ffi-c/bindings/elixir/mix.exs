defmodule Mix.Tasks.Compile.ModelwireNif do
  @moduledoc false
  use Mix.Task.Compiler

  @impl true
  def run(_arguments) do
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
          "the NIF was not built: it needs make, a C compiler, and libmodelwire by pkg-config"
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
        files: ~w(lib c_src Makefile mix.exs README.md options.md LICENSE-MIT LICENSE-APACHE)
      ]
    ]
  end

  def application, do: [extra_applications: [:logger]]
end
