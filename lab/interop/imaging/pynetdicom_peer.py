"""pynetdicom as a modality and as a workstation of an image server: contexts, C-ECHO, C-STORE, C-FIND,
C-GET, C-MOVE, the modality worklist, performed procedure steps, and storage commitment on the
association that asked and on a new one, with both roles of each. Run by `check`.

usage: pynetdicom_peer.py PORT OWN_PORT [FILE ...]    # the server knows PYNET at OWN_PORT
prints what it planned to be done by MPPS, and fails with what does not hold
"""

import queue
import sys
import time

from pydicom import dcmread
from pydicom.dataset import Dataset
from pydicom.uid import ExplicitVRLittleEndian, ImplicitVRLittleEndian, generate_uid
from pynetdicom import AE, build_role, evt
from pynetdicom.sop_class import (
    ModalityPerformedProcedureStep,
    ModalityWorklistInformationFind,
    StorageCommitmentPushModel,
    StudyRootQueryRetrieveInformationModelFind,
    StudyRootQueryRetrieveInformationModelGet,
    StudyRootQueryRetrieveInformationModelMove,
    Verification,
)

INSTANCE = "1.2.840.10008.1.20.1.1"
SYNTAXES = [ExplicitVRLittleEndian, ImplicitVRLittleEndian]
port, own_port = int(sys.argv[1]), int(sys.argv[2])
images = [dcmread(path) for path in sys.argv[3:]]
kinds = sorted({image.SOPClassUID for image in images})
stored, reports = {}, queue.Queue()


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def take_image(event):
    stored[event.dataset.SOPInstanceUID] = event.dataset
    return 0x0000


def take_report(event):
    reports.put((event.event_type, event.event_information))
    return 0x0000, None


def entity(*classes):
    ae = AE("PYNET")
    for one in classes:
        ae.add_requested_context(one, SYNTAXES)
    return ae


def associate(ae, **more):
    association = ae.associate("127.0.0.1", port, ae_title="ARMILLA", **more)
    expect(association.is_established, True, "an association")
    return association


def last(replies):
    return [status.Status for status, _ in replies][-1]


def contexts():
    """What the server does not serve it rejects: abstract syntax not supported."""
    ae = entity(Verification, *kinds, "1.2.840.10008.1.20.2", "1.2.3.4.5.6.7")
    association = associate(ae)
    rejected = {one.abstract_syntax: one.result for one in association.rejected_contexts}
    expect(rejected, {"1.2.840.10008.1.20.2": 3, "1.2.3.4.5.6.7": 3}, "rejected contexts")
    expect(association.send_c_echo().Status, 0, "C-ECHO")
    for image in images:
        expect(association.send_c_store(image).Status, 0, "C-STORE")
    # An operation that the service has not: its data set is read, and the association goes on.
    data = Dataset()
    data.PatientID = "x"
    status, _ = association.send_n_action(data, 1, Verification, "1.2.3")
    expect(status.Status, 0x0211, "N-ACTION of a service without one")
    expect(association.send_c_echo().Status, 0, "C-ECHO after it")
    association.release()


def retrievals():
    """C-FIND, C-GET with the role of a provider of storage, C-MOVE to this program."""
    keys = Dataset()
    keys.QueryRetrieveLevel = "IMAGE"
    keys.StudyInstanceUID, keys.SeriesInstanceUID = images[0].StudyInstanceUID, ""
    keys.SOPInstanceUID = images[0].SOPInstanceUID
    ae = entity(
        StudyRootQueryRetrieveInformationModelFind,
        StudyRootQueryRetrieveInformationModelGet,
        StudyRootQueryRetrieveInformationModelMove,
        *kinds,
    )
    roles = [build_role(kind, scp_role=True) for kind in kinds]
    handlers = [(evt.EVT_C_STORE, take_image)]
    association = associate(ae, ext_neg=roles, evt_handlers=handlers)
    found = list(association.send_c_find(keys, StudyRootQueryRetrieveInformationModelFind))
    expect((len(found), found[0][1].SOPInstanceUID), (2, images[0].SOPInstanceUID), "C-FIND")
    for way in ("C-GET", "C-MOVE"):
        stored.clear()
        if way == "C-GET":
            expect(last(association.send_c_get(keys, StudyRootQueryRetrieveInformationModelGet)), 0, way)
        else:
            replies = association.send_c_move(keys, "PYNET", StudyRootQueryRetrieveInformationModelMove)
            expect(last(replies), 0, way)
        image = stored.get(images[0].SOPInstanceUID)
        expect(image is not None and image.PixelData == images[0].PixelData, True, f"{way}: pixels")
    association.release()


def planned(association, **step):
    keys = Dataset()
    keys.PatientName, keys.PatientID, keys.StudyInstanceUID = "", "", ""
    item = Dataset()
    item.Modality = item.ScheduledProcedureStepID = item.ScheduledProcedureStepStatus = ""
    for name, value in step.items():
        setattr(item, name, value)
    keys.ScheduledProcedureStepSequence = [item]
    replies = list(association.send_c_find(keys, ModalityWorklistInformationFind))
    expect(replies[-1][0].Status, 0, "C-FIND of the worklist")
    return [answer for _, answer in replies[:-1]]


def worklist_and_step():
    """The entry that `check` has planned at PYNET is found, begun, done, and gone."""
    association = associate(entity(ModalityWorklistInformationFind, ModalityPerformedProcedureStep))
    today = "20261127-20261128"
    for step, count in [
        ({"ScheduledStationAETitle": "PYNET"}, 1),
        ({"ScheduledStationAETitle": "OTHER"}, 0),
        ({"ScheduledStationAETitle": "PYN*", "ScheduledProcedureStepStartDate": today}, 1),
        ({"ScheduledStationAETitle": "PYNET", "ScheduledProcedureStepStartDate": "-20261126"}, 0),
    ]:
        expect(len(planned(association, **step)), count, f"entries with {step}")
    [entry] = planned(association, ScheduledStationAETitle="PYNET")
    expect(str(entry.PatientName), "Müller^Jörg", "a name")
    [step] = entry.ScheduledProcedureStepSequence

    item = Dataset()
    item.StudyInstanceUID = entry.StudyInstanceUID
    item.ScheduledProcedureStepID = step.ScheduledProcedureStepID
    begun = Dataset()
    begun.ScheduledStepAttributesSequence = [item]
    begun.PatientName, begun.PatientID = entry.PatientName, entry.PatientID
    begun.Modality, begun.PerformedStationAETitle = "CT", "PYNET"
    begun.PerformedProcedureStepID = "1"
    begun.PerformedProcedureStepStartDate, begun.PerformedProcedureStepStartTime = "20261127", "1020"
    begun.PerformedProcedureStepStatus = "IN PROGRESS"
    begun.SpecificCharacterSet = "ISO_IR 192"
    uid = generate_uid()
    status, _ = association.send_n_create(begun, ModalityPerformedProcedureStep, uid)
    expect(status.Status, 0, "N-CREATE")
    [entry] = planned(association, ScheduledStationAETitle="PYNET")
    expect(entry.ScheduledProcedureStepSequence[0].ScheduledProcedureStepStatus, "STARTED", "the entry")
    ended = Dataset()
    ended.PerformedProcedureStepEndDate, ended.PerformedProcedureStepEndTime = "20261127", "1040"
    series = Dataset()
    series.SeriesInstanceUID, series.ProtocolName = images[0].SeriesInstanceUID, "thorax"
    ended.PerformedSeriesSequence = [series]
    ended.PerformedProcedureStepStatus = "COMPLETED"
    status, _ = association.send_n_set(ended, ModalityPerformedProcedureStep, uid)
    expect(status.Status, 0, "N-SET")
    status, _ = association.send_n_set(ended, ModalityPerformedProcedureStep, uid)
    expect((status.Status, status.ErrorID), (0x0110, 0xA710), "N-SET of a step that is finished")
    expect(planned(association, ScheduledStationAETitle="PYNET"), [], "entries that are done")
    association.release()
    print(uid)


def commitment():
    """The report comes where it was asked for, or on a new association when that is over."""
    for stays in (True, False):
        request, transaction = Dataset(), generate_uid()
        request.TransactionUID = transaction
        request.ReferencedSOPSequence = []
        for kind, uid in [(images[0].SOPClassUID, images[0].SOPInstanceUID), (kinds[0], "1.2.3.9")]:
            item = Dataset()
            item.ReferencedSOPClassUID, item.ReferencedSOPInstanceUID = kind, uid
            request.ReferencedSOPSequence.append(item)
        handlers = [(evt.EVT_N_EVENT_REPORT, take_report)] if stays else []
        association = associate(entity(StorageCommitmentPushModel), evt_handlers=handlers)
        status, _ = association.send_n_action(request, 1, StorageCommitmentPushModel, INSTANCE)
        expect(status.Status, 0, "N-ACTION")
        if not stays:
            association.release()
        kind, told = reports.get(timeout=60)
        expect((kind, told.TransactionUID), (2, transaction), "a report")
        [kept], [failed] = told.ReferencedSOPSequence, told.FailedSOPSequence
        expect(kept.ReferencedSOPInstanceUID, images[0].SOPInstanceUID, "what is kept")
        reason = (failed.ReferencedSOPInstanceUID, failed.FailureReason)
        expect(reason, ("1.2.3.9", 0x0112), "what is not")
        if stays:
            time.sleep(0.1)
            association.release()


taker = AE("PYNET")
for kind in kinds:
    taker.add_supported_context(kind, SYNTAXES)
taker.add_supported_context(StorageCommitmentPushModel, SYNTAXES, scu_role=False, scp_role=True)
handlers = [(evt.EVT_C_STORE, take_image), (evt.EVT_N_EVENT_REPORT, take_report)]
server = taker.start_server(("127.0.0.1", own_port), block=False, evt_handlers=handlers)
contexts()
retrievals()
worklist_and_step()
commitment()
server.shutdown()
