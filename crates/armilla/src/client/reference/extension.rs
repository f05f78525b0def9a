//! What another crate adds to the calls of a client: which copy of a reference a call goes through,
//! and what its request carries.
//!
//! A reference that no extension has attached to pays nothing: whether it has is settled with its
//! first call, and an attached reference leaves the straight path of a call.

use super::object::Object;
use crate::client::asynchronous::Selection;
use crate::client::interception::ClientFlow;
use crate::client::invocation::{Invocation, Reply};
use crate::client::request::{AddedContexts, Request, StableContexts};
use crate::client::synchronous::Driver;
use crate::exception::{Completion, ExceptionKind, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use armilla_giop::ServiceContext;
use armilla_giop::ior::Ior;
use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// An extension of an ORB's client ([`Orb::set_client_extension`]).
pub trait ClientExtension: Any + Send + Sync {
    /// Looks at a reference to an object of another process, before its first call. If it returns a
    /// selector, each call through the reference asks that one.
    ///
    /// # Errors
    /// The call fails with the exception.
    fn attach(
        &self,
        orb: &Orb,
        ior: &Ior,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException>;

    /// What tells another thread of the calling one, for an asynchronous call: to an object of the
    /// same process it is served by another thread, which learns of its caller by this service
    /// context; and if it is forwarded, [`CallSelector::select_for`] gets it.
    ///
    /// # Errors
    /// The call fails with the exception.
    fn local_context(&self) -> Result<Option<AddedContext>, SystemException> {
        Ok(None)
    }
}

/// A service context that an extension adds to a request: its id and its data.
pub type AddedContext = (u32, [u8; 4]);

/// Decides about each call through a reference.
pub trait CallSelector: Send + Sync {
    /// The choice for a call of the calling thread.
    ///
    /// # Errors
    /// The call fails with the exception.
    fn select(&self) -> Result<CallChoice<'_>, SystemException>;

    /// The choice for a call that another thread has begun, which had this
    /// [context](ClientExtension::local_context): an asynchronous call that goes elsewhere than
    /// where it began. Default: that of the calling thread.
    ///
    /// # Errors
    /// The call fails with the exception.
    fn select_for(&self, caller: Option<AddedContext>) -> Result<CallChoice<'_>, SystemException> {
        let _ = caller;
        self.select()
    }

    /// A call through a choice has failed, and was certainly not executed. Returns whether the
    /// call is to be made again with another [`select`](Self::select). A call asks this once. May
    /// block: the calling thread asks, or for asynchronous calls a thread of the ORB.
    fn select_again(&self, failed: &Object, why: &SystemException) -> bool {
        let _ = (failed, why);
        false
    }
}

/// What a [`CallSelector`] has chosen for a call.
#[derive(Debug, Clone)]
pub struct CallChoice<'s> {
    /// The reference through which the call goes. If an extension attaches to it, or to where it is
    /// forwarded, that one's selector decides further.
    pub object: Cow<'s, Object>,
    /// A service context that the request carries.
    pub context: Option<AddedContext>,
}

/// The extension that an ORB's client has.
#[derive(Default)]
pub(in crate::client) struct InstalledExtension(OnceLock<Arc<dyn ClientExtension>>);

impl Part for InstalledExtension {
    const SLOT: PartSlot = PartSlot::ClientExtension;
}

impl Orb {
    /// Sets the extension of the client, unless it has one. It applies to references that were not
    /// called before. This is for crates that add to the ORB, such as real-time CORBA. Returns the
    /// extension that the client has from now on: this one, or the one that was set first.
    pub fn set_client_extension(
        &self,
        extension: Arc<dyn ClientExtension>,
    ) -> Arc<dyn ClientExtension> {
        self.part::<InstalledExtension>().0.get_or_init(|| extension).clone()
    }

    /// The extension of the client, if the program has set one.
    pub(in crate::client) fn client_extension(&self) -> Option<&Arc<dyn ClientExtension>> {
        self.part::<InstalledExtension>().0.get()
    }
}

impl Object {
    /// The reference through which the calling thread's calls go, what they carry, and by whose
    /// choice.
    pub(in crate::client) fn selected(&self) -> Result<Selected, SystemException> {
        let reference = self.reference()?;
        let Some(extension) = reference.orb.client_extension() else {
            return self.selected_by(&|selector| selector.select());
        };
        let context = extension.local_context();
        match reference.is_collocated() {
            true => Ok(Selected { context: context?, ..Selected::unchanged(self) }),
            false => {
                let caller = context.ok().flatten();
                let selected = self.selected_by(&|selector| selector.select())?;
                Ok(Selected { caller, ..selected })
            }
        }
    }

    /// The same for a call that another thread has begun.
    pub(in crate::client) fn selected_for(
        &self,
        caller: Option<AddedContext>,
    ) -> Result<Selected, SystemException> {
        self.selected_by(&|selector| selector.select_for(caller))
    }

    fn selected_by(&self, select: Select<'_>) -> Result<Selected, SystemException> {
        let Some(selector) = self.reference()?.selector()? else {
            return Ok(Selected::unchanged(self));
        };
        let CallChoice { object, context } = select(&*selector)?;
        let chosen = object.into_owned();
        let (object, context) = self.through(chosen.clone(), context, select)?;
        let by = Some(Selection { selector, chosen, origin: self.clone() });
        Ok(Selected { object, context, by, caller: None })
    }

    /// The reference through which a call goes that was sent through `chosen`, and what it carries:
    /// an extension may have attached to that, too, and to where it is forwarded.
    pub(in crate::client) fn through(
        &self,
        mut chosen: Self,
        mut context: Option<AddedContext>,
        select: Select<'_>,
    ) -> Result<(Self, Option<AddedContext>), SystemException> {
        for _ in 0..MOST_SELECTORS {
            let Some(selector) = chosen.reference()?.selector()? else { break };
            let choice = select(&*selector)?;
            (chosen, context) = (choice.object.into_owned(), choice.context.or(context));
        }
        Ok((self.with_reference(chosen), context))
    }

    /// Has `extension` look at the references to which calls through this one are forwarded,
    /// instead of the extension of the ORB. This is for a reference that was not called before.
    pub fn set_forward_extension(&self, extension: Arc<dyn ClientExtension>) {
        if let Ok(reference) = self.reference() {
            reference.binding.set_extension(extension);
        }
    }

    /// A reference with the same addresses, through which each call asks `selector`. It replaces
    /// what an extension of the ORB would attach.
    #[must_use]
    pub fn with_call_selector(&self, selector: Arc<dyn CallSelector>) -> Self {
        let Ok(reference) = self.reference() else { return self.clone() };
        let copy = Self::elsewhere(&reference.orb, reference.ior().clone());
        if let Ok(reference) = copy.reference() {
            reference.binding.attach(selector);
        }
        self.with_reference(copy)
    }
}

/// The most selectors that are asked for a call, one after the other. Each but the first two
/// belongs to a forward, of which a call follows few.
const MOST_SELECTORS: usize = 32;

/// How a call goes.
pub(in crate::client) struct Selected {
    pub(in crate::client) object: Object,
    pub(in crate::client) context: Option<AddedContext>,
    /// The selector that has chosen, if one has.
    pub(in crate::client) by: Option<Selection>,
    /// What tells of the calling thread, for another one that chooses again.
    pub(in crate::client) caller: Option<AddedContext>,
}

impl Selected {
    /// The object itself.
    fn unchanged(object: &Object) -> Self {
        Self { object: object.clone(), context: None, by: None, caller: None }
    }
}

/// Asks a selector.
type Select<'s> =
    &'s dyn for<'c> Fn(&'c dyn CallSelector) -> Result<CallChoice<'c>, SystemException>;

/// Whether a call that has failed so did not reach its object: where a forward has led, the object
/// may be elsewhere by now.
pub(in crate::client) fn is_unreached(failure: &SystemException) -> bool {
    use ExceptionKind::{CommFailure, ObjAdapter, ObjectNotExist, Transient};
    failure.completed() == Completion::No
        && matches!(failure.kind(), Transient | CommFailure | ObjectNotExist | ObjAdapter)
}

/// The context as a request has it.
pub(in crate::client) fn to_send((id, data): &AddedContext) -> ServiceContext<'_> {
    ServiceContext { id: *id, data }
}

/// A call through a reference to which an extension has attached.
#[cold]
#[inline(never)]
pub(in crate::client) fn call_selected<'o>(
    object: &'o Object,
    selector: &dyn CallSelector,
    request: Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let choice = selector.select()?;
    let failed = match call_choice(object, &choice, &request) {
        Err(error) if error.completed() == Completion::No => error,
        outcome => return outcome,
    };
    let leaves = is_unreached(&failed) && leave_forwards(object, &choice.object);
    if !leaves && !selector.select_again(&choice.object, &failed) {
        return Err(failed);
    }
    match object.reference()?.selector()? {
        Some(selector) => call_choice(object, &selector.select()?, &request),
        None => {
            let choice = CallChoice { object: Cow::Borrowed(object), context: None };
            call_choice(object, &choice, &request)
        }
    }
}

/// Gives up the forwards by which a call through `object` went, and through the copy of it that was
/// chosen. Whether there was one.
pub(in crate::client) fn leave_forwards(object: &Object, chosen: &Object) -> bool {
    let both = [object, chosen].map(Object::reference);
    both.into_iter().flatten().filter(|reference| reference.leave_forward()).count() > 0
}

fn call_choice<'o>(
    object: &'o Object,
    choice: &CallChoice<'_>,
    request: &Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let orb = &object.reference()?.orb;
    let chosen = choice.object.clone().into_owned();
    let (object, context) =
        object.through(chosen, choice.context, &|selector| selector.select())?;
    let reference = object.reference()?;
    let contexts = context.as_ref().map(to_send);
    let added = contexts.as_ref().map(|added| AddedContexts {
        contexts: std::slice::from_ref(added),
        stable: context.map(StableContexts::of),
    });
    let invocation = Invocation::begin(&object, reference)?;
    let interceptors = reference.orb.interceptors();
    let flow = interceptors.map(|known| ClientFlow::begin(known, &object, reference));
    let mut driver = Driver::new(orb, &object, request, invocation, flow);
    driver.add(added);
    driver.run(reference)
}
