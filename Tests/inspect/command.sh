#!/bin/sh
# Claims: I1, I3, I4, I5, I6, I7, I11
#
# command.sh PEAL PROGRAM: the command `peal` and the environment, with a program that broadcasts.
set -u
LC_ALL=C
export LC_ALL
peal=$1 program=$2
work=$(mktemp -d) || exit 1
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
failures=0
limit='' # of the files that the program may write, in blocks of 512 bytes
pid=''
trap 'stop; rm -rf "$work"' EXIT

# claim SENTENCE COMMAND...
claim() {
    sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        failures=$((failures + 1))
        echo "NOT OK: $sentence"
        [ ! -f "$work/out" ] || sed 's/^/    out| /' "$work/out" | head -20
        [ ! -f "$work/err" ] || sed 's/^/    err| /' "$work/err" | head -20
    fi
}
# run COMMAND...: fills out, err and code.
run() {
    timeout 60 "$@" >"$work/out" 2>"$work/err"
    code=$?
    return $code
}
has() { grep -q -- "$2" "$work/$1"; }
# await COMMAND...: repeats the command until it succeeds, for a minute.
await() {
    tries=0
    until "$@" || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
}
# messages: the number of messages that a monitor has printed; has_messages NUMBER.
messages() { grep -sc Chat.on_message "$work/ending" || true; }
has_messages() { [ -s "$work/ending" ] && [ "$(messages)" -ge "$1" ]; }
ends() { [ "$code" = "$1" ]; }
# start [VARIABLE=VALUE]... -- [ARGUMENT]...: the program, until `stop`.
start() {
    variables=''
    while [ "$1" != -- ]; do variables="$variables $1"; shift; done
    shift
    # The last program was ready too.
    rm -f "$work/input" "$work/program.out"
    mkfifo "$work/input"
    # shellcheck disable=SC2086
    ([ -z "$limit" ] || ulimit -f "$limit"; exec env $variables "$program" "$@") <"$work/input" >"$work/program.out" 2>"$work/program.err" &
    pid=$!
    exec 9>"$work/input"
    await grep -qs ready "$work/program.out"
}
stop() {
    [ -n "$pid" ] || return 0
    exec 9>&-
    wait "$pid" 2>/dev/null
    pid=''
}

# damage.py FILE: makes the last call of a recording undecodable. docs/recording.md describes the file.
cat >"$work/damage.py" <<'END'
import struct, sys
content, at, last = bytearray(open(sys.argv[1], "rb").read()), 64, 0
while at < len(content):
    size, kind = struct.unpack_from("<IH", content, at)
    last = at if kind == 2 else last
    at += (24 + size + 7) & ~7
content[last + 24] = 0xff
open(sys.argv[1], "wb").write(content)
END
# lost_calls: what record, replay and --list report of calls that are not in a file, or cannot be read from it.
lost_calls() {
    # A program that may write 16 KiB, and broadcasts that in some milliseconds.
    limit=32
    start PEAL_INSPECT=control -- 1000000
    limit=''
    run "$peal" record --seconds 0.4 "$pid" "$work/full.peal" Chat
    claim "record reports at its end how many calls were lost, though it took less than the time between two reports" has err 'full.peal: [0-9]* bytes, [1-9][0-9]* calls lost'
    claim "and what to change" has err '[1-9][0-9]* calls are not in the file: .*ulimit -f.*fewer protocols'
    claim "as after a trace, the code is 0" ends 0
    lost=$(sed -n 's/.* bytes, \([0-9]*\) calls lost$/\1/p' "$work/err")
    rm -f "$work/err"
    "$peal" record "$pid" "$work/ended.peal" Chat >"$work/record.out" 2>"$work/err" 9>&- &
    recorder=$!
    await grep -qs 'could not be recorded' "$work/err"
    stop
    wait $recorder
    code=$?
    claim "record of a program that ends has its final number of lost calls" has err 'ended.peal: [0-9]* bytes, [1-9][0-9]* calls lost'
    claim "and ends with 3" ends 3
    ended=$(sed -n 's/.* bytes, \([0-9]*\) calls lost$/\1/p' "$work/err")
    # It broadcasts nothing for ten seconds.
    start PEAL_INSPECT=control -- 0.1
    timeout 60 "$peal" replay --list "$pid" "$work/full.peal" 2>"$work/err" >/dev/null
    code=$?
    claim "the file counts as many lost calls as record has reported" has err "^peal: $lost other calls are not in the file"
    claim "the list of a file that lacks calls ends with 0" ends 0
    timeout 60 "$peal" replay --list "$pid" "$work/ended.peal" 2>"$work/err" >/dev/null
    claim "also if the program has ended" has err "^peal: $ended other calls are not in the file"
    run "$peal" record --seconds 0.2 "$pid" "$work/unused.peal" Chat
    claim "record reports that no call was recorded" has err 'no call was recorded, so .*unused.peal was not written'

    cp "$work/chat.peal" "$work/damaged.peal"
    python3 "$work/damage.py" "$work/damaged.peal"
    run "$peal" replay --list "$pid" "$work/damaged.peal"
    claim "replay --list reports at its end how many calls cannot be decoded" has err '^peal: 1 calls are not listed, because they cannot be decoded'
    claim "and ends with 1" ends 1
    run "$peal" replay --speed full "$pid" "$work/damaged.peal"
    claim "as replay does" ends 1
    head -c 2000 "$work/chat.peal" >"$work/cut.peal"
    run "$peal" replay --list "$pid" "$work/cut.peal"
    claim "replay --list prints the calls of a file that was cut" has out 'Chat.on_tick(number: '
    claim "and reports at its end that it was cut" has err '^peal: the file has no end, .*the file was cut'
    run "$peal" replay --speed full "$pid" "$work/cut.peal"
    claim "replay reports it too" has err '^peal: the file has no end, .*the file was cut'
    rm -f "$work/out" "$work/err"
    "$peal" replay --speed 0.001 "$pid" "$work/chat.peal" >"$work/out" 2>"$work/err" 9>&- &
    replayer=$!
    await grep -qs ' calls in ' "$work/out"
    kill -INT "$replayer"
    wait "$replayer"
    claim "an interrupted replay reports the calls that it has made" has out '^made [1-9][0-9]* calls, 0 failed'
    claim "and how many it has not" has err '^peal: [1-9][0-9]* calls were not read: the command was interrupted'
}

run "$peal" ps
claim "without a program, ps fails with a hint" has err 'start one with PEAL_INSPECT=1'
claim "ps without a program ends with 1" ends 1
run "$peal" tree 999999999
claim "a process that does not exist is reported" has err 'there is no process 999999999'
run "$peal" tree nothing-of-this-name
claim "a name that no program has is reported" has err 'no program named nothing-of-this-name'
for command in '' frobnicate 'tree' 'tree --nonsense 1' 'send 1' 'monitor' 'trace --seconds x 1' 'top 1 2 3' 'serve --port x 1' 'record 1' 'replay 1' 'record --seconds x 1 f'; do
    # shellcheck disable=SC2086
    run "$peal" $command
    claim "the usage error '$command' ends with 2" ends 2
done
for command in ps tree describe send graph monitor trace top serve record replay; do
    run "$peal" "$command" --help
    claim "$command has help" has out "^usage: peal $command"
done

start -- 100
run "$peal" ps
claim "a program without PEAL_INSPECT=1 is not listed" ends 1
stop

start PEAL_INSPECT=control -- 200
run "$peal" ps
claim "ps lists the program" has out "^ *$pid  program "
run "$peal" tree "$pid"
claim "tree has methods" has out 'optional void on_message(const char \*room, const char \*text)'
claim "tree has the observers on queues" has out ', on serial queue 1'
claim "an observer is named by its function, which is static, and by its target" has out '^ *- receive, target \(main\.\)\{0,1\}targets[.0-9]*$'
claim "a service has its label" has out '^ *service clock, time of day, registered$'
claim "another target of the same variable by its address" has out '^ *- store, target 0x'
run "$peal" tree program
claim "a program is found by its name" has out "^program ($pid)"
run "$peal" describe "$pid" Chat.on_tick
claim "describe prints a declaration" has out '^optional void on_tick(int number)'
run "$peal" describe "$pid" Chat.nothing
claim "describe of an unknown method ends with 1" ends 1
run "$peal" send "$pid" Chat.on_message lobby 'hello "you"'
claim "send reaches the observers" has out '^2 observers'
run "$peal" send "$pid" Chat.on_message lobby
claim "send reports that arguments are missing" has err '2 parameters, but the number of arguments is 1'
run "$peal" graph "$pid"
claim "graph writes the input of Graphviz" has out '^digraph peal {'
claim "graph has the functions of observers" has out 'count_echo'
run "$peal" graph --json --seconds 0.5 "$pid"
claim "graph writes JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out"
claim "a graph that misses nothing has no warning" [ ! -s "$work/err" ]
claim "graph has the observer that broadcasts" has out '"label":"on_echo","calls":[1-9]'
claim "graph has the calls of the observer's queues" has out '"label":"","calls":[1-9]'
run "$peal" graph --svg "$pid"
if command -v dot >/dev/null; then
    claim "graph draws a picture" has out '<svg '
else
    claim "without Graphviz, graph --svg reports what is missing" has err 'Graphviz'
fi
run "$peal" monitor --count 5 "$pid"
claim "monitor prints broadcasts with arguments" has out 'Chat.on_message(room: "lobby", text: "good \\"morning\\""), 2 observers, '
"$peal" monitor --seconds 1 "$pid" >"$work/watched" &
watching=$!
for text in one two three four five; do "$peal" send "$pid" Chat.on_message lobby "$text" >"$work/out"; done
wait "$watching"
claim "monitor reports no failure of the command's own lookups" sh -c "! grep -q 'there is no protocol' '$work/watched'"
run "$peal" monitor --count 20 "$pid" 'Echo'
claim "the filter of monitor selects methods" has out 'Echo.on_echo(length: 14), 1 observer'
claim "the filter of monitor excludes other methods" sh -c "! grep -q Chat '$work/out'"
run "$peal" monitor --count 5 "$pid" 'Chat..x,,-'
claim "a malformed filter of monitor is refused with its column" has err 'column'
claim "monitor with a malformed filter ends with 1" ends 1
# The first screen is of 25 ms, in which a busy machine may make no call.
tries=0
until run "$peal" top "$pid" && has out Chat.on_message || [ $tries = 20 ]; do tries=$((tries + 1)); done
claim "without a terminal, top prints one screen" has out 'Chat.on_message, observer of Chat'
claim "without a terminal, top prints the queues" has out 'serial queue 1'
run "$peal" trace -o "$work/trace.json" --seconds 1 "$pid"
claim "trace ends with 0" ends 0
claim "each flow of the trace is closed" python3 -c '
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
flows = collections.Counter()
slices = [event for event in events if event["ph"] == "X"]
for event in events:
    if event["ph"] in "sf":
        flows[event["id"]] += {"s": 1, "f": -1}[event["ph"]]
queued = [event for event in slices if "queue" in event["args"]]
starts = sum(event["ph"] == "s" for event in events)
# At the end, a call may have been read before the record that enqueued it on another thread.
assert starts > 10 and len(queued) - starts <= 5, (starts, len(queued))
assert all(count == 0 for count in flows.values())
assert all(event["dur"] >= 0 for event in slices)' "$work/trace.json"
claim "the trace has the names of the process and of each thread" python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
assert {event["tid"] for event in events} == set(names), names
assert "program" in names.values() and any(name.startswith("peal:") for name in names.values()), names
assert [event["args"]["name"] for event in events if event["name"] == "process_name"] == ["program"]' "$work/trace.json"
cp "$work/trace.json" "$work/earlier.json"
run "$peal" trace -o "$work/trace.json" --seconds 1 "$pid" 'Chat..x,,-'
claim "a malformed filter of trace ends with 1" ends 1
claim "and leaves the file unchanged" cmp -s "$work/trace.json" "$work/earlier.json"
run "$peal" trace -o "$work/refused.json" --seconds 1 "$pid" 'Chat..x,,-'
claim "and creates no file" [ ! -e "$work/refused.json" ]

# Recordings, if libpeal-wire was built.
run "$peal" record --seconds 1 "$pid" "$work/chat.peal" Chat
if has err 'recordings need libpeal-wire'; then
    echo "skipped: recordings need libpeal-wire"
else
    claim "record names the protocols" has out '^records Chat$'
    claim "record ends with 0" ends 0
    claim "record prints its final numbers" has err 'chat.peal: [1-9][0-9]* bytes, 0 calls lost'
    run "$peal" replay --list "$pid" "$work/chat.peal"
    claim "a list of a whole file has no warning" [ ! -s "$work/err" ]
    run "$peal" record --seconds 0.2 "$pid" "$work/none.peal" Nothing
    claim "record refuses an unknown protocol" has err "no protocol is named 'Nothing'"
    claim "record of an unknown protocol ends with 1" ends 1
    printf 'former' >"$work/former.peal"
    run "$peal" record --seconds 0.2 "$pid" "$work/former.peal" Chat Typo
    claim "record of an unknown protocol leaves a former file as it was" [ "$(cat "$work/former.peal")" = former ]
    run "$peal" record "$pid" "$work/no/folder.peal" Chat
    claim "record refuses a file that cannot be created" has err 'No such file'
    # The path is relative to the folder of the command.
    cd "$work" || exit 1
    run "$peal" replay --list "$pid" chat.peal
    cd - >/dev/null || exit 1
    claim "replay --list prints the calls" has out 'Chat.on_message(room: "lobby", text: "good \\"morning\\"")'
    claim "replay --list prints the calls of each method" has out 'Chat.on_tick(number: '
    # Each line begins with the seconds since the first call.
    recorded=$(awk '$2 == "thread" { last = $1 } END { printf "%d", last * 1000 }' "$work/out")
    run "$peal" replay --speed full "$pid" "$work/chat.peal"
    claim "replay makes the recorded calls" has out '^made [1-9][0-9]* calls, 0 failed, 0 were skipped'
    run "$peal" replay --speed x "$pid" "$work/chat.peal"
    claim "replay refuses a malformed speed" has err "the speed 'x'"
    run "$peal" replay "$pid" "$program"
    claim "replay refuses a file that is no recording" has err 'the file is no recording'
    begun=$(date +%s%N)
    run "$peal" replay "$pid" "$work/chat.peal"
    took=$(( ($(date +%s%N) - begun) / 1000000 ))
    claim "at the original speed a replay takes as long as the recording" [ "$recorded" -gt 0 -a $((took * 10)) -ge $((recorded * 8)) ]
    "$peal" record "$pid" "$work/killed.peal" >"$work/record.out" 2>&1 &
    recorder=$!
    await grep -qs 'records Echo' "$work/record.out"
    run "$peal" send "$pid" Chat.on_message lobby last-words
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    wait $recorder
    claim "record ends when the program is killed" [ $? = 3 ]
    exec 9>&-
    start PEAL_INSPECT=read -- 200
    run "$peal" replay --list "$pid" "$work/killed.peal"
    claim "the file of a killed program has its last calls" has out 'Chat.on_message(room: "lobby", text: "last-words")'
    claim "replay --list reports at its end that the program ended while it was recorded" has err 'the program ended while it was recorded'
    stop
    lost_calls
fi
stop

# A program that is open for looking alone.
for value in 1 read; do
    start PEAL_INSPECT=$value -- 200
    run "$peal" tree "$pid"
    claim "PEAL_INSPECT=$value permits tree" has out 'optional void on_tick(int number)'
    run "$peal" send "$pid" Chat.on_tick 3
    claim "PEAL_INSPECT=$value refuses send, and names the value that permits it" has err 'PEAL_INSPECT=control'
    claim "a refused send ends with 1" ends 1
    run "$peal" record --seconds 1 "$pid" "$work/refused.peal" Chat
    claim "PEAL_INSPECT=$value refuses record, and names the value that permits it" has err 'PEAL_INSPECT=control'
    claim "a refused record creates no file" [ ! -e "$work/refused.peal" ]
    run "$peal" replay "$pid" "$program"
    claim "PEAL_INSPECT=$value refuses replay, and names the value that permits it" has err 'PEAL_INSPECT=control'
    [ $value = read ] || stop
done

# The page, by a plain client of HTTP.
cat >"$work/get.py" <<'END'
# get.py URL_FILE HOST PATH [METHOD]: `*` in PATH is the secret.
import http.client, sys, urllib.parse
url = urllib.parse.urlparse(open(sys.argv[1]).read().strip())
connection = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
host = sys.argv[2] or url.netloc
method = sys.argv[4] if len(sys.argv) > 4 else "GET"
connection.request(method, sys.argv[3].replace("*", url.path.strip("/")), headers={"Host": host})
answer = connection.getresponse()
print(answer.status, answer.getheader("Content-Security-Policy"), answer.read().decode())
END
cat >"$work/hang.py" <<'END'
# hang.py URL_FILE: 200 connections that send a request byte by byte and open another when they are closed, while each of
# ten connections sends a whole request.
import http.client, socket, sys, threading, time, urllib.parse
url = urllib.parse.urlparse(open(sys.argv[1]).read().strip())
begun = threading.Semaphore(0)
def drip():
    while True:
        try:
            slow = socket.create_connection((url.hostname, url.port))
            slow.sendall(b"GET / HTTP/1.1\r\nX: ")
            begun.release()
            while True:
                slow.sendall(b"y")
                time.sleep(0.1)
        except OSError:
            time.sleep(1)
for _ in range(200):
    threading.Thread(target=drip, daemon=True).start()
for _ in range(200):
    begun.acquire()
for _ in range(10):
    whole = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
    try:
        whole.request("GET", url.path)
        answer = whole.getresponse()
        print(answer.status, len(answer.read()))
    except OSError as error:
        print(repr(error))
END
get() { run python3 "$work/get.py" "$work/url" "$@"; }
"$peal" serve "$pid" >"$work/url" 2>"$work/err" &
server=$!
await grep -q http "$work/url" "$work/err"
if grep -q libmicrohttpd "$work/err"; then
    wait "$server"
    code=$?
    claim "without libmicrohttpd, serve ends with 1" ends 1
else
    get '' '/*/'
    claim "serve answers with its page" has out "^200 default-src 'none';.*<!doctype html>"
    get '' '/*/tree'
    claim "the page of serve has the tree" has out '^200 .* \[{"kind":"process"'
    get '' '/*/top'
    claim "the page of serve has the calls" has out '^200 .* \['
    get '' '/*/nothing'
    claim "serve answers 404 for another page" has out '^404 '
    get evil.example '/*/tree'
    claim "serve refuses a header Host of another name" has out '^403 '
    get '' '/tree'
    claim "serve refuses an address without the secret" has out '^404 '
    get '' '/0123456789abcdef0123456789abcdef/tree'
    claim "serve refuses an address with another secret" has out '^404 '
    get '' '/*/tree' POST
    claim "serve refuses a method that is not for reading" has out '^405 '
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    if [ -n "$browser" ]; then
        # Time in the page passes without waiting, and requests end before it does.
        HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 \
            --dump-dom "$(cat "$work/url")" >"$work/out" 2>"$work/err"
        claim "a browser shows the calls" has out '<td>Chat.on_message, observer of Chat (receive, target'
        claim "a browser shows the methods with their observers" has out '<code>optional void on_message(.*</code><span>.* store, target 0x'
    fi
    run python3 "$work/hang.py" "$work/url"
    claim "200 connections that send their requests byte by byte delay no other connection" [ "$(grep -c '^200 [1-9]' "$work/out")" = 10 ]
    kill "$server"
    wait "$server"
    code=$?
    claim "serve ends with 0 at SIGTERM" ends 0
fi

"$peal" monitor "$pid" Echo >"$work/ending" 2>/dev/null 9>&- &
ending=$!
await grep -q on_echo "$work/ending"
printf r >&9
await grep -q 'removed$' "$work/ending"
claim "monitor has the name of an observer that existed before the command" grep -q 'observer of Echo (count_echo, target 0x[0-9a-f]*) removed$' "$work/ending"
stop
wait "$ending"
start PEAL_INSPECT=1 -- 200
"$peal" monitor "$pid" >"$work/ending" 2>/dev/null 9>&- &
ending=$!
"$peal" trace -o "$work/ending.json" "$pid" 2>"$work/traced" 9>&- &
tracing=$!
await grep -q on_tick "$work/ending"
await grep -q recording "$work/traced"
# The trace has what the monitor prints from now on.
await has_messages $(($(messages) + 20))
stop
wait "$ending"
claim "monitor has the last broadcast of a program" grep -q 'Chat.on_tick(number: -1)' "$work/ending"
wait "$tracing"
code=$?
claim "trace ends with 3 when the program ends" ends 3
claim "and its file is complete" python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
ticks = [event for event in events if event["name"] == "Chat.on_tick"]
messages = [event for event in events if event["name"] == "Chat.on_message" and event["cat"] == "broadcast"]
assert len(ticks) > len(messages) > 10, (len(ticks), len(messages))' "$work/ending.json"
start PEAL_INSPECT=1 -- 200

# Two commands at once, and a program that ends during a command.
"$peal" monitor --count 50 "$pid" >"$work/first" 2>&1 &
first=$!
run "$peal" monitor --count 50 "$pid" Chat
wait "$first"
claim "two commands watch at once" [ "$(grep -c Chat.on_message "$work/first")" -ge 10 ]
claim "each with its own filter" [ "$(grep -c Chat "$work/out")" = 50 ]
rm "$work/ending"
"$peal" monitor "$pid" >"$work/ending" 2>"$work/lost" &
lost=$!
await has_messages 1
kill -9 "$pid"
wait "$lost"
code=$?
claim "a program that ends during a command ends it with 3" ends 3
claim "with a sentence" grep -q 'has ended, or has closed its inspection' "$work/lost"
stop
run "$peal" ps
claim "the socket of a killed program is removed" sh -c "! ls '$work/peal' | grep -q ."

# A small terminal, with more observers than rows.
cat >"$work/terminal.py" <<'END'
# terminal.py ROWS COLUMNS COMMAND...: prints the second screen of a command in a terminal.
import fcntl, os, pty, select, signal, struct, sys, termios, time
rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execv(sys.argv[3], sys.argv[3:])
data, end = b"", time.monotonic() + 50
while data.count(b"\33[2J") < 3 and time.monotonic() < end:
    if select.select([terminal], [], [], 0.1)[0]:
        data += os.read(terminal, 65536)
os.kill(pid, signal.SIGTERM)
print(data.split(b"\33[2J")[2].decode().replace("\r", "").replace("\33[H", ""), end="")
END
start PEAL_INSPECT=1 -- 200 40
run python3 "$work/terminal.py" 12 100 "$peal" top "$pid"
claim "in a terminal with fewer rows than observers, top shows the queues too" has out 'serial queue 1'
claim "and the observers" has out 'Chat.on_message'
claim "the screen fits into the terminal" python3 -c '
import sys
lines = open(sys.argv[1]).read().splitlines()
assert len(lines) == 11 and max(map(len, lines)) == 100, lines' "$work/out"

stop
start PEAL_INSPECT=1 -- 50 10000
# By instructions, because a time depends on the machine. The names of all observers would take a hundred million. A command
# that is compiled with a sanitizer does not run in valgrind.
if run valgrind --tool=callgrind --callgrind-out-file=/dev/null "$peal" top "$pid" && has err 'Collected : '; then
    counted=$(sed -n 's/.*Collected : //p' "$work/err")
    claim "beside 10,000 observers, top takes fewer than 10 million instructions for its first screen: $counted" [ "$counted" -lt 10000000 ]
else
    echo "skipped: the instructions of top cannot be counted here"
fi
# In the 25 ms of the first screen no call may end.
tries=0
until run "$peal" top "$pid" && has out 'observer of ' || [ $tries = 50 ]; do tries=$((tries + 1)); done
claim "that screen has the observers that are called" has out 'observer of '

# A program that is stopped, as by a debugger.
kill -STOP "$pid"
# The signal may take effect later than kill returns.
until ! kill -0 "$pid" || grep -q "^State:.T" "/proc/$pid/status"; do sleep 0.01; done
run "$peal" ps
claim "ps lists a program that does not answer" has out "^ *$pid  does not answer"
claim "ps reports that the program is stopped" has err "process $pid is stopped by a signal or a debugger"
rm "$work/err"
"$peal" tree "$pid" >"$work/out" 2>"$work/err" &
looking=$!
await grep -qs 'is stopped by' "$work/err"
kill "$looking"
wait "$looking" 2>/dev/null
claim "tree reports that the program is stopped" has err "process $pid is stopped by a signal or a debugger"
run "$peal" trace -o "$work/stopped.json" --seconds 0.2 "$pid"
claim "trace of a stopped program ends with 3" ends 3
claim "with its own sentence" has err 'has not sent its last records'
"$peal" trace -o "$work/continued.json" --seconds 0.2 "$pid" 2>"$work/err" &
tracing=$!
sleep 0.5
kill -CONT "$pid"
wait "$tracing"
code=$?
claim "trace of a program that continues ends with 0" ends 0
stop

# PEAL_DEBUG.
start PEAL_DEBUG=calls,Chat.on_message -- 50
await grep -q 'on serial queue 1, ' "$work/program.err"
stop
cp "$work/program.err" "$work/err"
claim "PEAL_DEBUG prints broadcasts" has err ' thread [0-9]*: Chat.on_message(room: "lobby", text: .*), 2 observers, '
claim "and calls of queues" has err 'Chat.on_message(.*) by observer of Chat (.*) on serial queue 1, '
claim "of its filter alone" sh -c "! grep -q Echo '$work/err'"
begun=$(date +%s)
start PEAL_DEBUG=calls,rate=5 -- 200
await grep -q '^peal: [0-9]* lines left out' "$work/program.err"
stop
most=$((($(date +%s) - begun + 2) * 5))
cp "$work/program.err" "$work/err"
claim "lines above the rate are counted" has err '^peal: [0-9]* lines left out'
claim "and not printed" [ "$(grep -c thread "$work/err")" -le "$most" ]
start PEAL_DEBUG=life -- 50
printf r >&9
stop
cp "$work/program.err" "$work/err"
claim "PEAL_DEBUG prints the lives of objects" has err ' thread [0-9]*: observer of Chat (store, target 0x[0-9a-f]*) registered$'
claim "with the names of ended objects" has err ' thread [0-9]*: observer of Echo (count_echo, target 0x[0-9a-f]*) removed$'
claim "and no calls" sh -c "! grep -q 'observers*, ' '$work/err'"
start PEAL_DEBUG=failures -- 50
stop
cp "$work/program.err" "$work/err"
claim "PEAL_DEBUG prints failures that the program ignores" has err ': PEAL_ERROR_DUPLICATE: the target already observes Echo; '
start PEAL_DEBUG=cals,rate=x -- 50
stop
cp "$work/program.err" "$work/err"
claim "a misspelt word of PEAL_DEBUG is reported" has err "^peal: 'cals' in PEAL_DEBUG selects .* did you mean calls?"
claim "a malformed rate is reported" has err '^peal: rate=x in PEAL_DEBUG is no number of lines; the rate stays 1000'
start PEAL_DEBUG='calls,Chat..x,,-' -- 50
stop
cp "$work/program.err" "$work/err"
claim "a malformed filter of PEAL_DEBUG has no effect but a sentence" has err '^peal: PEAL_DEBUG has no effect: '
start PEAL_INSPECT=yes -- 50
stop
cp "$work/program.err" "$work/err"
claim "another value of PEAL_INSPECT is reported, with those that there are" has err '^peal: PEAL_INSPECT=yes has no effect; .*=read .*=control'
run env PEAL_INSPECT="$(printf 'a\033[2Jb\nFORGED')" PEAL_DEBUG="$(printf 'rate=\033[2J\nFORGED')" "$program" 0 </dev/null
claim "a value of PEAL_INSPECT controls no terminal" has err '^peal: PEAL_INSPECT=a\\x1b\[2Jb\\nFORGED has no effect'
claim "nor does one of PEAL_DEBUG" has err '^peal: rate=\\x1b\[2J\\nFORGED in PEAL_DEBUG'

[ "$failures" = 0 ] || echo "$failures claims failed"
exit $((failures > 0))
