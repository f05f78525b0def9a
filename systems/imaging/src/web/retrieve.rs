//! Files, attributes and pixels: WADO-RS (PS3.18, section 10.4).

use super::multipart::MultipartWriter;
use super::resource::Target;
use super::search::missing_text;
use super::sources::Failure;
use super::{Asked, Problem, Web};
use crate::fetch::flow_options;
use crate::idl::server::{MetadataRaises, PixelsRaises};
use crate::idl::{Image, Missing, Server, ServerRef};
use armilla::Error;
use armilla_service::axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, WARNING};
use armilla_service::axum::http::{HeaderValue, StatusCode};
use armilla_service::axum::response::{IntoResponse, Response};
use armilla_service::written_body;
use armilla_stream::{FlowConsumer, FlowRequest};
use dicom_dictionary_std::uids;
use std::io::{self, Write};
use std::sync::Arc;

const DICOM: &str = "application/dicom";
const OCTETS: &str = "application/octet-stream";

/// Media types of encoded frames (PS3.18, table 8.7.3-5).
const ENCODED: &[(&str, &str)] = &[
    (uids::JPEG_BASELINE8_BIT, "image/jpeg"),
    (uids::JPEG_EXTENDED12_BIT, "image/jpeg"),
    (uids::JPEG_LOSSLESS, "image/jpeg"),
    (uids::JPEG_LOSSLESS_SV1, "image/jpeg"),
    (uids::RLE_LOSSLESS, "image/dicom-rle"),
    (uids::JPEGLS_LOSSLESS, "image/jls"),
    (uids::JPEGLS_NEAR_LOSSLESS, "image/jls"),
    (uids::JPEG2000_LOSSLESS, "image/jp2"),
    (uids::JPEG2000, "image/jp2"),
    (uids::HTJ2K_LOSSLESS, "image/jphc"),
    (uids::HTJ2K, "image/jphc"),
];

/// The files of a study, a series or an image, as they were stored.
pub(super) fn files(web: &Arc<Web>, asked: &Asked, target: &Target) -> Result<Response, Problem> {
    let (images, missing) = web.sources.images(&target.study, &target.series, &target.instance)?;
    let wanted = asked.accept.iter().find(|range| range.includes(DICOM));
    let wanted = wanted.ok_or_else(|| {
        Problem::not_acceptable(
            "files are given as multipart/related; type=\"application/dicom\"; transfer-syntax=*",
        )
    })?;
    let other = images.iter().find(|image| match wanted.parameter("transfer-syntax") {
        None | Some("*") => false,
        Some(syntax) => syntax != image.syntax,
    });
    if let Some(image) = other {
        return Err(Problem::not_acceptable(format!(
            "the image {} is kept, and given, in the transfer syntax {}; accept transfer-syntax=*",
            image.uid, image.syntax
        )));
    }
    let response = match &images[..] {
        [image] if !wanted.takes_parts() => {
            let (web, image) = (Arc::clone(web), image.clone());
            let head =
                [(CONTENT_TYPE, content_type(&image)), (CONTENT_LENGTH, image.size.to_string())];
            let body = written_body(move |to| web.sources.send(&image, to));
            (head, body).into_response()
        }
        [_, _, ..] if !wanted.takes_parts() => {
            let what = "there are several images, so multipart/related must be accepted";
            return Err(Problem::not_acceptable(what));
        }
        _ => {
            let web = Arc::clone(web);
            multipart(DICOM, move |parts| {
                for image in &images {
                    let size = image.size.to_string();
                    let kind = content_type(image);
                    let to = parts.begin(&[("Content-Type", &kind), ("Content-Length", &size)])?;
                    web.sources.send(image, to)?;
                }
                Ok(())
            })
        }
    };
    Ok(with_missing(response, &missing))
}

fn content_type(image: &Image) -> String {
    format!("{DICOM}; transfer-syntax={}", image.syntax)
}

/// An answer of several parts, written as they come.
fn multipart<W>(kind: &str, write: W) -> Response
where
    W: FnOnce(&mut MultipartWriter<'_, armilla_service::BodyWriter>) -> io::Result<()>
        + Send
        + 'static,
{
    let boundary = super::boundary();
    let head = format!("multipart/related; type=\"{kind}\"; boundary={boundary}");
    let body = written_body(move |to| {
        let mut parts = MultipartWriter::new(to, &boundary);
        write(&mut parts)?;
        parts.end()
    });
    ([(CONTENT_TYPE, head)], body).into_response()
}

fn with_missing(mut response: Response, missing: &[Missing]) -> Response {
    for missing in missing {
        let text = format!("299 armilla-imaging \"{}\"", missing_text(missing));
        let warning = HeaderValue::from_str(&text);
        response.headers_mut().extend(warning.map(|warning| (Some(WARNING), warning)).ok());
    }
    response
}

/// The attributes of the images of a study, a series, or of an image.
pub(super) fn metadata(
    web: &Arc<Web>,
    asked: &Asked,
    target: &Target,
) -> Result<Response, Problem> {
    let json = ["application/dicom+json", "application/json"];
    let kind = json
        .into_iter()
        .find(|kind| asked.accepts(kind))
        .ok_or_else(|| Problem::not_acceptable("metadata is given as application/dicom+json"))?;
    let (images, missing) = web.sources.images(&target.study, &target.series, &target.instance)?;
    // The first one before anything is sent, so that most errors have a status.
    let first = metadata_of(web, &images[0])?;
    let web = Arc::clone(web);
    let body = written_body(move |to| {
        write!(to, "[{first}")?;
        for image in &images[1..] {
            let one = metadata_of(&web, image).map_err(|problem| io::Error::other(problem.what))?;
            write!(to, ",{one}")?;
        }
        write!(to, "]")
    });
    Ok(with_missing(([(CONTENT_TYPE, kind)], body).into_response(), &missing))
}

fn metadata_of(web: &Web, image: &Image) -> Result<String, Problem> {
    web.sources.at_holder(&image.series, &image.uid, &mut |server| {
        server.metadata(&image.uid).map_err(|error| match error {
            Error::User(MetadataRaises::Refused(refused)) => {
                Failure::Over(Problem::refused(refused.kind, refused.reason))
            }
            error => Failure::Next(error.to_string()),
        })
    })
}

/// How a client wants frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameKind {
    /// As the file has them.
    stored: bool,
    parts: bool,
}

/// The pixels of frames.
pub(super) fn frames(web: &Arc<Web>, asked: &Asked, target: &Target) -> Result<Response, Problem> {
    let (images, _) = web.sources.images(&target.study, &target.series, &target.instance)?;
    let image = &images[0];
    target.check_frames(image)?;
    let kinds = frame_kinds(asked, image);
    let mut why = Problem::not_acceptable(
        "frames are given as application/octet-stream, decoded, or as they are stored: with \
         transfer-syntax=*, or as the media type of their encoding",
    );
    for kind in kinds {
        match flow(web, image, target.frames[0], kind.stored) {
            Ok((syntax, flow)) => return send_frames(web, image, target, kind, &syntax, flow),
            Err(problem) => why = problem,
        }
    }
    Err(why)
}

/// The ways in which frames may be given, the dearest first.
fn frame_kinds(asked: &Asked, image: &Image) -> Vec<FrameKind> {
    let encoded = ENCODED.iter().find(|(syntax, _)| *syntax == image.syntax);
    let mut kinds = Vec::new();
    for range in &asked.accept {
        let parts = range.takes_parts();
        let syntax = range.parameter("transfer-syntax");
        let any = syntax == Some("*");
        let stored = encoded.is_some_and(|(_, kind)| range.includes(kind))
            && syntax.is_none_or(|syntax| any || syntax == image.syntax);
        let decoded = range.includes(OCTETS)
            && syntax.is_none_or(|syntax| any || syntax == uids::EXPLICIT_VR_LITTLE_ENDIAN);
        // Whoever takes anything gets values, or what is there if there are none.
        kinds.extend(decoded.then_some(FrameKind { stored: false, parts }));
        kinds.extend(
            (stored || any && encoded.is_some()).then_some(FrameKind { stored: true, parts }),
        );
    }
    kinds
}

fn flow(
    web: &Web,
    image: &Image,
    frame: u32,
    stored: bool,
) -> Result<(String, FlowConsumer), Problem> {
    web.sources.at_holder(&image.series, &image.uid, &mut |server: &ServerRef| {
        let options = flow_options(server);
        let request = FlowRequest::connecting_with(0, &options);
        let asked = server.pixels(&image.uid, frame - 1, stored, &request);
        let pixels = asked.map_err(|error| match error {
            Error::User(PixelsRaises::Refused(refused)) => {
                Failure::Over(Problem::refused(refused.kind, refused.reason))
            }
            error => Failure::Next(error.to_string()),
        })?;
        let collected = pixels.agreement.collect(&options);
        Ok((pixels.syntax, collected.map_err(|error| Failure::Next(error.to_string()))?))
    })
}

fn send_frames(
    web: &Arc<Web>,
    image: &Image,
    target: &Target,
    kind: FrameKind,
    syntax: &str,
    mut first: FlowConsumer,
) -> Result<Response, Problem> {
    let name = match ENCODED.iter().find(|(known, _)| *known == syntax) {
        Some((_, name)) if kind.stored => *name,
        _ => OCTETS,
    };
    let content_type = format!("{name}; transfer-syntax={syntax}");
    if !kind.parts {
        if target.frames.len() > 1 {
            let what = "several frames are asked for, so multipart/related must be accepted";
            return Err(Problem::not_acceptable(what));
        }
        let size = first.spec().size.to_string();
        let body = written_body(move |to| io::copy(&mut first, to).map(drop));
        let head = [(CONTENT_TYPE, content_type), (CONTENT_LENGTH, size)];
        return Ok((StatusCode::OK, head, body).into_response());
    }
    let (web, image, numbers) = (Arc::clone(web), image.clone(), target.frames.clone());
    Ok(multipart(name, move |parts| {
        let mut ready = Some(first);
        for number in numbers {
            let mut flow = match ready.take() {
                Some(flow) => flow,
                None => {
                    let flow = flow(&web, &image, number, kind.stored);
                    flow.map_err(|problem| io::Error::other(problem.what))?.1
                }
            };
            let size = flow.spec().size.to_string();
            let head = [("Content-Type", &*content_type), ("Content-Length", &*size)];
            io::copy(&mut flow, parts.begin(&head)?)?;
        }
        Ok(())
    }))
}
