//! Which object a servant is serving: `PortableServer::Current` (CORBA 3.4 Part 1, 15.3.10).
//!
//! Each thread has a stack of frames for the calls that it serves within each other. Of an active
//! object a frame says where it stands, two words, because the object stays there until its last call
//! ends. Beside the frame is the thread's claim, by which others see the call. What a thread serves
//! deeper, and objects that are not in the active object map, it keeps on a stack of its own.

use super::active_calls::Callee;
use super::{Activation, ObjectId, Poa, PoaError, PoaInner};
use crate::client::Object;
use crate::runtime::Orb;
use crate::server::AnyServant;
use armilla_ipc::memory::{Held, Slot};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// An active object that a thread is serving.
#[derive(Clone, Copy, PartialEq)]
struct Frame {
    /// Which ORB it belongs to.
    orb: u64,
    slot: Slot,
}

/// An object that is not in the active object map.
#[derive(Clone)]
struct Passing {
    poa: Arc<PoaInner>,
    id: ObjectId,
    servant: AnyServant,
}

#[derive(Clone)]
enum Serving {
    Active(Frame),
    Passing(Passing),
    /// A servant manager is asked, about an object that stood there or nowhere.
    Asking(Frame),
}

impl Serving {
    fn orb(&self) -> u64 {
        match self {
            Self::Active(frame) | Self::Asking(frame) => frame.orb,
            Self::Passing(passing) => passing.poa.incarnation,
        }
    }
}

/// How many calls within each other have frames.
const DEPTH: usize = 8;

/// What the calling thread is serving.
struct Here {
    /// How many frames are in use, those among them included whose call ended before a later one.
    depth: Cell<usize>,
    frames: [Cell<Frame>; DEPTH],
}

thread_local! {
    // It has no destructor, and is reached without asking whether it is there.
    static HERE: Here = const {
        Here { depth: Cell::new(0), frames: [const { Cell::new(Frame::NONE) }; DEPTH] }
    };
    /// What has no frame, the innermost last, each with how many frames are below it.
    static KEPT: RefCell<Vec<(usize, Serving)>> = const { RefCell::new(Vec::new()) };
}

/// A call of an active object that a thread has begun, and ends itself: where its frame is, or `None` when
/// the call counts in the object.
pub(super) struct Begun(Option<usize>);

/// Begins to serve an active object.
#[inline(always)]
pub(super) fn begin(object: &mut impl Callee) -> Begun {
    let at = HERE.with(|here| here.begin(object));
    if at.is_none() {
        begin_deeper(object);
    }
    Begun(at)
}

/// Begins where the thread has no frames, or no claims, left.
#[cold]
fn begin_deeper(activation: &Activation) {
    keep(Serving::Active(Frame::of(activation)));
    activation.count_in();
}

/// Goes back to what was served before.
#[inline(always)]
pub(super) fn end(begun: &Begun, object: &mut impl Callee) {
    match begun.0 {
        Some(at) => {
            object.clear();
            HERE.with(|here| here.end(at));
        }
        None => end_deeper(object),
    }
}

#[cold]
fn end_deeper(activation: &Activation) {
    end_passing();
    activation.count_out();
}

impl Here {
    #[inline(always)]
    fn begin(&self, object: &mut impl Callee) -> Option<usize> {
        let at = self.depth.get();
        let frame = self.frames.get(at).filter(|_| object.protect())?;
        frame.set(Frame::of(object));
        self.depth.set(at + 1);
        Some(at)
    }

    #[inline(always)]
    fn end(&self, at: usize) {
        // A call that ends before one that was begun later leaves its frame to that one.
        if self.depth.get() == at + 1 {
            self.depth.set(at);
            if at > 0 {
                self.end_left();
            }
        } else if let Some(frame) = self.frames.get(at) {
            frame.set(Frame::NONE);
        }
    }

    #[inline(never)]
    fn end_left(&self) {
        let is_over = |at: &usize| self.frames[*at].get() == Frame::NONE;
        while let Some(below) = self.depth.get().checked_sub(1).filter(is_over) {
            self.depth.set(below);
        }
    }
}

impl Frame {
    /// A call that has ended.
    const NONE: Self = Self { orb: 0, slot: Slot::NONE };

    #[inline(always)]
    fn of(activation: &Activation) -> Self {
        Self { orb: activation.poa.incarnation, slot: activation.slot }
    }
}

/// Begins to serve an object that is not in the active object map.
pub(super) fn begin_passing(poa: &Arc<PoaInner>, id: &ObjectId, servant: &AnyServant) {
    keep(Serving::Passing(Passing { poa: poa.clone(), id: id.clone(), servant: servant.clone() }));
}

/// Begins to ask a servant manager of this ORB, about an object that stood at `slot`.
pub(super) fn begin_asking(orb: u64, slot: Slot) {
    keep(Serving::Asking(Frame { orb, slot }));
}

/// Goes back to what was served before what has no frame.
pub(super) fn end_passing() {
    // In a thread that is ending there may be nothing to go back to.
    let ended = KEPT.try_with(|kept| kept.borrow_mut().pop());
    drop(ended);
}

fn keep(serving: Serving) {
    let below = HERE.with(|here| here.depth.get());
    KEPT.try_with(|kept| kept.borrow_mut().push((below, serving))).ok();
}

/// What the calling thread is serving at this moment.
fn innermost() -> Option<Serving> {
    HERE.with(|here| {
        let depth = here.depth.get();
        let kept = KEPT.try_with(|kept| {
            kept.borrow().last().filter(|(below, _)| *below == depth).map(|(_, it)| it.clone())
        });
        let framed = || Some(Serving::Active(here.frames.get(depth.checked_sub(1)?)?.get()));
        kept.ok().flatten().or_else(framed)
    })
}

/// How many requests this thread is serving within each other, servant managers included that it asks.
pub(crate) fn serving_depth() -> usize {
    let kept = KEPT.try_with(|kept| kept.borrow().len()).unwrap_or(0);
    HERE.with(|here| here.depth.get()) + kept
}

/// Whether this thread is serving a request for an object of this ORB, or asking a servant manager.
pub(super) fn is_serving(orb: u64) -> bool {
    any(|serving| serving.orb() == orb)
}

/// Whether this thread is serving a request for the active object that stands at `slot`, or asking a
/// servant manager about it.
pub(super) fn is_serving_at(orb: u64, slot: Slot) -> bool {
    let frame = Frame { orb, slot };
    any(|serving| matches!(serving, Serving::Active(it) | Serving::Asking(it) if *it == frame))
}

/// Whether what this thread is serving, in any depth, is such a thing.
fn any(mut is_it: impl FnMut(&Serving) -> bool) -> bool {
    HERE.with(|here| {
        let mut frames = here.frames.iter().take(here.depth.get());
        frames.any(|frame| is_it(&Serving::Active(frame.get())))
            || KEPT
                .try_with(|kept| kept.borrow().iter().any(|(_, serving)| is_it(serving)))
                .unwrap_or(false)
    })
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
    activation: Option<Held<Activation>>,
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

    /// Whether it is in the active object map.
    pub(super) const fn is_active(&self) -> bool {
        self.activation.is_some()
    }

    /// A reference to the object: `get_reference`.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
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
    /// Whether this thread is serving a request for an object of this ORB.
    pub(crate) fn is_serving(&self) -> bool {
        is_serving(self.incarnation())
    }

    /// The request that this thread is serving for an object of this ORB: `POACurrent`.
    ///
    /// # Errors
    /// `NoContext` when it serves none.
    pub fn poa_current(&self) -> Result<Current, PoaError> {
        let serving = innermost().filter(|serving| serving.orb() == self.incarnation());
        match serving.ok_or(PoaError::NoContext)? {
            Serving::Active(frame) => {
                let found = self.objects().get(frame.slot).ok_or(PoaError::NoContext)?;
                let activation = found.hold();
                Ok(Current {
                    poa: self.poa_of(&activation.poa),
                    id: activation.id(),
                    servant: activation.servant.clone(),
                    activation: Some(activation),
                })
            }
            Serving::Passing(Passing { poa, id, servant }) => {
                Ok(Current { poa: self.poa_of(&poa), id, servant, activation: None })
            }
            Serving::Asking(_) => Err(PoaError::NoContext),
        }
    }
}
