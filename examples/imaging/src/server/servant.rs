//! The object of an image server.

use super::uploads::Uploads;
use crate::dicom;
use crate::idl::server::{FetchRaises, PictureRaises, ReadRaises, StoreRaises, StoredRaises};
use crate::idl::source::HoldersRaises;
use crate::idl::{
    self, Image, Missing, Query, Refused, Server, ServerRef, ServerState, Source, UnknownImage,
    Upload,
};
use crate::store::Store;
use armilla::{Error, SystemException};
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
}

/// The servant.
#[derive(Debug)]
pub struct ImageServer {
    settings: ServerSettings,
    uploads: Uploads,
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
        let uploads = Uploads::default();
        let server = Arc::new(Self { settings, uploads, this: OnceLock::new() });
        let reference: ServerRef = poa.activate(idl::server::tie(Shared(Arc::clone(&server))))?;
        // It is set here only.
        server.this.set(reference.clone()).ok();
        Ok(reference)
    }

    fn image(&self, uid: &str) -> Result<Arc<Image>, UnknownImage> {
        self.settings.store.image(uid).ok_or_else(|| UnknownImage { uid: uid.to_owned() })
    }
}

/// The servant as the ORB holds it.
struct Shared(Arc<ImageServer>);

fn refused(why: impl std::fmt::Display) -> Refused {
    Refused { reason: why.to_string() }
}

impl Source for Shared {
    fn find(&self, wanted: &Query) -> Result<(Vec<Image>, Vec<Missing>), SystemException> {
        let found = self.0.settings.store.find(wanted);
        Ok((found.iter().map(|image| Image::clone(image)).collect(), Vec::new()))
    }

    fn holders(&self, uid: &str) -> Result<Vec<ServerRef>, Error<HoldersRaises>> {
        self.0.image(uid).map_err(|unknown| Error::User(unknown.into()))?;
        Ok(self.0.this.get().cloned().into_iter().collect())
    }
}

impl Server for Shared {
    fn state(&self) -> Result<ServerState, SystemException> {
        let (images, octets, quota) = self.0.settings.store.usage();
        Ok(ServerState { name: self.0.settings.name.clone(), images, octets, quota })
    }

    fn fetch(&self, uid: &str, request: &FlowRequest) -> Result<FlowAgreement, Error<FetchRaises>> {
        let image = self.0.image(uid).map_err(|unknown| Error::User(unknown.into()))?;
        let path = self.0.settings.store.path(uid);
        let spec = FlowSpec {
            algorithm: Checksum::Sha256,
            digest: image.sha256.clone(),
            ..FlowSpec::sized(image.size)
        };
        let work = move |producer: Result<FlowProducer, StreamError>| {
            let sent = producer.and_then(|mut producer| {
                let file = File::open(&path).map_err(StreamError::File)?;
                let (from, size) = (producer.spec().offset, producer.spec().size);
                producer.send_file(&file, from, size - from)?;
                producer.finish()
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
        let image = self.0.image(uid).map_err(|unknown| Error::User(unknown.into()))?;
        let count = u64::from(count.min(MOST_READ)).min(image.size.saturating_sub(offset));
        let read = || -> io::Result<Vec<u8>> {
            let mut octets = vec![0; count as usize];
            File::open(self.0.settings.store.path(uid))?.read_exact_at(&mut octets, offset)?;
            Ok(octets)
        };
        read().map_err(|error| Error::User(refused(error).into()))
    }

    fn store(&self, size: u64, request: &FlowRequest) -> Result<Upload, Error<StoreRaises>> {
        let incoming = self.0.settings.store.receive(size);
        let mut incoming = incoming.map_err(|error| Error::User(refused(error).into()))?;
        let (ticket, slot) =
            self.0.uploads.begin().map_err(|error| Error::User(refused(error).into()))?;
        let work = move |consumer: Result<FlowConsumer, StreamError>| {
            let kept = consumer.and_then(|mut consumer| {
                // What the disk refuses, the consumer does not acknowledge.
                io::copy(&mut consumer, &mut incoming)?;
                Ok(incoming)
            });
            let kept = kept.map_err(|error| error.to_string());
            slot.fill(kept.and_then(|incoming| incoming.keep().map_err(|error| error.to_string())));
        };
        let agreed = self.0.settings.listener.agree(request, FlowSpec::sized(size), work);
        match agreed {
            Ok((agreement, _)) => Ok(Upload { ticket, agreement }),
            Err(none) => Err(Error::User(none.into())),
        }
    }

    fn stored(&self, ticket: u64) -> Result<Image, Error<StoredRaises>> {
        let kept = self.0.uploads.wait(ticket);
        let image = kept.map_err(|why| Error::User(refused(why).into()))?;
        tracing::info!(uid = image.uid, octets = image.size, "an image was stored");
        Ok(Image::clone(&image))
    }

    fn picture(
        &self,
        uid: &str,
        frame: u32,
        edge: u32,
        centre: f64,
        width: f64,
    ) -> Result<Vec<u8>, Error<PictureRaises>> {
        self.0.image(uid).map_err(|unknown| Error::User(unknown.into()))?;
        let window = (width > 0.0).then_some((centre, width));
        let drawn = dicom::frame(&self.0.settings.store.path(uid), frame, window)
            .and_then(|frame| frame.scaled(edge).to_png());
        drawn.map_err(|error| Error::User(refused(error).into()))
    }
}
