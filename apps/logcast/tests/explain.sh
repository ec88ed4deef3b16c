# explain.sh LOGCAST [ROWS]: --explain tells who started, stopped and was created, when and by whom.
. "$(dirname "$0")/claims.sh"
logcast=$1
has_sqlite=${2:-}
cd "$work" || exit 1
time='[0-9.]+ m?s'

run "$logcast" --explain "$(generate 100)" --busiest.top 1
claim "ends with 0" same 0 "$code"
claim "is silent on standard error" is_empty "$err"
claim "a module: when it started, how long that took; when it stopped, what it needs" grep -qE \
    "^    reading +started at +$time in +$time, stopped as +[0-9]+ in +$time  needs configuration, statistics$" "$out"
claim "busiest starts after counts, whatever its file is called" same "counts busiest" \
    "$(sed -nE 's/^    (counts|busiest) +started.*/\1/p' "$out" | tr '\n' ' ' | sed 's/ $//')"
claim "busiest asks counts for its hours" has "$out" "    2026-01-01 00                         100"
claim "a service: when it was created, how long that took, and by whom" grep -qE \
    "^    configuration +created at +$time in +$time.*  by module configuration$" "$out"
claim "statistics too" grep -qE "^    statistics +created at .*  by module statistics$" "$out"
claim "peal's own services are not told of" [ "$(grep -c 'peal\.' "$out")" -eq 0 ]
claim "hours is created when busiest asks for it" grep -qE "^    hours +created at .*  by " "$out"
run "$logcast" --explain "$(generate 100)"
claim "and never, where nobody does" grep -qE "^    hours +was never created$" "$out"

run "$logcast" --explain --list
claim "with --list: the host's own modules" grep -qE "^    statistics +started at" "$out"
claim "and no plugin has started" [ "$(grep -c '^    counts  *started' "$out")" -eq 0 ]

if [ -n "$has_sqlite" ]; then
    run "$logcast" --explain "$(generate 100)" --sqlite.path some.db
    claim "storage is created by the first line" grep -qE \
        "^    storage +created at +$time in +$time, removed at +$time  by observer of LogStore$" "$out"
    run "$logcast" --explain "$(generate 100)" --sqlite.path none.db --filter.drop .
    claim "without a kept line it never is" grep -qE "^    storage +was never created$" "$out"
fi
finish
