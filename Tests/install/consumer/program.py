"""Uses peal from Python: program.py LIBRARY"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

peal = ctypes.CDLL(sys.argv[1])


class Handle(ctypes.Structure):
    _fields_ = [("number", c_uint64)]


class Description(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("adopts", POINTER(c_char_p)),
        ("methods", POINTER(c_char_p)),
        ("table_size", c_size_t),
    ]


class Binding(ctypes.Structure):
    _fields_ = [("method", c_char_p), ("function", c_void_p), ("prototype", c_char_p)]


peal.peal_version.restype = c_uint32
peal.peal_last_message.restype = c_char_p
peal.peal_center_default.restype = Handle
peal.peal_protocol_define.argtypes = [Handle, POINTER(Description), POINTER(Handle), POINTER(Handle), c_size_t]
peal.peal_observe_bindings.argtypes = [Handle, c_void_p, POINTER(Binding), c_size_t, c_void_p, c_void_p]
peal.peal_send.argtypes = [Handle, POINTER(c_void_p), c_size_t, c_void_p, POINTER(c_size_t)]


def done(status):
    assert status >= 0, peal.peal_last_message().decode()


methods = (c_char_p * 2)(b"double combine(double x, double y), sum", None)
description = Description(ctypes.sizeof(Description), b"Combiner", None, methods, 0)
combiner, combine = Handle(), Handle()
done(peal.peal_protocol_define(peal.peal_center_default(), byref(description), byref(combiner), byref(combine), 1))


@ctypes.CFUNCTYPE(c_double, c_void_p, c_double, c_double)
def add(_, x, y):
    return x + y


@ctypes.CFUNCTYPE(c_double, c_void_p, c_double, c_double)
def multiply(_, x, y):
    return x * y


for function in (add, multiply):
    binding = Binding(b"combine", ctypes.cast(function, c_void_p), b"double combine(double x, double y)")
    done(peal.peal_observe_bindings(combiner, None, byref(binding), 1, None, None))

x, y, result, calls = c_double(6), c_double(7), c_double(), c_size_t()
arguments = (c_void_p * 2)(ctypes.addressof(x), ctypes.addressof(y))
done(peal.peal_send(combine, arguments, 2, byref(result), byref(calls)))
assert (result.value, calls.value) == (55.0, 2), (result, calls)

status = c_int(peal.peal_send(Handle(0), arguments, 2, None, None)).value
assert status < 0 and peal.peal_last_message(), "a zero handle is refused with a sentence"
print("Python:", result.value, "by peal", peal.peal_version())
