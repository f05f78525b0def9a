//! What finding the object of a request leads to: a call, a forward, an exception, or nothing.
//!
//! The calls themselves are in `upcall.rs`.

use super::located_servant::LocatedServant;
use super::upcall::{UnmappedUpcall, Upcall};
use crate::exception::SystemException;
use crate::server::poa::{AnyServant, Servant};
use crate::server::poa::{ObjectId, PoaInner};
use crate::server::reply::location_reply::KeyLocator;
use armilla_giop::ior::Ior;
use std::sync::Arc;

/// What the object key of a request leads to.
pub(crate) enum Found<'o> {
    /// An active object.
    Object(Upcall<'o>),
    /// A servant for this request only: a default servant, or one from a servant locator.
    Unmapped(Box<UnmappedUpcall>),
    /// Another object, to which the client is forwarded.
    Elsewhere(Ior),
    /// Perhaps another object: the program's locator of keys says which, later.
    ByLocator(KeyLocator),
    /// An object that only the main thread may call.
    MainThread,
    /// An exception, before any servant was called.
    Refused(SystemException),
    /// No object.
    Nothing,
    /// The request addresses the object by a profile that is not one of this ORB's. The client has
    /// to repeat it with the object key.
    Unnamed,
}

impl Found<'_> {
    /// The servant to call.
    #[inline]
    pub(crate) fn servant(&self) -> Option<&dyn Servant> {
        match self {
            Self::Object(upcall) => Some(upcall.skeleton()),
            Self::Unmapped(unmapped) => Some(unmapped.servant.get()),
            _ => None,
        }
    }

    /// The servant from a servant locator, if it is one.
    pub(crate) fn located_servant(&self) -> Option<&LocatedServant> {
        match self {
            Self::Unmapped(unmapped) => unmapped.located_servant.as_ref(),
            _ => None,
        }
    }

    /// The object to call.
    pub(crate) fn target(&self) -> Option<Target> {
        match self {
            Self::Object(upcall) => Some(Target {
                id: upcall.object.id(),
                poa: upcall.object.poa.clone(),
                servant: upcall.object.servant.clone(),
            }),
            Self::Unmapped(unmapped) => Some(Target {
                id: unmapped.id.clone(),
                poa: unmapped.poa.clone(),
                servant: unmapped.servant.clone(),
            }),
            _ => None,
        }
    }
}

impl From<UnmappedUpcall> for Found<'_> {
    fn from(unmapped: UnmappedUpcall) -> Self {
        Self::Unmapped(Box::new(unmapped))
    }
}

/// An object that is called, for interceptors.
pub(crate) struct Target {
    pub(crate) id: ObjectId,
    pub(crate) poa: Arc<PoaInner>,
    pub(crate) servant: AnyServant,
}
