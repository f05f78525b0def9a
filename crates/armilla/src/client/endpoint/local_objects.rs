//! The client's interface to the objects of its own process. The server side implements it, and
//! installs the implementation when the ORB is made. The client depends on the traits only.

use crate::client::connection::{ConnectionSetup, MultiplexedConnection};
use crate::exception::SystemException;
use crate::object_key::KeyOctets;
use crate::runtime::{Located, Orb, Part, PartSlot};
use armilla_cdr::{Buffer, CodeSets};
use armilla_giop::Message;
use armilla_giop::ior::Ior;
use armilla_ipc::memory::Inline;
use armilla_ipc::{CoarseInstant, Stream, coarse_now};
use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// An object of this process that is or was active, as a reference holds it.
pub(crate) trait LocalObject: Send + Sync {
    /// The octets of its object key.
    fn key(&self) -> KeyOctets;

    /// The IOR of a reference to it.
    fn ior(&self, orb: &Orb) -> Result<Ior, SystemException>;

    /// Whether it has the interface with this repository id. `None` where only a request to its
    /// servant can tell.
    fn is_a(&self, repository_id: &str) -> Option<bool>;

    /// The repository id of its most derived interface. `None` as for [`is_a`](Self::is_a).
    fn repository_id(&self) -> Option<String>;

    /// The server side's own type.
    fn as_any(&self) -> &dyn Any;
}

/// The object key of an object of this process, and the object if it is active.
pub(crate) type LocalKey = (Box<[u8]>, Option<Inline<dyn LocalObject>>);

/// The objects of this process.
pub(crate) trait LocalObjects: Send + Sync {
    /// The object that `ior` denotes, if it is one of this process.
    fn find(&self, orb: &Orb, ior: &Ior) -> Option<LocalKey>;

    /// The location of the object with this key.
    ///
    /// # Errors
    /// Those of the lookup of published names.
    fn locate(&self, orb: &Orb, key: &[u8]) -> Result<Located, SystemException>;

    /// Serves a request in these code sets. Returns the reply; it is empty when none is expected.
    ///
    /// # Errors
    /// When the request is malformed, when the ORB cannot serve, or when the reply does not come
    /// within `limit`.
    fn serve(
        &self,
        orb: &Orb,
        message: &Message<'_>,
        code_sets: CodeSets,
        limit: LocalLimit,
        reply_buffer: &mut ReplyBuffer,
    ) -> Result<Vec<u8>, SystemException>;

    /// Connects to the server side within the process.
    ///
    /// # Errors
    /// A shortage of descriptors or memory; refused if the ORB is shutting down.
    fn connect(&self, orb: &Orb) -> io::Result<Box<dyn Stream>>;

    /// Makes a new connection of this ORB bidirectional, and offers it for the addresses at which
    /// the ORB listens. `None` when that is not possible.
    fn offer(
        &self,
        orb: &Orb,
        stream: &Arc<dyn Stream>,
        setup: ConnectionSetup,
    ) -> Option<Arc<MultiplexedConnection>>;
}

impl Part for Box<dyn LocalObjects> {
    const SLOT: PartSlot = PartSlot::LocalObjects;
}

impl Orb {
    fn local_objects(&self) -> &dyn LocalObjects {
        &**self.part::<Box<dyn LocalObjects>>()
    }

    /// The object key in `ior` if it denotes an object of this process, and the object if it is
    /// active.
    pub(crate) fn local_key(&self, ior: &Ior) -> Option<LocalKey> {
        self.local_objects().find(self, ior)
    }

    /// The location of the object with this key.
    pub(crate) fn locate_collocated(&self, key: &[u8]) -> Result<Located, SystemException> {
        self.local_objects().locate(self, key)
    }

    /// Connects this process to itself.
    pub(in crate::client) fn connect_in_process(&self) -> io::Result<Box<dyn Stream>> {
        self.local_objects().connect(self)
    }
}

/// See [`LocalObjects::serve`].
pub(crate) fn serve_collocated(
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: LocalLimit,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    orb.local_objects().serve(orb, message, code_sets, limit, reply_buffer)
}

/// See [`LocalObjects::offer`].
pub(in crate::client) fn offer(
    orb: &Orb,
    stream: &Arc<dyn Stream>,
    setup: ConnectionSetup,
) -> Option<Arc<MultiplexedConnection>> {
    orb.local_objects().offer(orb, stream, setup)
}

/// The time limit of a request within the process.
#[derive(Clone, Copy)]
pub(crate) struct LocalLimit {
    pub(crate) time: Option<Duration>,
    /// The limit until the servant is called, if it is shorter.
    pub(crate) delivery: Option<Duration>,
    /// From when the time counts.
    pub(crate) since: CoarseInstant,
}

impl LocalLimit {
    /// A limit that counts from now.
    pub(crate) fn from_now(time: Option<Duration>) -> Self {
        Self { time, delivery: None, since: coarse_now() }
    }

    /// How long the request may wait until the servant is called; `None` without a limit.
    pub(crate) fn until_delivery(&self) -> Option<Duration> {
        self.delivery.into_iter().chain(self.time).min()
    }

    /// What is left of the time; `None` without a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        Some(self.time?.saturating_sub(coarse_now().since(self.since)))
    }
}

/// The buffers for a reply: one for encoding it, one for passing it on.
#[derive(Default)]
pub(crate) struct ReplyBuffer {
    pub(crate) written: Buffer,
    pub(crate) caught: Vec<u8>,
}

impl ReplyBuffer {
    /// Takes back the memory of a reply that was read.
    pub(crate) fn take_back(&mut self, reply: Vec<u8>) {
        self.caught = reply;
    }

    /// The capacity of both buffers, in octets.
    pub(crate) fn capacity(&self) -> usize {
        self.written.capacity() + self.caught.capacity()
    }
}
