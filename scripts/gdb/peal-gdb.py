# SPDX-License-Identifier: Apache-2.0
"""Commands and printers of gdb for programs that use peal.

    (gdb) peal queues               all queues, with the calls that wait on each
    (gdb) peal protocols            the protocols of the default center, with their observers
    (gdb) peal observers EXPR       the observers of a method or a protocol, such as `chat.on_message`
    (gdb) print chat.protocol       a handle, by its slot and its generation

gdb loads this file by `source`. The commands call public functions of the library in the stopped process. They need a
live process, and fail while the stopped thread holds a lock of the library.
"""

import re
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator

PAGE = 65536
MODULES = {"Peal", "PealABI", "PealCall", "PealCore"}
KINDS = {0: "serial", 1: "pumped", 2: "executor", 3: "main"}


class Room:
    """Memory of the process for the results of calls."""

    def __enter__(self):
        self.address = call("malloc", PAGE)
        if self.address == 0:
            raise gdb.GdbError("the process has no memory left")
        return self

    def __exit__(self, *_):
        call("free", self.address)

    def read(self, offset, length):
        return gdb.selected_inferior().read_memory(self.address + offset, length).tobytes()

    def write(self, offset, data):
        gdb.selected_inferior().write_memory(self.address + offset, data)


def call(function, *arguments):
    """Calls a function whose parameters are words. The library has no types for the debugger."""
    types = ",".join(["unsigned long"] * len(arguments))
    values = ",".join(str(int(argument)) for argument in arguments)
    return int(gdb.parse_and_eval(f"((unsigned long (*)({types})){function})({values})"))


def succeeds(function, *arguments):
    """The lower half of the result is a status."""
    return call(function, *arguments) & 0x80000000 == 0


def handles(room, function, *arguments):
    """The handles that a list function of the library returns."""
    most = PAGE // 8 - 1
    if not succeeds(function, *arguments, room.address + 8, most, room.address):
        return []
    (count,) = struct.unpack("<Q", room.read(0, 8))
    return list(struct.unpack(f"<{min(count, most)}Q", room.read(8, 8 * min(count, most))))


def count(room, function, handle):
    """The number that a count function of the library stores."""
    return struct.unpack("<Q", room.read(0, 8))[0] if succeeds(function, handle, room.address) else 0


def info(room, function, handle, layout):
    """The members of a structure that a get_info function fills, or None."""
    size = struct.calcsize(layout)
    room.write(0, struct.pack("<Q", size) + bytes(size - 8))
    return struct.unpack(layout, room.read(0, size)) if succeeds(function, handle, room.address) else None


def text(data):
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")


def symbol(address):
    found = gdb.execute(f"info symbol {address}", to_string=True).strip()
    return "" if found.startswith("No symbol") else f" ({found})"


QUEUE = "<QQQQQIIQQ64s"
PROTOCOL = "<QQI?xxxQQ256s"
OBSERVATION = "<QQQQQiI??64sxxxxxxQ"


def show_observers(room, found):
    for handle in found:
        read = info(room, "peal_observation_get_info", handle, OBSERVATION)
        if read is None:
            continue
        target, queue, priority = read[2], read[3], read[5]
        traits = [f"\"{text(read[9])}\""] if text(read[9]) else []
        traits += [f"priority {priority}"] if priority else []
        traits += [f"queue {queue:#x}"] if queue else []
        traits += ["weak"] if read[7] else []
        print(f"  observation {handle:#x}: target {target:#x}{symbol(target) or symbol(read[10])}", *traits)


class Peal(gdb.Command):
    """Commands for programs that use peal."""

    def __init__(self):
        super().__init__("peal", gdb.COMMAND_DATA, prefix=True)


class Queues(gdb.Command):
    """Lists the queues of the process, with their calls."""

    def __init__(self):
        super().__init__("peal queues", gdb.COMMAND_DATA)

    def invoke(self, _argument, _from_tty):
        with Room() as room:
            for handle in handles(room, "peal_queue_list"):
                read = info(room, "peal_queue_get_info", handle, QUEUE)
                if read is not None:
                    label = f"\"{text(read[9])}\", " if text(read[9]) else ""
                    print(f"queue {handle:#x}: {label}{KINDS.get(read[5], read[5])}, {read[1]} waiting, "
                          f"{read[2]} delivered, {read[3]} dropped, {read[4]} rejected")


class Protocols(gdb.Command):
    """Lists the protocols of the default center, with their observers."""

    def __init__(self):
        super().__init__("peal protocols", gdb.COMMAND_DATA)

    def invoke(self, _argument, _from_tty):
        with Room() as room:
            for handle in handles(room, "peal_protocol_list", call("peal_center_default")):
                read = info(room, "peal_protocol_get_info", handle, PROTOCOL)
                if read is None:
                    continue
                print(f"protocol {text(read[6])}: {count(room, 'peal_protocol_count_observers', handle)} observers")
                show_observers(room, handles(room, "peal_protocol_list_observations", handle))


class Observers(gdb.Command):
    """Lists the observers of a method or a protocol: peal observers EXPRESSION."""

    def __init__(self):
        super().__init__("peal observers", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        value = gdb.parse_and_eval(argument)
        handle = int(value["id"]) if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else int(value)
        with Room() as room:
            found = handles(room, "peal_method_list_observations", handle)
            if not found:
                found = handles(room, "peal_protocol_list_observations", handle)
            print(f"{len(found)} observers")
            show_observers(room, found)


class HandlePrinter:
    """A handle: its generation and its slot."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        word = int(self.value["id"])
        kind = self.value.type.strip_typedefs().unqualified()
        return f"{kind.tag or kind.name} {word:#x}" if word else "no handle (zero)"


def find_printer(value):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code != gdb.TYPE_CODE_STRUCT or not (kind.tag or kind.name or "").startswith("peal_"):
        return None
    fields = kind.fields()
    return HandlePrinter(value) if len(fields) == 1 and fields[0].name == "id" else None


def readable(name):
    """The types and the name of a Swift function, of its mangled name: `Queue.push` of `$e7PealABI5QueueC4pushyyF`.

    A name in Swift begins with its length. The signature after the function's own name is left out.
    """
    parts, at = [], 2
    while at < len(name):
        digits = re.match("[1-9][0-9]*", name[at:])
        if digits is None:
            at += 1
            continue
        is_c_type = name[:at].endswith("So")
        start = at + digits.end()
        at = start + int(digits.group())
        part = name[start:at]
        if part in MODULES or re.fullmatch("_[0-9A-F]{32}", part):
            continue
        parts.append(part)
        if part[0].islower() and not is_c_type:
            break
    if re.search("f[dD]$", name):
        parts.append("deinit")
    suffix = " (closure)" if re.search("U[0-9]*_$", name) else ""
    return ".".join(parts) + suffix if parts else name


class ReadableFrame(FrameDecorator):
    """A frame of the library, whose name is printed as in Swift."""

    def function(self):
        name = self.inferior_frame().name()
        return readable(name) if name and name.startswith(("$e", "$s")) else name or "??"


class ReadableNames:
    """The filter of backtraces. `disable frame-filter global peal` prints the names of the symbols."""

    def __init__(self):
        self.name, self.priority, self.enabled = "peal", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return map(ReadableFrame, frames)


Peal()
ReadableNames()
Queues()
Protocols()
Observers()
gdb.pretty_printers.append(find_printer)
