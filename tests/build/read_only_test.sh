#!/usr/bin/env bash
# read_only_test.sh SOURCE: scripts in a tree that its user cannot write: one line, exit code 84. As root the scripts run as another user.
set -euo pipefail
tree=$(mktemp -d)
trap 'chmod -R u+w "$tree"; rm -rf "$tree"' EXIT
cp -r "$1/scripts" "$1/fuzz_targets" "$tree/"
as=()
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || { echo "SKIPPED: as root this needs setpriv to become another user" && exit 3; }
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
chmod -R a+rX,a-w "$tree"

expect() {  # the exit code and the only line of a script
  local code=0 output
  output=$(cd / && "${as[@]}" "$tree/scripts/$1" "${@:3}" 2>&1) || code=$?
  [ "$code" = 84 ] || { echo "$1: expected exit code 84, got $code: $output" && exit 1; }
  [[ $output == *" cannot write to '$2' of $tree: clone the repository into a folder of your own"* && $(wc -l <<<"$output") = 1 ]] ||
    { echo "$1: expected one line about '$2', got: $output" && exit 1; }
}
expect fuzz corpus/softmax softmax
expect setup build
expect build build/cpu cpu
