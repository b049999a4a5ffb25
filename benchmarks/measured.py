"""Runs a command to its end and writes what it used: python -I -S measured.py FILE COMMAND ...

A small process for this alone: Linux counts the memory of the process that starts another
as the other's own. CPU is that of the command and of all its children that it waited for;
the memory is that of the largest of them.
"""

import json
import os
import sys
import time


def main(file: str, command: list[str]) -> int:
    """The command's exit status."""
    began = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    used = {
        "wall": time.perf_counter() - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / 1024,
    }
    with open(file, "w") as output:  # noqa: PTH123 - pathlib would be most of this process
        json.dump(used, output)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
