# reload.sh LOGCAST WITNESS [ROWS]: a thousand reloads under load change nothing in any sink. LOGCAST_LINES in the
# environment is the number of lines, of which each 200 are followed by a reload.
. "$(dirname "$0")/claims.sh"
logcast=$1
witness=$2
rows=${3:-}
lines=${LOGCAST_LINES:-200000}

mkdir "$work/plugins" "$work/still" "$work/reloaded"
cp "$(dirname "$logcast")"/plugins/*.so "$witness" "$work/plugins"
set -- --plugins "$work/plugins" "$(generate "$lines")" --filter.drop trigproc --filter.drop '-00.*amd64' \
    --counts.words 2 --counts.top 500 --counts.hours 65536 \
    --packages.top 65536
[ -z "$rows" ] || set -- "$@" --sqlite.path log.db --sqlite.waiting 50

# Prints the reports of all sinks without the parts that may differ: times, and the number of transactions.
sinks() {
    sed -e '/ lines a second$/d' -e '/^reloads$/,$d' -e '/^$/d' -e 's/, in [0-9,]* transactions$//' "$out"
}

cd "$work/still" || exit 1
run "$logcast" "$@"
claim "logcast without reloads ends with 0" same 0 "$code"
sinks >sinks
cd "$work/reloaded" || exit 1
run "$logcast" "$@" --reload-every 200 --check-pointers
claim "logcast with many reloads ends with 0" same 0 "$code"
claim "with --check-pointers no pointer into an unloaded plugin is reported" is_empty "$err"
sinks >sinks
claim "the plugins were reloaded after each 200 lines" same $((lines / 200)) \
    "$(sed -n 's/^ .* \([0-9,]*\) times in .*/\1/p' "$out" | awk '{ sum += $1 } END { print sum }')"
claim "each plugin was reloaded" same \
    "$(find "$work/plugins" -name '*.so' | wc -l | tr -d ' ')" "$(grep -c ' times in ' "$out")"
claim "reloads do not change the reports of counts, filter, rows and witness" cmp "$work/still/sinks" sinks
claim "each line was read once and in order" grep -q "^    read $lines, last $lines, out of order 0, " sinks
claim "the filter has dropped some lines" [ "$(grep -c 'dropped 0' sinks)" -eq 0 ]
kept=$(sed -n 's/^    kept \([0-9,]*\),.*/\1/p' sinks | tr -d ,)
claim "each kept line was received once and in order" grep -q "^    received $kept, .* out of order 0, " sinks
claim "an observer on a queue received each kept line once and in order" grep -q "^    stored $kept, .* out of order 0, " sinks
claim "observers with a queue and without one received the same lines" same \
    "$(sed -n 's/^    received \(.*\)/\1/p' sinks)" "$(sed -n 's/^    stored \(.*\)/\1/p' sinks)"
if [ -n "$rows" ]; then
    "$rows" log.db >rows
    "$rows" "$work/still/log.db" >"$work/still/rows"
    claim "the database has each kept line once" same "$kept" "$(wc -l <rows | tr -d ' ')"
    claim "the database has the kept lines in order, with the same bytes" cmp "$work/still/rows" rows
fi
finish
