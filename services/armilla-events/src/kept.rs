//! What of a channel outlives its process: who is connected, and by which proxy.

use armilla::SystemException;
use std::fmt;
use std::sync::Arc;

/// What a client is, as its proxy tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "disk", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "disk", serde(rename_all = "kebab-case"))]
pub(crate) enum Client {
    /// A consumer of the real-time channel.
    Consumer,
    /// A supplier of the real-time channel.
    Supplier,
    /// A plain consumer that is pushed to.
    PlainPushConsumer,
    /// A plain consumer that pulls.
    PlainPullConsumer,
    /// A plain supplier that pushes.
    PlainPushSupplier,
    /// A plain supplier that is pulled from.
    PlainPullSupplier,
}

/// A connected client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "disk", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Kept {
    /// The object id of its proxy.
    pub(crate) proxy: String,
    pub(crate) client: Client,
    /// Its stringified reference; empty if it has given none.
    pub(crate) reference: String,
    /// What a consumer of the real-time channel asked for: a `ConsumerQos`, encoded.
    pub(crate) qos: Vec<u8>,
}

/// Keeps the clients of one channel.
pub(crate) trait Keeper: Send + Sync {
    /// Keeps a client. It is on the disk when this returns.
    ///
    /// # Errors
    /// It is not.
    fn keep(&self, client: &Kept) -> Result<(), SystemException>;

    /// Forgets the client of a proxy.
    fn forget(&self, proxy: &str);
}

/// How the objects of a channel outlive its process.
#[derive(Clone)]
pub(crate) struct Persistence {
    pub(crate) keeper: Arc<dyn Keeper>,
    /// The clients of before.
    pub(crate) clients: Vec<Kept>,
}

impl fmt::Debug for Persistence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Persistence").field("clients", &self.clients).finish_non_exhaustive()
    }
}
