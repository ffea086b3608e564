# What the scripts share: speaking, asking for dependencies, building a preset. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "== $*" >&2; }

fail() {
  printf '%s\n' "$(basename "$0"): $*" >&2
  exit 1
}

# Prints the comment at the top of the script as its help.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# As many jobs as there are processors, but no more than memory is there for (1 GiB each).
jobs_that_fit() {
  local processors memory
  processors=$(nproc)
  memory=$(($(awk '/^MemAvailable/ {print $2}' /proc/meminfo) / 1048576))
  ((memory < 1)) && memory=1
  echo $((processors < memory ? processors : memory))
}

# The folder that a preset is built in.
folder_of() { [ "$1" = release ] && echo "$root/build" || echo "$root/build/$1"; }

# build PRESET [TARGET…]: configures once, then builds what has changed.
build() {
  local preset=$1 folder
  folder=$(folder_of "$1")
  shift
  cd "$root"
  if [ ! -e "$folder/build.ninja" ]; then
    cmake --preset "$preset" >"/tmp/troupe-configure.$$" 2>&1 || {
      cat "/tmp/troupe-configure.$$" >&2
      rm -f "/tmp/troupe-configure.$$"
      return 1
    }
    rm -f "/tmp/troupe-configure.$$"
  fi
  ninja -C "$folder" -j"$(jobs_that_fit)" "$@" >&2
}
