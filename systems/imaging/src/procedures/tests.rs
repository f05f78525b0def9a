//! What is planned and done, without a network.

use super::sets::{put, put_items, text};
use super::*;
use armilla_store::faults::{Trial, try_every_failure};
use dicom_core::VR;
use dicom_dictionary_std::tags;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("armilla-procedures-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn open(&self) -> Procedures {
        Procedures::open(&self.0).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn object(texts: &[(Tag, VR, &str)]) -> Object {
    let mut object = Object::new_empty();
    texts.iter().for_each(|(tag, vr, value)| put(&mut object, *tag, *vr, value));
    object
}

/// An entry of a worklist, as a RIS writes it.
fn planned(number: u32, station: &str, day: &str, time: &str) -> Object {
    let mut set = object(&[
        (tags::PATIENT_NAME, VR::PN, "Muster^Änne"),
        (tags::PATIENT_ID, VR::LO, &format!("P{number}")),
        (tags::STUDY_INSTANCE_UID, VR::UI, &format!("1.2.{number}")),
        (tags::ACCESSION_NUMBER, VR::SH, &format!("A{number}")),
    ]);
    let step = object(&[
        (tags::MODALITY, VR::CS, "CT"),
        (tags::SCHEDULED_STATION_AE_TITLE, VR::AE, station),
        (tags::SCHEDULED_PROCEDURE_STEP_START_DATE, VR::DA, day),
        (tags::SCHEDULED_PROCEDURE_STEP_START_TIME, VR::TM, time),
        (tags::SCHEDULED_PROCEDURE_STEP_ID, VR::SH, &format!("S{number}")),
    ]);
    put_items(&mut set, tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE, vec![step]);
    set
}

/// A step that a modality begins.
fn begun(number: u32) -> Object {
    let mut set = object(&[
        (tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, "IN PROGRESS"),
        (tags::PERFORMED_PROCEDURE_STEP_ID, VR::SH, "P1"),
        (tags::PERFORMED_STATION_AE_TITLE, VR::AE, "CT1"),
        (tags::PERFORMED_PROCEDURE_STEP_START_DATE, VR::DA, "20261127"),
        (tags::PERFORMED_PROCEDURE_STEP_START_TIME, VR::TM, "101500"),
        (tags::MODALITY, VR::CS, "CT"),
    ]);
    let item = object(&[
        (tags::STUDY_INSTANCE_UID, VR::UI, &format!("1.2.{number}")),
        (tags::SCHEDULED_PROCEDURE_STEP_ID, VR::SH, &format!("S{number}")),
    ]);
    put_items(&mut set, tags::SCHEDULED_STEP_ATTRIBUTES_SEQUENCE, vec![item]);
    set
}

/// How it ends.
fn ended(status: &str, reason: &str) -> Object {
    let mut set = object(&[
        (tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, status),
        (tags::PERFORMED_PROCEDURE_STEP_END_DATE, VR::DA, "20261127"),
        (tags::PERFORMED_PROCEDURE_STEP_END_TIME, VR::TM, "102000"),
    ]);
    put_items(&mut set, tags::PERFORMED_SERIES_SEQUENCE, vec![Object::new_empty()]);
    let code = object(&[(tags::CODE_VALUE, VR::SH, reason)]);
    let reason = tags::PERFORMED_PROCEDURE_STEP_DISCONTINUATION_REASON_CODE_SEQUENCE;
    put_items(&mut set, reason, vec![code]);
    set
}

/// Keys for the step of an entry.
fn keys(of_step: &[(Tag, VR, &str)]) -> Object {
    let mut keys = object(&[(tags::PATIENT_ID, VR::LO, "")]);
    put_items(&mut keys, tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE, vec![object(of_step)]);
    keys
}

#[test]
fn entries_match_by_every_kind_of_key() {
    let entry = Entry::new(planned(7, "CT1", "20261127", "1015")).unwrap();
    const DAY: Tag = tags::SCHEDULED_PROCEDURE_STEP_START_DATE;
    const TIME: Tag = tags::SCHEDULED_PROCEDURE_STEP_START_TIME;
    let station = (tags::SCHEDULED_STATION_AE_TITLE, VR::AE);
    for (of_step, expected) in [
        (vec![], true),
        (vec![(station.0, station.1, "")], true),
        (vec![(station.0, station.1, "CT1")], true),
        (vec![(station.0, station.1, "CT2")], false),
        (vec![(tags::MODALITY, VR::CS, "MR\\CT")], true),
        (vec![(tags::MODALITY, VR::CS, "C?")], true),
        (vec![(tags::SCHEDULED_PERFORMING_PHYSICIAN_NAME, VR::PN, "Doe*")], false),
        (vec![(tags::SCHEDULED_PERFORMING_PHYSICIAN_NAME, VR::PN, "*")], true),
        (vec![(DAY, VR::DA, "20261127")], true),
        (vec![(DAY, VR::DA, "2026.11.27")], true),
        (vec![(DAY, VR::DA, "20261128-")], false),
        (vec![(DAY, VR::DA, "-20261127"), (TIME, VR::TM, "101500")], true),
        (vec![(DAY, VR::DA, "20261127"), (TIME, VR::TM, "1000-1015")], true),
        (vec![(DAY, VR::DA, "20261127"), (TIME, VR::TM, "11-")], false),
        // From one moment to another, not between two times of each day.
        (vec![(DAY, VR::DA, "20261126-20261128"), (TIME, VR::TM, "1200-0800")], true),
        (vec![(DAY, VR::DA, "20261127-20261128"), (TIME, VR::TM, "1200-0800")], false),
        (vec![(DAY, VR::DA, "20261126-20261127"), (TIME, VR::TM, "1200-1000")], false),
        (vec![(tags::SCHEDULED_PROCEDURE_STEP_STATUS, VR::CS, "SCHEDULED")], true),
        (vec![(station.0, station.1, "CT1"), (tags::MODALITY, VR::CS, "MR")], false),
    ] {
        assert_eq!(matching::matches(&keys(&of_step), &entry.set), expected, "{of_step:?}");
    }
    for (tag, vr, value, expected) in [
        (tags::PATIENT_NAME, VR::PN, "muster^ä*", true),
        (tags::PATIENT_NAME, VR::PN, "Muster", false),
        (tags::STUDY_INSTANCE_UID, VR::UI, "1.2.8\\1.2.7", true),
        (tags::STUDY_INSTANCE_UID, VR::UI, "1.2.*", false),
        (tags::ACCESSION_NUMBER, VR::SH, "A?", true),
        (tags::PATIENT_SEX, VR::CS, "F", false),
        (tags::PATIENT_SEX, VR::CS, "", true),
    ] {
        let keys = object(&[(tag, vr, value)]);
        assert_eq!(matching::matches(&keys, &entry.set), expected, "{tag} {value}");
    }
}

#[test]
fn an_answer_has_what_was_asked_for_and_nothing_else() {
    let entry = Entry::new(planned(7, "CT1", "20261127", "1015")).unwrap();
    let mut wanted = keys(&[(tags::MODALITY, VR::CS, "CT"), (tags::PROTOCOL_NAME, VR::LO, "")]);
    put(&mut wanted, tags::PATIENT_WEIGHT, VR::DS, "");
    let answer = matching::answer(&wanted, &entry.set);
    assert_eq!(answer.tags().count(), 3);
    assert_eq!(
        (text(&answer, tags::PATIENT_ID), text(&answer, tags::PATIENT_WEIGHT)),
        ("P7".into(), String::new())
    );
    let step = sets::first_item(&answer, tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE).unwrap();
    let tags_of: Vec<_> = step.tags().collect();
    assert_eq!(tags_of, [tags::MODALITY, tags::PROTOCOL_NAME]);
    // A sequence without keys comes whole.
    let mut whole = Object::new_empty();
    put_items(&mut whole, tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE, vec![]);
    let answer = matching::answer(&whole, &entry.set);
    let step = sets::first_item(&answer, tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE).unwrap();
    assert_eq!(text(step, tags::SCHEDULED_PROCEDURE_STEP_ID), "S7");
}

#[test]
fn what_nobody_can_make_up_is_asked_for() {
    let directory = Directory::new();
    let procedures = directory.open();
    for tag in [tags::PATIENT_ID, tags::PATIENT_NAME] {
        let mut set = planned(1, "CT1", "20261127", "");
        set.remove_element(tag);
        let error = procedures.plan(set).unwrap_err().to_string();
        assert!(error.contains("is missing"), "{error}");
    }
    let error = procedures.plan(planned(1, "CT1", "tomorrow", "")).unwrap_err().to_string();
    assert!(error.contains("YYYYMMDD"), "{error}");
    // The same step again takes the place of the one that is there.
    let first = procedures.plan(planned(1, "CT1", "20261127", "")).unwrap();
    let second = procedures.plan(planned(1, "CT2", "20261127", "")).unwrap();
    assert_ne!(first.uid, second.uid);
    assert_eq!(procedures.entries(true).len(), 1);
    procedures.mark(&second.uid, Progress::Started, "").unwrap();
    assert!(matches!(
        procedures.plan(planned(1, "CT1", "20261127", "")),
        Err(ProcedureError::There(_))
    ));
}

#[test]
fn a_workitem_is_an_entry_and_the_reverse() {
    let mut set = object(&[
        (tags::PATIENT_NAME, VR::PN, "Doe^J"),
        (tags::PATIENT_ID, VR::LO, "P1"),
        (tags::MODALITY, VR::CS, "US"),
        (tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME, VR::DT, "20261127103000.000000+0100"),
        (tags::PROCEDURE_STEP_LABEL, VR::LO, "abdomen"),
    ]);
    let request = object(&[
        (tags::STUDY_INSTANCE_UID, VR::UI, "1.9"),
        (tags::ACCESSION_NUMBER, VR::SH, "A9"),
    ]);
    put_items(&mut set, tags::REFERENCED_REQUEST_SEQUENCE, vec![request]);
    let station = object(&[(tags::CODE_VALUE, VR::SH, "US1")]);
    put_items(&mut set, tags::SCHEDULED_STATION_NAME_CODE_SEQUENCE, vec![station]);
    let entry = Entry::new(set).unwrap();
    assert_eq!(entry.begin(), ("20261127".to_owned(), "103000".to_owned()));
    assert_eq!(entry.step_text(tags::SCHEDULED_STATION_AE_TITLE), "US1");
    assert_eq!(entry.step_text(tags::SCHEDULED_PROCEDURE_STEP_DESCRIPTION), "abdomen");
    assert_eq!(
        (entry.text(tags::STUDY_INSTANCE_UID), entry.text(tags::ACCESSION_NUMBER)),
        ("1.9".into(), "A9".into())
    );
    let entry = Entry::new(planned(7, "CT1", "20261127", "1015")).unwrap();
    assert_eq!(entry.text(tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME), "202611271015");
    assert_eq!(entry.text(tags::PROCEDURE_STEP_STATE), "SCHEDULED");
}

#[test]
fn a_step_takes_its_entry_from_the_worklist_and_does_not_change_afterwards() {
    let directory = Directory::new();
    let procedures = directory.open();
    let entry =
        |number| procedures.plan(planned(number, "CT1", "20261127", "")).unwrap().uid.clone();
    let (done, stopped, wrong) = (entry(1), entry(2), entry(3));
    let progress = |uid: &str| procedures.entry(uid).unwrap().progress;
    for (number, uid, status, reason, expected) in [
        (1, &done, "COMPLETED", "", Progress::Completed),
        (2, &stopped, "DISCONTINUED", "110513", Progress::Discontinued),
        (3, &wrong, "DISCONTINUED", "110514", Progress::Scheduled),
    ] {
        let step = procedures.begin("", begun(number), "local").unwrap();
        assert_eq!(step.entries, std::slice::from_ref(uid));
        assert_eq!(progress(uid), Progress::Started);
        let half = object(&[(tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, status)]);
        assert!(matches!(procedures.change(&step.uid, half), Err(ProcedureError::Missing(_))));
        let odd = object(&[(tags::PERFORMED_PROCEDURE_STEP_STATUS, VR::CS, "DONE")]);
        assert!(matches!(procedures.change(&step.uid, odd), Err(ProcedureError::Invalid(..))));
        let other = object(&[(tags::MODALITY, VR::CS, "MR")]);
        assert!(matches!(procedures.change(&step.uid, other), Err(ProcedureError::Invalid(..))));
        assert_eq!(progress(uid), Progress::Started);
        procedures.change(&step.uid, ended(status, reason)).unwrap();
        assert_eq!(progress(uid), expected);
        let again = procedures.change(&step.uid, ended(status, reason));
        assert!(matches!(again, Err(ProcedureError::Finished(_))));
        let twice = procedures.begin(&step.uid, begun(number), "local");
        assert!(matches!(twice, Err(ProcedureError::There(_))));
    }
    let open: Vec<_> = procedures.entries(false).iter().map(|entry| entry.uid.clone()).collect();
    assert_eq!(open, [wrong]);
    let unknown = procedures.change("1.2.3", ended("COMPLETED", ""));
    assert!(matches!(unknown, Err(ProcedureError::Unknown(_))));
}

#[test]
fn one_host_leaves_room_to_others() {
    let directory = Directory::new();
    let procedures = directory.open();
    let commitment = |host: &str, number: usize| Commitment {
        title: "CT".to_owned(),
        host: host.to_owned(),
        transaction: format!("1.2.{number}"),
        references: vec![("1.2".to_owned(), "1.3".to_owned())],
        attempts: 0,
        next: 0,
    };
    for number in 0..MOST_COMMITMENTS_OF_HOST {
        procedures.commit(commitment(&format!("2001:db8::{number:x}"), number)).unwrap();
    }
    assert!(matches!(
        procedures.commit(commitment("2001:db8::ffff", 999)),
        Err(ProcedureError::TooMany(_))
    ));
    // The same request again is no other one.
    procedures.commit(commitment("2001:db8::", 0)).unwrap();
    procedures.commit(commitment("2001:db8:0:1::", 999)).unwrap();
    for _ in 0..MOST_STEPS_OF_HOST {
        procedures.begin("", begun(1), "10.0.0.1").unwrap();
    }
    assert!(matches!(procedures.begin("", begun(1), "10.0.0.1"), Err(ProcedureError::TooMany(_))));
    procedures.begin("", begun(1), "10.0.0.2").unwrap();
}

#[test]
fn a_request_outlives_the_process_and_is_tried_so_often() {
    let directory = Directory::new();
    let commitment = Commitment {
        title: "CT".to_owned(),
        host: "local".to_owned(),
        transaction: "1.2.3".to_owned(),
        references: vec![("1.2".to_owned(), "1.3".to_owned())],
        attempts: 0,
        next: 0,
    };
    directory.open().commit(commitment.clone()).unwrap();
    let retry = Retry { first: Duration::from_millis(1), most: 3 };
    for attempts in [0, 1] {
        // After a restart nobody holds it.
        let procedures = directory.open();
        let due = procedures.wait_for_due();
        assert_eq!((&due.transaction, due.attempts), (&commitment.transaction, attempts));
        assert!(procedures.failed(&due, &retry));
    }
    let procedures = directory.open();
    let due = procedures.wait_for_due();
    assert!(!procedures.failed(&due, &retry), "it was the last attempt");
    assert!(procedures.commitments().is_empty());
    drop(procedures);
    assert!(directory.open().commitments().is_empty());
}

#[test]
fn entries_that_were_done_make_room_and_then_those_of_long_ago() {
    let directory = Directory::new();
    let procedures = directory.open();
    let oldest = || procedures.state().oldest_entry(std::time::SystemTime::now());
    let plan = |number, day| procedures.plan(planned(number, "CT1", day, "")).unwrap().uid.clone();
    plan(1, "99991231");
    assert_eq!(oldest(), None);
    let (old, older) = (plan(2, "20200102"), plan(3, "20200101"));
    assert_eq!(oldest(), Some(older));
    procedures.mark(&old, Progress::Completed, "").unwrap();
    assert_eq!(oldest(), Some(old));
}

/// An entry for each change.
struct Entries(Procedures);

impl Trial for Entries {
    fn open(directory: &Path) -> Result<Self, String> {
        Procedures::open(directory).map(Self).map_err(|error| error.to_string())
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        let planned = self.0.plan(planned(number, "CT1", "20261127", ""));
        planned.map(drop).map_err(|error| error.to_string())
    }

    fn changes(&self) -> BTreeSet<u32> {
        let entries = self.0.entries(true);
        let study = |entry: &Arc<Entry>| entry.text(tags::STUDY_INSTANCE_UID);
        entries.iter().map(|entry| study(entry)["1.2.".len()..].parse().unwrap()).collect()
    }
}

#[test]
fn whatever_fails_nothing_that_was_planned_is_lost() {
    let failures = try_every_failure::<Entries>("procedures");
    assert!(failures > 50, "{failures}");
}
