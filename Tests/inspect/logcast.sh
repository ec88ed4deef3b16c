#!/bin/sh
# logcast.sh PEAL LOGCAST DOCUMENT: runs the commands of docs/inspection.md that are marked `with logcast`, with logcast.
set -u
peal=$1 logcast=$2 document=$3
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 - "$document" >"$work/blocks" <<'END' || exit 1
import re, sys
blocks = re.findall(r"<!-- with logcast -->\n```sh\n(.*?)```", open(sys.argv[1]).read(), re.S)
# The program that the other commands watch is started first.
blocks.sort(key=lambda block: "PEAL_INSPECT" not in block)
assert len(blocks) >= 4 and "PEAL_INSPECT" in blocks[0], blocks
print(blocks[0])
print("program=$!")
# It can be watched before its plugins are loaded. Its first broadcast of a line comes after that.
print('i=0; until peal monitor --count 1 logcast LogStore 2>/dev/null | grep -q LogStore.store || [ $i = 600 ]')
print('do sleep 0.1; i=$((i + 1)); done')
# The pictures need Graphviz.
print("failed=0")
for block in blocks[1:]:
    if "--svg" in block:
        block = block.replace("--svg", "$picture")
    print(block.rstrip() + ' || { echo "NOT OK: a command of the document"; failed=1; }')
print("kill $program; wait $program 2>/dev/null; exit $failed")
END
mkdir "$work/bin" "$work/run"
ln -s "$peal" "$work/bin/peal"
ln -s "$(dirname "$logcast")/data" "$work/data"
PATH=$work/bin:$(dirname "$logcast"):$PATH XDG_RUNTIME_DIR=$work/run picture=--dot
export PATH XDG_RUNTIME_DIR picture
! command -v dot >/dev/null || picture=--svg
cd "$work" || exit 1
sh -x "$work/blocks" >"$work/out" 2>&1
status=$?
head -c 6000 "$work/out"
[ $status = 0 ] || exit 1
# claim SENTENCE COMMAND...
claim() {
    sentence=$1
    shift
    if "$@"; then echo "ok: $sentence"; else echo "NOT OK: $sentence"; status=1; fi
}
claim "monitor prints broadcasts" grep -q 'LogStore.store(source: "standard input", number: \|LogSink.wants_line(line: ' "$work/out"
# The first screen is of 25 ms, which may have no call.
claim "top prints its header" grep -q 'calls a second' "$work/out"
claim "trace loses no record" grep -q ' 0 records lost' "$work/out"
claim "the trace is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/trace.json"
claim "the graph has the plugins" grep -q 'sqlite.so' "$work/graph.svg"
exit $status
