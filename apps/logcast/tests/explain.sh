# explain.sh LOGCAST [ROWS]: --explain prints which modules started and stopped, which services were created, when and by which caller.
. "$(dirname "$0")/claims.sh"
logcast=$1
has_sqlite=${2:-}
cd "$work" || exit 1
time='[0-9.]+ m?s'

run "$logcast" --explain "$(generate 100)" --busiest.top 1
claim "ends with 0" same 0 "$code"
claim "is silent on standard error" is_empty "$err"
claim "a module: times of its start and stop, the duration of the start, its dependencies" grep -qE \
    "^    reading +started at +$time in +$time, stopped as +[0-9]+ in +$time  needs configuration, statistics$" "$out"
claim "busiest starts after counts, whatever its file is called" same "counts busiest" \
    "$(sed -nE 's/^    (counts|busiest) +started.*/\1/p' "$out" | tr '\n' ' ' | sed 's/ $//')"
claim "busiest reads the hours of counts" has "$out" "    2026-01-01 00                         100"
claim "a service: the time and duration of its creation, and its requester" grep -qE \
    "^    configuration +created at +$time in +$time.*  by module configuration$" "$out"
claim "statistics too" grep -qE "^    statistics +created at .*  by module statistics$" "$out"
claim "peal's own services are not printed" [ "$(grep -c 'peal\.' "$out")" -eq 0 ]
claim "hours is created when busiest gets it" grep -qE "^    hours +created at .*  by " "$out"
run "$logcast" --explain "$(generate 100)"
claim "and never, if no module gets it" grep -qE "^    hours +was never created$" "$out"

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
