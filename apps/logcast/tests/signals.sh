# signals.sh LOGCAST MARKS [ROWS]: signals to a process that reads a stream.
#
# A plugin reports each line through a pipe. The test never sleeps.
. "$(dirname "$0")/claims.sh"
logcast=$1
marks=$2
rows=${3:-}
cd "$work" || exit 1
mkdir plugins
cp "$(dirname "$logcast")"/plugins/*.so "$marks" plugins
mkfifo stream marked said
# The pipes are opened for reading and writing, so a reader never finds the end, and opening does not block.
exec 4<>marked 5<>said
err=$work/err

begin() { # ARGUMENT...: a process that reads the stream, which is open for writing on 3
    [ -z "$rows" ] || set -- "$@" --sqlite.path log.db
    "$logcast" --plugins plugins --marks.pipe marked "$@" - <stream >said 2>err &
    process=$!
    exec 3>stream
}
sees() { # MARK
    read -r mark <&4
    same "mark $1" "$mark"
}
says() { # the next line that it prints
    read -r line <&5
    echo "$line"
}
ends() { # keeps all that it prints until its end, and its code
    wait "$process"
    code=$?
    echo "the end" >&5
    sed '/^the end$/q' <&5 >out
    out=$work/out
}

# ---- SIGTERM, in the midst of a transaction ----
begin --explain
{ seq 5000; echo "mark 1"; } >&3
claim "logcast reads the stream before SIGTERM" sees 1
printf 'half a line' >&3
kill -TERM "$process"
ends
exec 3>&-
claim "SIGTERM ends logcast with the code of the signal" same 143 "$code"
claim "after SIGTERM, standard error is empty" is_empty err
claim "after SIGTERM the report has all whole lines that were read" has out "standard input: 5,001 lines"
claim "after SIGTERM a plugin reports before it stops" has out "    marks were written"
claim "after SIGTERM the modules have stopped in reverse order" same \
    "$(sed -n 's/^    \([^ ]*\) .*started at .*/\1/p' out)" \
    "$(sed -n 's/^    \([^ ]*\) .*stopped as *\([0-9]*\) .*/\2 \1/p' out | sort -rn | sed 's/.* //')"
claim "after SIGTERM all modules have stopped: nine, or eight without SQLite" \
    same "$(($(ls plugins | wc -l) + 3))" "$(grep -c 'stopped as' out)"
if [ -n "$rows" ]; then
    claim "each line that was read is a row, even of a transaction that was open" same 5001 \
        "$("$rows" log.db | wc -l | tr -d ' ')"
    claim "the rows have the bytes of the lines" same "$({ seq 5000; echo "mark 1"; } | cksum)" "$("$rows" log.db | cksum)"
fi

begin
echo "mark 2" >&3
claim "logcast reads the stream before SIGINT" sees 2
kill -INT "$process"
ends
exec 3>&-
# A shell without job control starts background programs with SIGINT ignored. peal handles it anyway.
claim "SIGINT ends logcast with the code of the signal" same 130 "$code"

# ---- SIGTERM while a FIFO has no writer ----
printf 'one\nmark 5\n' >finished
mkfifo silent
"$logcast" --plugins plugins --marks.pipe marked finished silent >said 2>err &
process=$!
claim "logcast reads a log and then opens a pipe without a writer" sees 5
kill -TERM "$process"
ends
claim "SIGTERM ends the wait for a writer" same 143 "$code"
claim "SIGTERM in the wait for a writer reports the lines that were read" has out "finished: 2 lines"

# ---- SIGTERM while a plugin is stuck ----
begin
echo "mark stuck" >&3
claim "a plugin blocks in a line" sees stuck
kill -TERM "$process"
kill -0 "$process"
claim "the first SIGTERM waits for a plugin that blocks" same 0 "$?"
# A signal that arrives before peal's handler is removed does not end the process, so the loop sends more.
while kill -TERM "$process" 2>/dev/null; do :; done
wait "$process"
claim "the second SIGTERM ends the process while a plugin blocks" same 143 "$?"
exec 3>&-

# ---- SIGUSR1 ----
rm -f log.db*
exec 5>&-
exec 5<>said
begin --explain
printf 'one\ntwo\nmark 3\n' >&3
claim "the first session has lines" sees 3
kill -USR1 "$process"
claim "SIGUSR1 ends a session, and the summary has its lines" same "session 1: 3 lines, 15 bytes" "$(says)"
claim "the summary of a session has the number of kept lines" same "kept 3, dropped 0" "$(says)"
says >/dev/null
printf 'three\nmark 4\n' >&3
claim "the stream continues after the end of a session" sees 4
kill -USR1 "$process"
claim "the next session has its own numbers" same "session 2: 2 lines, 13 bytes" "$(says)"
says >/dev/null
says >/dev/null
exec 3>&-
ends
claim "logcast ends with 0 after several sessions" same 0 "$code"
claim "the last session has no lines" has out "session 3: 0 lines, 0 bytes"
claim "the summary of the source has the lines of all sessions" has out "standard input: 5 lines, 28 bytes"
claim "the summary of the run has the lines of all sessions" has out "all: 5 lines, 28 bytes"
claim "statistics is persistent: it was created once in all sessions" same 1 \
    "$(grep -c '^    statistics .*created at' out)"
if [ -n "$rows" ]; then
    claim "storage is not persistent: each session that kept a line has created it" same 2 \
        "$(grep -c '^    storage .*created at' out)"
    claim "each row has the number of its session" same "1 1 1 2 2 " "$("$rows" log.db session | tr '\n' ' ')"
    claim "the end of a session loses no row" same "one two mark 3 three mark 4 " "$("$rows" log.db | tr '\n' ' ')"
fi
finish
