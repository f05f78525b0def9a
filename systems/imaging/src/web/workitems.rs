//! Workitems (UPS-RS, PS3.18, chapter 11): the entries of the worklist over HTTP. And, which no
//! standard has, the performed procedure steps of modalities.

use super::problem::Problem;
use super::{Asked, Web};
use crate::access::Operation;
use crate::audit::Subject;
use crate::procedures::{
    Entry, MOST_ENTRY, ProcedureError, Procedures, Progress, matching, object_from_json,
};
use armilla_service::BodyReader;
use armilla_service::axum::http::header::{CONTENT_TYPE, LOCATION};
use armilla_service::axum::http::{Method, StatusCode};
use armilla_service::axum::response::{IntoResponse, Response};
use dicom_core::dictionary::{DataDictionary as _, DataDictionaryEntry as _};
use dicom_core::value::Value;
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use dicom_object::InMemDicomObject;
use std::io::Read as _;

/// The most answers to a search.
const MOST: usize = 1000;

/// Whether a path below `/dicomweb/` is one of these.
pub(super) fn is_one(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    ["workitems", "performed-procedure-steps"].contains(&first)
}

/// Answers a request; its body if it is to change something.
pub(super) fn answer(
    web: &Web,
    asked: &Asked,
    body: Option<BodyReader>,
) -> Result<Response, Problem> {
    let none = || Problem::not_found("there is no worklist here; ask an image server");
    let procedures = web.procedures.as_ref().ok_or_else(none)?;
    let words: Vec<&str> = asked.path.trim_end_matches('/').split('/').collect();
    let permit = |operation, what| {
        let subject = Subject { what, ..Subject::default() };
        web.check(asked, operation, subject)
    };
    match (&asked.method, &words[..], body) {
        (&Method::GET | &Method::HEAD, ["workitems"], _) => {
            permit(Operation::Read, "worklist")?;
            search(procedures, asked)
        }
        (&Method::GET | &Method::HEAD, ["performed-procedure-steps"], _) => {
            permit(Operation::Read, "steps")?;
            let steps = procedures.steps();
            Ok(list(steps.iter().rev().take(MOST).map(|step| step.to_json())))
        }
        (&Method::GET | &Method::HEAD, ["workitems", uid], _) => {
            permit(Operation::Read, "worklist")?;
            Ok(list([there(procedures, uid)?.to_json()].into_iter()))
        }
        (&Method::POST, ["workitems"], Some(body)) => {
            permit(Operation::Store, "worklist")?;
            create(procedures, asked, body)
        }
        (&Method::POST, ["workitems", uid], Some(body)) => {
            permit(Operation::Store, "worklist")?;
            update(procedures, asked, uid, body)
        }
        (&Method::PUT, ["workitems", uid, "state"], Some(body)) => {
            permit(Operation::Store, "worklist")?;
            change_state(procedures, uid, body)
        }
        (&Method::POST, ["workitems", uid, "cancelrequest"], _) => {
            permit(Operation::Remove, "worklist")?;
            cancel(procedures, uid)
        }
        (_, ["workitems", ..], _) => Err(Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "workitems are created, searched, retrieved, updated and cancelled, and change state",
        )),
        _ => Err(Problem::not_found(format!("{:?} is no resource of DICOMweb", asked.path))),
    }
}

/// Objects as the body of an answer.
fn list(texts: impl Iterator<Item = String>) -> Response {
    let texts: Vec<String> = texts.collect();
    let body = format!("[{}]", texts.join(","));
    (StatusCode::OK, [(CONTENT_TYPE, "application/dicom+json")], body).into_response()
}

fn there(procedures: &Procedures, uid: &str) -> Result<std::sync::Arc<Entry>, Problem> {
    procedures.entry(uid).ok_or_else(|| Problem::not_found(format!("there is no workitem {uid:?}")))
}

/// The only object of a body.
fn object(body: BodyReader) -> Result<InMemDicomObject, Problem> {
    let mut text = String::new();
    let most = MOST_ENTRY as u64;
    body.take(most + 1).read_to_string(&mut text).map_err(Problem::bad)?;
    if text.len() as u64 > most {
        let what = format!("a workitem has {most} octets at most");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, what));
    }
    let text = text.trim();
    // An object, or an array of one.
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    object_from_json(text).map_err(Problem::bad)
}

fn problem(error: ProcedureError) -> Problem {
    let status = match error {
        ProcedureError::There(_) | ProcedureError::Finished(_) => StatusCode::CONFLICT,
        ProcedureError::Unknown(_) => StatusCode::NOT_FOUND,
        ProcedureError::TooMany(_) => StatusCode::INSUFFICIENT_STORAGE,
        ProcedureError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    };
    Problem::new(status, error)
}

fn conflict(what: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, what)
}

/// PS3.18, 11.4: the UID is that of the body, or the whole query of the URL.
fn create(procedures: &Procedures, asked: &Asked, body: BodyReader) -> Result<Response, Problem> {
    let mut set = object(body)?;
    let mut named = asked.parameters.iter().map(|(name, value)| match name.as_str() {
        "AffectedSOPInstanceUID" | "workitem" => value.clone(),
        name => name.to_owned(),
    });
    if let Some(uid) = named.find(|name| crate::dicom::is_uid(name)) {
        let uid = PrimitiveValue::from(uid);
        set.put(DataElement::new(tags::SOP_INSTANCE_UID, VR::UI, uid));
    }
    let uid = text(&set, tags::SOP_INSTANCE_UID);
    if procedures.entry(&uid).is_some() {
        return Err(problem(ProcedureError::There(uid)));
    }
    let entry = procedures.plan(set).map_err(problem)?;
    let place = format!("{}/workitems/{}", asked.base, entry.uid);
    Ok((StatusCode::CREATED, [(LOCATION, place)]).into_response())
}

/// PS3.18, 11.6: attributes take the place of those that are there. Who has begun it says so by its
/// transaction.
fn update(
    procedures: &Procedures,
    asked: &Asked,
    uid: &str,
    body: BodyReader,
) -> Result<Response, Problem> {
    let entry = there(procedures, uid)?;
    let shows = |(name, value): &(String, String)| {
        name == &entry.transaction || value == &entry.transaction
    };
    match entry.progress {
        Progress::Scheduled => {}
        Progress::Started if asked.parameters.iter().any(shows) => {}
        Progress::Started => return Err(conflict("it was begun by another transaction")),
        _ => return Err(conflict("it is finished")),
    }
    let changes = object(body)?;
    procedures.amend(uid, changes).map_err(problem)?;
    Ok(StatusCode::OK.into_response())
}

/// PS3.18, 11.7; PS3.4, table CC.1.1-2.
fn change_state(procedures: &Procedures, uid: &str, body: BodyReader) -> Result<Response, Problem> {
    let (entry, set) = (there(procedures, uid)?, object(body)?);
    let (transaction, state) =
        (text(&set, tags::TRANSACTION_UID), text(&set, tags::PROCEDURE_STEP_STATE));
    if !crate::dicom::is_uid(&transaction) {
        return Err(Problem::bad("a Transaction UID (0008,1195) is needed"));
    }
    let own = entry.transaction == transaction;
    let to = match (state.as_str(), entry.progress) {
        ("IN PROGRESS", Progress::Scheduled) => Progress::Started,
        ("COMPLETED", Progress::Started) if own => Progress::Completed,
        ("CANCELED", Progress::Started) if own => Progress::Discontinued,
        ("COMPLETED", Progress::Completed) | ("CANCELED", Progress::Discontinued) => {
            return Ok(StatusCode::OK.into_response());
        }
        ("IN PROGRESS" | "COMPLETED" | "CANCELED", Progress::Started) => {
            return Err(conflict("it was begun by another transaction"));
        }
        ("COMPLETED" | "CANCELED", Progress::Scheduled) => {
            return Err(conflict("it was not begun"));
        }
        ("IN PROGRESS" | "COMPLETED" | "CANCELED", _) => return Err(conflict("it is finished")),
        _ => return Err(Problem::bad("IN PROGRESS, COMPLETED or CANCELED is needed")),
    };
    procedures.mark(uid, to, &transaction).map_err(problem)?;
    Ok(StatusCode::OK.into_response())
}

/// PS3.18, 11.8. Who has begun it is not told, so that only what was not begun is cancelled.
fn cancel(procedures: &Procedures, uid: &str) -> Result<Response, Problem> {
    match there(procedures, uid)?.progress {
        Progress::Scheduled => {
            procedures.mark(uid, Progress::Discontinued, "").map_err(problem)?;
            Ok(StatusCode::ACCEPTED.into_response())
        }
        Progress::Discontinued => Ok(StatusCode::ACCEPTED.into_response()),
        _ => Err(conflict("it was begun")),
    }
}

/// PS3.18, 11.9. An attribute within a sequence is named behind it and a dot.
fn search(procedures: &Procedures, asked: &Asked) -> Result<Response, Problem> {
    let mut keys = InMemDicomObject::new_empty();
    let (mut offset, mut limit) = (0, MOST);
    for (name, value) in &asked.parameters {
        let number = || {
            let wrong = |_| Problem::bad(format!("{name}: {value:?} is no number"));
            value.parse::<usize>().map_err(wrong)
        };
        match name.as_str() {
            "offset" => offset = number()?,
            "limit" => limit = number()?.min(MOST),
            // All attributes come, and what is not known is left out of account (PS3.18, 8.3.4).
            _ => drop(put_key(&mut keys, name, value)),
        }
    }
    let mut entries = procedures.entries(true);
    entries.retain(|entry| matching::matches(&keys, &entry.set));
    entries.sort_by_cached_key(|entry| entry.begin());
    Ok(list(entries.iter().skip(offset).take(limit).map(|entry| entry.to_json())))
}

/// Adds a key, if its attribute is known.
fn put_key(keys: &mut InMemDicomObject, name: &str, value: &str) -> Option<()> {
    let element = |name: &str| {
        let tag: Tag = StandardDataDictionary.parse_tag(name)?;
        let vr = StandardDataDictionary.by_tag(tag)?.vr().relaxed();
        Some((tag, vr))
    };
    let value = PrimitiveValue::Strs(value.split('\\').map(str::to_owned).collect());
    match name.split_once('.') {
        None => {
            let (tag, vr) = element(name)?;
            keys.put(DataElement::new(tag, vr, value));
        }
        Some((sequence, name)) => {
            let ((sequence, _), (tag, vr)) = (element(sequence)?, element(name)?);
            let there = keys.take(sequence).and_then(|found| found.into_value().into_items());
            let there = there.and_then(|items| items.into_iter().next());
            let mut item = there.unwrap_or_else(InMemDicomObject::new_empty);
            item.put(DataElement::new(tag, vr, value));
            keys.put(DataElement::new(sequence, VR::SQ, Value::Sequence(vec![item].into())));
        }
    }
    Some(())
}

fn text(set: &InMemDicomObject, tag: Tag) -> String {
    let found = set.get(tag).and_then(|element| element.to_str().ok());
    found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
}
