//! Bringing images from servers and to them: over stream endpoints, behind what is there already,
//! from the next server when one fails.

use crate::dicom;
use crate::idl::server::{StoreRaises, StoredRaises};
use crate::idl::{Image, Refusal, Refused, Server, ServerRef, Source, SourceRef};
use armilla_security::UsedUp;
use armilla_stream::{
    FlowConsumer, FlowControl, FlowOptions, FlowProducer, FlowRequest, RunningChecksum, StreamError,
};
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// How often a server is asked again that brought nothing.
const ATTEMPTS: u32 = 3;

/// Why an image did not come or go.
#[derive(Debug)]
pub struct FetchError {
    /// Why a server refused it, if one did.
    pub refusal: Option<Refusal>,
    what: String,
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for FetchError {}

impl From<io::Error> for FetchError {
    fn from(error: io::Error) -> Self {
        plain(error.to_string())
    }
}

impl From<UsedUp> for FetchError {
    /// As a server refuses an image for which it has no room.
    fn from(used_up: UsedUp) -> Self {
        Self { refusal: Some(Refusal::NoRoom), what: used_up.to_string() }
    }
}

fn failed(what: impl fmt::Display, error: impl fmt::Display) -> FetchError {
    plain(format!("{what}: {error}"))
}

const fn plain(what: String) -> FetchError {
    FetchError { refusal: None, what }
}

/// Brings an image into a directory, as `UID.dcm`, and returns its path. `begin` gets the control of
/// each flow, with the octets that are there already. A file that is there with the right checksum
/// is not brought again; a part of it is completed.
///
/// # Errors
/// No server that has the image could bring all of it; the text names each with its reason.
pub fn fetch(
    source: &SourceRef,
    image: &Image,
    directory: &Path,
    begin: &dyn Fn(FlowControl, u64),
) -> Result<PathBuf, FetchError> {
    // What a server says becomes the name of a file.
    if !dicom::is_uid(&image.uid) {
        return Err(plain(format!("{:?} is no identifier of an image", image.uid)));
    }
    let path = directory.join(format!("{}.dcm", image.uid));
    if fs::metadata(&path).is_ok_and(|found| found.len() == image.size)
        && hash(&path).is_ok_and(|found| found == image.sha256)
    {
        return Ok(path);
    }
    let holders = source.holders(&image.uid).map_err(|error| failed("no server", error))?;
    let part = directory.join(format!("{}.part", image.uid));
    let mut reasons = Vec::new();
    for holder in &holders {
        let mut idle = 0;
        while idle < ATTEMPTS {
            let before = fs::metadata(&part).map_or(0, |found| found.len());
            match fetch_once(holder, image, &part, begin) {
                Ok(()) => {
                    let placed = fs::rename(&part, &path);
                    return placed.map(|()| path).map_err(|error| failed(part.display(), error));
                }
                Err(Once::Over(reason)) => {
                    reasons.push(reason);
                    break;
                }
                Err(Once::Again(reason)) => {
                    let after = fs::metadata(&part).map_or(0, |found| found.len());
                    idle = if after > before { 0 } else { idle + 1 };
                    reasons.push(reason);
                }
            }
        }
    }
    let reasons =
        if reasons.is_empty() { "no server has it".to_owned() } else { reasons.join("; ") };
    Err(failed(format_args!("the image {} did not come", image.uid), reasons))
}

/// Why one attempt failed.
enum Once {
    /// Another attempt may bring the rest.
    Again(String),
    /// This server cannot help.
    Over(String),
}

/// The options of flows with a server: over TLS where the calls are.
pub(crate) fn flow_options(server: &ServerRef) -> FlowOptions {
    server.object().orb().map(|orb| FlowOptions::of(&orb)).unwrap_or_default()
}

fn fetch_once(
    server: &ServerRef,
    image: &Image,
    part: &Path,
    begin: &dyn Fn(FlowControl, u64),
) -> Result<(), Once> {
    let over = |error: &dyn fmt::Display| Once::Over(error.to_string());
    let file = open_part(part).map_err(|error| over(&error))?;
    let mut there = file.metadata().map_err(|error| over(&error))?.len();
    if there > image.size {
        file.set_len(0).map_err(|error| over(&error))?;
        there = 0;
    }
    let options = flow_options(server);
    let request = FlowRequest::connecting_with(there, &options);
    let agreement = server.fetch(&image.uid, &request).map_err(|error| over(&error))?;
    if agreement.spec.digest != image.sha256 || agreement.spec.size != image.size {
        return Err(Once::Over("this server has other contents of the image".to_owned()));
    }
    let collected = agreement.collect(&options);
    let mut consumer: FlowConsumer = collected.map_err(|error| Once::Again(error.to_string()))?;
    begin(consumer.control(), there);
    let mut before = RunningChecksum::new(agreement.spec.algorithm);
    add_all(&file, there, &mut before).map_err(|error| over(&error))?;
    consumer.continue_checksum(before);
    match consumer.receive_file(&file, there) {
        Ok(_) => file.sync_all().map_err(|error| over(&error)),
        Err(StreamError::Damaged) => {
            // Nothing tells which octets are wrong.
            file.set_len(0).map_err(|error| over(&error))?;
            Err(Once::Over(StreamError::Damaged.to_string()))
        }
        Err(error @ (StreamError::File(_) | StreamError::Cancelled)) => Err(over(&error)),
        Err(error) => Err(Once::Again(error.to_string())),
    }
}

/// Opens what is there of an image, or makes it. In a directory where others write too, it may be
/// theirs: a link to a file of this user, or a pipe.
fn open_part(part: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).custom_flags(flags.bits() as i32);
    let file = options.open(part)?;
    let found = file.metadata()?;
    if found.is_file() && found.uid() == rustix::process::geteuid().as_raw() && found.nlink() == 1 {
        return Ok(file);
    }
    let what = format!("{} is not a file of this user; remove it", part.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

/// Adds the first octets of a file to a checksum.
fn add_all(mut file: &File, count: u64, to: &mut RunningChecksum) -> io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    let mut left = count;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        file.read_exact(&mut buffer[..most])?;
        to.update(&buffer[..most]);
        left -= most as u64;
    }
    Ok(())
}

fn hash(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    io::copy(&mut file, &mut HashWriter(&mut hasher))?;
    Ok(hasher.finalize().to_vec())
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.update(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends a file to a server, and returns what it has kept: the image is on its disk.
///
/// # Errors
/// The server refuses it, or it did not arrive.
pub fn send(server: &ServerRef, path: &Path) -> Result<Image, FetchError> {
    let named = |error: &dyn fmt::Display| failed(path.display(), error);
    let file = File::open(path).map_err(|error| named(&error))?;
    let size = file.metadata().map_err(|error| named(&error))?.len();
    if size == 0 {
        return Err(named(&"the file is empty"));
    }
    let send = |producer: &mut FlowProducer| producer.send_file(&file, 0, size).map(drop);
    let sent = upload(server, size, "", send);
    sent.map_err(|error| FetchError { refusal: error.refusal, ..named(&error) })
}

/// Sends octets as they come, whose number nobody knows yet, to a server. Unless `study` is empty,
/// the image must be of that study.
///
/// # Errors
/// The server refuses it, or it did not arrive, or `from` fails.
pub fn send_from(
    server: &ServerRef,
    study: &str,
    from: &mut dyn Read,
) -> Result<Image, FetchError> {
    let mut from = Noting { from, failure: None };
    let sent = upload(server, 0, study, |producer| {
        io::copy(&mut from, producer).map(drop).map_err(StreamError::from)
    });
    match from.failure {
        Some(failure) => Err(plain(failure)),
        None => sent,
    }
}

/// Keeps why nothing more can be read.
struct Noting<'a> {
    from: &'a mut dyn Read,
    failure: Option<String>,
}

impl Read for Noting<'_> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        let failed = |error: &io::Error| self.failure = Some(error.to_string());
        self.from.read(octets).inspect_err(failed)
    }
}

fn upload(
    server: &ServerRef,
    size: u64,
    study: &str,
    send: impl FnOnce(&mut FlowProducer) -> Result<(), StreamError>,
) -> Result<Image, FetchError> {
    let plain = |error: &dyn fmt::Display| plain(error.to_string());
    let options = flow_options(server);
    let upload = server.store(size, study, &FlowRequest::connecting_with(0, &options));
    let upload = upload.map_err(|error| match error {
        armilla::Error::User(StoreRaises::Refused(refused)) => of(refused),
        error => plain(&error),
    })?;
    let collected = upload.agreement.collect(&options);
    let mut producer: FlowProducer = collected.map_err(|error| plain(&error))?;
    let sent = match send(&mut producer) {
        Ok(()) => producer.finish(),
        Err(error) => {
            // Otherwise the server would wait for the rest.
            drop(producer);
            Err(error)
        }
    };
    // The server knows better why it broke off.
    match (server.stored(upload.ticket), sent) {
        (Ok(image), _) => Ok(image),
        (Err(_), Err(error @ StreamError::File(_))) => Err(plain(&error)),
        (Err(armilla::Error::User(StoredRaises::Refused(refused))), _) => Err(of(refused)),
        (Err(error), _) => Err(plain(&error)),
    }
}

fn of(refused: Refused) -> FetchError {
    FetchError { refusal: Some(refused.kind), what: refused.reason }
}
