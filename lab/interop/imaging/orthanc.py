#!/usr/bin/env python3
"""Lets Orthanc send, find, bring and store images at image servers, and compares what comes.

    orthanc.py ORTHANC DIRECTORY LEAST

ORTHANC is the URL of its REST interface. It knows the modality `armilla` and the DICOMweb server
`first`, which are one image server, and the DICOMweb server `second`. At least LEAST images of the
directory must have been compared.
"""

import io
import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from pydicom import config, dcmread
from pydicom.errors import InvalidDicomError
from pydicom.uid import UID

config.settings.reading_validation_mode = config.IGNORE
orthanc, directory, least = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])


def ask(method, path, body=None):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(orthanc + path, data=data, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def get(path):
    return json.loads(ask("GET", path))


def post(path, body):
    return json.loads(ask("POST", path, body))


def wait():
    for _ in range(300):
        try:
            return get("/system")
        except OSError:
            time.sleep(0.1)
    sys.exit("FAILED: Orthanc did not start")


def upload():
    """The files that Orthanc takes, by its own identifier of each."""
    taken = {}
    for file in sorted(directory.glob("*.dcm")):
        try:
            told = post("/instances", file.read_bytes())
            if told["Status"] == "Success":
                taken[told["ID"]] = dcmread(io.BytesIO(ask("GET", f"/instances/{told['ID']}/file")))
        except (urllib.error.HTTPError, InvalidDicomError) as error:
            # Some have no head, which Orthanc cannot give them.
            print(f"not taken by Orthanc: {file.name}: {error}")
    return taken


def send(taken):
    """Sends each image by C-STORE; returns those that were taken."""
    sent = {}
    for id, image in taken.items():
        told = {"Resources": [id], "Synchronous": True}
        try:
            assert post("/modalities/armilla/store", told)["FailedInstancesCount"] == 0
            sent[id] = image
        except urllib.error.HTTPError as error:
            why = json.loads(error.read()).get("Details", error.reason)
            print(f"not sent: {image.SOPInstanceUID}: {why}")
    return sent


def query(level, wanted):
    found = post("/modalities/armilla/query", {"Level": level, "Query": wanted})
    return get(f"/queries/{found['ID']}/answers?expand&simplify")


def check_queries(sent):
    studies = {str(image.StudyInstanceUID) for image in sent.values()}
    found = query("Study", {"StudyInstanceUID": "", "PatientID": "", "ModalitiesInStudy": ""})
    assert {answer["StudyInstanceUID"] for answer in found} == studies
    for uid in studies:
        images = [image for image in sent.values() if image.StudyInstanceUID == uid]
        [study] = query("Study", {"StudyInstanceUID": uid, "PatientID": ""})
        assert study["PatientID"] == str(images[0].get("PatientID", "")).strip()
        series = query("Series", {"StudyInstanceUID": uid, "SeriesInstanceUID": ""})
        assert {answer["SeriesInstanceUID"] for answer in series} == {
            str(image.SeriesInstanceUID) for image in images
        }
        for one in series:
            wanted = {"StudyInstanceUID": uid, "SeriesInstanceUID": one["SeriesInstanceUID"]}
            answers = query("Instance", wanted | {"SOPInstanceUID": ""})
            assert {answer["SOPInstanceUID"] for answer in answers} == {
                str(image.SOPInstanceUID)
                for image in images
                if image.SeriesInstanceUID == one["SeriesInstanceUID"]
            }
    assert query("Study", {"StudyInstanceUID": "", "PatientID": "nobody"}) == []
    return len(studies)


def differences(image, other):
    """The tags of other attributes or pixels; a transfer may change the head of a file only."""
    assert image.file_meta.TransferSyntaxUID == other.file_meta.TransferSyntaxUID

    def value(image, tag):
        if tag not in image:
            return None
        # Some of the files have values that are none of their kind.
        raw = image.get_item(tag)
        try:
            return image[tag].value
        except ValueError:
            return raw.value

    # Orthanc leaves out lengths of groups, and octets that fill a file up.
    tags = {tag for tag in image.keys() | other.keys() if tag.element != 0 and tag != 0xFFFCFFFC}
    return {str(tag) for tag in tags if value(image, tag) != value(other, tag)}


def bring(sent):
    """Orthanc has lost the images; it finds them and brings them over DICOMweb."""
    for study in get("/studies"):
        ask("DELETE", f"/studies/{study}")
    assert get("/instances") == []
    studies = {str(image.StudyInstanceUID) for image in sent.values()}
    found = post("/dicom-web/servers/first/qido", {"Uri": "/studies"})
    uids = {one["0020000D"]["Value"] for one in found}
    assert uids == studies, f"found and not sent: {uids - studies}; else: {studies - uids}"
    for study in studies:
        post("/dicom-web/servers/first/retrieve", {"Resources": [{"Study": study}], "Synchronous": True})
    assert set(get("/instances")) == set(sent)
    faults = []
    for id, image in sent.items():
        came = dcmread(io.BytesIO(ask("GET", f"/instances/{id}/file")))
        if other := differences(image, came):
            faults.append(f"FAILED: {image.SOPInstanceUID} came with others: {sorted(other)}")
    if faults:
        sys.exit("\n".join(faults))


def store(sent):
    """Orthanc stores them in the second server, and sees them there."""
    told = post("/dicom-web/servers/second/stow", {"Resources": list(sent), "Synchronous": True})
    found = post("/dicom-web/servers/second/qido", {"Uri": "/instances", "Arguments": {"limit": "1000"}})
    uids = {one["00080018"]["Value"] for one in found}
    missing = {str(image.SOPInstanceUID) for image in sent.values()} - uids
    assert not missing, f"{told}: {missing} are not in the second server"


def main():
    wait()
    taken = upload()
    post("/modalities/armilla/echo", {})
    sent = send(taken)
    assert len(sent) >= least, f"only {len(sent)} images were sent"
    studies = check_queries(sent)
    bring(sent)
    store(sent)
    syntaxes = {UID(image.file_meta.TransferSyntaxUID).name for image in sent.values()}
    print(
        f"Orthanc: {len(sent)} of {len(taken)} images in {len(syntaxes)} transfer syntaxes and "
        f"{studies} studies sent, found, brought back and stored again"
    )


main()
