//! An entry of the worklist: a scheduled procedure step with its patient and request (PS3.3, C.4.10).
//! It has the attributes of a workitem as well (PS3.4, CC.2.5), so that both ask for it.

use super::sets::{
    self, first_item, needed, new_uid, put, put_if_empty, put_items, text, without_encoding,
};
use super::{Object, ProcedureError};
use crate::dicom::is_uid;
use crate::store::now;
use dicom_core::{Tag, VR};
use dicom_dictionary_std::{tags, uids};
use serde::{Deserialize, Serialize};

/// How far an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Progress {
    /// Nobody has begun.
    Scheduled,
    /// A modality has begun.
    Started,
    /// It was done.
    Completed,
    /// It was broken off, or will not be done.
    Discontinued,
}

impl Progress {
    /// Whether it is in the worklist of modalities.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Scheduled | Self::Started)
    }

    /// As the status of a scheduled procedure step (PS3.3, C.4.10).
    pub const fn status(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED",
            Self::Started => "STARTED",
            Self::Completed => "COMPLETED",
            Self::Discontinued => "DISCONTINUED",
        }
    }

    /// As the state of a workitem (PS3.4, CC.1.1).
    pub const fn state(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED",
            Self::Started => "IN PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Discontinued => "CANCELED",
        }
    }
}

/// An entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its SOP Instance UID.
    pub uid: String,
    /// How far it is.
    pub progress: Progress,
    /// When that was changed, in seconds since 1970.
    pub changed: u64,
    /// The transaction of the workitem that was begun; empty if it was not.
    pub transaction: String,
    /// All of it, in Unicode.
    pub set: Object,
}

/// An entry as a row of the file.
#[derive(Serialize, Deserialize)]
struct Row {
    progress: Progress,
    changed: u64,
    transaction: String,
    set: String,
}

const STEP: Tag = tags::SCHEDULED_PROCEDURE_STEP_SEQUENCE;
const START_DATE: Tag = tags::SCHEDULED_PROCEDURE_STEP_START_DATE;
const START_TIME: Tag = tags::SCHEDULED_PROCEDURE_STEP_START_TIME;

impl Entry {
    /// An entry of what a data set describes.
    ///
    /// # Errors
    /// It lacks what nobody can make up: the patient, the modality, the date.
    pub fn new(set: Object) -> Result<Self, ProcedureError> {
        let mut set = without_encoding(set);
        needed(&set, tags::PATIENT_ID)?;
        needed(&set, tags::PATIENT_NAME)?;
        let given = text(&set, tags::SOP_INSTANCE_UID);
        let uid = if given.is_empty() { new_uid() } else { given };
        if !is_uid(&uid) {
            let why = format!("{uid:?} is no UID (PS3.5, section 9)");
            return Err(ProcedureError::Invalid(tags::SOP_INSTANCE_UID, why));
        }
        let mut step = step_of(&mut set)?;
        from_workitem(&mut set, &mut step);
        needed(&step, tags::MODALITY)?;
        let day = needed(&step, START_DATE)?;
        if day.len() != 8 || !day.bytes().all(|octet| octet.is_ascii_digit()) {
            let why = format!("{day:?} is no date: YYYYMMDD is needed");
            return Err(ProcedureError::Invalid(START_DATE, why));
        }
        complete(&mut set, &mut step, &uid);
        put_items(&mut set, STEP, vec![step]);
        let (progress, transaction) = (Progress::Scheduled, String::new());
        let mut entry = Self { uid, progress, changed: now(), transaction, set };
        entry.mark(Progress::Scheduled);
        Ok(entry)
    }

    /// The same with other attributes, which take the place of its own; what they are called as those
    /// of a workitem, its step has as well.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn amended(&self, changes: Object) -> Result<Self, ProcedureError> {
        let (mut set, mut changes) = (self.set.clone(), without_encoding(changes));
        let fixed = [
            tags::SOP_CLASS_UID,
            tags::SOP_INSTANCE_UID,
            tags::PROCEDURE_STEP_STATE,
            tags::TRANSACTION_UID,
        ];
        for tag in fixed {
            changes.remove_element(tag);
        }
        for (of_item, of_step) in [
            (tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME, START_DATE),
            (tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME, START_TIME),
            (tags::SCHEDULED_STATION_NAME_CODE_SEQUENCE, tags::SCHEDULED_STATION_AE_TITLE),
            (tags::PROCEDURE_STEP_LABEL, tags::SCHEDULED_PROCEDURE_STEP_DESCRIPTION),
            (tags::MODALITY, tags::MODALITY),
        ] {
            if changes.get(of_item).is_some() {
                set.update_value(STEP, |value| {
                    let items = value.items_mut().into_iter().flatten();
                    for item in items {
                        item.remove_element(of_step);
                    }
                });
            }
        }
        for element in changes {
            set.put(element);
        }
        let mut entry = Self::new(set)?;
        entry.mark(self.progress);
        self.transaction.clone_into(&mut entry.transaction);
        Ok(entry)
    }

    /// How far it is, also within its data set.
    pub(super) fn mark(&mut self, progress: Progress) {
        self.progress = progress;
        self.changed = now();
        put(&mut self.set, tags::PROCEDURE_STEP_STATE, VR::CS, progress.state());
        let status = progress.status();
        self.set.update_value(STEP, |value| {
            for item in value.items_mut().into_iter().flatten() {
                put(item, tags::SCHEDULED_PROCEDURE_STEP_STATUS, VR::CS, status);
            }
        });
    }

    /// Its only scheduled procedure step.
    pub fn step(&self) -> Option<&Object> {
        first_item(&self.set, STEP)
    }

    /// When it is to begin: date and time.
    pub fn begin(&self) -> (String, String) {
        let day = self.step_text(START_DATE);
        (day, self.step_text(START_TIME))
    }

    /// A text of its step.
    pub fn step_text(&self, tag: Tag) -> String {
        self.step().map(|step| text(step, tag)).unwrap_or_default()
    }

    /// A text of the whole.
    pub fn text(&self, tag: Tag) -> String {
        text(&self.set, tag)
    }

    /// Whether another entry is about the same step of the same study.
    pub(super) fn is_same_step(&self, other: &Self) -> bool {
        let study = other.text(tags::STUDY_INSTANCE_UID);
        self.is_step(&study, &other.step_text(tags::SCHEDULED_PROCEDURE_STEP_ID))
    }

    /// Whether it is this step of this study.
    pub(super) fn is_step(&self, study: &str, id: &str) -> bool {
        self.text(tags::STUDY_INSTANCE_UID) == study
            && self.step_text(tags::SCHEDULED_PROCEDURE_STEP_ID) == id
    }

    /// As JSON (PS3.18, annex F).
    pub fn to_json(&self) -> String {
        sets::to_json(&self.set)
    }

    pub(super) fn to_row(&self) -> Vec<u8> {
        let (progress, changed) = (self.progress, self.changed);
        let (transaction, set) = (self.transaction.clone(), self.to_json());
        // Numbers and texts are always JSON.
        serde_json::to_vec(&Row { progress, changed, transaction, set }).unwrap_or_default()
    }

    pub(super) fn from_row(uid: &str, row: &[u8]) -> Result<Self, String> {
        let row: Row = serde_json::from_slice(row).map_err(|error| error.to_string())?;
        let set = sets::object_from_json(&row.set).map_err(|error| error.to_string())?;
        let (progress, changed, transaction) = (row.progress, row.changed, row.transaction);
        Ok(Self { uid: uid.to_owned(), progress, changed, transaction, set })
    }
}

/// Takes the only step out of a data set; an empty one if there is none.
fn step_of(set: &mut Object) -> Result<Object, ProcedureError> {
    let items =
        set.take(STEP).and_then(|element| element.into_value().into_items()).unwrap_or_default();
    let count = items.len();
    let mut items = items.into_iter();
    match (items.next(), count) {
        (None, _) => Ok(Object::new_empty()),
        (Some(step), 1) => Ok(step),
        _ => {
            let why = format!("it has {count} steps; plan each as an entry of its own");
            Err(ProcedureError::Invalid(STEP, why))
        }
    }
}

/// What a workitem says with other attributes than a worklist does.
fn from_workitem(set: &mut Object, step: &mut Object) {
    let request = first_item(set, tags::REFERENCED_REQUEST_SEQUENCE).cloned();
    for (tag, vr) in [
        (tags::STUDY_INSTANCE_UID, VR::UI),
        (tags::ACCESSION_NUMBER, VR::SH),
        (tags::REQUESTED_PROCEDURE_ID, VR::SH),
        (tags::REQUESTED_PROCEDURE_DESCRIPTION, VR::LO),
    ] {
        let value = request.as_ref().map(|request| text(request, tag)).unwrap_or_default();
        put_if_empty(set, tag, vr, &value);
    }
    let begin = text(set, tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME);
    let day = begin.get(..8).unwrap_or_default();
    let time = begin.get(8..).unwrap_or_default();
    let time: String = time.chars().take_while(char::is_ascii_digit).take(6).collect();
    let station = first_item(set, tags::SCHEDULED_STATION_NAME_CODE_SEQUENCE);
    let station = station.map(|code| text(code, tags::CODE_VALUE)).unwrap_or_default();
    let (modality, label) = (text(set, tags::MODALITY), text(set, tags::PROCEDURE_STEP_LABEL));
    for (tag, vr, value) in [
        (START_DATE, VR::DA, day),
        (START_TIME, VR::TM, &time),
        (tags::SCHEDULED_STATION_AE_TITLE, VR::AE, &station),
        (tags::MODALITY, VR::CS, &modality),
        (tags::SCHEDULED_PROCEDURE_STEP_DESCRIPTION, VR::LO, &label),
    ] {
        put_if_empty(step, tag, vr, value);
    }
}

/// Makes what a worklist or a workitem has to have and this one has not.
fn complete(set: &mut Object, step: &mut Object, uid: &str) {
    // A short one of its own (VR SH has 16 characters).
    let id: String = uid.chars().filter(char::is_ascii_digit).rev().take(12).collect();
    put_if_empty(step, tags::SCHEDULED_PROCEDURE_STEP_ID, VR::SH, &id);
    put_if_empty(step, START_TIME, VR::TM, "000000");
    let id = text(step, tags::SCHEDULED_PROCEDURE_STEP_ID);
    let label = text(step, tags::SCHEDULED_PROCEDURE_STEP_DESCRIPTION);
    let day = text(step, START_DATE);
    let time = text(step, START_TIME);
    let station = text(step, tags::SCHEDULED_STATION_AE_TITLE);
    put(set, tags::SOP_CLASS_UID, VR::UI, uids::UNIFIED_PROCEDURE_STEP_PUSH);
    put(set, tags::SOP_INSTANCE_UID, VR::UI, uid);
    let begin = format!("{day}{}", time.replace(':', ""));
    put(set, tags::SCHEDULED_PROCEDURE_STEP_START_DATE_TIME, VR::DT, &begin);
    for (tag, vr, value) in [
        (tags::STUDY_INSTANCE_UID, VR::UI, &*new_uid()),
        (tags::REQUESTED_PROCEDURE_ID, VR::SH, &id),
        (tags::PROCEDURE_STEP_LABEL, VR::LO, &label),
        (tags::WORKLIST_LABEL, VR::LO, "worklist"),
        (tags::SCHEDULED_PROCEDURE_STEP_PRIORITY, VR::CS, "MEDIUM"),
        (tags::INPUT_READINESS_STATE, VR::CS, "READY"),
    ] {
        put_if_empty(set, tag, vr, value);
    }
    if first_item(set, tags::SCHEDULED_STATION_NAME_CODE_SEQUENCE).is_none() && !station.is_empty()
    {
        let mut code = Object::new_empty();
        put(&mut code, tags::CODE_VALUE, VR::SH, &station);
        put(&mut code, tags::CODING_SCHEME_DESIGNATOR, VR::SH, "L");
        put(&mut code, tags::CODE_MEANING, VR::LO, &station);
        put_items(set, tags::SCHEDULED_STATION_NAME_CODE_SEQUENCE, vec![code]);
    }
}
