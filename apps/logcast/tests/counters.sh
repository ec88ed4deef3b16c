# counters.sh LOGCAST TERMINAL LIVE MARKS LOG: the counters of the run as a property, and the timer that reports them.
. "$(dirname "$0")/claims.sh"
logcast=$1
terminal=$2
live=$3
marks=$4
log=$5
cd "$work" || exit 1
mkdir plugins
cp "$(dirname "$logcast")"/plugins/filter.so "$live" "$marks" plugins

run "$logcast" --plugins plugins "$(generate 100000)" --filter.drop trigproc --check-pointers
claim "ends with 0" same 0 "$code"
claim "is silent on standard error" is_empty "$err"
kept=$(sed -n 's/^    kept \([0-9,]*\),.*/\1/p' "$out" | tr -d ,)
claim "the property has the values of the summary" has "$out" "    counters 100000 read, $kept kept, "
claim "the filter has dropped some" [ "$kept" -lt 100000 ]
claim "its observer on a queue was notified of each change, while the log streamed" has "$out" \
    "    received 100000, more than one change 1, steps back 0, gaps 0"
run "$logcast" --plugins plugins "$log" "$log"
claim "the run's counters go on from one source to the next" has "$out" \
    "    counters $(($(wc -l <"$log") * 2)) read, $(($(wc -l <"$log") * 2)) kept, $(($(wc -c <"$log") * 2)) bytes"
run "$logcast" --plugins plugins "$(generate 100000)" --reload-every 1000 --check-pointers
claim "an observer of a property ends with its plugin, in the midst of the log" same 0 "$code"
claim "and reports nothing else" is_empty "$err"

# ---- The timer ----
# Standard error is a pipe. A read waits until the timer prints the next line.
mkfifo stream announced
exec 5<>announced
begin() { # ARGUMENT...: a process that reads the stream, which is open for writing on 3
    "$logcast" --plugins plugins "$@" - <stream >out 2>announced &
    process=$!
    exec 3>stream
}
prints() { # TEXT: waits for the line that has it
    while read -r line <&5; do
        case $line in
        *"$1"*) return 0 ;;
        esac
    done
}
begin --report-every 1 --filter.drop b
printf 'a\nb\nc\n' >&3
claim "a report is printed, with all lines that were read" prints "logcast: 3 lines, 2 kept, "
claim "and again while the stream is silent: nothing more a second" \
    prints "logcast: 3 lines, 2 kept, 0 lines a second"
printf 'd\ne\n' >&3
claim "the count continues" prints "logcast: 5 lines, 4 kept, "
kill -TERM "$process"
wait "$process"
claim "a signal ends it all" same 143 "$?"
exec 3>&-
claim "and the summary is there" has out "standard input: 5 lines"

# On a terminal the report erases the progress line, which is printed again with the next lines read.
"$terminal" "$logcast" --no-plugins --report-every 1 - <stream >announced &
process=$!
exec 3>stream
echo a >&3
claim "a terminal shows reports" prints "logcast: 1 lines, 1 kept, "
echo b >&3
claim "each erases the progress line" prints \
    "$(printf 'standard input: 2 lines\033[K\r\033[Klogcast: 2 lines, ')"
exec 3>&-
wait "$process"
claim "ends with 0" same 0 "$?"

# The configuration file may request the report too, also by a reload. `marks` reports each line that it receives.
mkfifo marked
exec 4<>marked
: >my.conf
begin --config my.conf --marks.pipe marked
echo "mark 1" >&3
read -r mark <&4
claim "it reads, and reports nothing" same "mark 1" "$mark"
echo "report-every = 1" >my.conf
kill -HUP "$process"
claim "the configuration file may ask for reports, also later" prints "logcast: 1 lines, 1 kept, "
exec 3>&-
wait "$process"
claim "ends with 0" same 0 "$?"
finish
