//! What the client side asks the objects of its own process. The server side answers; it installs
//! itself when the ORB is made.

use super::multiplexed::{ConnectionSetup, MultiplexedConnection};
use crate::exception::SystemException;
use crate::runtime::{Located, Orb, Part, PartSlot};
use armilla_cdr::{Buffer, CodeSets};
use armilla_giop::ior::Ior;
use armilla_giop::{CodeSetContext, Message};
use armilla_ipc::Stream;
use armilla_ipc::memory::Inline;
use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// An object of this process that is or was active, as a reference to it keeps it.
pub(crate) trait LocalObject: Send + Sync {
    /// The octets of its key.
    fn key(&self) -> Vec<u8>;

    /// The IOR of a reference to it.
    fn ior(&self, orb: &Orb) -> Result<Ior, SystemException>;

    /// Whether it has the interface with this repository id; `None` where its servant has to be
    /// asked in a request.
    fn is_a(&self, repository_id: &str) -> Option<bool>;

    /// The repository id of its most derived interface, as [`is_a`](Self::is_a).
    fn repository_id(&self) -> Option<String>;

    /// What the server side has put there.
    fn as_any(&self) -> &dyn Any;
}

/// The key of an object of this process, and the object when it is active.
pub(crate) type LocalKey = (Box<[u8]>, Option<Inline<dyn LocalObject>>);

/// The objects of this process.
pub(crate) trait LocalObjects: Send + Sync {
    /// The object that `ior` denotes, if that is one of them.
    fn find(&self, orb: &Orb, ior: &Ior) -> Option<LocalKey>;

    /// Where the object with this key is.
    ///
    /// # Errors
    /// What finds objects by published names fails with.
    fn locate(&self, orb: &Orb, key: &[u8]) -> Result<Located, SystemException>;

    /// Serves a request, in these code sets, and gives the reply, which is empty when none is
    /// expected.
    ///
    /// # Errors
    /// When the request is malformed, the ORB cannot serve or the reply does not come within
    /// `limit`.
    fn serve(
        &self,
        orb: &Orb,
        message: &Message<'_>,
        code_sets: CodeSets,
        limit: Option<Duration>,
        reply_buffer: &mut ReplyBuffer,
    ) -> Result<Vec<u8>, SystemException>;

    /// A connection to the server side.
    ///
    /// # Errors
    /// A shortage of descriptors or memory; refused where the ORB shuts down.
    fn connect(&self, orb: &Orb) -> io::Result<Box<dyn Stream>>;

    /// Has a connection that this ORB has just made carry requests both ways, and offers it for the
    /// addresses at which the ORB listens. `None` when it cannot.
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

    /// The key in `ior` by which an object of this process is called, and the object when it is
    /// active.
    pub(crate) fn local_key(&self, ior: &Ior) -> Option<LocalKey> {
        self.local_objects().find(self, ior)
    }

    /// Where the object with this key is, for the client side of this ORB.
    pub(crate) fn locate_here(&self, key: &[u8]) -> Result<Located, SystemException> {
        self.local_objects().locate(self, key)
    }

    /// A connection of this process with itself.
    pub(super) fn connect_here(&self) -> io::Result<Box<dyn Stream>> {
        self.local_objects().connect(self)
    }
}

/// See [`LocalObjects::serve`].
pub(crate) fn serve_collocated(
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: Option<Duration>,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    orb.local_objects().serve(orb, message, code_sets, limit, reply_buffer)
}

/// See [`LocalObjects::offer`].
pub(super) fn offer(
    orb: &Orb,
    stream: &Arc<dyn Stream>,
    setup: ConnectionSetup,
) -> Option<Arc<MultiplexedConnection>> {
    orb.local_objects().offer(orb, stream, setup)
}

/// Buffer for a reply: where it is written, and where it is caught.
#[derive(Default)]
pub(crate) struct ReplyBuffer {
    pub(crate) written: Buffer,
    pub(crate) caught: Vec<u8>,
}

impl ReplyBuffer {
    /// Takes the memory of a reply that was read, for the next one.
    pub(crate) fn take_back(&mut self, reply: Vec<u8>) {
        self.caught = reply;
    }

    /// How many octets it takes.
    pub(crate) fn capacity(&self) -> usize {
        self.written.capacity() + self.caught.capacity()
    }
}

/// The sending half of a connection that carries requests both ways, for the calls of one
/// direction. The server side reads it.
pub(crate) trait Carrier: Stream + fmt::Debug {
    /// Unlike that of any other connection of the ORB.
    fn number(&self) -> u64;

    /// The calls that it carries, made by `make` if there were none before; `None` when the
    /// connection has ended.
    fn link(
        &self,
        make: &mut dyn FnMut() -> Arc<MultiplexedConnection>,
    ) -> Option<Arc<MultiplexedConnection>>;

    /// The code sets that its originator has stated.
    fn stated_code_sets(&self) -> Option<CodeSetContext>;

    /// Whether something that is sent now leaves, as far as anybody knows.
    fn has_room(&self) -> bool;
}
