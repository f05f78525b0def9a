#!/usr/bin/env python3
"""Stores every test file of pydicom, and what dcmtk makes of some of them, at an image server, and asks
for it again: each is found, comes back octet for octet, has the attributes that pydicom sees in it, and
is rendered or refused with a reason, for which the page shows an icon. What is not stored is named in
a file of expected refusals. Each file gets an identifier of its own first: many have the same one.

    corpus.py SERVER REFUSALS DIRECTORY…

SERVER is a URL of DICOMweb. REFUSALS has a line for each file that is not stored: its name, a tab, and
a part of the reason. A file that is stored though it has a line, is a failure too.
"""

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

from pydicom import config, dcmread

config.settings.reading_validation_mode = config.IGNORE
server, refusals = sys.argv[1], Path(sys.argv[2])
DEFLATED = "1.2.840.10008.1.2.1.99"

# How many pixels a program that was built for tests draws in a moment.
LARGE = 1 << 20

# What dcmtk makes of a file, by its tool and options.
TRANSFORMS = {
    "explicit": ["dcmconv", "+te"],
    "implicit": ["dcmconv", "+ti"],
    "big-endian": ["dcmconv", "+tb"],
    "deflated": ["dcmconv", "+td"],
    "lengths": ["dcmconv", "+te", "+e", "+g"],
    "delimiters": ["dcmconv", "+te", "-e", "-g"],
    "padding": ["dcmconv", "+te", "+p", "1024", "128"],
    "no-head": ["dcmconv", "+te", "-F"],
    "no-head-implicit": ["dcmconv", "+ti", "-F"],
    "rle": ["dcmcrle"],
    "jpeg": ["dcmcjpeg", "+e1"],
    "jpeg-ls": ["dcmcjpls"],
}
BASES = ["CT_small.dcm", "MR_small.dcm", "rtplan.dcm", "waveform_ecg.dcm", "SC_rgb_rle.dcm"]


def ask(path, accept="*/*", body=None, kind=None):
    headers = {"Accept": accept} | ({"Content-Type": kind} if kind else {})
    request = urllib.request.Request(f"{server}/{path}", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def read(octets):
    image = dcmread(BytesIO(octets), force=True)
    image.walk(lambda _, element: element.value)
    return image


def with_own_uid(octets, image, number):
    """The same with another SOP Instance UID of the same length, so that no length changes."""
    uid = str(image.get("SOPInstanceUID", ""))
    head = image.file_meta.get("TransferSyntaxUID") if hasattr(image, "file_meta") else None
    if len(uid) < 12 or head == DEFLATED or not uid.replace(".", "").isdigit():
        return octets
    own = f"{uid[:-6]}7.{number}"
    return octets.replace(uid.encode(), own.encode())


def store(octets):
    body = b"--x\r\nContent-Type: application/dicom\r\n\r\n" + octets + b"\r\n--x--\r\n"
    kind = 'multipart/related; type="application/dicom"; boundary=x'
    status, told = ask("studies", body=body, kind=kind)
    told = json.loads(told)
    if status == 200:
        return told["00081199"]["Value"][0]["00081190"]["Value"][0].split("/dicomweb/")[1], ""
    return None, told["00081198"]["Value"][0]["00000902"]["Value"][0]


def compare(expected, told, where=""):
    """Whether what pydicom sees is told, but for large values and what stands behind the pixels."""
    for tag, element in expected.items():
        if tag >= "7FE00000" or tag.endswith("0000") and tag[:4] != "0000":
            continue
        found = told.get(tag)
        if found is None:
            size = len(element.get("InlineBinary", ""))
            assert size > 80_000, f"{where}{tag} {element['vr']} is not told"
        elif element["vr"] == found["vr"] == "SQ":
            items, others = element.get("Value", []), found.get("Value", [])
            assert len(items) == len(others), f"{where}{tag}: {len(others)} items, not {len(items)}"
            for one, other in zip(items, others):
                compare(one, other, f"{where}{tag}/")
        elif element["vr"] == found["vr"] and element["vr"] in ("UI", "US", "UL", "SS", "SL", "AT"):
            got, wanted = found.get("Value", []), element.get("Value", [])
            assert got == wanted, f"{where}{tag} is {got}, not {wanted}"


def check(octets, image):
    """How a file fares: what is wrong with it, or how it is shown."""
    path, reason = store(octets)
    if path is None:
        return "refused", reason
    uid = path.rsplit("/", 1)[1]
    status, found = ask(f"instances?SOPInstanceUID={uid}", "application/dicom+json")
    assert status == 200 and len(json.loads(found)) == 1, "it is not found"
    status, got = ask(path, "application/dicom")
    assert status == 200 and got == octets, f"it came back with other octets, or {status}"
    status, told = ask(f"{path}/metadata", "application/dicom+json")
    assert status == 200, f"no metadata: {told.decode()}"
    try:
        expected = image.to_json_dict()
    except Exception:  # noqa: BLE001, pydicom reads what it does not write as JSON
        expected = {}
    compare(expected, json.loads(told)[0])
    if int(image.get("Rows") or 0) * int(image.get("Columns") or 0) > LARGE:
        return "too large to be drawn here", ""
    status, picture = ask(f"{path}/rendered", "image/png")
    if status == 200:
        assert picture.startswith(b"\x89PNG")
        return "rendered", ""
    assert status in (404, 406), f"rendered: {status} {picture.decode()}"
    return "icon", picture.decode().strip()


def transformed(files, folder):
    for base in (file for file in files if file.name in BASES):
        for what, command in TRANSFORMS.items():
            plain, made = folder / "plain.dcm", folder / f"{base.stem}-{what}.dcm"
            subprocess.run(["dcmdrle", base, plain], capture_output=True)
            source = plain if plain.exists() else base
            subprocess.run(["dcmodify", "-q", "-nb", "-gin", source], capture_output=True)
            if subprocess.run([*command, source, made], capture_output=True).returncode == 0:
                yield made
            plain.unlink(missing_ok=True)


def main():
    expected = {}
    for line in refusals.read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split("\t")
            expected[name] = reason
    files = [file for folder in sys.argv[3:] for file in sorted(Path(folder).rglob("*.dcm"))]
    faults, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        files += list(transformed(files, Path(folder)))

        def one(numbered):
            number, file = numbered
            octets = file.read_bytes()
            try:
                image = read(octets)
            except Exception as error:  # noqa: BLE001, anything that pydicom raises
                return file, "unread", str(error)
            octets = with_own_uid(octets, image, number)
            dumped = subprocess.run(["dcmdump", "-q", file], capture_output=True).returncode == 0
            try:
                how, why = check(octets, read(octets))
            except AssertionError as error:
                return file, "wrong", str(error)
            return file, how if dumped or how == "refused" else f"{how}, not by dcmtk", why

        with ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(one, enumerate(files, 1000)))
    for file, how, why in outcomes:
        counts[how] = counts.get(how, 0) + 1
        known = expected.get(file.name)
        if how == "wrong":
            faults.append(f"{file.name}: {why}")
        elif how == "refused" and (known is None or known not in why):
            faults.append(f"{file.name} is refused: {why}")
        elif how != "refused" and known is not None and how != "unread":
            faults.append(f"{file.name} is stored; remove its line from {refusals.name}")
        elif how == "icon":
            print(f"icon: {file.name}: {why[:90]}")
    for fault in faults:
        print("FAILED", fault)
    print("corpus:", ", ".join(f"{count} {how}" for how, count in sorted(counts.items())))
    sys.exit(bool(faults))


main()
