# hostile.py FOLDER READY: a program that answers every request with texts that a terminal obeys. It ends with its input.
import os, socket, sys, threading

EVIL = ("\x1b]0;title\x07\x1b[2J\x07\b\r\nFORGED \x7f\u009b31m\u202e\u2066\u200f\u2028 end").encode() + b"\xff\xc3"


def quoted(text):
    """A JSON string that passes each byte on which JSON allows, and escapes the others."""
    return b'"' + b"".join(b"\\u%04x" % c if c < 32 or c in b'"\\' else bytes([c]) for c in text) + b'"'


def line(kind, **members):
    texts = b"".join(b',"%s":%s' % (key.encode(), value if isinstance(value, bytes) else str(value).encode())
                     for key, value in members.items())
    return b'{"kind":' + quoted(kind.encode()) + texts + b"}\n"


def answers():
    evil = quoted(EVIL)
    yield line("process", pid=1, program=evil, peal=evil)
    yield line("center", id=b'"1"', name=evil, label=evil)
    yield line("protocol", id=b'"2"', center=b'"1"', name=evil, fingerprint=evil, version=2)
    yield line("method", id=b'"3"', protocol=b'"2"', name=evil, declaration=evil, fingerprint=evil, policy=evil,
               text=quoted(EVIL.replace(b"\nFORGED", b"\nstruct ")), recursion=evil, observers=b'["4"]', parameters=b'[{"name":%s,"type":%s,"ownership":%s}]' % (evil, evil, evil))
    yield line("observer", id=b'"4"', protocol=b'"2"', queue=b'"5"', owner=b'"6"', label=evil, name=evil, function=evil)
    for kind, number in (("queue", b"5"), ("owner", b"6"), ("property", b"7"), ("service", b"8"), ("module", b"9"),
                         ("timer", b"a")):
        yield line(kind, id=b'"' + number + b'"', center=b'"1"', name=evil, label=evil, type=evil, state=evil,
                   creation_ns=1, created_by=evil, last_failure=evil, dependencies=evil)
    yield line("period", nanoseconds=1000000, calls=1)
    yield line("calls", method=evil, name=evil, calls=1)
    yield line("queue", name=evil, waiting=1)
    yield line("begun")
    yield line("name", id=b'"3"', name=evil)
    yield b'["call_end",1,2,3,"3","3","3",1,1,0]\n'
    yield b'["\x1b[1m",1,2,3,"3","3","3",1,1,0]\n'
    yield line("event", text=evil)
    yield line("recorded", name=evil)
    yield line("skipped", name=evil, reason=evil)
    yield line("recording", lost=1, reason=evil)
    yield line("call", protocol=evil, method=evil, arguments=evil)
    yield b'{"status":%s,"result":%s}\n' % (evil, evil)
    yield line("period_end")


def serve(client):
    with client:
        request = client.makefile("rb").readline()
        client.sendall(b"".join(answers()))
        if b"error" in request:
            client.sendall(b'{"error":%s}\n' % quoted(EVIL))
        client.sendall(b'{"end":true}\n')
        client.recv(1)


def serve_any(client):
    try:
        serve(client)
    except OSError:
        pass  # The command has read enough.


folder = os.path.join(sys.argv[1], "peal")
os.makedirs(folder, mode=0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.join(folder, str(os.getpid())))
listener.listen(16)
open(sys.argv[2], "w").write(str(os.getpid()))


def accept():
    while True:
        threading.Thread(target=serve_any, args=(listener.accept()[0],), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
