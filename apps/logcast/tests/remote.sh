# remote.sh LOGCAST NATS_SERVER PLUGINS KILLER FORGER [ROWS]: several readers, and a collector that is killed and started again.
. "$(dirname "$0")/claims.sh"
logcast=$1
server=$2
mkdir "$work/plugins"
cp "$3"/*.so "$4" "$work/plugins"
forger=$5
rows=${6:-}
cd "$work" || exit 1
server_process=
trap '[ -z "$server_process" ] || kill -KILL "$server_process"; rm -rf "$work"' EXIT

wait_until() { # COMMAND...: repeats the command until it succeeds; fails after 60 seconds
    for _ in $(seq 1200); do
        ! "$@" || return 0
        sleep 0.05
    done
    return 1
}
find_url() {
    url=$(sed -n 's/.*"nats":\["\([^"]*\)".*/\1/p' ./*.ports 2>/dev/null)
    [ -n "$url" ]
}
start_server() { # PORT: -1 is a free port
    rm -f ./*.ports
    "$server" -a 127.0.0.1 -p "$1" -js -sd "$work/js" --ports_file_dir "$work" 2>>server.log 6>&- 7>&- 8>&- &
    server_process=$!
    wait_until find_url && return
    echo "the server does not start:"
    cat server.log
    exit 1
}
stop_server() {
    kill -KILL "$server_process"
    wait "$server_process" 2>/dev/null
    server_process=
}
lines_of() { # FILE
    [ -f "$1" ] && wc -l <"$1" || echo 0
}
has_lines() { # COUNT FILE
    [ "$(lines_of "$2")" -ge "$1" ]
}
wait_for() { # COUNT FILE: prints what all programs have said if it fails
    wait_until has_lines "$@" && return
    echo "$2 has $(lines_of "$2") lines, and not $1"
    tail -n 5 ./*.out ./*.err server.log
    return 1
}
collect() { # OPTION...
    "$logcast" --subscribe "$url" --plugins plugins "$@" >collector.out 2>collector.err
}
# It has no pipes of the readers open, which would otherwise not end.
start_collector() { # OPTION...
    "$logcast" --subscribe "$url" --plugins plugins "$@" >collector.out 2>collector.err 6>&- 7>&- 8>&- &
    collector=$!
}
stop_collector() {
    kill -TERM "$collector"
    wait "$collector"
    code=$?
}
text_of() { # FILE NAME: the text of the lines of a reader
    awk -F '\t' -v name="$2" 'index($1, name ".") == 1' "$1" | cut -f 3-
}
each_once() { # FILE READER...: each reader's lines are in the file, once and in order
    file=$1
    shift
    for reader in "$@"; do
        text_of "$file" "$reader" >text
        cmp "log-$reader" text || return 1
    done
}

for reader in ann bob cid; do
    seq -f "$reader says %.0f" 1000 >"log-$reader"
done
start_server -1

# Readers alone: the server keeps the lines.
for reader in ann bob cid; do
    run "$logcast" --publish "$url" --name "$reader" --plugins plugins "log-$reader"
    claim "the reader $reader ends with 0, also without a collector" same 0 "$code"
    claim "the reader $reader is silent on standard error" is_empty "$err"
done
claim "a reader has its own reports" has "$out" "    by first word"

# A collector that ends between the effect of lines and the note of the server, and one that ends in the midst of lines.
collect --lines.path all --killer.sync 2
claim "the collector is killed when its file has the lines" same 137 "$?"
claim "the file of the killed collector has some lines" [ "$(lines_of all)" -gt 0 ]
collect --lines.path all --killer.line 700
claim "a collector is killed in the midst of lines" same 137 "$?"
start_collector --lines.path all
claim "a collector continues after the lines of the killed ones" wait_for 3000 all
stop_collector
claim "a collector ends by SIGTERM" same 143 "$code"
claim "each line is in the file once, in the order of its reader" each_once all ann bob cid
claim "the file has no other lines" same 3000 "$(lines_of all)"
claim "the report counts the lines that arrived again" has collector.out "that arrived again"
claim "the collector is silent on standard error" is_empty collector.err

# A collector of another name has a place of its own.
start_collector --lines.path other --name archive --filter.drop 'says [1-9]$'
claim "a collector of another name gets all lines" wait_for 2973 other
stop_collector
claim "a collector stores no line that its filter drops" same 2973 "$(lines_of other)"

# Live readers. The collector is killed at any time. The pipes are opened for reading too: the shell would otherwise wait
# forever for a reader that has failed.
mkfifo ann bob cid
for reader in ann bob cid; do
    "$logcast" --publish "$url" --realm live --name "$reader" --no-plugins "$reader" >"$reader.out" 2>&1 &
    eval "reader_$reader=\$!"
done
exec 6<>ann 7<>bob 8<>cid
start_collector --realm live --lines.path live
for round in 1 2 3 4 5; do
    from=$((round * 200 - 199))
    for reader in ann bob cid; do
        case $reader in ann) to=6 ;; bob) to=7 ;; cid) to=8 ;; esac
        sed -n "$from,$((round * 200))p" "log-$reader" >&"$to"
    done
    claim "lines arrive in round $round of the kills" wait_for $((round * 600 - 500)) live
    kill -KILL "$collector"
    wait "$collector" 2>/dev/null
    if [ "$round" -eq 3 ]; then
        port=${url##*:}
        stop_server
        start_server "$port"
    fi
    start_collector --realm live --lines.path live
done
exec 6>&- 7>&- 8>&-
for reader in ann bob cid; do
    eval "wait \$reader_$reader"
    claim "the reader $reader ends with 0, whatever was killed" same 0 "$?"
done
claim "all lines of live readers arrive" wait_for 3000 live
stop_collector
claim "each line is in the file once, whatever was killed" each_once live ann bob cid
claim "the file of live readers has no other lines" same 3000 "$(lines_of live)"

# A file that is read twice, and one that is read again by another run.
seq 5 >numbers
run "$logcast" --publish "$url" --realm twice --name ann --no-plugins numbers numbers
run "$logcast" --publish "$url" --realm twice --name ann --no-plugins numbers
start_collector --realm twice --lines.path twice
claim "lines of a file that is read again are other lines" wait_for 15 twice
stop_collector
claim "lines of a file that is read again are in order" same "1 2 3 4 5 1 2 3 4 5 1 2 3 4 5" "$(cut -f 3 twice | tr '\n' ' ' | sed 's/ $//')"

# A tab, bytes that are no UTF-8, and umlauts are no control characters. The others are those of two ways to write U+009B.
printf 'a\0b\n\n\377\tend\n\033[2J\r.\177\na\302\233b\233c\n\303\237 \342\202\254 \360\237\231\202\n' >odd
run "$logcast" --publish "$url" --realm odd --no-plugins odd
start_collector --realm odd --lines.path odd.all
claim "lines with any bytes arrive" wait_for 6 odd.all
stop_collector
printf 'a?b\n\n\377\tend\n?[2J?.?\na??b?c\n\303\237 \342\202\254 \360\237\231\202\n' >expected
cut -f 3- odd.all >text
claim "lines arrive unchanged except for their control characters" cmp expected text
claim "no line of a reader is refused" is_empty collector.err

# Calls that no reader makes. Each plugin goes on.
"$forger" "$url"
claim "the forger has published" same 0 "$?"
start_collector --realm forged --lines.path forged ${rows:+--sqlite.path forged.db}
claim "lines after forged calls arrive" wait_for 2 forged
stop_collector
claim "the collector ends by SIGTERM after forged calls" same 143 "$code"
claim "no forged call is a line" same "web.1.1:log 2 genuine,web.1.1:log 3 ," "$(tr '\t\n' ' ,' <forged)"
claim "the first refused line is reported" has collector.err "logcast: subscribe: a line was refused: "
claim "refused lines are counted" has collector.err "logcast: subscribe: 14 lines were refused"
[ -z "$rows" ] || claim "the database has the other lines" same 2 "$("$rows" forged.db | wc -l)"

if [ -n "$rows" ]; then
    collect --realm live --name rows --sqlite.path rows.db --lines.path unused --killer.sync 1
    claim "a collector with a database is killed after a commit" same 137 "$?"
    start_collector --realm live --name rows --sqlite.path rows.db --lines.path rows
    claim "the next collector with the database gets the other lines" wait_for 3000 rows
    stop_collector
    "$rows" rows.db | sort >stored
    sort log-ann log-bob log-cid >all-lines
    claim "each line is one row of the database" cmp all-lines stored
fi

# A file with the lines of many sources, of which any client can name new ones.
seq 100000 | awk '{ print "s." $1 ".1:log\t1\tx" }' >many
run timeout 60 "$logcast" --plugins plugins --lines.path many numbers
claim "lines reads the positions of many sources" same 0 "$code"
claim "lines appends to a file with many sources" same 100005 "$(lines_of many)"

# Mistakes.
echo "no file of logcast" >foreign
run "$logcast" --plugins plugins --lines.path foreign numbers
claim "a file that lines has not written is refused" has "$err" "lines: foreign: "
claim "a file that lines has not written stays as it is" same "no file of logcast" "$(cat foreign)"
for bad in "--publish=$url --subscribe=$url" "--subscribe=$url numbers" "--realm=some" "--name=some numbers"; do
    # shellcheck disable=SC2086 # some are two
    run "$logcast" $bad
    claim "$bad: the program ends with 2" same 2 "$code"
done

# A reader whose server goes away.
mkfifo stuck
"$logcast" --publish "$url" --realm stuck --no-plugins --report-every 1 stuck >"$work/out" 2>"$work/err" 6>&- &
reader=$!
exec 6<>stuck
seq 3 >&6
claim "a reader reports its lines" wait_until has "$work/err" "logcast: 3 lines"
stop_server
seq 8 >&6
claim "a reader whose server is away reports its lines" wait_until has "$work/err" "logcast: 11 lines"
seq 2000 >&6
kill -TERM "$reader"
wait "$reader"
claim "a reader whose server is away ends by a signal" same 143 "$?"
exec 6>&-
claim "a reader whose server is away reports how many lines may be lost" has "$work/err" "logcast: publish: the server has not stored all lines"
run "$logcast" --publish "nats://ann:secret@${url#nats://}" --no-plugins numbers
claim "a server that is away is reported" has "$err" "logcast: publish: $url: "
claim "the report about the server has no password" [ "$(grep -c secret "$err")" -eq 0 ]
claim "a reader without a server ends with 1" same 1 "$code"
cp "$logcast" alone
run ./alone --publish "$url" --no-plugins numbers
claim "without libpeal-nats the option is refused" has "$err" "logcast: publish: needs libpeal-nats: "
claim "a reader without libpeal-nats ends with 1" same 1 "$code"
run ./alone --no-plugins numbers
claim "without libpeal-nats the program reads logs" same 0 "$code"
finish
