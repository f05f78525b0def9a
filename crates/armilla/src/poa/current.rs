//! Which object a servant is serving: `PortableServer::Current` (CORBA 3.4 Part 1, 15.3.10).
//!
//! Each thread has a frame for the request that it serves. For an active object the frame says where
//! it stands, two words, because the object stays there until its last call ends; for others the
//! thread keeps a stack of what was lent to it.

use super::object_key::Slot;
use super::{Activation, ObjectId, Poa, PoaError, PoaInner};
use crate::object::{AnyServant, Object};
use crate::orb::Orb;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// What a thread is serving.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Which ORB the object belongs to; 0 when nothing is being served.
    orb: u64,
    slot: Slot,
}

impl Frame {
    const NOTHING: Self = Self { orb: 0, slot: Slot::NONE };
}

/// An object that is not in the active object map.
struct Passing {
    poa: Arc<PoaInner>,
    id: ObjectId,
    servant: AnyServant,
}

thread_local! {
    static FRAME: Cell<Frame> = const { Cell::new(Frame::NOTHING) };
    static PASSING: RefCell<Vec<Passing>> = const { RefCell::new(Vec::new()) };
}

/// Begins to serve an active object, and returns what the thread was serving.
#[inline]
pub(super) fn begin(activation: &Activation) -> Frame {
    FRAME.replace(Frame { orb: activation.poa.incarnation, slot: activation.slot })
}

/// Begins to serve an object that is not in the active object map.
pub(super) fn begin_passing(poa: &Arc<PoaInner>, id: &ObjectId, servant: &AnyServant) -> Frame {
    let passing = Passing { poa: poa.clone(), id: id.clone(), servant: servant.clone() };
    PASSING.with_borrow_mut(|stack| stack.push(passing));
    FRAME.replace(Frame { orb: poa.incarnation, slot: Slot::NONE })
}

/// Goes back to what was served before.
#[inline]
pub(super) fn end(outer: Frame) {
    FRAME.set(outer);
}

/// Goes back to what was served before an object that is not in the active object map.
pub(super) fn end_passing(outer: Frame) {
    let passed = PASSING.with_borrow_mut(Vec::pop);
    drop(passed);
    end(outer);
}

/// Whether this thread is serving a request.
pub(super) fn is_in_upcall() -> bool {
    FRAME.get().orb != 0
}

/// The request that this thread is serving: `PortableServer::Current`, from
/// [`Orb::poa_current`](crate::Orb::poa_current). It is how one servant that incarnates many objects
/// learns which of them it is being called as.
///
/// ```
/// # use armilla::{Orb, PoaError};
/// # fn example(orb: &Orb) -> Result<(), PoaError> {
/// let current = orb.poa_current()?;
/// println!("called as {:?}", current.object_id());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Current {
    poa: Poa,
    id: ObjectId,
    servant: AnyServant,
    activation: Option<Arc<Activation>>,
}

impl Current {
    /// The POA of the object: `get_POA`.
    pub fn poa(&self) -> &Poa {
        &self.poa
    }

    /// The id of the object: `get_object_id`.
    pub fn object_id(&self) -> &ObjectId {
        &self.id
    }

    /// The servant that is called: `get_servant`.
    pub fn servant(&self) -> &AnyServant {
        &self.servant
    }

    /// A reference to the object: `get_reference`.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn reference(&self) -> Result<Object, PoaError> {
        let orb = self.poa.orb();
        Ok(match &self.activation {
            Some(activation) => orb.active_object(activation.clone())?,
            None => {
                let key = self.poa.inner.named_key(self.id.as_bytes(), Slot::NONE);
                orb.named_object(self.poa.inner.path(), self.servant.repository_id(), key)?
            }
        })
    }
}

impl Orb {
    /// The request that this thread is serving for an object of this ORB: `POACurrent`.
    ///
    /// # Errors
    /// `NoContext` when it serves none.
    pub fn poa_current(&self) -> Result<Current, PoaError> {
        let frame = FRAME.get();
        if frame.orb != self.incarnation() {
            return Err(PoaError::NoContext);
        }
        if frame.slot != Slot::NONE {
            let found = self.objects().get(frame.slot).ok_or(PoaError::NoContext)?;
            let activation = found.as_ref().ok_or(PoaError::NoContext)?.clone();
            return Ok(Current {
                poa: self.poa_of(&activation.poa),
                id: activation.id(),
                servant: activation.servant.clone(),
                activation: Some(activation),
            });
        }
        PASSING.with_borrow(|stack| {
            let passing = stack.last().ok_or(PoaError::NoContext)?;
            Ok(Current {
                poa: self.poa_of(&passing.poa),
                id: passing.id.clone(),
                servant: passing.servant.clone(),
                activation: None,
            })
        })
    }
}
