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
claim "logcast with an observer of its counters ends with 0" same 0 "$code"
claim "logcast with an observer of its counters prints nothing on standard error" is_empty "$err"
kept=$(sed -n 's/^    kept \([0-9,]*\),.*/\1/p' "$out" | tr -d ,)
claim "the property has the values of the summary" has "$out" "    counters 100000 read, $kept kept, "
claim "the filter has dropped some lines" [ "$kept" -lt 100000 ]
claim "an observer of the property on a queue was notified of each change while the log was read" has "$out" \
    "    received 100000, more than one change 1, steps back 0, gaps 0"
run "$logcast" --plugins plugins "$log" "$log"
claim "the counters of the run continue from one source to the next" has "$out" \
    "    counters $(($(wc -l <"$log") * 2)) read, $(($(wc -l <"$log") * 2)) kept, $(($(wc -c <"$log") * 2)) bytes"
run "$logcast" --plugins plugins "$(generate 100000)" --reload-every 1000 --check-pointers
claim "reloads end an observer of a property with its plugin" same 0 "$code"
claim "reloads of a plugin that observes a property print nothing on standard error" is_empty "$err"

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
claim "--report-every prints a report with all lines that were read" prints "logcast: 3 lines, 2 kept, "
claim "--report-every prints a report while the stream is silent, with 0 lines per second" \
    prints "logcast: 3 lines, 2 kept, 0 lines a second"
printf 'd\ne\n' >&3
claim "a later report has the later lines too" prints "logcast: 5 lines, 4 kept, "
kill -TERM "$process"
wait "$process"
claim "a signal ends logcast while it prints reports" same 143 "$?"
exec 3>&-
claim "logcast prints its summary after a signal" has out "standard input: 5 lines"

# On a terminal the report erases the progress line, which is printed again with the next lines read.
"$terminal" "$logcast" --no-plugins --report-every 1 - <stream >announced &
process=$!
exec 3>stream
echo a >&3
claim "a terminal shows reports" prints "logcast: 1 lines, 1 kept, "
echo b >&3
claim "a report on a terminal erases the progress line" prints \
    "$(printf 'standard input: 2 lines\033[K\r\033[Klogcast: 2 lines, ')"
exec 3>&-
wait "$process"
claim "logcast with reports on a terminal ends with 0" same 0 "$?"

# The configuration file may request the report too, also by a reload. `marks` reports each line that it receives.
mkfifo marked
exec 4<>marked
: >my.conf
begin --config my.conf --marks.pipe marked
echo "mark 1" >&3
read -r mark <&4
claim "without report-every, logcast reads and prints no report" same "mark 1" "$mark"
echo "report-every = 1" >my.conf
kill -HUP "$process"
claim "a reloaded configuration file may enable reports" prints "logcast: 1 lines, 1 kept, "
exec 3>&-
wait "$process"
claim "logcast with a reloaded configuration ends with 0" same 0 "$?"
finish
