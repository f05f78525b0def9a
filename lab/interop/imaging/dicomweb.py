#!/usr/bin/env python3
"""Asks an image server and a locator with dicomweb-client, and compares what comes with the files that
were sent: octets, attributes, values of pixels (as pydicom decodes them) and pictures (as dcmtk
draws them).

    dicomweb.py SERVER LOCATOR DIRECTORY [LEAST]

SERVER and LOCATOR are URLs of DICOMweb. The server has the images of the directory, each a file
UID.dcm, and stores them once more. The values and pictures of
at least LEAST images must have been compared.
"""

import io
import logging
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import numpy
import requests
from dicomweb_client.api import DICOMwebClient
from PIL import Image
from pydicom import config, dcmread
from pydicom.dataset import Dataset

server, locator, directory = sys.argv[1], sys.argv[2], Path(sys.argv[3])
least = int(sys.argv[4]) if len(sys.argv) > 4 else 0
# It repeats each warning about the server that is down.
logging.getLogger("dicomweb_client").setLevel(logging.ERROR)
config.settings.reading_validation_mode = config.IGNORE
files = {file.stem: file for file in sorted(directory.glob("*.dcm"))}
LOSSY = {"1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.91"}


def get(url, accept):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def path(image, base=server):
    study, series, uid = image.StudyInstanceUID, image.SeriesInstanceUID, image.SOPInstanceUID
    return f"{base}/studies/{study}/series/{series}/instances/{uid}"


def check_search(client):
    studies = [Dataset.from_json(study) for study in client.search_for_studies()]
    expected = {dcmread(file, stop_before_pixels=True).StudyInstanceUID for file in files.values()}
    assert {study.StudyInstanceUID for study in studies} == expected
    for study in studies:
        uid = study.StudyInstanceUID
        series = client.search_for_series(study_instance_uid=uid)
        assert len(series) == study.NumberOfStudyRelatedSeries
        images = client.search_for_instances(study_instance_uid=uid)
        assert len(images) == study.NumberOfStudyRelatedInstances
        wanted = {"StudyInstanceUID": uid}
        found = client.search_for_studies(search_filters=wanted, fields=["PatientSex"])
        assert len(found) == 1 and found[0]["00100010"] == study.to_json_dict()["00100010"]
    offsets = range(0, len(files), 3)
    pages = [client.search_for_instances(limit=3, offset=offset) for offset in offsets]
    uids = [image["00080018"]["Value"][0] for page in pages for image in page]
    assert sorted(uids) == sorted(files)


def check_files(client, image, file):
    study, series, uid = image.StudyInstanceUID, image.SeriesInstanceUID, image.SOPInstanceUID
    assert get(path(image), "application/dicom") == file.read_bytes(), "other octets"
    parts = client.retrieve_instance(study, series, uid, media_types=[("application/dicom", "*")])
    assert parts.SOPInstanceUID == uid
    told = client.retrieve_instance_metadata(study, series, uid)
    try:
        told = Dataset.from_json(told)
    except ValueError as error:
        print(f"the file has what pydicom does not read: {error}")
        return
    names = ["PatientName", "PatientID", "Rows", "Columns", "BitsAllocated", "StudyDate", "SOPClassUID"]
    for name in names:
        got, expected = told.get(name), image.get(name)
        assert got == expected, f"{name}: {got} is not {expected}"


def check_values(client, image):
    """The decoded values, where pydicom has a decoder for the file."""
    study, series, uid = image.StudyInstanceUID, image.SeriesInstanceUID, image.SOPInstanceUID
    try:
        expected = image.pixel_array
    except Exception:  # it names no class for what it has no decoder for
        return False
    frames = int(image.get("NumberOfFrames", 1))
    expected = expected.reshape((frames, -1))
    media = [("application/octet-stream", "1.2.840.10008.1.2.1")]
    got = client.retrieve_instance_frames(
        study, series, uid, frame_numbers=list(range(1, frames + 1)), media_types=media
    )
    for frame, octets in zip(expected, got, strict=True):
        values = numpy.frombuffer(octets, dtype=frame.dtype.newbyteorder("<"))
        assert numpy.array_equal(values, frame), "other values"
    return True


def check_pictures(image, file):
    """The first frame, with several windows if it is grey."""
    grey = image.SamplesPerPixel == 1 and image.PhotometricInterpretation != "PALETTE COLOR"
    windows = [(40, 400), (512, 1024), (1000, 1), (300.5, 77)] if grey else [None]
    worst, compared = 0, 0
    for window in windows:
        with tempfile.NamedTemporaryFile(suffix=".pnm") as drawn:
            how = ["+Wl", *map(str, window)] if window else []
            command = ["dcmj2pnm", "-q", *how, "+op", file, drawn.name]
            if subprocess.run(command, capture_output=True).returncode != 0:
                return None
            expected = numpy.asarray(Image.open(drawn.name)).astype(int)
        query = f"?window={window[0]},{window[1]},linear" if window else ""
        png = get(f"{path(image)}/rendered{query}", "image/png")
        got = numpy.asarray(Image.open(io.BytesIO(png))).astype(int)
        assert got.shape == expected.shape, f"{got.shape} is not {expected.shape}"
        worst, compared = max(worst, abs(got - expected).max()), compared + 1
    return worst


def refuse(image, status, why):
    """What the server cannot decode, it says, and keeps as it is."""
    syntax = image.file_meta.TransferSyntaxUID.name
    print(f"passed on, not drawn: {syntax}, {image.BitsAllocated} bits: {why.strip()}")
    assert status == 406, f"{status} {why}"


def main():
    direct, through = DICOMwebClient(url=server), DICOMwebClient(url=locator)
    check_search(direct)
    check_search(through)
    values = pictures = 0
    faults = []
    for file in files.values():
        image = dcmread(file, force=True)
        lossy = str(image.file_meta.TransferSyntaxUID) in LOSSY
        try:
            for client in [direct, through]:
                check_files(client, image, file)
            if "PixelData" not in image:
                continue
            try:
                # What is lossy may be decoded in more ways than one.
                values += not lossy and check_values(through, image)
                worst = check_pictures(image, file)
            except urllib.error.HTTPError as error:
                refuse(image, error.code, error.read().decode())
                continue
            except requests.HTTPError as error:
                refuse(image, error.response.status_code, error.response.text)
                continue
            if worst is not None:
                most = 3 if lossy else 0
                assert worst <= most, f"a shade differs by {worst}, at most {most} is allowed"
                pictures += 1
        except AssertionError as error:
            kind = image.get("PhotometricInterpretation")
            faults.append(f"FAILED {file.name} {image.file_meta.TransferSyntaxUID.name} {kind}: {error}")
    if faults:
        sys.exit("\n".join(faults))
    # The same once more is no error; a changed image with the UID of another one is.
    images = (dcmread(file, force=True) for file in files.values())
    plain = (image for image in images if not image.file_meta.TransferSyntaxUID.is_compressed)
    image = next(image for image in plain if image.get("Modality") == "CT")
    told = through.store_instances([image])
    outcome = told.get("FailedSOPSequence") or told.ReferencedSOPSequence
    assert outcome[0].ReferencedSOPInstanceUID == image.SOPInstanceUID
    image.SOPInstanceUID = image.file_meta.MediaStorageSOPInstanceUID = image.SOPInstanceUID + ".7"
    told = through.store_instances([image])
    assert told.ReferencedSOPSequence[0].ReferencedSOPInstanceUID == image.SOPInstanceUID
    assert get(path(image, locator) + "/thumbnail", "image/png").startswith(b"\x89PNG")
    # Fewer would mean that something was passed over.
    if min(values, pictures) < least:
        sys.exit(f"FAILED: values of {values} and pictures of {pictures} images were compared")
    print(f"DICOMweb: {len(files)} images as sent; equal: values of {values}, pictures of {pictures}")


main()
