# storage.sh LOGCAST ROWS: the database exists once the first line has been kept.
. "$(dirname "$0")/claims.sh"
logcast=$1
rows=$2
cd "$work" || exit 1

run "$logcast" --sqlite.path log.db "$(generate 5000)" --filter.drop .
claim "logcast that keeps no line ends with 0" same 0 "$code"
claim "without a kept line no database is created" [ ! -e log.db ]
claim "without a kept line the plugin reports 0 rows" has "$out" "    0 rows in log.db, in 0 transactions"
run "$logcast" --sqlite.path "$work" "$(generate 5000)" --filter.drop .
claim "an unused database that cannot be opened is no error" same 0 "$code"
run "$logcast" --sqlite.path log.db "$(generate 0)"
claim "an empty log creates no database" [ ! -e log.db ]

printf 'one\ntwo\nthree\n' >log
run "$logcast" --sqlite.path log.db --filter.keep three log
claim "one kept line creates the database" same three "$("$rows" log.db)"
claim "the first row belongs to the first session" same 1 "$("$rows" log.db session)"
run "$logcast" --sqlite.path log.db --filter.drop . log
claim "a source without kept lines does not change its rows" same three "$("$rows" log.db)"
run "$logcast" --sqlite.path log.db --filter.keep o log
claim "a source with kept lines replaces its rows" same "one two " "$("$rows" log.db | tr '\n' ' ')"
printf 'other\n' >other
run "$logcast" --sqlite.path log.db --filter.keep other log other
claim "a source does not replace the rows of another source" same "one two other " "$("$rows" log.db | tr '\n' ' ')"

# A file that is read twice.
seq 3 >numbers
run "$logcast" --sqlite.path twice.db numbers numbers
claim "a file that is named twice has its rows twice" same "1 2 3 1 2 3 " \
    "$("$rows" twice.db | tr '\n' ' ')"
claim "the reported number of rows counts a file that is named twice twice" has "$out" "    6 rows in twice.db"
claim "the rows of a file that is named twice have consecutive numbers" same "1 2 3 4 5 6 " "$("$rows" twice.db number | tr '\n' ' ')"
run "$logcast" --sqlite.path twice.db numbers
claim "another run replaces the rows of a file that was named twice" same "1 2 3 " "$("$rows" twice.db number | tr '\n' ' ')"
run sh -c 'printf "a\nb\n" | "$1" --sqlite.path stream.db - && printf "c\n" | "$1" --sqlite.path stream.db -' \
    sh "$logcast"
claim "standard input is another log each time, so its rows are added" same "a b c " \
    "$("$rows" stream.db | tr '\n' ' ')"
mkfifo pipe
printf 'd\n' >pipe & run "$logcast" --sqlite.path stream.db pipe
printf 'e\n' >pipe & run "$logcast" --sqlite.path stream.db --reload-every 1 pipe
claim "a FIFO is another log each time, so its rows are added" same "d e a b c " "$("$rows" stream.db | tr '\n' ' ')"

# A table of an old version of logcast, which had no sessions.
"$rows" old.db --make-old
run "$logcast" --sqlite.path old.db log
claim "a database of a version without sessions is opened" same 0 "$code"
claim "a database of a version without sessions keeps its rows" same "before one two three " "$("$rows" old.db | tr '\n' ' ')"
claim "the rows of a version without sessions have session 0" same "0 1 1 1 " "$("$rows" old.db session | tr '\n' ' ')"

run "$logcast" --sqlite.path "$work" "$(generate 5000)"
claim "a database that cannot be opened is reported once, not for each line" same 1 \
    "$(grep -c '^logcast: sqlite: ' "$err")"
claim "a database that cannot be opened ends logcast with 1" same 1 "$code"
run "$logcast" --sqlite.path log.db "$(generate 5000)" --reload-every 7 --check-pointers
claim "reloads during transactions lose no row" same "0 5000" \
    "$code $("$rows" log.db | grep -c '^2026')"
finish
