//! The transport: endpoints `recio://HOST:PORT`, and a profile of its own in references.

use crate::recording::Recording;
use crate::stream::{RecordingAcceptor, RecordingStream};
use armilla::transport::{
    Address, IiopProfile, Listening, MakeProfile, ObjectProfile, Publication, Stream,
    TaggedComponent, TaggedProfile, Transport, connect, listen,
};
use armilla::{CdrResult, Settings, Version};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The kind of its profiles. One for the world outside would be asked of the OMG.
const TAG_RECIO: u32 = 0x4152_4d10;

/// GIOP over TCP, with a file in `directory` for every connection.
#[derive(Debug)]
pub struct Recio {
    /// Where the files go.
    pub directory: PathBuf,
}

impl Transport for Recio {
    fn scheme(&self) -> &str {
        "recio"
    }

    fn form(&self) -> &str {
        "recio://HOST:PORT"
    }

    fn check(&self, endpoint: &str) -> Result<(), String> {
        tcp(endpoint).map(drop).map_err(|error| error.to_string())
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let inner = listen(&tcp(endpoint)?, &settings.stream_options())?;
        let Address::Tcp { host, port } = inner.local().clone() else {
            return Err(io::Error::other("TCP listens at an address of another kind"));
        };
        let profile = Publication::Profile(Box::new(Here { host, port }));
        let acceptor = RecordingAcceptor { inner, directory: self.directory.clone() };
        Ok(Listening { acceptor: Box::new(acceptor), publications: vec![profile] })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        let place = address.strip_prefix("recio://").unwrap_or(address);
        let inner = connect(&tcp(place)?, Some(timeout), &settings.stream_options())?;
        let recording = Recording::create(&self.directory)?;
        Ok(Box::new(RecordingStream { inner, recording }))
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        // A profile says what one of IIOP says, under another number.
        (profile.id == TAG_RECIO).then(|| {
            let read = IiopProfile::decode_data(&profile.data)?;
            let tcp = Address::tcp(read.host, read.port).to_string();
            Ok(ObjectProfile {
                address: tcp.replacen("tcp:", "recio:", 1),
                version: read.version,
                object_key: read.object_key,
                components: read.components,
            })
        })
    }
}

/// The TCP address that `place` is.
fn tcp(place: &str) -> io::Result<Address> {
    format!("tcp://{place}").parse().map_err(io::Error::other)
}

/// Where the server listens; makes the profiles of its objects.
struct Here {
    host: String,
    port: u16,
}

impl MakeProfile for Here {
    fn make(
        &self,
        version: Version,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> CdrResult<TaggedProfile> {
        let (host, port) = (self.host.clone(), self.port);
        let (object_key, components) = (object_key.to_vec(), components.to_vec());
        let like = IiopProfile { version, host, port, object_key, components }.to_tagged()?;
        Ok(TaggedProfile { id: TAG_RECIO, ..like })
    }
}
