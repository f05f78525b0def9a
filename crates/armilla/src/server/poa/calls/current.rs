//! The object that a servant is serving: `PortableServer::Current` (CORBA 3.4 Part 1, 15.3.10).
//!
//! For active objects the thread's hazard pointers already hold the addresses, in the order in
//! which the calls began, so a call writes nothing else. A stack beside them records the rest:
//! calls of threads that have no hazard pointers left, objects outside the active object map, and
//! calls to servant managers.

use crate::client::Object;
use crate::runtime::Orb;
use crate::server::poa::AnyServant;
use crate::server::poa::{Activation, ObjectId, Poa, PoaError, PoaInner};
use armilla_ipc::memory::{Handle, Slot, hazard};
use std::cell::RefCell;
use std::sync::Arc;

/// An active object that a thread is serving.
#[derive(Clone, Copy, PartialEq)]
struct Frame {
    /// The incarnation of its ORB.
    orb: u64,
    slot: Slot,
}

/// An object outside the active object map that a thread is serving.
#[derive(Clone)]
struct Unmapped {
    poa: Arc<PoaInner>,
    id: ObjectId,
    servant: AnyServant,
}

#[derive(Clone)]
enum Serving {
    Active(Frame),
    Unmapped(Unmapped),
    /// A servant manager is being called about the object in this slot, or about none.
    ManagerCall(Frame),
}

impl Serving {
    fn orb(&self) -> u64 {
        match self {
            Self::Active(frame) | Self::ManagerCall(frame) => frame.orb,
            Self::Unmapped(unmapped) => unmapped.poa.incarnation,
        }
    }
}

thread_local! {
    /// What the hazard pointers do not show, the innermost last, each with the number of hazard
    /// pointers that are older.
    static KEPT_FRAMES: RefCell<Vec<(usize, Serving)>> = const { RefCell::new(Vec::new()) };
}

/// Begins to serve an active object in a thread that has no hazard pointers left.
#[cold]
pub(in crate::server::poa) fn begin_counted(activation: &Activation) {
    push_frame(Serving::Active(Frame::of(activation)));
    activation.count_call();
}

/// Ends what [`begin_counted`] began.
#[cold]
pub(in crate::server::poa) fn end_counted(activation: &Activation) {
    end_unmapped();
    activation.uncount_call();
}

impl Frame {
    fn of(activation: &Activation) -> Self {
        Self { orb: activation.poa.incarnation, slot: activation.slot }
    }
}

/// Begins to serve an object outside the active object map.
pub(in crate::server::poa) fn begin_unmapped(
    poa: &Arc<PoaInner>,
    id: &ObjectId,
    servant: &AnyServant,
) {
    push_frame(Serving::Unmapped(Unmapped {
        poa: poa.clone(),
        id: id.clone(),
        servant: servant.clone(),
    }));
}

/// Begins a call to a servant manager of this ORB about the object in `slot`.
pub(in crate::server::poa) fn begin_manager_call(orb: u64, slot: Slot) {
    push_frame(Serving::ManagerCall(Frame { orb, slot }));
}

/// Ends what [`begin_unmapped`] or [`begin_manager_call`] began.
pub(in crate::server::poa) fn end_unmapped() {
    // In a thread that is ending, the stack may be gone.
    let ended = KEPT_FRAMES.try_with(|kept| kept.borrow_mut().pop());
    drop(ended);
}

/// Runs code of the program that the end of an object or of a POA includes, and that must not wait
/// for that end itself: the `Drop` of servants, and interceptors.
pub(in crate::server::poa) fn during_end<R>(orb: &Orb, run: impl FnOnce() -> R) -> R {
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            end_unmapped();
        }
    }
    begin_manager_call(orb.incarnation(), Slot::NONE);
    let _over = Over;
    run()
}

fn push_frame(serving: Serving) {
    KEPT_FRAMES.try_with(|kept| kept.borrow_mut().push((hazard::depth(), serving))).ok();
}

/// What the calling thread is serving innermost, if that belongs to this ORB.
fn innermost(orb: &Orb) -> Option<Serving> {
    let kept = KEPT_FRAMES.try_with(|kept| kept.borrow().last().cloned()).ok().flatten();
    let protected = hazard::protected_here().next_back();
    match (protected, kept) {
        (Some((older, address)), kept)
            if kept.as_ref().is_none_or(|(below, _)| *below <= older) =>
        {
            let slot = orb.objects().slot_of(address)?;
            Some(Serving::Active(Frame { orb: orb.incarnation(), slot }))
        }
        (_, kept) => kept.map(|(_, it)| it).filter(|it| it.orb() == orb.incarnation()),
    }
}

/// How many requests the calling thread is serving, nested in each other, with calls to servant
/// managers.
pub(crate) fn serving_depth() -> usize {
    hazard::depth() + KEPT_FRAMES.try_with(|kept| kept.borrow().len()).unwrap_or(0)
}

/// Whether the calling thread is serving a request for an object of this ORB or calling a servant
/// manager.
fn is_serving(orb: &Orb) -> bool {
    protected(orb).next().is_some() || any_frame(|serving| serving.orb() == orb.incarnation())
}

/// Whether the calling thread is serving a request for the active object in `slot` or calling a
/// servant manager about it.
pub(in crate::server::poa) fn is_serving_at(orb: &Orb, slot: Slot) -> bool {
    let frame = Frame { orb: orb.incarnation(), slot };
    let is_it =
        |it: &Serving| matches!(it, Serving::Active(it) | Serving::ManagerCall(it) if *it == frame);
    protected(orb).any(|it| it == slot) || any_frame(is_it)
}

/// The slots of the active objects of this ORB that the hazard pointers of the calling thread show.
fn protected(orb: &Orb) -> impl Iterator<Item = Slot> {
    hazard::protected_here().filter_map(|(_, address)| orb.objects().slot_of(address))
}

/// Whether the stack of the calling thread has an entry for which `is_it` holds.
fn any_frame(is_it: impl Fn(&Serving) -> bool) -> bool {
    KEPT_FRAMES
        .try_with(|kept| kept.borrow().iter().any(|(_, serving)| is_it(serving)))
        .unwrap_or(false)
}

/// The request that the calling thread is serving: `PortableServer::Current`, from
/// [`Orb::poa_current`](crate::Orb::poa_current). A servant that incarnates several objects uses it
/// to learn which of them is called.
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
    activation: Option<Handle<Activation>>,
}

impl Current {
    /// An object that is not active, as its servant is asked about it outside of a request.
    pub(in crate::server::poa) fn unmapped(poa: Poa, id: ObjectId, servant: AnyServant) -> Self {
        Self { poa, id, servant, activation: None }
    }

    /// The POA of the object: `get_POA`.
    #[doc(alias = "get_POA")]
    pub fn poa(&self) -> &Poa {
        &self.poa
    }

    /// The id of the object: `get_object_id`.
    #[doc(alias = "get_object_id")]
    pub fn object_id(&self) -> &ObjectId {
        &self.id
    }

    /// The servant that is called: `get_servant`.
    #[doc(alias = "get_servant")]
    pub fn servant(&self) -> &AnyServant {
        &self.servant
    }

    /// Whether the object is in the active object map.
    pub(in crate::server::poa) const fn is_active(&self) -> bool {
        self.activation.is_some()
    }

    /// A reference to the object: `get_reference`.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    #[doc(alias = "get_reference")]
    pub fn reference(&self) -> Result<Object, PoaError> {
        match &self.activation {
            Some(activation) => Ok(self.poa.refer_to_active(activation.clone())?),
            None => {
                let interface = self.servant.get().repository_id(&|| self.id.clone());
                self.poa.refer_to(&interface, &self.id)
            }
        }
    }
}

impl Orb {
    /// Whether the calling thread is serving a request for an object of this ORB.
    pub(crate) fn is_serving(&self) -> bool {
        is_serving(self)
    }

    /// The request for an object of this ORB that the calling thread is serving: `POACurrent`.
    ///
    /// # Errors
    /// `NoContext` when it is serving none.
    #[doc(alias = "POACurrent")]
    pub fn poa_current(&self) -> Result<Current, PoaError> {
        match innermost(self).ok_or(PoaError::NoContext)? {
            Serving::Active(frame) => {
                let found = self.objects().get(frame.slot).ok_or(PoaError::NoContext)?;
                let activation = found.to_handle();
                Ok(Current {
                    poa: self.poa_of(&activation.poa),
                    id: activation.id(),
                    servant: activation.servant.clone(),
                    activation: Some(activation),
                })
            }
            Serving::Unmapped(Unmapped { poa, id, servant }) => {
                Ok(Current { poa: self.poa_of(&poa), id, servant, activation: None })
            }
            Serving::ManagerCall(_) => Err(PoaError::NoContext),
        }
    }
}
