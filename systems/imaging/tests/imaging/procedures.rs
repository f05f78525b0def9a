//! What modalities ask for beside images: the worklist, performed procedure steps, storage commitment.

use crate::common::{Scratch, write_image};
use crate::modalities::{MR, Object, Peer, Reply, import, read, serve_procedures, short, text};
use crate::programs::Program;
use armilla_imaging::procedures::{Procedures, Progress, StepState, object_from_json};
use dicom_core::value::Value;
use dicom_core::{DataElement, Tag, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_transfer_syntax_registry::entries::IMPLICIT_VR_LITTLE_ENDIAN;
use dicom_ul::Pdu;
use dicom_ul::association::server::{Negotiation, ServerAssociationOptions};
use dicom_ul::association::{Association as _, ServerAssociation};
use dicom_ul::pdu::{PDataValue, PDataValueType, RequestorRoles};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const WORKLIST: &str = uids::MODALITY_WORKLIST_INFORMATION_MODEL_FIND;
const STEPS: &str = uids::MODALITY_PERFORMED_PROCEDURE_STEP;
const COMMITMENT: &str = uids::STORAGE_COMMITMENT_PUSH_MODEL;
const INSTANCE: &str = uids::STORAGE_COMMITMENT_PUSH_MODEL_INSTANCE;

fn items(tag: Tag, items: Vec<Vec<DataElement<Object>>>) -> DataElement<Object> {
    let items: Vec<Object> = items.into_iter().map(Object::from_element_iter).collect();
    DataElement::new(tag, VR::SQ, Value::Sequence(items.into()))
}

fn plan(procedures: &Procedures, name: &str, station: &str, day: &str) -> String {
    let entry = serde_json::json!({
        "00100010": { "vr": "PN", "Value": [{ "Alphabetic": name }] },
        "00100020": { "vr": "LO", "Value": ["P7"] },
        "0020000D": { "vr": "UI", "Value": [format!("1.2.77.{day}")] },
        "00400100": { "vr": "SQ", "Value": [{
            "00080060": { "vr": "CS", "Value": ["CT"] },
            "00400001": { "vr": "AE", "Value": [station] },
            "00400002": { "vr": "DA", "Value": [day] },
            "00400003": { "vr": "TM", "Value": ["1015"] },
            "00400009": { "vr": "SH", "Value": ["S1"] },
        }] },
    });
    let set = object_from_json(&entry.to_string()).unwrap();
    procedures.plan(set).unwrap().uid.clone()
}

/// The answers of a worklist: names and dates.
fn worklist(peer: &mut Peer, station: &str, day: &str) -> Vec<String> {
    let keys = [
        text(tags::PATIENT_NAME, VR::PN, ""),
        text(tags::STUDY_INSTANCE_UID, VR::UI, ""),
        items(
            tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE,
            vec![vec![
                text(tags::SCHEDULED_STATION_AE_TITLE, VR::AE, station),
                text(tags::SCHEDULED_PROCEDURE_STEP_START_DATE, VR::DA, day),
                text(tags::SCHEDULED_PROCEDURE_STEP_STATUS, VR::CS, ""),
            ]],
        ),
    ];
    let replies = peer.search(WORKLIST, &keys);
    let (last, found) = replies.split_last().unwrap();
    assert_eq!(last.status(), 0);
    let answer = |reply: &Reply| {
        let set = reply.object();
        let text = |set: &Object, tag| set.element(tag).unwrap().to_str().unwrap().into_owned();
        let step = set.element(tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE).unwrap();
        let step = &step.items().unwrap()[0];
        assert_eq!(step.tags().count(), 3);
        let status = text(step, tags::SCHEDULED_PROCEDURE_STEP_STATUS);
        let day = text(step, tags::SCHEDULED_PROCEDURE_STEP_START_DATE);
        format!("{} {day} {status}", text(&set, tags::PATIENT_NAME))
    };
    found.iter().map(answer).collect()
}

fn begun(day: &str) -> Vec<DataElement<Object>> {
    let item = vec![
        text(tags::STUDY_INSTANCE_UID, VR::UI, &format!("1.2.77.{day}")),
        text(tags::SCHEDULED_PROCEDURE_STEP_ID, VR::SH, "S1"),
    ];
    vec![
        text(tags::MODALITY, VR::CS, "CT"),
        text(tags::PERFORMED_STATION_AE_TITLE, VR::AE, "CT1"),
        text(tags::PERFORMED_PROCEDURE_STEP_START_DATE, VR::DA, day),
        text(tags::PERFORMED_PROCEDURE_STEP_START_TIME, VR::TM, "101530"),
        text(tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, "IN PROGRESS"),
        text(tags::PERFORMED_PROCEDURE_STEP_ID, VR::SH, "PP1"),
        items(tags::SCHEDULED_STEP_ATTRIBUTES_SEQUENCE, vec![item]),
    ]
}

fn ended(day: &str) -> Vec<DataElement<Object>> {
    vec![
        text(tags::PERFORMED_PROCEDURE_STEP_END_DATE, VR::DA, day),
        text(tags::PERFORMED_PROCEDURE_STEP_END_TIME, VR::TM, "103000"),
        text(tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, "COMPLETED"),
        items(
            tags::PERFORMED_SERIES_SEQUENCE,
            vec![vec![text(tags::PROTOCOL_NAME, VR::LO, "thorax")]],
        ),
    ]
}

#[test]
fn a_modality_has_its_worklist_and_says_what_it_did() {
    let scratch = Scratch::new();
    let (_store, procedures, at) = serve_procedures(&scratch.file("store"), "", &[]);
    let first = plan(&procedures, "山田^太郎", "CT1", "20261127");
    plan(&procedures, "Doe^Jane", "CT1", "20261128");
    plan(&procedures, "Roe^Ann", "CT2", "20261129");
    let mut peer = Peer::with(at, "CT1", &[WORKLIST, STEPS]);
    let (one, two) = ("山田^太郎 20261127 SCHEDULED", "Doe^Jane 20261128 SCHEDULED");
    assert_eq!(worklist(&mut peer, "CT1", ""), [one, two]);
    assert_eq!(worklist(&mut peer, "CT1", "20261128-20261130"), [two]);
    assert_eq!(worklist(&mut peer, "", "-20261126"), [""; 0]);

    let uid = "1.2.88.1";
    let create = [text(tags::AFFECTED_SOP_INSTANCE_UID, VR::UI, uid)];
    let set = [text(tags::REQUESTED_SOP_INSTANCE_UID, VR::UI, uid)];
    assert_eq!(peer.request(STEPS, 0x0120, &set, Some(&ended("20261127"))).status(), 0x0112);
    let mut odd = begun("20261127");
    odd.retain(|element| element.header().tag != tags::MODALITY);
    assert_eq!(peer.request(STEPS, 0x0140, &create, Some(&odd)).status(), 0x0120);
    assert_eq!(peer.request(STEPS, 0x0140, &create, Some(&begun("20261127"))).status(), 0);
    assert_eq!(peer.request(STEPS, 0x0140, &create, Some(&begun("20261127"))).status(), 0x0111);
    assert_eq!(worklist(&mut peer, "CT1", "20261127"), ["山田^太郎 20261127 STARTED"]);
    assert_eq!(peer.request(STEPS, 0x0120, &set, Some(&ended("20261127"))).status(), 0);
    assert_eq!(worklist(&mut peer, "CT1", ""), [two]);
    let again = peer.request(STEPS, 0x0120, &set, Some(&ended("20261127")));
    assert_eq!((again.status(), again.number(tags::ERROR_ID)), (0x0110, 0xa710));
    let comment = again.command.element(tags::ERROR_COMMENT).unwrap().to_str().unwrap();
    assert!(comment.contains("may no longer be updated"), "{comment}");
    // A UID that the server makes.
    let made = peer.request(STEPS, 0x0140, &[], Some(&begun("20261128")));
    let made = made
        .command
        .element(tags::AFFECTED_SOP_INSTANCE_UID)
        .unwrap()
        .to_str()
        .unwrap()
        .into_owned();
    assert!(made.starts_with("2.25."), "{made}");
    peer.association.release().unwrap();

    let states: Vec<_> = procedures.steps().iter().map(|step| step.state).collect();
    assert_eq!(states, [StepState::Completed, StepState::InProgress]);
    assert_eq!(procedures.entry(&first).unwrap().progress, Progress::Completed);
}

#[test]
fn strangers_have_no_worklist_and_enter_nothing() {
    let scratch = Scratch::new();
    let rules = "deny any from any";
    let (_store, procedures, at) = serve_procedures(&scratch.file("store"), rules, &[]);
    plan(&procedures, "Doe^Jane", "CT1", "20261127");
    let mut peer = Peer::with(at, "CT1", &[WORKLIST, STEPS, COMMITMENT]);
    let replies = peer.search(WORKLIST, &[text(tags::PATIENT_NAME, VR::PN, "")]);
    assert_eq!((replies.len(), replies[0].status()), (1, 0x0124));
    assert_eq!(peer.request(STEPS, 0x0140, &[], Some(&begun("20261127"))).status(), 0x0124);
    assert_eq!(commit(&mut peer, "1.2.5", &["1.2.3.1.1"]).status(), 0x0124);
    // What is too large is passed over, and the association goes on.
    let scratch = Scratch::new();
    let (_store, _, at) = serve_procedures(&scratch.file("store"), "", &[]);
    let mut peer = Peer::with(at, "CT1", &[WORKLIST, STEPS]);
    let many = vec![vec![text(tags::PROTOCOL_NAME, VR::LO, &"x".repeat(60))]; 40_000];
    let large = [items(tags::PERFORMED_SERIES_SEQUENCE, many)];
    assert_eq!(peer.request(STEPS, 0x0140, &[], Some(&large)).status(), 0x0213);
    assert_eq!(peer.search(WORKLIST, &large[..0]).last().unwrap().status(), 0);
}

/// Requests storage commitment of MR images.
fn commit(peer: &mut Peer, transaction: &str, images: &[&str]) -> Reply {
    let reference = |image: &&str| {
        vec![
            text(tags::REFERENCED_SOP_CLASS_UID, VR::UI, MR),
            text(tags::REFERENCED_SOP_INSTANCE_UID, VR::UI, image),
        ]
    };
    let set = [
        text(tags::TRANSACTION_UID, VR::UI, transaction),
        items(tags::REFERENCED_SOP_SEQUENCE, images.iter().map(reference).collect()),
    ];
    let more = [
        text(tags::REQUESTED_SOP_CLASS_UID, VR::UI, COMMITMENT),
        text(tags::REQUESTED_SOP_INSTANCE_UID, VR::UI, INSTANCE),
        short(tags::ACTION_TYPE_ID, 1),
    ];
    peer.request(COMMITMENT, 0x0130, &more, Some(&set))
}

/// What a report says: its event, what is kept, and what is not with the reasons.
fn told(command: &Object, set: &Object) -> (u16, Vec<String>, Vec<(String, u16)>) {
    let text = |set: &Object, tag| set.element(tag).unwrap().to_str().unwrap().into_owned();
    let list = |tag| set.get(tag).and_then(|found| found.items()).unwrap_or_default();
    let uid = |item: &Object| text(item, tags::REFERENCED_SOP_INSTANCE_UID);
    let reason = |item: &Object| item.element(tags::FAILURE_REASON).unwrap().to_int().unwrap();
    let failed = list(tags::FAILED_SOP_SEQUENCE).iter().map(|item| (uid(item), reason(item)));
    let event = command.element(tags::EVENT_TYPE_ID).unwrap().to_int().unwrap();
    (event, list(tags::REFERENCED_SOP_SEQUENCE).iter().map(uid).collect(), failed.collect())
}

#[test]
fn storage_commitment_is_told_on_the_association_that_asked() {
    let scratch = Scratch::new();
    let (store, procedures, at) = serve_procedures(&scratch.file("store"), "", &[]);
    import(&scratch, &store, "1.2.3", 2);
    let mut peer = Peer::with(at, "NOBODY", &[COMMITMENT, uids::VERIFICATION]);
    assert_eq!(commit(&mut peer, "1.2.5", &["1.2.3.1.1", "1.2.3.1.2"]).status(), 0);
    // A peer that goes on is not disturbed.
    assert_eq!(peer.request(uids::VERIFICATION, 0x0030, &[], None).status(), 0);
    for (transaction, images, expected) in [
        ("1.2.5", &[][..], (1, vec!["1.2.3.1.1".to_owned(), "1.2.3.1.2".to_owned()], vec![])),
        (
            "1.2.6",
            &["1.2.3.1.1", "1.2.9"],
            (2, vec!["1.2.3.1.1".to_owned()], vec![("1.2.9".to_owned(), 0x0112)]),
        ),
    ] {
        if !images.is_empty() {
            assert_eq!(commit(&mut peer, transaction, images).status(), 0);
        }
        let (command, data) = peer.message();
        let set = read(&data.unwrap());
        assert_eq!(set.element(tags::TRANSACTION_UID).unwrap().to_str().unwrap(), transaction);
        assert_eq!(told(&command, &set), expected);
        let message = command.element(tags::MESSAGE_ID).unwrap().to_int().unwrap();
        let more = [short(tags::MESSAGE_ID_BEING_RESPONDED_TO, message), short(tags::STATUS, 0)];
        let context = peer.context(COMMITMENT);
        peer.send(context, COMMITMENT, 0x8100, &more, false);
    }
    assert_eq!(peer.request(uids::VERIFICATION, 0x0030, &[], None).status(), 0);
    assert!(procedures.commitments().is_empty());
    // Of another action, another instance, and nothing.
    let set = [text(tags::TRANSACTION_UID, VR::UI, "1.2.7")];
    for (instance, action, status) in
        [(INSTANCE, 2, 0x0123), ("1.2.3", 1, 0x0112), (INSTANCE, 1, 0x0115)]
    {
        let more = [
            text(tags::REQUESTED_SOP_INSTANCE_UID, VR::UI, instance),
            short(tags::ACTION_TYPE_ID, action),
        ];
        assert_eq!(peer.request(COMMITMENT, 0x0130, &more, Some(&set)).status(), status);
    }
}

#[test]
fn a_stranger_makes_the_server_connect_nowhere() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peers = [("CT1", listener.local_addr().unwrap().to_string())];
    let (store, procedures, at) = serve_procedures(&scratch.file("store"), "", &peers);
    import(&scratch, &store, "1.2.3", 1);
    let mut peer = Peer::with(at, "STRANGER", &[COMMITMENT]);
    assert_eq!(commit(&mut peer, "1.2.5", &["1.2.3.1.1"]).status(), 0);
    assert_eq!(procedures.commitments().len(), 1);
    peer.association.release().unwrap();
    while !procedures.commitments().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

/// A modality that takes reports.
struct Taker {
    grants: bool,
}

impl Negotiation for Taker {
    fn negotiate_roles(&self, class: &str, scu: bool, scp: bool) -> Option<RequestorRoles> {
        assert_eq!((class, scu, scp), (COMMITMENT, false, true));
        self.grants.then_some(RequestorRoles { scu, scp })
    }
}

fn take(listener: &TcpListener, grants: bool) -> ServerAssociation<TcpStream> {
    let options = ServerAssociationOptions::new()
        .accept_called_ae_title()
        .ae_title("CT1")
        .with_abstract_syntax(COMMITMENT)
        .with_negotiation(Taker { grants });
    options.establish(listener.accept().unwrap().0).unwrap()
}

/// The next message of an association.
fn message(association: &mut ServerAssociation<TcpStream>) -> (Object, Object, u8) {
    let (mut command, mut data) = (Vec::new(), Vec::new());
    loop {
        let Pdu::PData { data: values } = association.receive().unwrap() else { panic!("no data") };
        for value in values {
            match value.value_type {
                PDataValueType::Command => command.extend(value.data),
                PDataValueType::Data => data.extend(value.data),
            }
            if value.value_type == PDataValueType::Data && value.is_last {
                let implicit = IMPLICIT_VR_LITTLE_ENDIAN.erased();
                let command = Object::read_dataset_with_ts(&command[..], &implicit).unwrap();
                return (command, read(&data), value.presentation_context_id);
            }
        }
    }
}

fn answer(association: &mut ServerAssociation<TcpStream>, context: u8, status: u16) {
    let command = Object::command_from_element_iter([
        text(tags::AFFECTED_SOP_CLASS_UID, VR::UI, COMMITMENT),
        short(tags::COMMAND_FIELD, 0x8100),
        short(tags::MESSAGE_ID_BEING_RESPONDED_TO, 1),
        short(tags::COMMAND_DATA_SET_TYPE, 0x0101),
        short(tags::STATUS, status),
    ]);
    let mut data = Vec::new();
    command.write_dataset_with_ts(&mut data, &IMPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap();
    let value_type = PDataValueType::Command;
    let value = PDataValue { presentation_context_id: context, value_type, is_last: true, data };
    association.send(&Pdu::PData { data: vec![value] }).unwrap();
}

#[test]
fn storage_commitment_is_told_on_a_new_association_until_it_is_taken() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peers = [("CT1", listener.local_addr().unwrap().to_string())];
    let (store, procedures, at) = serve_procedures(&scratch.file("store"), "", &peers);
    import(&scratch, &store, "1.2.3", 1);
    let mut peer = Peer::with(at, "CT1", &[COMMITMENT]);
    assert_eq!(commit(&mut peer, "1.2.5", &["1.2.3.1.1", "1.2.4"]).status(), 0);
    peer.association.release().unwrap();
    // It goes; it does not grant the role; it refuses the report; it takes it.
    drop(listener.accept().unwrap());
    let mut without = take(&listener, false);
    assert!(matches!(without.receive().unwrap(), Pdu::ReleaseRQ));
    drop(without);
    for status in [0x0110, 0] {
        let mut association = take(&listener, true);
        assert_eq!(association.peer_ae_title().trim(), "ARMILLA");
        let (command, set, context) = message(&mut association);
        let expected = (2, vec!["1.2.3.1.1".to_owned()], vec![("1.2.4".to_owned(), 0x0112)]);
        assert_eq!(told(&command, &set), expected);
        assert_eq!(set.element(tags::RETRIEVE_AE_TITLE).unwrap().to_str().unwrap(), "ARMILLA");
        answer(&mut association, context, status);
        assert!(matches!(association.receive().unwrap(), Pdu::ReleaseRQ));
        association.send(&Pdu::ReleaseRP).unwrap();
    }
    while !procedures.commitments().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_report_outlives_a_server_that_is_killed() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let named = format!("CT1={}", listener.local_addr().unwrap());
    let (store, image) = (scratch.file("store"), scratch.file("image"));
    let uid = write_image(&image, "1.2.3", 1, 16, 1);
    let [store, image] = [&store, &image].map(|path| path.to_str().unwrap());
    let serve = ["serve", "--store", store, "--dicom", "127.0.0.1:0", "--peer", &named, image];
    let mut server = Program::start(&serve);
    let mut peer = Peer::with(server.modalities.parse().unwrap(), "CT1", &[COMMITMENT]);
    assert_eq!(commit(&mut peer, "1.2.5", &[&uid]).status(), 0);
    server.kill();
    let _server = Program::start(&serve);
    let mut association = take(&listener, true);
    let (command, set, context) = message(&mut association);
    assert_eq!(told(&command, &set), (1, vec![uid], vec![]));
    answer(&mut association, context, 0);
    assert!(matches!(association.receive().unwrap(), Pdu::ReleaseRQ));
}

#[test]
fn what_is_asked_for_of_another_class_is_a_conflict() {
    let scratch = Scratch::new();
    let (store, _, at) = serve_procedures(&scratch.file("store"), "", &[]);
    import(&scratch, &store, "1.2.3", 1);
    let mut peer = Peer::with(at, "NOBODY", &[COMMITMENT]);
    let set = [
        text(tags::TRANSACTION_UID, VR::UI, "1.2.5"),
        items(
            tags::REFERENCED_SOP_SEQUENCE,
            vec![vec![
                text(tags::REFERENCED_SOP_CLASS_UID, VR::UI, uids::CT_IMAGE_STORAGE),
                text(tags::REFERENCED_SOP_INSTANCE_UID, VR::UI, "1.2.3.1.1"),
            ]],
        ),
    ];
    let more =
        [text(tags::REQUESTED_SOP_INSTANCE_UID, VR::UI, INSTANCE), short(tags::ACTION_TYPE_ID, 1)];
    assert_eq!(peer.request(COMMITMENT, 0x0130, &more, Some(&set)).status(), 0);
    let (command, data) = peer.message();
    let expected = (2, vec![], vec![("1.2.3.1.1".to_owned(), 0x0119)]);
    assert_eq!(told(&command, &read(&data.unwrap())), expected);
}
