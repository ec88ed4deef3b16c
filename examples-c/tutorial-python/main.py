"""The program of docs/tutorial-python.md."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_void_p, sizeof

peal = ctypes.CDLL("libpeal.so.0")
peal.peal_last_message.restype = c_char_p


class Handle(Structure):
    """All handles of peal are numbers of 64 bits in a struct."""
    _fields_ = [("number", ctypes.c_uint64)]


def check(status, function, arguments):
    if status < 0:
        raise RuntimeError(peal.peal_last_message().decode())
    return status


def declare(name, *parameters):
    function = getattr(peal, name)
    function.argtypes, function.restype, function.errcheck = parameters, c_int, check
    return function


class Description(Structure):
    """struct peal_protocol_description"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("adopts", c_void_p), ("methods", POINTER(c_char_p)),
                ("table_size", c_size_t)]


define_protocol = declare(
    "peal_protocol_define", Handle, POINTER(Description), POINTER(Handle), POINTER(Handle), c_size_t)
peal.peal_center_default.restype = Handle
center = peal.peal_center_default()


def define(name, *methods):
    """Defines a protocol. Returns its handle and those of its methods."""
    texts = (c_char_p * (len(methods) + 1))(*[method.encode() for method in methods], None)
    description = Description(sizeof(Description), name.encode(), None, texts, 0)
    protocol, handles = Handle(), (Handle * len(methods))()
    define_protocol(center, description, protocol, handles, len(methods))
    return protocol, *handles


chat, on_message, may_enter = define(
    "Chat",
    "required void on_message(const char *who, const char *text)",
    "optional bool may_enter(const char *who), every")


class Chat(Structure):
    """The functions of an observer of Chat."""
    _fields_ = [("size", c_size_t),
                ("on_message", CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)),
                ("may_enter", CFUNCTYPE(c_bool, c_void_p, c_char_p))]


observe = declare("peal_observe", Handle, c_void_p, c_void_p, c_void_p, POINTER(Handle))
names = {1: "Ann", 2: "Bob", 3: "Cid", 4: "Dan", 5: "Fay", 6: "a bot"}


def print_message(key, who, text):
    print(f"{names[key]} reads: {who.decode()} says {text.decode()}")


# ctypes makes a C function of each. The object must exist until peal no longer calls it.
reader = Chat(sizeof(Chat), Chat._fields_[1][1](print_message))


def register(key, table, options=None):
    observation = Handle()
    observe(chat, key, byref(table), options, observation)
    return observation


ann = register(1, reader)
bob = register(2, reader)


send = declare("peal_send", Handle, POINTER(c_void_p), c_size_t, c_void_p, POINTER(c_size_t))


def broadcast(method, *texts, result=None):
    values = [c_char_p(text.encode()) for text in texts]
    arguments = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
    send(method, arguments, len(values), result, None)


broadcast(on_message, "Eve", "hello")


def let_in(key, who):
    print(f"{names[key]} is asked about {who.decode()}")
    return who != b"Mallory"


doorman = Chat(sizeof(Chat), reader.on_message, Chat._fields_[2][1](let_in))
cid = register(3, doorman)
may = c_bool()
broadcast(may_enter, "Mallory", result=byref(may))
print("Mallory", "comes in" if may else "stays outside")


remove = declare("peal_observation_remove", Handle)
remove(ann)
remove(cid)


class ObserveOptions(Structure):
    """struct peal_observe_options"""
    _fields_ = [("size", c_size_t), ("flags", c_uint32), ("priority", c_int32), ("destroy", CFUNCTYPE(None, c_void_p)),
                ("queue", Handle), ("owner", Handle), ("weak", c_void_p), ("weak_reference", c_void_p), ("reference", Handle),
                ("label", c_char_p)]


@ObserveOptions._fields_[3][1]
def forget(key):
    print(names.pop(key), "is freed")


owned = ObserveOptions(size=sizeof(ObserveOptions), destroy=forget)
dan = register(4, reader, byref(owned))
remove(dan)
remove(bob)


class QueueOptions(Structure):
    """struct peal_queue_options"""
    _fields_ = [("size", c_size_t), ("kind", c_int), ("overflow", c_int), ("capacity", c_size_t), ("wait", c_uint32),
                ("owner", Handle), ("submit", c_void_p), ("context", c_void_p), ("destroy", c_void_p), ("name", c_char_p),
                ("label", c_char_p)]


PEAL_QUEUE_PUMPED = 1
create_queue = declare("peal_queue_create", POINTER(QueueOptions), POINTER(Handle))
pump = declare("peal_queue_pump", Handle, c_size_t, POINTER(c_size_t))
queue = Handle()
create_queue(QueueOptions(size=sizeof(QueueOptions), kind=PEAL_QUEUE_PUMPED), queue)

later = ObserveOptions(size=sizeof(ObserveOptions), queue=queue)
fay = register(5, reader, byref(later))
broadcast(on_message, "Gus", "lunch?")
print("Fay has not read it yet")
pump(queue, 0, None)
remove(fay)


class Archive(Structure):
    _fields_ = [("size", c_size_t), ("count", CFUNCTYPE(c_size_t, c_void_p))]


class Provision(Structure):
    """struct peal_provision"""
    _fields_ = [("protocol", c_char_p), ("table", c_void_p)]


class ServiceDescription(Structure):
    """struct peal_service_description"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("provides", POINTER(Provision)), ("dependencies", c_void_p),
                ("flags", c_uint32), ("context", c_void_p), ("create", CFUNCTYPE(c_void_p, c_void_p)), ("init", c_void_p),
                ("clear_data", c_void_p), ("destroy", CFUNCTYPE(None, c_void_p)), ("release", c_void_p), ("owner", Handle),
                ("label", c_char_p)]


class ServiceUse(Structure):
    """struct peal_service_use"""
    _fields_ = [("self", c_void_p), ("table", c_void_p), ("use", Handle)]


archives = {}  # the messages of each instance, by its key


def open_archive(creation):
    print("the archive opens")
    archives[1] = []
    return 1  # the instance; None would report a failure


def close_archive(key):
    print("the archive closes")
    del archives[key]


define("Archive", "required size_t count(void)")
counts = Archive(sizeof(Archive), Archive._fields_[1][1](lambda key: len(archives[key])))
keeps = Chat(sizeof(Chat), Chat._fields_[1][1](lambda key, who, text: archives[key].append(text)))
provides = (Provision * 3)((b"Archive", ctypes.addressof(counts)), (b"Chat", ctypes.addressof(keeps)))
description = ServiceDescription(
    size=sizeof(ServiceDescription), name=b"archive", provides=provides,
    create=ServiceDescription._fields_[6][1](open_archive), destroy=ServiceDescription._fields_[9][1](close_archive))
declare("peal_service_register", Handle, POINTER(ServiceDescription), POINTER(Handle))(center, description, None)
print("the archive is known, and not open")

# The archive also observes, so that the first message creates it.
keeping = Handle()
declare("peal_observe_service", Handle, c_char_p, c_void_p, POINTER(Handle))(chat, b"archive", None, keeping)
broadcast(on_message, "Gus", "remember this")

use = ServiceUse()
declare("peal_service_get_provider", Handle, c_char_p, c_size_t, POINTER(ServiceUse))(
    center, b"Archive", sizeof(Archive), use)
print(Archive.from_address(use.table).count(use.self), "message is kept")
declare("peal_use_release", Handle)(use.use)
declare("peal_session_end", Handle, c_void_p)(center, None)  # a log-out
remove(keeping)  # otherwise the next message would create it again


PEAL_OK = 0
owner = Handle()
declare("peal_owner_create", c_char_p, POINTER(Handle))(b"bots", owner)
declare("peal_owner_enter", Handle)(owner)  # this thread's registrations now belong to the owner
register(6, reader)
declare("peal_owner_leave")()
broadcast(on_message, "Gus", "any bots?")
if declare("peal_owner_retire", Handle, c_uint32)(owner, 1000) == PEAL_OK:  # waits up to a second for running calls
    print("the plugin may be unloaded")
declare("peal_queue_destroy", Handle)(queue)
