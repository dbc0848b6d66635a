#!/usr/bin/env bash
# test_names_test.sh BUILD: the name of every test can be typed: no raw bytes of a parameter, which ctest -R and a terminal choke on.
set -euo pipefail
list=$(ctest --test-dir "$1" -N)
count=$(grep -c 'Test *#[0-9]*: ' <<<"$list") || { echo "expected a list of tests, got: $list" && exit 1; }
if bad=$(LC_ALL=C grep 'Test *#[0-9]*: ' <<<"$list" | LC_ALL=C grep -vE ': []A-Za-z0-9_./+:<>, [-]+$'); then
  echo "names that cannot be typed: $bad" && exit 1
fi
echo "$count names"
