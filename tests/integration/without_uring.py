# SPDX-License-Identifier: Apache-2.0
"""without_uring.py ERRNO COMMAND...: runs a command in which io_uring_setup(2) fails with this errno.

That is how containers forbid io_uring: a seccomp filter, which all children inherit.
"""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
IO_URING_SETUP = 425  # on every architecture
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def forbid(errno):
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (LOAD_WORD, 0, 0, 0),  # the number of the system call
            (JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
            (RETURN, 0, 0, ERRNO | errno),
            (RETURN, 0, 0, ALLOW),
        )
    )
    instructions = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("HP", len(program) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0)):
        if libc.prctl(*arguments) < 0:
            raise OSError(ctypes.get_errno(), "prctl")


forbid(int(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
