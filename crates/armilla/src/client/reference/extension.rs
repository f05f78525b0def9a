//! What another crate adds to the calls of a client: which copy of a reference a call goes through,
//! and what its request carries.
//!
//! A reference that no extension has attached to pays nothing: whether it has is settled with its
//! first call, and an attached reference leaves the straight path of a call.

use super::object::Object;
use crate::exception::SystemException;
use crate::runtime::{Orb, Part, PartSlot};
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
    /// call is to be made again with another [`select`](Self::select). A call asks this once, if it
    /// has time left, which runs on meanwhile. May block: the calling thread asks, or for
    /// asynchronous calls a thread of the ORB, and a call that expires meanwhile ends without the
    /// answer.
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
