//! Endpoints that only processes on the same host can reach, as references carry them.

use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::Component;
use armilla_ipc::{Address, host};
use std::sync::LazyLock;

/// An endpoint over a Unix-domain socket or shared memory, beside those over TCP: a component of
/// ours, which other ORBs skip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalEndpoint {
    /// Which host it is on, by [`host::boot_id`].
    host: String,
    /// The address as text: `unix:///run/bank.sock`.
    address: String,
}

/// This host, empty where it has no identity; then no endpoint is on it.
static HERE: LazyLock<String> = LazyLock::new(|| host::boot_id().unwrap_or_default());

impl LocalEndpoint {
    /// The endpoint at `address` of this host.
    pub(crate) fn here(address: &Address) -> Self {
        Self { host: HERE.clone(), address: address.to_string() }
    }

    /// Its address, where it is on this host.
    pub(crate) fn reachable(&self) -> Option<Address> {
        let here = !self.host.is_empty() && self.host == *HERE;
        self.address.parse().ok().filter(|_| here)
    }
}

impl Component for LocalEndpoint {
    /// "ARM" and a one, of the numbers that the OMG leaves to vendors.
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
