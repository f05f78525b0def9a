//! The object of an image server.

use super::pending::Pending;
use super::planning;
use super::uploads::Uploads;
use crate::access::{Operation, Place};
use crate::audit::{Client, Guard, Subject};
use crate::dicom::{self, DicomError};
use crate::idl::server::{
    FetchRaises, MetadataRaises, PerformedRaises, PictureRaises, PixelsRaises, PlanRaises,
    PlannedRaises, ReadRaises, RemoveRaises, StoreRaises, StoredRaises, UnplanRaises,
};
use crate::idl::source::HoldersRaises;
use crate::idl::{
    self, Group, Image, Level, Missing, PictureFormat, PixelFlow, Query, Refusal, Refused, Server,
    ServerRef, ServerState, Source, UnknownEntry, UnknownImage, Upload, View,
};
use crate::procedures::Procedures;
use crate::store::{Incoming, Store, StoreError};
use armilla::{Error, ExceptionKind, Orb, PoaError, SystemException};
use armilla_ipc::Address;
use armilla_stream::{
    Checksum, FlowAgreement, FlowConsumer, FlowProducer, FlowRequest, FlowSpec, Listener,
    StreamError,
};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, OnceLock};

/// The most octets that a `read` returns.
const MOST_READ: u32 = 16 << 20;

/// What an image server is made of.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The name that it is known by.
    pub name: String,
    /// Its images.
    pub store: Store,
    /// Where its flows begin and end.
    pub listener: Listener,
    /// Who may do what.
    pub guard: Guard,
    /// What is planned and was done; a cache has none.
    pub procedures: Option<Procedures>,
    /// What keeps a file that has come; without it, the store does.
    pub through: Option<Through>,
}

/// Keeps a file that has come in another way than the store alone would.
#[derive(Clone)]
pub struct Through(Arc<dyn Fn(Incoming) -> Result<Arc<Image>, Refused> + Send + Sync>);

impl Through {
    /// Keeps files by `keep`, which runs in a thread that may wait.
    pub fn new(
        keep: impl Fn(Incoming) -> Result<Arc<Image>, Refused> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(keep))
    }
}

impl std::fmt::Debug for Through {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Through")
    }
}

/// The servant.
#[derive(Debug)]
pub struct ImageServer {
    settings: ServerSettings,
    uploads: Uploads,
    /// Pixels that wait to be collected.
    pending: Pending,
    /// Its own reference, once it is active.
    this: OnceLock<ServerRef>,
}

impl ImageServer {
    /// Activates an image server.
    ///
    /// # Errors
    /// As [`Poa::activate`](armilla::Poa::activate).
    pub fn activate(
        poa: &armilla::Poa,
        settings: ServerSettings,
    ) -> Result<ServerRef, armilla::PoaError> {
        let (uploads, pending) = (Uploads::default(), Pending::default());
        let server = Arc::new(Self { settings, uploads, pending, this: OnceLock::new() });
        let reference: ServerRef = poa.activate(idl::server::tie(Shared(Arc::clone(&server))))?;
        // It is set here only.
        server.this.set(reference.clone()).ok();
        Ok(reference)
    }

    /// An image that the caller reads.
    fn read(&self, what: &str, uid: &str) -> Result<Arc<Image>, Unread> {
        let image = self.image(uid).map_err(|unknown| {
            // Who may not read does not learn what is here.
            let subject = Subject { what, image: uid, ..Subject::default() };
            let refused = self.permit(Operation::Read, subject).err();
            refused.map_or(Unread::Unknown(unknown), Unread::Refused)
        })?;
        let subject =
            Subject { what, study: &image.study, series: &image.series, image: &image.uid };
        self.permit(Operation::Read, subject).map_err(Unread::Refused)?;
        Ok(image)
    }

    /// Whether the caller may do something.
    fn permit(&self, operation: Operation, subject: Subject<'_>) -> Result<(), Refused> {
        let checked = self.settings.guard.check(&self.caller(), operation, subject);
        checked.map_err(|denied| Refused { kind: Refusal::Forbidden, reason: denied.to_string() })
    }

    /// The same for operations that raise no exception for it.
    fn permit_search(&self, what: &str) -> Result<(), SystemException> {
        let permitted = self.permit(Operation::Read, Subject { what, ..Subject::default() });
        permitted.map_err(|refused| ExceptionKind::NoPermission.because(refused.reason))
    }

    fn caller(&self) -> Client {
        let orb = self.this.get().and_then(|this| this.object().orb().ok());
        caller(orb.as_ref())
    }

    fn image(&self, uid: &str) -> Result<Arc<Image>, UnknownImage> {
        self.settings.store.image(uid).ok_or_else(|| UnknownImage { uid: uid.to_owned() })
    }
}

/// The client whose request the calling thread serves.
pub(crate) fn caller(orb: Option<&Orb>) -> Client {
    let place = match orb.map(Orb::caller) {
        Some(Ok(Some(at @ Address::Tcp { .. }))) => at.ip().map_or(Place::Unknown, Place::from),
        Some(Ok(Some(_))) => Place::Local,
        // A call that has not left the process, through the POA or directly.
        Some(Ok(None) | Err(PoaError::NoContext)) => Place::Here,
        // Nobody knows, and so nobody is trusted.
        Some(Err(_)) | None => Place::Unknown,
    };
    Client::at(place, "corba")
}

/// Refuses to tell who has an image to whom the rules allow no reading. It follows on searches and
/// reads, so that only a refusal is recorded.
pub(crate) fn may_ask(guard: &Guard, client: &Client) -> Result<(), SystemException> {
    let subject = Subject { what: "holders", ..Subject::default() };
    let checked = guard.check_again(client, Operation::Read, subject);
    checked.map_err(|denied| ExceptionKind::NoPermission.because(denied.to_string()))
}

/// Why an image is not read.
enum Unread {
    Unknown(UnknownImage),
    Refused(Refused),
}

/// As the exceptions of an operation.
macro_rules! raise {
    ($unread:expr) => {
        match $unread {
            Unread::Unknown(unknown) => Error::User(unknown.into()),
            Unread::Refused(refused) => Error::User(refused.into()),
        }
    };
}

/// The servant as the ORB holds it.
struct Shared(Arc<ImageServer>);

fn failed(why: impl std::fmt::Display) -> Refused {
    Refused { kind: Refusal::Failed, reason: why.to_string() }
}

/// What the store does not keep.
pub(crate) fn refused(error: &StoreError) -> Refused {
    let kind = match error {
        StoreError::Dicom(_) => Refusal::NotUnderstood,
        StoreError::Differs(_) => Refusal::Differs,
        StoreError::Study(_) => Refusal::OtherStudy,
        StoreError::Quota(_) | StoreError::Full(_) | StoreError::Share(_) => Refusal::NoRoom,
        StoreError::Retained(_) => Refusal::Forbidden,
        _ => Refusal::Failed,
    };
    Refused { kind, reason: error.to_string() }
}

/// Why a file did not come: what the store says, if it is that.
fn cause(error: &StreamError) -> Refused {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref() {
            return refused(error);
        }
        // What an I/O error contains is not its source.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    failed(error)
}

/// What cannot be drawn.
fn undrawable(error: &DicomError) -> Refused {
    Refused { kind: Refusal::NotDecodable, reason: error.to_string() }
}

impl Source for Shared {
    fn find(&self, wanted: &Query) -> Result<(Vec<Image>, Vec<Missing>), SystemException> {
        self.0.permit_search("search")?;
        let found = self.0.settings.store.find(wanted);
        Ok((found.iter().map(|image| Image::clone(image)).collect(), Vec::new()))
    }

    fn groups(
        &self,
        wanted: &Query,
        level: Level,
    ) -> Result<(Vec<Group>, Vec<Missing>), SystemException> {
        self.0.permit_search("search")?;
        Ok((self.0.settings.store.groups(wanted, level), Vec::new()))
    }

    fn members(&self) -> Result<(Vec<ServerRef>, Vec<Missing>), SystemException> {
        Ok((self.0.this.get().cloned().into_iter().collect(), Vec::new()))
    }

    fn holders(&self, uid: &str) -> Result<Vec<ServerRef>, Error<HoldersRaises>> {
        may_ask(&self.0.settings.guard, &self.0.caller())?;
        // Who makes room elsewhere relies on it.
        match self.0.settings.store.holds(uid) {
            true => Ok(self.0.this.get().cloned().into_iter().collect()),
            false => Err(Error::User(UnknownImage { uid: uid.to_owned() }.into())),
        }
    }
}

impl Server for Shared {
    fn state(&self) -> Result<ServerState, SystemException> {
        let store = &self.0.settings.store;
        let (images, octets, quota) = store.usage();
        let (name, room) = (self.0.settings.name.clone(), store.room());
        Ok(ServerState { name, images, octets, quota, room })
    }

    fn fetch(&self, uid: &str, request: &FlowRequest) -> Result<FlowAgreement, Error<FetchRaises>> {
        let image = self.0.read("file", uid).map_err(|unread| raise!(unread))?;
        let path = self.0.settings.store.path(uid);
        let spec = FlowSpec {
            algorithm: Checksum::Sha256,
            digest: image.sha256.clone(),
            ..FlowSpec::sized(image.size)
        };
        let work = move |producer: Result<FlowProducer, StreamError>| {
            let sent = producer.and_then(|producer| {
                let file = File::open(&path).map_err(StreamError::File)?;
                let (from, size) = (producer.spec().offset, producer.spec().size);
                producer.finish_file(&file, from, size - from)
            });
            match sent {
                Ok(summary) => tracing::debug!(uid = image.uid, octets = summary.octets, "sent"),
                Err(error) => tracing::info!(uid = image.uid, %error, "an image was not fetched"),
            }
        };
        let agreed = self.0.settings.listener.agree(request, spec, work);
        Ok(agreed.map_err(|refused| Error::User(refused.into()))?.0)
    }

    fn read(&self, uid: &str, offset: u64, count: u32) -> Result<Vec<u8>, Error<ReadRaises>> {
        let image = self.0.read("file", uid).map_err(|unread| raise!(unread))?;
        let count = u64::from(count.min(MOST_READ)).min(image.size.saturating_sub(offset));
        let read = || -> io::Result<Vec<u8>> {
            let mut octets = vec![0; count as usize];
            File::open(self.0.settings.store.path(uid))?.read_exact_at(&mut octets, offset)?;
            Ok(octets)
        };
        read().map_err(|error| Error::User(failed(error).into()))
    }

    fn store(
        &self,
        size: u64,
        study: &str,
        request: &FlowRequest,
    ) -> Result<Upload, Error<StoreRaises>> {
        let subject = Subject { what: "begin", study, ..Subject::default() };
        let permitted = self.0.permit(Operation::Store, subject);
        permitted.map_err(|refused| Error::User(refused.into()))?;
        let (store, guard) = (&self.0.settings.store, self.0.settings.guard.clone());
        let held = guard.admit(&self.0.caller()).map_err(StoreError::Share);
        let held = held.map_err(|error| Error::User(refused(&error).into()))?;
        let (incoming, spec) = match size {
            0 => (store.receive_unsized(), FlowSpec::unsized_()),
            size => (store.receive(size), FlowSpec::sized(size)),
        };
        let incoming = incoming.map_err(|error| Error::User(refused(&error).into()))?;
        let mut incoming = incoming.of_study(study);
        let through = self.0.settings.through.clone();
        let (ticket, slot) =
            self.0.uploads.begin().map_err(|refused| Error::User(refused.into()))?;
        let work = move |consumer: Result<FlowConsumer, StreamError>| {
            let kept = consumer.and_then(|mut consumer| {
                // What the disk refuses, the consumer does not acknowledge.
                io::copy(&mut consumer, &mut incoming)?;
                Ok(incoming)
            });
            let kept = kept.map_err(|error| cause(&error));
            let kept = kept.and_then(|incoming| match &through {
                Some(through) => through.0(incoming),
                None => incoming.keep().map_err(|error| refused(&error)),
            });
            slot.fill(kept.inspect(|image| guard.stored(&image.uid, held)));
        };
        let agreed = self.0.settings.listener.agree(request, spec, work);
        match agreed {
            Ok((agreement, _)) => Ok(Upload { ticket, agreement }),
            Err(none) => Err(Error::User(none.into())),
        }
    }

    fn stored(&self, ticket: u64) -> Result<Image, Error<StoredRaises>> {
        let (guard, begun) =
            (&self.0.settings.guard, Subject { what: "file", ..Subject::default() });
        let checked = guard.check_again(&self.0.caller(), Operation::Store, begun);
        checked.map_err(|denied| {
            let reason = denied.to_string();
            Error::User(Refused { kind: Refusal::Forbidden, reason }.into())
        })?;
        let kept = self.0.uploads.wait(ticket);
        let image = kept.map_err(|refused| Error::User(refused.into()))?;
        tracing::info!(uid = image.uid, octets = image.size, "an image was stored");
        let subject =
            Subject { what: "file", study: &image.study, series: &image.series, image: &image.uid };
        if let Err(error) = guard.note(&self.0.caller(), Operation::Store, subject, "stored") {
            tracing::error!(%error, "the record of accesses cannot be written");
        }
        Ok(Image::clone(&image))
    }

    fn remove(&self, uid: &str) -> Result<(), Error<RemoveRaises>> {
        let unknown = || Error::User(UnknownImage { uid: uid.to_owned() }.into());
        let image = self.0.settings.store.entry(uid);
        let (study, series) = image.as_deref().map_or(("", ""), |it| (&it.study, &it.series));
        let subject = Subject { what: "file", study, series, image: uid };
        // Who may not remove does not learn what is here.
        let permitted = self.0.permit(Operation::Remove, subject);
        permitted.map_err(|refused| Error::User(refused.into()))?;
        image.as_ref().ok_or_else(unknown)?;
        let retain = self.0.settings.guard.rules().retain;
        let removed = self.0.settings.store.remove_retained(uid, retain);
        match removed.map_err(|error| Error::User(refused(&error).into()))? {
            true => {
                tracing::info!(uid, "an image was removed");
                self.0.settings.guard.removed(uid);
                Ok(())
            }
            false => Err(unknown()),
        }
    }

    fn metadata(&self, uid: &str) -> Result<String, Error<MetadataRaises>> {
        self.0.read("metadata", uid).map_err(|unread| raise!(unread))?;
        let read = dicom::metadata(&self.0.settings.store.path(uid));
        read.map_err(|error| Error::User(failed(error).into()))
    }

    fn pixels(
        &self,
        uid: &str,
        frame: u32,
        stored: bool,
        request: &FlowRequest,
    ) -> Result<PixelFlow, Error<PixelsRaises>> {
        self.0.read("pixels", uid).map_err(|unread| raise!(unread))?;
        let read = dicom::pixels(&self.0.settings.store.path(uid), frame, stored);
        let pixels = read.map_err(|error| Error::User(undrawable(&error).into()))?;
        let (uid, octets) = (uid.to_owned(), pixels.octets);
        let spec = FlowSpec::sized(octets.len() as u64);
        let held = self.0.pending.take(octets.len());
        let held = held.map_err(|refused| Error::User(refused.into()))?;
        let work = move |producer: Result<FlowProducer, StreamError>| {
            let _held = held;
            let sent = producer.and_then(|producer| {
                let from = usize::try_from(producer.spec().offset).unwrap_or(octets.len());
                producer.finish_with(&octets[from.min(octets.len())..])
            });
            if let Err(error) = sent {
                tracing::info!(uid, %error, "pixels were not fetched");
            }
        };
        let agreed = self.0.settings.listener.agree(request, spec, work);
        let (agreement, _) = agreed.map_err(|refused| Error::User(refused.into()))?;
        Ok(PixelFlow { syntax: pixels.syntax, agreement })
    }

    fn picture(&self, uid: &str, frame: u32, how: &View) -> Result<Vec<u8>, Error<PictureRaises>> {
        self.0.read("picture", uid).map_err(|unread| raise!(unread))?;
        let (centre, width, shape) = (how.centre, how.width, how.shape);
        let window = (width > 0.0).then_some(dicom::Window { centre, width, shape });
        let drawn = dicom::frame(&self.0.settings.store.path(uid), frame, window);
        let drawn = drawn.and_then(|frame| {
            let frame = frame.scaled(how.columns, how.rows);
            match how.format {
                PictureFormat::Png => frame.to_png(),
                PictureFormat::Jpeg => frame.to_jpeg(how.quality),
            }
        });
        drawn.map_err(|error| Error::User(undrawable(&error).into()))
    }

    fn plan(&self, entry: &str) -> Result<String, Error<PlanRaises>> {
        let subject = Subject { what: "worklist", ..Subject::default() };
        let permitted = self.0.permit(Operation::Store, subject);
        let procedures = self.0.settings.procedures.as_ref();
        let planned = permitted.and_then(|()| planning::plan(procedures, entry));
        planned.map_err(|refused| Error::User(refused.into()))
    }

    fn unplan(&self, uid: &str) -> Result<(), Error<UnplanRaises>> {
        let subject = Subject { what: "worklist", ..Subject::default() };
        let permitted = self.0.permit(Operation::Remove, subject);
        let procedures = self.0.settings.procedures.as_ref();
        let removed = permitted.and_then(|()| planning::unplan(procedures, uid));
        match removed.map_err(|refused| Error::User(refused.into()))? {
            true => Ok(()),
            false => Err(Error::User(UnknownEntry { uid: uid.to_owned() }.into())),
        }
    }

    fn planned(&self, finished: bool, after: &str) -> Result<Vec<String>, Error<PlannedRaises>> {
        let subject = Subject { what: "worklist", ..Subject::default() };
        let permitted = self.0.permit(Operation::Read, subject);
        let procedures = self.0.settings.procedures.as_ref();
        let planned = permitted.and_then(|()| planning::planned(procedures, finished, after));
        planned.map_err(|refused| Error::User(refused.into()))
    }

    fn performed(&self, after: &str) -> Result<Vec<String>, Error<PerformedRaises>> {
        let subject = Subject { what: "steps", ..Subject::default() };
        let permitted = self.0.permit(Operation::Read, subject);
        let procedures = self.0.settings.procedures.as_ref();
        let performed = permitted.and_then(|()| planning::performed(procedures, after));
        performed.map_err(|refused| Error::User(refused.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_whom_nobody_knows_is_not_this_process() {
        assert_eq!(caller(None).place, Place::Unknown);
        let orb = Orb::new().unwrap();
        assert_eq!(caller(Some(&orb)).place, Place::Here, "a direct call");
        orb.shutdown();
    }
}
