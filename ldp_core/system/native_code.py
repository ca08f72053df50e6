"""Whether compiled code can be executed: some systems forbid it."""

import ctypes
import mmap
import sys
from functools import cache
from importlib.util import find_spec

PAGE = mmap.PAGESIZE


@cache
def refusal() -> str:
    """Why native code cannot run here; "" if it can."""
    try:
        if find_spec("llvmlite") is None:
            return "llvmlite is not installed"
    except (ImportError, ValueError):
        return "llvmlite is hidden, or half removed"
    if not _memory_can_be_executed():
        return "this system refuses to run code that was made here"
    return ""


def _memory_can_be_executed() -> bool:
    """Whether a written memory page can be made executable; if not, LLVM would end the process."""
    if sys.platform != "linux":
        return True
    page = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    byte = ctypes.c_char.from_buffer(page)
    try:
        place = ctypes.addressof(byte)
        allowed = libc.mprotect(place, PAGE, mmap.PROT_READ | mmap.PROT_EXEC) == 0
        libc.mprotect(place, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)
    finally:
        del byte
        page.close()
    return allowed
