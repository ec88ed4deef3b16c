# storage.sh LOGCAST ROWS: the database exists once the first line has been kept.
. "$(dirname "$0")/claims.sh"
logcast=$1
rows=$2
cd "$work" || exit 1

run "$logcast" --sqlite.path log.db "$(generate 5000)" --filter.drop .
claim "no line is kept: ends with 0" same 0 "$code"
claim "and there is no database" [ ! -e log.db ]
claim "the plugin reports nothing stored" has "$out" "    0 rows in log.db, in 0 transactions"
run "$logcast" --sqlite.path "$work" "$(generate 5000)" --filter.drop .
claim "an unused database that cannot be opened is no error" same 0 "$code"
run "$logcast" --sqlite.path log.db "$(generate 0)"
claim "an empty log makes none either" [ ! -e log.db ]

printf 'one\ntwo\nthree\n' >log
run "$logcast" --sqlite.path log.db --filter.keep three log
claim "one kept line makes it" same three "$("$rows" log.db)"
claim "of the first session" same 1 "$("$rows" log.db session)"
run "$logcast" --sqlite.path log.db --filter.drop . log
claim "a source without kept lines does not change it" same three "$("$rows" log.db)"
run "$logcast" --sqlite.path log.db --filter.keep o log
claim "else its rows are replaced" same "one two " "$("$rows" log.db | tr '\n' ' ')"
printf 'other\n' >other
run "$logcast" --sqlite.path log.db --filter.keep other log other
claim "but not those of another source" same "one two other " "$("$rows" log.db | tr '\n' ' ')"

# A file that is read twice.
seq 3 >numbers
run "$logcast" --sqlite.path twice.db numbers numbers
claim "a file that is named twice has its rows twice" same "1 2 3 1 2 3 " \
    "$("$rows" twice.db | tr '\n' ' ')"
claim "as many as are reported" has "$out" "    6 rows in twice.db"
claim "with numbers that go on" same "1 2 3 4 5 6 " "$("$rows" twice.db number | tr '\n' ' ')"
run "$logcast" --sqlite.path twice.db numbers
claim "another run replaces them" same "1 2 3 " "$("$rows" twice.db number | tr '\n' ' ')"
run sh -c 'printf "a\nb\n" | "$1" --sqlite.path stream.db - && printf "c\n" | "$1" --sqlite.path stream.db -' \
    sh "$logcast"
claim "standard input is another log each time: its rows are added" same "a b c " \
    "$("$rows" stream.db | tr '\n' ' ')"
mkfifo pipe
printf 'd\n' >pipe & run "$logcast" --sqlite.path stream.db pipe
printf 'e\n' >pipe & run "$logcast" --sqlite.path stream.db --reload-every 1 pipe
claim "and so are those of a FIFO" same "d e a b c " "$("$rows" stream.db | tr '\n' ' ')"

# A table of an old version of logcast, which had no sessions.
"$rows" old.db --make-old
run "$logcast" --sqlite.path old.db log
claim "a database without sessions is taken on" same 0 "$code"
claim "with its rows" same "before one two three " "$("$rows" old.db | tr '\n' ' ')"
claim "without a session" same "0 1 1 1 " "$("$rows" old.db session | tr '\n' ' ')"

run "$logcast" --sqlite.path "$work" "$(generate 5000)"
claim "one that cannot be opened is reported once, not for each line" same 1 \
    "$(grep -c '^logcast: sqlite: ' "$err")"
claim "and is an error" same 1 "$code"
run "$logcast" --sqlite.path log.db "$(generate 5000)" --reload-every 7 --check-pointers
claim "reloads in the midst of transactions lose no row" same "0 5000" \
    "$code $("$rows" log.db | grep -c '^2026')"
finish
