//! What the handles of a client and its thread share.

use super::endpoint::Endpoint;
use super::error::Error;
use super::options::ClientOptions;
use super::remote_exporter::RemoteExporter;
use super::wake::Wake;
use crate::string_array::StringBinding;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::pdu::AuthLevel;
use std::sync::{Mutex, MutexGuard, PoisonError};

type Exporters = BTreeMap<(String, u64), Arc<RemoteExporter>>;

/// How many hosts a client keeps connections for activation to.
const MOST_ACTIVATORS: usize = 64;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) options: ClientOptions,
    /// By the host that told of it, too: a server cannot take the place of another one by naming its
    /// exporter.
    exporters: Mutex<Exporters>,
    activators: Mutex<BTreeMap<String, Arc<Endpoint>>>,
    pub(super) wake: Wake,
}

impl Shared {
    pub(super) fn new(options: ClientOptions) -> Self {
        let wake = Wake::default();
        Self { options, exporters: Mutex::default(), activators: Mutex::default(), wake }
    }

    fn exporters(&self) -> MutexGuard<'_, Exporters> {
        self.exporters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all_exporters(&self) -> Vec<Arc<RemoteExporter>> {
        self.exporters().values().cloned().collect()
    }

    /// Forgets the exporters that nothing refers to, with their connections.
    pub(super) fn forget_unused(&self) {
        // Handles are made under the lock alone: nobody is about to use what has no other one.
        let unused = |exporter: &Arc<RemoteExporter>| {
            Arc::strong_count(exporter) == 1 && exporter.is_unused()
        };
        self.exporters().retain(|_, exporter| !unused(exporter));
    }

    /// The connections for activation to a host, which may name its port as `host[port]`.
    pub(super) fn activator(&self, host: &str) -> Arc<Endpoint> {
        let mut activators = self.activators();
        if activators.len() >= MOST_ACTIVATORS && !activators.contains_key(host) {
            activators.clear();
        }
        let made = || Arc::new(self.resolver_of(host));
        activators.entry(host.to_string()).or_insert_with(made).clone()
    }

    pub(super) fn forget_activators(&self) {
        self.activators().clear();
    }

    fn activators(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Endpoint>>> {
        self.activators.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn resolver_of(&self, host: &str) -> Endpoint {
        let binding = StringBinding::tcp(host);
        let (host, port) = binding.host_and_port();
        Endpoint::new(host, port.unwrap_or(self.options.port))
    }

    /// The exporter of this name that a host told of, or the one that `make` finds.
    pub(super) fn exporter(
        &self,
        (host, oxid): (&str, u64),
        make: impl FnOnce() -> Result<RemoteExporter, Error>,
    ) -> Result<Arc<RemoteExporter>, Error> {
        let name = (host.to_string(), oxid);
        if let Some(known) = self.exporters().get(&name) {
            return Ok(known.clone());
        }
        // Without the lock, because it may ask a resolver.
        let made = Arc::new(make()?);
        Ok(self.exporters().entry(name).or_insert(made).clone())
    }

    pub(super) fn level(&self, hint: u32) -> AuthLevel {
        let hint = match hint {
            6.. => AuthLevel::Privacy,
            5 => AuthLevel::Integrity,
            _ => AuthLevel::None,
        };
        hint.max(self.options.level)
    }
}
