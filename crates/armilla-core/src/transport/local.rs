//! Unix-domain sockets and shared memory: endpoints for processes on the same host, beside those
//! over TCP. A server of ours names its own in a component of its IIOP profile; the profiles of
//! TAO's UIOP are read too.

use super::{
    Component, Listening, ObjectProfile, Publication, Stream, TaggedComponent, TaggedProfile,
    Transport,
};
use crate::settings::Settings;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::{TAG_UIOP, UiopProfile};
use armilla_ipc::{Address, StreamOptions, host};
use std::io;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// A transport whose addresses are paths.
#[derive(Debug)]
pub(super) struct Local {
    scheme: &'static str,
    form: &'static str,
    address: fn(PathBuf) -> Address,
    /// Whether an address belongs to this transport.
    owns: fn(&Address) -> bool,
}

impl Local {
    /// Unix-domain sockets.
    pub(super) const UNIX: Self = Self {
        scheme: "uiop",
        form: "uiop:///PATH",
        address: Address::Unix,
        owns: |address| matches!(address, Address::Unix(_) | Address::Abstract(_)),
    };

    /// Shared memory.
    pub(super) const SHM: Self = Self {
        scheme: "shmiop",
        form: "shmiop:///PATH",
        address: Address::Shm,
        owns: |address| matches!(address, Address::Shm(_)),
    };
}

impl Transport for Local {
    fn scheme(&self) -> &str {
        self.scheme
    }

    fn form(&self) -> &str {
        self.form
    }

    fn check(&self, endpoint: &str) -> Result<(), String> {
        match endpoint.strip_prefix('/') {
            Some(path) if !path.is_empty() => Ok(()),
            _ => Err("the path is missing".to_owned()),
        }
    }

    fn prepare(&self, settings: &Settings) -> Result<(), String> {
        if let Some(limit) = settings.shm_memory.filter(|_| (self.owns)(&Address::shm(""))) {
            armilla_ipc::shm::set_memory_limit(limit as u64);
        }
        Ok(())
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let address = (self.address)(endpoint.into());
        let acceptor = armilla_ipc::listen(&address, &options(&address, settings))?;
        let here = LocalEndpoint { host: HERE.clone(), address: address.to_string() };
        let component = here.to_tagged().map_err(io::Error::other)?;
        Ok(Listening { acceptor, publications: vec![Publication::Component(component)] })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        connect(address, timeout, settings)
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        if profile.id != TAG_UIOP || !(self.owns)(&Address::unix("")) {
            return None;
        }
        // One that is malformed is passed over, because the other profiles may be usable.
        let read = UiopProfile::decode_data(&profile.data).ok()?;
        let UiopProfile { version, rendezvous_point, object_key, components } = read;
        let address = Address::unix(rendezvous_point).to_string();
        Some(Ok(ObjectProfile { address, version, object_key, components }))
    }

    fn read_component(&self, component: &TaggedComponent, settings: &Settings) -> Option<String> {
        if !settings.local_endpoints {
            return None;
        }
        let endpoint = LocalEndpoint::from_tagged(component).ok()??;
        let here = !endpoint.host.is_empty() && endpoint.host == *HERE;
        let ours = endpoint.address.parse().is_ok_and(|address| (self.owns)(&address));
        (here && ours).then_some(endpoint.address)
    }
}

/// Connects to the text of an [`Address`].
pub(super) fn connect(
    address: &str,
    timeout: Duration,
    settings: &Settings,
) -> io::Result<Box<dyn Stream>> {
    let address = address.parse::<Address>().map_err(io::Error::other)?;
    armilla_ipc::connect(&address, Some(timeout), &options(&address, settings))
}

/// The options of a stream at an address.
fn options(address: &Address, settings: &Settings) -> StreamOptions {
    settings.stream_options_with(match address {
        Address::Unix(_) | Address::Abstract(_) => settings.unix_queues,
        Address::Shm(_) => settings.shm_queues,
        _ => settings.tcp_queues,
    })
}

/// The identity of this host. Empty if it has none; then no endpoint counts as local.
static HERE: LazyLock<String> = LazyLock::new(|| host::boot_id().unwrap_or_default());

/// The tagged component for an endpoint that only processes on the same host can reach. Other ORBs
/// ignore it.
struct LocalEndpoint {
    /// The host of the endpoint, from [`host::boot_id`].
    host: String,
    /// The address as text: `unix:///run/bank.sock`.
    address: String,
}

impl Component for LocalEndpoint {
    /// "ARM" and a one, from the range of the vendor.
    const ID: u32 = 0x4152_4d01;
}

impl Encode for LocalEndpoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.host)?;
        out.put_string(&self.address)
    }
}

impl<'a> Decode<'a> for LocalEndpoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { host: input.string()?.into(), address: input.string()?.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::shm::memory_limit;

    #[test]
    fn the_shared_memory_of_the_process_has_the_limit_that_was_set() {
        let settings = |shm_memory| Settings { shm_memory, ..Settings::default() };
        let before = memory_limit();
        Local::UNIX.prepare(&settings(Some(1 << 30))).unwrap();
        Local::SHM.prepare(&settings(None)).unwrap();
        assert_eq!(memory_limit(), before);
        Local::SHM.prepare(&settings(Some(1 << 30))).unwrap();
        assert_eq!(memory_limit(), 1 << 30);
    }
}
