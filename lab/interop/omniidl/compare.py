"""Compares `armilla idl dump` with omniidl: which files are accepted, and for those the repository
id, the kind and the constant value of each declaration.

    compare.py ARMILLA DEVIATIONS FILE... [-I DIR]... [--constructs CONSTRUCTS]

DEVIATIONS lists files on which the two differ for a reason, `NAME: reason` on a line each; one of
those that does not differ is a failure too. CONSTRUCTS lists what omniidl does not know, as regular
expressions: a file that it rejects for a line with one of them may be accepted.
"""

import collections
import concurrent.futures
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Facts that omniidl reports for no declaration, or for each reopening of a module.
NOT_COMPARED = {"factory", "eventtype", "bitmask", "bitset"}


def main():
    arguments = sys.argv[1:]
    armilla, deviations = arguments[0], read_deviations(arguments[1])
    files, include, constructs = [], [], {}
    rest = iter(arguments[2:])
    for argument in rest:
        if argument == "-I":
            include.append(next(rest))
        elif argument == "--constructs":
            constructs = read_deviations(next(rest))
        else:
            files.append(argument)
    passed = failed = declarations = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = pool.map(lambda file: compare(armilla, file, include, constructs), files)
        for file, (problem, count) in zip(files, results):
            reason = deviations.pop(os.path.basename(file), None)
            declarations += count
            if problem and not reason:
                print(f"FAIL {file}: {problem}")
            elif reason and not problem:
                print(f"FAIL {file}: agrees, and should differ: {reason}")
            if bool(problem) == bool(reason):
                passed += 1
            else:
                failed += 1
    print(f"{len(files)} files, {declarations} declarations compared")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def read_deviations(path):
    with open(path) as text:
        lines = [line.strip() for line in text if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def unknown_construct(complaint, folders, constructs):
    """Why omniidl rejects a file, if it is for a construct that it does not know."""
    place = re.search(r"^(?!omniidl:)(.*):(\d+): (.*)$", complaint, re.MULTILINE)
    if not place:
        return None
    path, line, message = place.groups()
    # An included file is named as it was included.
    found = [known for folder in folders if os.path.exists(known := os.path.join(folder, path))]
    if not found:
        return None
    with open(found[0], errors="replace") as text:
        lines = text.read().splitlines()
    # An annotation may stand in front of what omniidl complains of.
    at = int(line)
    shown = [message, *lines[max(0, at - 2) : at]]
    for construct, reason in constructs.items():
        if any(re.search(construct, text) for text in shown):
            return reason
    return None


def compare(armilla, file, include, constructs):
    """What differs, or None; and how many declarations were compared."""
    flags = ["-I" + directory for directory in include]
    ours = run([armilla, "idl", "dump", *flags, file])
    theirs = run(["omniidl", "-p", HERE, "-b", "armilla_dump", *flags, file])
    accepted = ours.returncode == 0, theirs.returncode == 0
    folders = ["", os.path.dirname(file), *include]
    if accepted == (True, False) and unknown_construct(theirs.stderr, folders, constructs):
        return None, 0
    if accepted != (theirs.returncode == 0,) * 2:
        words = ["accept" if yes else "reject" for yes in accepted]
        return f"we {words[0]}, omniidl {words[1]}s", 0
    if not accepted[0]:
        return (None if ours.returncode == 1 else f"status {ours.returncode}"), 0
    ours, theirs = table(ours.stdout), table(theirs.stdout)
    for key in list(ours) + list(theirs):
        if key not in theirs:
            return f"only we have {key}", 0
        if key not in ours:
            return f"only omniidl has {key}", 0
        one, other = ours[key], theirs[key]
        for field in ("repository_id", "value"):
            if not same(one.get(field), other.get(field), one.get("type")):
                return f"{key}: {field} is {one.get(field)!r}, not {other.get(field)!r}", 0
    return None, len(ours)


def run(command):
    options = {"text": True, "errors": "surrogateescape", "start_new_session": True}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, **options) as process:
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            # A compiler that does not terminate, as omniidl with a macro bomb, accepts nothing. Its
            # preprocessor is a separate process.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return subprocess.CompletedProcess(command, 1, "", "no end within 60 s")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def table(text):
    found = {}
    for line in text.splitlines():
        declaration = json.loads(line)
        if declaration["kind"] in NOT_COMPARED or declaration.get("defined") is False:
            continue
        # Only constants have a value that both compilers report.
        if declaration["kind"] != "const":
            declaration.pop("value", None)
        # omniidl reports each reopening of a module. The identity of a module is its first opening.
        found.setdefault((declaration["name"], declaration["kind"]), declaration)
    return found


def same(one, other, type_):
    if isinstance(one, float) and isinstance(other, float):
        if type_ == "float":
            one, other = (struct.unpack("f", struct.pack("f", x))[0] for x in (one, other))
        return one == other or math.isclose(one, other, rel_tol=1e-15)
    return one == other


if __name__ == "__main__":
    main()
