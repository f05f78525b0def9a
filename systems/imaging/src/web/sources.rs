//! Which servers have an image, and bringing it from the first that can.

use super::Problem;
use crate::fetch::flow_options;
use crate::idl::source::HoldersRaises;
use crate::idl::{Image, Missing, Query, Server, ServerRef, Source, SourceRef};
use crate::query::everything;
use armilla::{Error, SystemException};
use armilla_stream::{Checksum, FlowConsumer, FlowRequest, RunningChecksum};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long it is remembered who has a series, and of how many series.
const FRESH: Duration = Duration::from_secs(60);
const MOST: usize = 4096;

/// How long a server has for a picture.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server or a locator, and who had which series when it was asked last.
#[derive(Debug)]
pub(crate) struct Sources {
    source: SourceRef,
    known: Mutex<HashMap<String, (Instant, Vec<ServerRef>)>>,
}

/// Why one server did not do something.
pub(super) enum Failure {
    /// Another one would not either.
    Over(Problem),
    /// Another one may.
    Next(String),
}

impl From<SystemException> for Failure {
    fn from(exception: SystemException) -> Self {
        Self::Next(exception.to_string())
    }
}

impl Sources {
    pub(crate) fn new(source: SourceRef) -> Self {
        Self { source, known: Mutex::default() }
    }

    pub(super) const fn source(&self) -> &SourceRef {
        &self.source
    }

    /// The images of a study, a series or an image; who could not be asked.
    pub(super) fn images(
        &self,
        study: &str,
        series: &str,
        instance: &str,
    ) -> Result<(Vec<Image>, Vec<Missing>), Problem> {
        let (study, series) = (study.to_owned(), series.to_owned());
        let uid = dicom_dictionary_std::tags::SOP_INSTANCE_UID;
        let mut others = Vec::new();
        if !instance.is_empty() {
            let tag = crate::attributes::to_number(uid);
            others.push(crate::idl::Criterion { tag, pattern: instance.to_owned() });
        }
        let query = Query { study, series, others, ..everything() };
        let (images, missing) = self.source.find(&query)?;
        match images.is_empty() {
            true => Err(Problem::missing("no such image is here", &missing)),
            false => Ok((images, missing)),
        }
    }

    /// Does something at the first server that has an image and can. The servers that had another
    /// image of the series a moment ago are tried first.
    pub(super) fn at_holder<T>(
        &self,
        series: &str,
        uid: &str,
        work: &mut dyn FnMut(&ServerRef) -> Result<T, Failure>,
    ) -> Result<T, Problem> {
        let fresh = |(when, _): &&(Instant, Vec<ServerRef>)| when.elapsed() < FRESH;
        let known = self.known().get(series).filter(fresh).map(|(_, known)| known.clone());
        let mut reasons = Vec::new();
        for asked in [false, true] {
            let holders = match asked {
                false => known.clone().unwrap_or_default(),
                true => self.holders(series, uid)?,
            };
            for holder in &holders {
                match work(&holder.with_timeout(PATIENCE)) {
                    Ok(done) => return Ok(done),
                    Err(Failure::Over(problem)) => return Err(problem),
                    Err(Failure::Next(reason)) => reasons.push(reason),
                }
            }
        }
        reasons.dedup();
        Err(Problem::gateway(format!("no server brings the image {uid}: {}", reasons.join("; "))))
    }

    fn holders(&self, series: &str, uid: &str) -> Result<Vec<ServerRef>, Problem> {
        let holders = self.source.holders(uid).map_err(|error| match error {
            Error::User(HoldersRaises::UnknownImage(_)) => {
                Problem::not_found(format!("no server that answers has the image {uid}"))
            }
            Error::System(exception) => exception.into(),
        })?;
        let mut known = self.known();
        if known.len() >= MOST {
            known.retain(|_, (when, _)| when.elapsed() < FRESH);
        }
        if known.len() < MOST {
            known.insert(series.to_owned(), (Instant::now(), holders.clone()));
        }
        Ok(holders)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, (Instant, Vec<ServerRef>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the file of an image. When a server fails in the middle, the next one goes on behind
    /// what came.
    pub(crate) fn send(&self, image: &Image, to: &mut dyn Write) -> io::Result<()> {
        let (mut sent, mut checksum) = (0, RunningChecksum::new(Checksum::Sha256));
        let mut broken = None;
        let mut bring = |server: &ServerRef| {
            bring(server, image, &mut sent, &mut checksum, &mut |octets| {
                let written = to.write_all(octets);
                // The client is gone, which no other server mends.
                written.map_err(|error| Failure::Over(Problem::gateway(broken.insert(error))))
            })
        };
        let brought = self.at_holder(&image.series, &image.uid, &mut bring);
        match (brought, broken) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(error)) => Err(error),
            (Err(problem), None) => {
                tracing::warn!(uid = image.uid, why = problem.what, "an image was not sent");
                Err(io::Error::other(problem.what))
            }
        }
    }
}

/// Brings what is missing of an image from one server.
fn bring(
    server: &ServerRef,
    image: &Image,
    sent: &mut u64,
    checksum: &mut RunningChecksum,
    take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let next = |error: &dyn std::fmt::Display| Failure::Next(error.to_string());
    let options = flow_options(server);
    let agreement = server.fetch(&image.uid, &FlowRequest::connecting_with(*sent, &options));
    let agreement = agreement.map_err(|error| next(&error))?;
    if agreement.spec.digest != image.sha256 {
        return Err(Failure::Next("this server has other contents of the image".to_owned()));
    }
    let collected = agreement.collect(&options);
    let mut flow: FlowConsumer = collected.map_err(|error| next(&error))?;
    flow.continue_checksum(checksum.clone());
    let mut buffer = vec![0; 64 << 10];
    loop {
        // Reading to the end compares the checksum of the whole.
        let count = flow.read(&mut buffer).map_err(|error| next(&error))?;
        if count == 0 {
            return Ok(());
        }
        take(&buffer[..count])?;
        checksum.update(&buffer[..count]);
        *sent += count as u64;
    }
}
