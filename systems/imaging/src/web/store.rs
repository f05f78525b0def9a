//! Taking images: STOW-RS (PS3.18, section 10.5).

use super::accept::MediaType;
use super::json::attribute;
use super::multipart::MultipartReader;
use super::resource::Target;
use super::{Asked, Problem, Web};
use crate::access::Operation;
use crate::audit::Subject;
use crate::dicom::named;
use crate::fetch::{FetchError, send_from};
use crate::idl::{Image, Refusal, ServerRef, Source};
use armilla_service::BodyReader;
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::http::header::CONTENT_TYPE;
use armilla_service::axum::response::{IntoResponse, Response};
use dicom_core::Tag;
use dicom_dictionary_std::tags;
use serde_json::{Map, Value, json};
use std::io::{self, Read};

/// The most images of one request.
const MOST: usize = 100_000;

/// How much of a file is looked at for the UIDs in its head.
const HEAD: u64 = 64 << 10;

/// What became of one image.
struct Outcome {
    /// SOP Class and SOP Instance, as far as the head of the file tells.
    kind: String,
    uid: String,
    kept: Result<Image, FetchError>,
}

/// Takes the images of a request.
pub(super) fn store(
    web: &Web,
    asked: &Asked,
    target: &Target,
    body: BodyReader,
) -> Result<Response, Problem> {
    let kind = MediaType::parse(&asked.content_type);
    let kind = kind.filter(|kind| kind.content() == "application/dicom").ok_or_else(|| {
        let what = "images are sent as multipart/related; type=\"application/dicom\"";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what)
    })?;
    let server = server(web)?;
    let mut outcomes = Vec::new();
    let ended = match kind.parameter("boundary") {
        _ if kind.name == "application/dicom" => {
            outcomes.push(keep(&To { web, asked, server: &server }, &target.study, body));
            Ok(())
        }
        Some(boundary) => {
            let to = To { web, asked, server: &server };
            each_part(&to, &target.study, body, boundary, &mut outcomes)
        }
        None => return Err(Problem::bad("multipart/related needs a boundary")),
    };
    for image in outcomes.iter().filter_map(|outcome| outcome.kept.as_ref().ok()) {
        let (study, series) = (&image.study, &image.series);
        let subject = Subject { what: "file", study, series, image: &image.uid };
        if let Err(error) = web.guard.note(&asked.client, Operation::Store, subject, "stored") {
            tracing::error!(%error, "the record of accesses cannot be written");
        }
    }
    match ended {
        Err(error) if outcomes.is_empty() => {
            let status = match error.kind() {
                io::ErrorKind::FileTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                _ => StatusCode::BAD_REQUEST,
            };
            Err(Problem::new(status, error))
        }
        Err(error) => {
            // What was kept is told, and that it is not all.
            let what = FetchError::from(error);
            outcomes.push(Outcome { kind: String::new(), uid: String::new(), kept: Err(what) });
            Ok(answer(asked, &outcomes))
        }
        Ok(()) if outcomes.is_empty() => Err(Problem::bad("the request has no image")),
        Ok(()) => Ok(answer(asked, &outcomes)),
    }
}

/// The server with the most room.
fn server(web: &Web) -> Result<ServerRef, Problem> {
    let (servers, missing) = web.sources.source().members()?;
    let what = "no server takes images now";
    servers.into_iter().next().ok_or_else(|| match Problem::missing(what, &missing) {
        problem if missing.is_empty() => {
            Problem { status: StatusCode::SERVICE_UNAVAILABLE, ..problem }
        }
        problem => problem,
    })
}

/// Where images go, and whose they are.
struct To<'a> {
    web: &'a Web,
    asked: &'a Asked,
    server: &'a ServerRef,
}

fn each_part(
    to: &To<'_>,
    study: &str,
    body: BodyReader,
    boundary: &str,
    outcomes: &mut Vec<Outcome>,
) -> io::Result<()> {
    let mut parts = MultipartReader::new(body, boundary)?;
    while let Some(head) = parts.next_part()? {
        if outcomes.len() >= MOST {
            return Err(io::Error::other(format!("a request has {MOST} images at most")));
        }
        let kind = head.field("content-type").and_then(MediaType::parse);
        if kind.is_some_and(|kind| kind.name != "application/dicom") {
            let what = io::Error::other("a part is not of the type application/dicom");
            let (kind, uid) = (String::new(), String::new());
            outcomes.push(Outcome { kind, uid, kept: Err(what.into()) });
            continue;
        }
        outcomes.push(keep(to, study, &mut parts));
    }
    Ok(())
}

fn keep(to: &To<'_>, study: &str, mut from: impl Read) -> Outcome {
    let mut head = Vec::new();
    let read = (&mut from).take(HEAD).read_to_end(&mut head);
    let (kind, uid) = named(&head);
    let guard = &to.web.guard;
    let kept = read.map_err(FetchError::from).and_then(|_| {
        let held = guard.admit(&to.asked.client)?;
        let image = send_from(to.server, study, &mut head.chain(from))?;
        guard.stored(&image.uid, held);
        Ok(image)
    });
    Outcome { kind, uid, kept }
}

/// Tells of each image what became of it (PS3.18, table 10.5.3-1; annex F).
fn answer(asked: &Asked, outcomes: &[Outcome]) -> Response {
    let (mut kept, mut failed) = (Vec::new(), Vec::new());
    let mut why = Vec::new();
    for outcome in outcomes {
        match &outcome.kept {
            Ok(image) => {
                let path = format!(
                    "{}/studies/{}/series/{}/instances/{}",
                    asked.base, image.study, image.series, image.uid
                );
                kept.push(object(&[
                    (tags::REFERENCED_SOP_CLASS_UID, attribute(tags::SOP_CLASS_UID, &image.kind)),
                    (
                        tags::REFERENCED_SOP_INSTANCE_UID,
                        attribute(tags::SOP_INSTANCE_UID, &image.uid),
                    ),
                    (tags::RETRIEVE_URL, attribute(tags::RETRIEVE_URL, &path)),
                ]));
            }
            Err(error) => {
                let reason = json!({ "vr": "US", "Value": [failure(error)] });
                failed.push(object(&[
                    (tags::REFERENCED_SOP_CLASS_UID, attribute(tags::SOP_CLASS_UID, &outcome.kind)),
                    (
                        tags::REFERENCED_SOP_INSTANCE_UID,
                        attribute(tags::SOP_INSTANCE_UID, &outcome.uid),
                    ),
                    (tags::FAILURE_REASON, reason),
                    // What a person reads; the standard has numbers only.
                    (tags::ERROR_COMMENT, attribute(tags::ERROR_COMMENT, &error.to_string())),
                ]));
                why.push(error);
            }
        }
    }
    let status = match (kept.is_empty(), failed.is_empty()) {
        (_, true) => StatusCode::OK,
        (false, false) => StatusCode::ACCEPTED,
        (true, false) if why.iter().all(|error| error.refusal == Some(Refusal::NoRoom)) => {
            StatusCode::INSUFFICIENT_STORAGE
        }
        (true, false) => StatusCode::CONFLICT,
    };
    let sequence = |items: Vec<Value>| json!({ "vr": "SQ", "Value": items });
    let mut answer = Map::new();
    for (tag, items) in [(tags::REFERENCED_SOP_SEQUENCE, kept), (tags::FAILED_SOP_SEQUENCE, failed)]
    {
        if !items.is_empty() {
            answer.insert(key(tag), sequence(items));
        }
    }
    let body = Value::Object(answer).to_string();
    (status, [(CONTENT_TYPE, "application/dicom+json")], body).into_response()
}

fn key(tag: Tag) -> String {
    format!("{:04X}{:04X}", tag.0, tag.1)
}

fn object(attributes: &[(Tag, Value)]) -> Value {
    attributes.iter().map(|(tag, value)| (key(*tag), value.clone())).collect()
}

/// The number of a reason (PS3.18, table I.2-2; PS3.4, table B.2-1).
const fn failure(error: &FetchError) -> u16 {
    match error.refusal {
        Some(Refusal::NotUnderstood) => 0xc000,
        Some(Refusal::OtherStudy) => 0xa900,
        Some(Refusal::Differs) => 0x0111,
        Some(Refusal::NoRoom) => 0xa700,
        Some(Refusal::Forbidden) => 0x0124,
        _ => 0x0110,
    }
}
