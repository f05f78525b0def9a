//! What is planned and was done, for clients of the ORB.

use crate::idl::{Refusal, Refused};
use crate::procedures::{ProcedureError, Procedures, object_from_json};

/// The most texts of an answer, and about how many octets they have.
const MOST: usize = 1000;
const MOST_OCTETS: usize = 4 << 20;

/// Plans what a text describes, and returns its UID.
pub(super) fn plan(procedures: Option<&Procedures>, entry: &str) -> Result<String, Refused> {
    let procedures = procedures.ok_or_else(none)?;
    let set = object_from_json(entry).map_err(|error| refused(&error))?;
    let planned = procedures.plan(set).map_err(|error| refused(&error))?;
    tracing::info!(uid = planned.uid, "an entry of the worklist was planned");
    Ok(planned.uid.clone())
}

/// Removes an entry; whether it was there.
pub(super) fn unplan(procedures: Option<&Procedures>, uid: &str) -> Result<bool, Refused> {
    let removed = procedures.ok_or_else(none)?.remove_entry(uid);
    let removed = removed.map_err(|error| refused(&error))?;
    if removed {
        tracing::info!(uid, "an entry of the worklist was removed");
    }
    Ok(removed)
}

/// Entries behind one, as JSON.
pub(super) fn planned(
    procedures: Option<&Procedures>,
    finished: bool,
    after: &str,
) -> Result<Vec<String>, Refused> {
    let entries = procedures.ok_or_else(none)?.entries(finished);
    let behind = entries.iter().filter(|entry| entry.uid.as_str() > after);
    Ok(page(behind.map(|entry| entry.to_json())))
}

/// Steps behind one, as JSON.
pub(super) fn performed(
    procedures: Option<&Procedures>,
    after: &str,
) -> Result<Vec<String>, Refused> {
    let steps = procedures.ok_or_else(none)?.steps();
    let behind = steps.iter().filter(|step| step.uid.as_str() > after);
    Ok(page(behind.map(|step| step.to_json())))
}

/// As many as an answer has.
fn page(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut octets = 0;
    let fits = |text: &String| {
        let fits = octets < MOST_OCTETS;
        octets += text.len();
        fits
    };
    texts.take(MOST).take_while(fits).collect()
}

/// A cache has no worklist.
pub(crate) fn none() -> Refused {
    let reason = "there is no worklist here; ask a server, not a cache".to_owned();
    Refused { kind: Refusal::Failed, reason }
}

fn refused(error: &ProcedureError) -> Refused {
    let kind = match error {
        ProcedureError::Missing(_) | ProcedureError::Invalid(..) | ProcedureError::NoSet(_) => {
            Refusal::NotUnderstood
        }
        ProcedureError::There(_) => Refusal::Differs,
        ProcedureError::TooMany(_) => Refusal::NoRoom,
        _ => Refusal::Failed,
    };
    Refused { kind, reason: error.to_string() }
}
