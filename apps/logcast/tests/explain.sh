# explain.sh LOGCAST [ROWS]: --explain prints which modules started and stopped, which services were created, when and by which caller.
. "$(dirname "$0")/claims.sh"
logcast=$1
has_sqlite=${2:-}
cd "$work" || exit 1
time='[0-9.]+ m?s'

run "$logcast" --explain "$(generate 100)" --busiest.top 1
claim "logcast --explain ends with 0" same 0 "$code"
claim "logcast --explain prints nothing on standard error" is_empty "$err"
claim "--explain prints a module's start and stop, the duration of its start and its dependencies" grep -qE \
    "^    reading +started at +$time in +$time, stopped as +[0-9]+ in +$time  needs configuration, statistics$" "$out"
claim "busiest starts after counts, whatever the name of its file is" same "counts busiest" \
    "$(sed -nE 's/^    (counts|busiest) +started.*/\1/p' "$out" | tr '\n' ' ' | sed 's/ $//')"
claim "busiest reads the hours of counts" has "$out" "    2026-01-01 00                         100"
claim "--explain prints a service's creation, its duration and its requester" grep -qE \
    "^    configuration +created at +$time in +$time.*  by module configuration$" "$out"
claim "--explain prints the service statistics" grep -qE "^    statistics +created at .*  by module statistics$" "$out"
claim "--explain does not print peal's own services" [ "$(grep -c 'peal\.' "$out")" -eq 0 ]
claim "the service hours is created when busiest gets it" grep -qE "^    hours +created at .*  by " "$out"
run "$logcast" --explain "$(generate 100)"
claim "the service hours is never created if no module gets it" grep -qE "^    hours +was never created$" "$out"

run "$logcast" --explain --list
claim "--explain with --list prints the host's own modules" grep -qE "^    statistics +started at" "$out"
claim "--explain with --list starts no plugin" [ "$(grep -c '^    counts  *started' "$out")" -eq 0 ]

if [ -n "$has_sqlite" ]; then
    run "$logcast" --explain "$(generate 100)" --sqlite.path some.db
    claim "the first kept line creates the service storage" grep -qE \
        "^    storage +created at +$time in +$time, removed at +$time  by observer of LogStore$" "$out"
    run "$logcast" --explain "$(generate 100)" --sqlite.path none.db --filter.drop .
    claim "without a kept line the service storage is never created" grep -qE "^    storage +was never created$" "$out"
fi
finish
