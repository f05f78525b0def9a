//! Performed procedure steps (PS3.4, F.7): what a modality says of what it does. One that is finished
//! does not change any more.

use super::rows::{Change, Table};
use super::sets::{self, first_item, needed, new_uid, text, without_encoding};
use super::{
    ABANDONED_DAYS, Entry, MOST_OCTETS, MOST_SET, MOST_STEPS, MOST_STEPS_OF_HOST, Object,
    ProcedureError, Procedures, Progress, State, of_one_host,
};
use crate::dicom::is_uid;
use crate::store::now;
use dicom_core::header::Header as _;
use dicom_core::{Tag, VR};
use dicom_dictionary_std::{tags, uids};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far a step is (PS3.3, C.4.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepState {
    /// It is being done.
    InProgress,
    /// It was done.
    Completed,
    /// It was broken off.
    Discontinued,
}

impl StepState {
    /// As DICOM writes it.
    pub const fn status(self) -> &'static str {
        match self {
            Self::InProgress => "IN PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Discontinued => "DISCONTINUED",
        }
    }

    fn read(text: &str) -> Option<Self> {
        let all = [Self::InProgress, Self::Completed, Self::Discontinued];
        all.into_iter().find(|state| state.status() == text)
    }
}

/// A performed procedure step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its SOP Instance UID.
    pub uid: String,
    /// How far it is.
    pub state: StepState,
    /// When it was begun, and changed last, in seconds since 1970.
    pub begun: u64,
    /// See `begun`.
    pub changed: u64,
    /// Whose it is: the address of the host.
    pub host: String,
    /// The entries of the worklist that it does.
    pub entries: Vec<String>,
    /// All of it, in Unicode.
    pub set: Object,
    /// Its octets as JSON.
    octets: usize,
}

/// A step as a row of the file.
#[derive(Serialize, Deserialize)]
struct Row {
    state: StepState,
    begun: u64,
    changed: u64,
    host: String,
    entries: Vec<String>,
    set: String,
}

/// What a step has to have from the beginning on (PS3.4, table F.7.2-1).
const FROM_BEGIN: [Tag; 5] = [
    tags::PERFORMED_PROCEDURE_STEP_ID,
    tags::PERFORMED_STATION_AE_TITLE,
    tags::PERFORMED_PROCEDURE_STEP_START_DATE,
    tags::PERFORMED_PROCEDURE_STEP_START_TIME,
    tags::MODALITY,
];

/// What it may not change afterwards.
const FIXED: [Tag; 10] = [
    tags::SOP_CLASS_UID,
    tags::SOP_INSTANCE_UID,
    tags::PERFORMED_PROCEDURE_STEP_ID,
    tags::PERFORMED_STATION_AE_TITLE,
    tags::PERFORMED_PROCEDURE_STEP_START_DATE,
    tags::PERFORMED_PROCEDURE_STEP_START_TIME,
    tags::MODALITY,
    tags::PATIENT_ID,
    tags::PATIENT_NAME,
    tags::STUDY_ID,
];

/// The entry that was chosen was the wrong one (PS3.16, CID 9300).
const WRONG_ENTRY: &str = "110514";

impl Step {
    /// A text of it.
    pub fn text(&self, tag: Tag) -> String {
        text(&self.set, tag)
    }

    /// As JSON (PS3.18, annex F).
    pub fn to_json(&self) -> String {
        sets::to_json(&self.set)
    }

    fn to_row(&self) -> Vec<u8> {
        let (state, begun, changed) = (self.state, self.begun, self.changed);
        let (host, entries, set) = (self.host.clone(), self.entries.clone(), self.to_json());
        let row = Row { state, begun, changed, host, entries, set };
        // Numbers and texts are always JSON.
        serde_json::to_vec(&row).unwrap_or_default()
    }

    pub(super) fn from_row(uid: &str, row: &[u8]) -> Result<Self, String> {
        let octets = row.len();
        let row: Row = serde_json::from_slice(row).map_err(|error| error.to_string())?;
        let set = dicom_json::from_str(&row.set).map_err(|error| error.to_string())?;
        let (uid, state, begun, changed) = (uid.to_owned(), row.state, row.begun, row.changed);
        let (host, entries) = (row.host, row.entries);
        Ok(Self { uid, state, begun, changed, host, entries, set, octets })
    }

    /// What becomes of the entries that it does.
    fn progress(&self) -> Progress {
        let reason = tags::PERFORMED_PROCEDURE_STEP_DISCONTINUATION_REASON_CODE_SEQUENCE;
        let reason = first_item(&self.set, reason).map(|code| text(code, tags::CODE_VALUE));
        match self.state {
            StepState::InProgress => Progress::Started,
            StepState::Completed => Progress::Completed,
            // The right step is still to be done, and so is this one.
            StepState::Discontinued if reason.as_deref() == Some(WRONG_ENTRY) => {
                Progress::Scheduled
            }
            StepState::Discontinued => Progress::Discontinued,
        }
    }
}

impl State {
    /// The entries that a step names: by study and step (PS3.4, table F.7.2-1).
    fn entries_of(&self, set: &Object) -> Vec<String> {
        let named = set.get(tags::SCHEDULED_STEP_ATTRIBUTES_SEQUENCE);
        let named = named.and_then(|element| element.items()).unwrap_or_default();
        let is_named = |entry: &&Arc<Entry>| {
            named.iter().any(|item| {
                let id = text(item, tags::SCHEDULED_PROCEDURE_STEP_ID);
                entry.is_step(&text(item, tags::STUDY_INSTANCE_UID), &id)
            })
        };
        self.entries.values().filter(is_named).map(|entry| entry.uid.clone()).collect()
    }

    /// The entries of a step as they are after it has changed.
    fn marked(&self, step: &Step) -> Vec<Entry> {
        let entries = step.entries.iter().filter_map(|uid| self.entries.get(uid));
        let marked = entries.map(|entry| {
            let mut entry = Entry::clone(entry);
            entry.mark(step.progress());
            entry
        });
        marked.collect()
    }
}

impl Procedures {
    /// All steps, by their UIDs.
    pub fn steps(&self) -> Vec<Arc<Step>> {
        self.state().steps.values().cloned().collect()
    }

    /// Enters a step that a host has begun (N-CREATE); an empty UID asks for a new one. The entries
    /// that it names are begun as well.
    ///
    /// # Errors
    /// It is there, lacks an attribute, or is not in progress; the host has as many in progress as it
    /// may have; the disk fails.
    pub fn begin(&self, uid: &str, set: Object, host: &str) -> Result<Arc<Step>, ProcedureError> {
        let mut set = without_encoding(set);
        let uid = if uid.is_empty() { new_uid() } else { uid.to_owned() };
        if !is_uid(&uid) {
            let why = format!("{uid:?} is no UID (PS3.5, section 9)");
            return Err(ProcedureError::Invalid(tags::SOP_INSTANCE_UID, why));
        }
        if needed(&set, tags::PERFORMED_PROCEDURE_STEP_STATUS)? != StepState::InProgress.status() {
            let why = "a step begins IN PROGRESS".to_owned();
            return Err(ProcedureError::Invalid(tags::PERFORMED_PROCEDURE_STEP_STATUS, why));
        }
        for tag in FROM_BEGIN {
            needed(&set, tag)?;
        }
        let named = tags::SCHEDULED_STEP_ATTRIBUTES_SEQUENCE;
        let item = first_item(&set, named).ok_or(ProcedureError::Missing(named))?;
        needed(item, tags::STUDY_INSTANCE_UID)?;
        let mut state = self.state();
        if state.steps.contains_key(&uid) {
            return Err(ProcedureError::There(uid));
        }
        sets::put(&mut set, tags::SOP_CLASS_UID, VR::UI, uids::MODALITY_PERFORMED_PROCEDURE_STEP);
        sets::put(&mut set, tags::SOP_INSTANCE_UID, VR::UI, &uid);
        let entries = state.entries_of(&set);
        let (begun, changed, host, progress) =
            (now(), now(), host.to_owned(), StepState::InProgress);
        let step = Step { uid, state: progress, begun, changed, host, entries, set, octets: 0 };
        let gone = self.room_for_step(&state, &step)?;
        self.enter_step(&mut state, step, gone)
    }

    /// Changes a step (N-SET): each attribute takes the place of the one that is there. What becomes
    /// of the step becomes of its entries.
    ///
    /// # Errors
    /// It is not there or finished; it would change what it may not change; it would be finished
    /// without what it then has to have; the disk fails.
    pub fn change(&self, uid: &str, changes: Object) -> Result<Arc<Step>, ProcedureError> {
        let mut state = self.state();
        let unknown = || ProcedureError::Unknown(uid.to_owned());
        let mut step = Step::clone(state.steps.get(uid).ok_or_else(unknown)?);
        if step.state != StepState::InProgress {
            return Err(ProcedureError::Finished(uid.to_owned()));
        }
        for element in without_encoding(changes) {
            let tag = element.tag();
            let differs =
                || text(&step.set, tag) != text(&Object::from_element_iter([element.clone()]), tag);
            if FIXED.contains(&tag) && differs() {
                let why = "it may not be changed".to_owned();
                return Err(ProcedureError::Invalid(tag, why));
            }
            if tag != tags::SCHEDULED_STEP_ATTRIBUTES_SEQUENCE {
                step.set.put(element);
            }
        }
        let status = needed(&step.set, tags::PERFORMED_PROCEDURE_STEP_STATUS)?;
        step.state = StepState::read(&status).ok_or_else(|| {
            let why = "IN PROGRESS, COMPLETED or DISCONTINUED is needed".to_owned();
            ProcedureError::Invalid(tags::PERFORMED_PROCEDURE_STEP_STATUS, why)
        })?;
        if step.state != StepState::InProgress {
            needed(&step.set, tags::PERFORMED_PROCEDURE_STEP_END_DATE)?;
            needed(&step.set, tags::PERFORMED_PROCEDURE_STEP_END_TIME)?;
        }
        let series = tags::PERFORMED_SERIES_SEQUENCE;
        if step.state == StepState::Completed && first_item(&step.set, series).is_none() {
            return Err(ProcedureError::Missing(series));
        }
        step.changed = now();
        self.enter_step(&mut state, step, Vec::new())
    }

    /// The steps that go so that another one fits.
    fn room_for_step(&self, state: &State, step: &Step) -> Result<Vec<String>, ProcedureError> {
        let since = now().saturating_sub(ABANDONED_DAYS * 86_400);
        let is_open =
            |other: &&Arc<Step>| other.state == StepState::InProgress && other.changed >= since;
        let own = |other: &&Arc<Step>| of_one_host(&other.host, &step.host);
        if state.steps.values().filter(is_open).filter(own).count() >= MOST_STEPS_OF_HOST {
            let why = format!("{MOST_STEPS_OF_HOST} steps of this host are in progress");
            return Err(ProcedureError::TooMany(why));
        }
        if state.steps.len() < MOST_STEPS {
            return Ok(Vec::new());
        }
        let finished = state.steps.values().filter(|other| !is_open(other));
        let oldest = finished.min_by_key(|other| other.changed);
        let oldest = oldest.ok_or_else(|| {
            ProcedureError::TooMany(format!("{MOST_STEPS} steps are in progress"))
        })?;
        Ok(vec![oldest.uid.clone()])
    }

    fn enter_step(
        &self,
        state: &mut State,
        mut step: Step,
        gone: Vec<String>,
    ) -> Result<Arc<Step>, ProcedureError> {
        let row = step.to_row();
        step.octets = row.len();
        let there = state.steps.values().filter(|other| other.uid != step.uid);
        let octets: usize = there.map(|other| other.octets).sum();
        if row.len() > MOST_SET || octets + row.len() > MOST_OCTETS {
            let why = format!("a step has {MOST_SET} octets at most, all have {MOST_OCTETS}");
            return Err(ProcedureError::TooMany(why));
        }
        let marked = state.marked(&step);
        let mut changes = vec![Change::put(Table::Steps, &step.uid, row)];
        changes.extend(gone.iter().map(|uid| Change::remove(Table::Steps, uid)));
        let rows = marked.iter().map(|entry| (&entry.uid, entry.to_row()));
        changes.extend(rows.map(|(uid, row)| Change::put(Table::Entries, uid, row)));
        self.write(changes)?;
        for uid in gone {
            state.steps.remove(&uid);
        }
        for entry in marked {
            state.entries.insert(entry.uid.clone(), Arc::new(entry));
        }
        let step = Arc::new(step);
        state.steps.insert(step.uid.clone(), Arc::clone(&step));
        Ok(step)
    }
}
