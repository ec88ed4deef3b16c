# sqlite.sh LOGCAST ROWS LOG: the database has the kept lines.
. "$(dirname "$0")/claims.sh"
logcast=$1
rows=$2
log=$3
database=$work/log.db

run "$logcast" --sqlite.path "$database" "$log"
claim "logcast with the plugin sqlite ends with 0" same 0 "$code"
claim "logcast with the plugin sqlite prints nothing on standard error" is_empty "$err"
"$rows" "$database" >"$work/rows"
claim "every line is a row, in order" cmp -s "$log" "$work/rows"
claim "a thousand rows make a transaction" has "$out" \
    "in $((($(wc -l <"$log") + 999) / 1000)) transactions"

run "$logcast" --sqlite.path "$database" --filter.keep ' installed ' "$log"
"$rows" "$database" >"$work/rows"
grep ' installed ' "$log" >"$work/kept"
claim "a log that is read again replaces its rows, and dropped lines have no rows" \
    cmp -s "$work/kept" "$work/rows"

printf 'a\0b\n\377\376\n\n\0\nend\n' >"$work/odd"
run "$logcast" --sqlite.path "$work/odd.db" "$work/odd"
"$rows" "$work/odd.db" >"$work/rows"
claim "zero bytes, invalid UTF-8 and empty lines are stored unchanged" cmp -s "$work/odd" "$work/rows"

run "$logcast" --sqlite.path "$work" "$log"
claim "a database that cannot be opened is reported" has "$err" "logcast: sqlite: $work: opening: "
claim "the run continues when a database cannot be opened" has "$out" "    by hour"
claim "a database that cannot be opened ends logcast with 1" same 1 "$code"
run "$logcast" --sqlite.path "$log" "$work/odd"
claim "a file that is no database is reported" has "$err" "file is not a database"

# A disk that fills up: the limit of a file's size, in blocks of 512 bytes.
run sh -c 'trap "" XFSZ; ulimit -f 1000; exec "$1" --sqlite.path "$2" "$3"' \
    sh "$logcast" "$work/full.db" "$(generate 50000)"
claim "a database that cannot grow is reported" has "$err" "logcast: sqlite: $work/full.db: "
claim "the number of committed rows is reported" grep -qE '^logcast: sqlite: stopped with [0-9,]+000 rows committed' "$err"
claim "the run continues to the end when a database cannot grow" has "$out" "generated-50000: 50,000 lines"
claim "a plugin that has stopped does not report" [ "$(grep -c '^sqlite$' "$out")" -eq 0 ]
claim "a database that cannot grow ends logcast with 1" same 1 "$code"
claim "the number of rows reported is the number of rows stored" same \
    "$(sed -n 's/.*stopped with \([0-9,]*\) rows.*/\1/p' "$err" | tr -d ,)" \
    "$("$rows" "$work/full.db" | wc -l | tr -d ' ')"
run sh -c 'trap "" XFSZ; ulimit -f 1000; exec "$1" --time --sqlite.path "$2" "$3"' \
    sh "$logcast" "$work/timed.db" "$(generate 50000)"
claim "with --time, a database that cannot grow is reported once, and logcast ends with 1" same "1 1" \
    "$code $(grep -c '^logcast: sqlite: stopped with' "$err")"
finish
