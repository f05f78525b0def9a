//! The objects of this process, as the client side and typed references use them.

use super::collocated;
use crate::client::{
    ConnectionSetup, LocalKey, LocalLimit, LocalObject, LocalObjects, MultiplexedConnection,
    Object, ReplyBuffer,
};
use crate::exception::SystemException;
use crate::object_key::{KeyOctets, ObjectKey};
use crate::runtime::{Located, Orb};
use crate::server::connections::bidirectional;
use crate::server::poa::Activation;
use armilla_cdr::CodeSets;
use armilla_giop::Message;
use armilla_giop::ior::Ior;
use armilla_ipc::Stream;
use armilla_ipc::memory::{Handle, Inline, Shows};
use std::any::Any;
use std::io;
use std::sync::Arc;

impl Shows<dyn LocalObject> for Handle<Activation> {
    fn show(&self) -> &(dyn LocalObject + 'static) {
        self
    }
}

impl LocalObject for Handle<Activation> {
    fn key(&self) -> KeyOctets {
        Activation::key(self)
    }

    fn ior(&self, orb: &Orb) -> Result<Ior, SystemException> {
        orb.active_ior(self)
    }

    fn is_a(&self, repository_id: &str) -> Option<bool> {
        let skeleton = is_declared(self).then(|| self.skeleton())?;
        Some(skeleton.is_a(&|| self.id(), repository_id))
    }

    fn repository_id(&self) -> Option<String> {
        let skeleton = is_declared(self).then(|| self.skeleton())?;
        Some(skeleton.repository_id(&|| self.id()).into_owned())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether it is active and its skeleton alone knows its interfaces. Other servants have to be
/// asked in a request.
fn is_declared(activation: &Activation) -> bool {
    activation.is_active() && activation.skeleton().base().is_none()
}

impl Object {
    /// A reference to an active object of this process.
    pub(crate) fn active(orb: &Orb, activation: Handle<Activation>) -> Self {
        Self::to_local(orb, Inline::new(activation))
    }

    /// The activation, if the object is or was active in this process.
    pub(crate) fn activation(&self) -> Option<&Handle<Activation>> {
        self.local_object()?.as_any().downcast_ref()
    }

    /// The activation of the object of this process that is active under this key now.
    pub(crate) fn find_activation(&self) -> Option<Handle<Activation>> {
        let orb = &self.reference().ok()?.orb;
        match self.activation() {
            Some(activation) if activation.is_active() => Some(activation.clone()),
            Some(activation) => activation.with_key(|key| orb.active(key)),
            None => orb.active(ObjectKey::parse(self.inactive_key()?)?),
        }
    }
}

/// The objects that the object adapters of an ORB host.
pub(crate) struct HostedObjects;

impl LocalObjects for HostedObjects {
    fn find(&self, orb: &Orb, ior: &Ior) -> Option<LocalKey> {
        let (key, active) = orb.find_local(ior)?;
        Some((key, active.map(Inline::new)))
    }

    fn locate(&self, orb: &Orb, key: &[u8]) -> Result<Located, SystemException> {
        match orb.locate_object(key, false)? {
            Located::Nowhere => orb.ask_key_locator(key),
            found => Ok(found),
        }
    }

    fn serve(
        &self,
        orb: &Orb,
        message: &Message<'_>,
        code_sets: CodeSets,
        limit: LocalLimit,
        reply_buffer: &mut ReplyBuffer,
    ) -> Result<Vec<u8>, SystemException> {
        collocated::serve_collocated(orb, message, code_sets, limit, reply_buffer)
    }

    fn connect(&self, orb: &Orb) -> io::Result<Box<dyn Stream>> {
        orb.server().map_err(io::Error::other)?.connect_here(orb)
    }

    fn offer(
        &self,
        orb: &Orb,
        stream: &Arc<dyn Stream>,
        setup: ConnectionSetup,
    ) -> Option<Arc<MultiplexedConnection>> {
        bidirectional::offer(orb, stream, setup)
    }
}
