#!/usr/bin/env python3
# Claims: I10
#
# impostor.py PEAL [SECONDS MEGABYTES]: a process that is no inspected program has a socket in the user's folder, and sends the
# command `peal` whatever it likes. Each command must end by itself, with less processor time and memory than the limits,
# which are a multiple of what honest answers of the same length need.
import itertools, os, resource, socket, subprocess, sys, tempfile, threading, time

peal = sys.argv[1]
seconds, megabytes = (int(argument) for argument in (sys.argv[2:4] or ("8", "600")))
# Programs with a sanitizer have these limits. They take many times as long for each event.
is_sanitized = megabytes >= 10000
many = 10000 if is_sanitized else 100000
folder = tempfile.mkdtemp()
os.mkdir(folder + "/peal", 0o700)
os.environ["XDG_RUNTIME_DIR"] = folder
pid = os.getpid()
path = f"{folder}/peal/{pid}"
END = b'{"end":true}\n'
MEGABYTE = 1 << 20


def forever(first, more):
    def send(connection):
        connection.sendall(first)
        while True:
            connection.sendall(more)
    return send


def slow_events(connection):
    connection.sendall(line(kind="begun"))
    while True:
        connection.sendall(b'["call",1,1,1,"1","2","0",0,0,0]\n')
        time.sleep(0.2)


def once(*parts):
    def send(connection):
        for part in parts:
            connection.sendall(part)
        connection.sendall(END)
    return send


def slowly(connection):
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def in_small_parts(connection):
    # The command reads each part on its own, so it must not search the whole line again.
    connection.sendall(b'{"kind":"period","text":"')
    for _ in range(60000):
        connection.sendall(b"A" * 256)
    connection.sendall(b'"}\n{"kind":"period_end"}\n')


def line(**members):
    values = (f'"{key}":' + (f'"{value}"' if isinstance(value, str) else str(value)) for key, value in members.items())
    return ("{" + ",".join(values) + "}\n").encode()


def list_of(element, count):
    return b"[" + b",".join([element] * count) + b"]"


def protocols(count):
    for number in range(count):
        yield line(kind="protocol", id=f"p{number}", center="c", name=f"P{number}")
        yield line(kind="method", id=f"m{number}", protocol=f"p{number}", declaration="void m(void)")


def observers(count):
    yield line(kind="protocol", id="p", center="c", name="P")
    for number in range(count):
        yield line(kind="observer", id=f"{number:x}", protocol="p", label=f"observer {number}")


def threads(count):
    yield line(kind="begun")
    for number in range(count):
        yield f'["call",{number + 10000000},1,1,"1","2","0",0,0,0]\n'.encode()


def names_that_collide(count):
    # Multiples of 2^32 whose product with the golden ratio has equal upper bits modulo a power of two.
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    yield line(kind="begun")
    for number in range(count):
        yield line(kind="name", id=f"{(number << 52) * inverse % (1 << 64):x}", name="x")


def long_names(count):
    yield line(kind="begun")
    yield line(kind="name", id="1", name="n" * (8 * MEGABYTE))
    for _ in range(count):
        yield b'["call_end",1,1,1,"1","1","1",0,0,0]\n'


def names_without_end(connection):
    # With a number, because a name that is sent again replaces the former one.
    connection.sendall(line(kind="begun"))
    for number in itertools.count(1, 1000):
        connection.sendall(b"".join(b'{"kind":"name","id":"%x","name":"%s"}\n' % (each, b"n" * 600)
                                    for each in range(number, number + 1000)))


LONG = "n" * (8 * MEGABYTE)
center = line(kind="center", id="c")
trace = ("trace", "-o", "/dev/null", "--seconds", "1")
graph = ("graph", "--json", "--seconds", "1")
long_trace = (*trace[:-1], "50")
long_graph = (*graph[:-1], "50")
# The name, the command, what it receives, the expected code; the megabytes, and the factor of the seconds, where they differ.
cases = [
    ("a line without an end", ("tree",), forever(b'{"kind":"process","program":"', b"A" * 65536), 1),
    ("a line without an end, to a command that looks for a name", ("tree", "nobody"), forever(b'{"program":"', b"A" * 65536), 1),
    ("spaces, one by one, to ps", ("ps",), slowly, None),
    ("errors without an end, to tree", ("tree",), forever(b"", b'{"error":"E"}\n' * 1000), 1),
    ("objects without an end, to tree", ("tree",), forever(b"", line(kind="owner", id="o", name="n" * MEGABYTE) * 4), 1, 1300),
    ("2,500,000 references to an observer, to tree", ("tree",), once(center, line(kind="protocol", id="p", center="c", name="P"),
        line(kind="observer", id="1", label="n" * 1000), *[b'{"kind":"method","id":"m","protocol":"p","declaration":"x","observers":' +
        list_of(b'"1"', 50000) + b"}\n"] * 50), 1, 1300),
    ("records that come slowly without an end, to trace", trace, slow_events, 3),
    ("a million brackets", ("tree",), once(b"[" * MEGABYTE + b"\n"), 1),
    ("a line of 300,000 texts", ("tree",), once(list_of(b'"a"', 300000) + b"\n"), 0),
    ("a line of 16 MB of numbers", ("tree",), once(list_of(b"1", 8000000) + b"\n"), 0),
    ("an object with a million members", ("tree",), once(b"{" + b'"":1,' * MEGABYTE + b'"":1}\n'), 1),
    ("a line that arrives in parts, to top", ("top",), in_small_parts, 0),
    ("lines without an end of the period, to top", ("top",), forever(b"", line(kind="calls", calls=1) * 1000), 1),
    ("60,000 protocols", ("tree",), lambda c: once(center, *protocols(60000))(c), 0),
    ("40,000 observers, to graph", ("graph", "--json"), lambda c: once(center, *observers(40000))(c), 0),
    ("a name of 8 MB with 100,000 references", ("tree",), once(center, line(kind="owner", id="o", name=LONG),
        line(kind="observer", id="1", owner="o", label="x"), line(kind="protocol", id="p", center="c", name="P"),
        b'{"kind":"method","id":"m","protocol":"p","declaration":"x","observers":' + list_of(b'"1"', 100000) + b"}\n"), 0),
    (f"a name of 8 MB with {many} events", trace, once(*long_names(many)), 0),
    ("events of 60,000 threads", trace, once(*threads(60000)), 0),
    ("events of 60,000 threads, to graph", graph, once(*threads(60000)), 0),
    # More than a gigabyte is read.
    ("names without an end, to trace", long_trace, names_without_end, 1, 1300, 2),
    ("names without an end, to graph", long_graph, names_without_end, 1, 1300, 2),
    ("calls on a queue without an end, to trace", long_trace, forever(line(kind="begun"),
        b'["enqueued",1,1,1,"1","2","3",0,1,0]\n' * 1000), 1, 1300, 2),
    ("40,000 names with one hash", trace, once(*names_that_collide(40000)), 0),
]
# By day, and with a sanitizer, less than a gigabyte is read.
if os.environ.get("PEAL_TESTS") == "day" or is_sanitized and os.environ.get("PEAL_TESTS") != "nightly":
    cases = [case for case in cases if len(case) < 6]
current = [None]


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, current[0]), daemon=True).start()


def answer(connection, send):
    try:
        request = connection.recv(1000)
        # `graph --seconds` reads the tree first.
        if b"tree" in request and send in events_only:
            send = once(center)
        send(connection)
        connection.recv(1000)
        connection.close()
    except OSError:
        pass


events_only = {case[2] for case in cases if case[1] in (graph, long_graph)}
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(64)
threading.Thread(target=serve, args=(listener,), daemon=True).start()
failures = 0


def claim(sentence, holds, details):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'NOT OK'}: {sentence}: {details}", flush=True)


def limit():
    # A command without the limits must not exhaust the machine.
    resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds + 1, 2 * seconds + 2))
    if megabytes < 10000:
        resource.setrlimit(resource.RLIMIT_AS, (2500 * MEGABYTE, 2500 * MEGABYTE))


def run(words):
    """Returns the code, the seconds of processor time, the megabytes of memory and what was printed."""
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen([peal, *words], stdout=subprocess.DEVNULL, stderr=printed, preexec_fn=limit)
        threading.Timer(60, process.kill).start()
        _, status, used = os.wait4(process.pid, 0)
        printed.seek(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed.read(300).decode()


for name, words, send, wanted, more_memory, factor in (case + (0, 1)[len(case) - 4:] for case in cases):
    current[0] = send
    needs_program = words[0] != "ps" and len(words) < 2 or words[0] in ("trace", "graph")
    code, time_used, memory, printed = run([*words, str(pid)] if needs_program else words)
    details = f"code {code}, {time_used:.1f} s of processor time, {memory:.0f} MB, {printed!r}"
    good = (code == wanted if wanted is not None else code in (0, 1)) and time_used < factor * seconds and memory < max(megabytes, more_memory)
    claim(name, good, details)

# A period without a length has no rates.
current[0] = once(line(kind="period", calls=0, lost=1), line(kind="calls", calls=1, total_ns=5, method="m", name="n"),
                  line(kind="period_end"))
printed = subprocess.run([peal, "top", str(pid)], capture_output=True, text=True, timeout=60).stdout
claim("a period of no time, to top", " m, n" in printed and "nan" not in printed and "inf" not in printed, repr(printed))

# What was lost, and streams that end before their last line. The name, the command, what it receives, the code, the sentence.
lost_record = b'["lost",1,1,0,"0","0","0",0,7,0]\n'
for name, words, parts, wanted, sentence in [
    ("a gap in the records, to graph", graph, (line(kind="begun"), lost_record), 0, "7 records were lost"),
    ("the number of lost records, to graph", graph, (line(kind="begun"), lost_record, line(kind="total", lost=12)), 0,
     "12 records were lost"),
    ("a call of an observer that the tree does not have, to graph", graph, (line(kind="begun"), line(kind="name", id="1", name="P.m"),
     b'["call",1,1,1,"1","2","0",0,0,0]\n'), 0, "1 calls are not in the graph"),
    ("the number of lost records, to trace", trace, (line(kind="begun"), lost_record, line(kind="total", lost=12)), 0,
     "12 records lost"),
    ("lost lines, to monitor", ("monitor",), (line(kind="lost", count=3), line(kind="lost", count=4)), 0, "7 lines are missing"),
    ("the end of a recording without its numbers", ("record",), (line(kind="recorded", name="P"),), 0,
     "has not sent its final numbers"),
    ("a recording that never got a file", ("record",), (line(kind="recorded", name="P"),
     b'{"kind":"recording","bytes":0,"lost":9,"is_last":true,"reason":"R"}\n'), 1, "9 calls are not in the file: R"),
    ("a list of which the rest was cut", ("replay", "--list"), (line(kind="content", calls=5),
     line(kind="listed", listed=2, failed=0, left=3)), 1, "3 calls were not read: the file was cut"),
]:
    current[0] = once(*parts)
    if words is graph:
        events_only.add(current[0])
    arguments = [*words, str(pid)] + (["file"] if words[0] in ("record", "replay") else [])
    result = subprocess.run([peal, *arguments], capture_output=True, text=True, timeout=60)
    claim(name, result.returncode == wanted and sentence in result.stderr, f"code {result.returncode}, {result.stderr!r}")

# A socket that accepts nothing, whose queue of connections is full.
listener.close()
os.unlink(path)
full = socket.socket(socket.AF_UNIX)
full.bind(path)
full.listen(0)
waiting = []
try:
    while len(waiting) < 10:
        waiting.append(socket.socket(socket.AF_UNIX))
        waiting[-1].settimeout(0.2)
        waiting[-1].connect(path)
except OSError:
    pass
begun = time.monotonic()
result = subprocess.run([peal, "ps"], capture_output=True, text=True, timeout=60)
claim("a socket that accepts no connection keeps ps for two seconds", result.returncode == 0 and time.monotonic() - begun < 20,
      repr(result))
claim("and is listed", f"{pid}  does not answer\n" in result.stdout, repr(result))
result = subprocess.run([peal, "tree", "nobody"], capture_output=True, text=True, timeout=60)
claim("a search for a name reports that a program has not answered", result.returncode == 1
      and "programs that do not answer, so that their names are not known: 1" in result.stderr, repr(result))
os.unlink(path)
os.rmdir(folder + "/peal")
os.rmdir(folder)
sys.stdout.flush()
os._exit(failures > 0)
