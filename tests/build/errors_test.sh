#!/usr/bin/env bash
# errors_test.sh CXX REWRITE FLAGS DIR: puts each DIR/*.cu through the pipeline (FLAGS.preprocess.rsp, FLAGS.compile.rsp) and
# compares the messages with the file's own first line: `// expect [HEADER] LINE: TEXT`, or `// expect nothing`.
set -uo pipefail
cxx=$1 rewrite=$2 flags=$3 dir=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for file in "$dir"/*.cu; do
  expectation=$(sed -n '1s,^// expect ,,p' "$file")
  { "$cxx" -x c++ -E "$file" -o "$work/a.i" "@$flags.preprocess.rsp" && "$rewrite" "$work/a.i" "$work/a.ii" &&
    "$cxx" -x c++-cpp-output -c "$work/a.ii" -o "$work/a.o" "@$flags.compile.rsp"; } >"$work/log" 2>&1
  code=$?
  problem=""
  if [ "$expectation" = nothing ]; then
    [ $code = 0 ] || problem="expected no error"
  else
    line=${expectation%%:*} text=${expectation#*: } place=$file
    if [ "$line" != "${line#* }" ]; then place=$dir/${line% *} line=${line#* }; fi
    first=$(head -n 1 "$work/log")
    [ $code != 0 ] || problem="expected an error, got none"
    case $first in
      "$place:$line: "*"error: "*"$text"* | "$place:$line:"[0-9]*": "*"error: "*"$text"*) ;;
      *) problem="expected the first line to be $place:$line: error: ...$text..." ;;
    esac
    [ "$(grep -c 'error:' "$work/log")" = 1 ] || problem="expected one error"
    # The rewriter's own is one line; the compiler may add notes.
    limit=8
    case $(cat "$work/log") in "$place:$line: error: warpfuzz:"*) limit=1 ;; esac
    [ "$(wc -l <"$work/log")" -le $limit ] || problem="expected at most $limit lines"
  fi
  if [ -n "$problem" ]; then
    failed=$((failed + 1))
    echo "FAILED $file: $problem; got (exit code $code):"
    head -n 12 "$work/log" | cut -c1-300
  else
    passed=$((passed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
