//! What a program lets a POA ask: servant activators, servant locators, adapter activators
//! (CORBA 3.4 Part 1, 15.3.5, 15.3.6).

use super::{ObjectId, Poa};
use crate::client::Object;
use crate::exception::SystemException;
use crate::server::AnyServant;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Makes servants when they are needed, for a POA that retains them: `ServantActivator`.
///
/// Closures that take an id and a POA and return a servant are activators that clean up nothing.
pub trait ServantActivator: Send + Sync + 'static {
    /// Gives the servant for an object that is called and not active: `incarnate`. It is active from
    /// then on. A POA asks its activator for one thing at a time, and not for an object whose last
    /// servant is still being etherealized. An activator may call objects, also of this POA, but not
    /// the one that it is asked for.
    ///
    /// # Errors
    /// The client is forwarded, or hears the exception.
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError>;

    /// Takes a servant back whose object was deactivated, or whose POA is destroyed, when the last
    /// call has left it: `etherealize`. By the rules of `deactivate` the thread is that of the last
    /// call, else that which deactivated.
    ///
    /// `cleanup_in_progress` says that the POA is destroyed or its manager deactivated,
    /// `remaining_activations` that the servant incarnates other objects of this POA.
    fn etherealize(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _servant: AnyServant,
        _cleanup_in_progress: bool,
        _remaining_activations: bool,
    ) {
    }
}

impl<F> ServantActivator for F
where
    F: Fn(&ObjectId, &Poa) -> Result<AnyServant, ServantManagerError> + Send + Sync + 'static,
{
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        self(id, adapter)
    }
}

/// Finds a servant for each single request, for a POA that retains none: `ServantLocator`.
pub trait ServantLocator: Send + Sync + 'static {
    /// Gives the servant for one request: `preinvoke`. The cookie is handed to
    /// [`postinvoke`](Self::postinvoke).
    ///
    /// # Errors
    /// The client is forwarded, or hears the exception; `postinvoke` is not called.
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError>;

    /// The request was served, by the thread that called [`preinvoke`](Self::preinvoke):
    /// `postinvoke`. The client gets its reply after this.
    ///
    /// # Errors
    /// The client hears the exception instead of what the servant answered.
    fn postinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
        _cookie: Cookie,
        _servant: AnyServant,
    ) -> Result<(), SystemException> {
        Ok(())
    }
}

/// What a [`ServantLocator`] gives itself from `preinvoke` to `postinvoke`: `Cookie`.
#[derive(Default)]
pub struct Cookie(Option<Box<dyn Any>>);

impl Cookie {
    /// A cookie that holds `value`.
    pub fn new<T: Any>(value: T) -> Self {
        Self(Some(Box::new(value)))
    }

    /// What it holds, if that is a `T`.
    pub fn take<T: Any>(self) -> Option<T> {
        self.0?.downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cookie").field(&self.0.is_some()).finish()
    }
}

/// Why a servant manager gives no servant.
#[derive(Debug, Clone, PartialEq)]
pub enum ServantManagerError {
    /// The object is there: `ForwardRequest`. The client repeats the request at that object.
    Forward(Object),
    /// The client hears this exception.
    Raise(SystemException),
}

impl From<SystemException> for ServantManagerError {
    fn from(exception: SystemException) -> Self {
        Self::Raise(exception)
    }
}

impl From<Object> for ServantManagerError {
    fn from(object: Object) -> Self {
        Self::Forward(object)
    }
}

/// The servant manager of a POA: `ServantManager`.
#[derive(Clone)]
pub enum ServantManager {
    /// For POAs with the policy [`ServantRetention::Retain`](super::ServantRetention::Retain).
    Activator(Arc<dyn ServantActivator>),
    /// For POAs with the policy [`ServantRetention::NonRetain`](super::ServantRetention::NonRetain).
    Locator(Arc<dyn ServantLocator>),
}

impl ServantManager {
    /// An activator as a servant manager.
    pub fn activator(activator: impl ServantActivator) -> Self {
        Self::Activator(Arc::new(activator))
    }

    /// A locator as a servant manager.
    pub fn locator(locator: impl ServantLocator) -> Self {
        Self::Locator(Arc::new(locator))
    }
}

impl fmt::Debug for ServantManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Activator(_) => "ServantManager::Activator(..)",
            Self::Locator(_) => "ServantManager::Locator(..)",
        })
    }
}

/// Makes POAs when they are needed: `AdapterActivator`.
///
/// Closures that take a POA and a name and return whether they made it are adapter activators; they
/// may return a `Result` of that with a [`SystemException`] or a [`PoaError`](super::PoaError).
///
/// ```
/// # use armilla::{Orb, Poa, PoaError};
/// # fn example(orb: Orb) {
/// orb.root_poa().set_activator(|parent: &Poa, name: &str| {
///     parent.create_poa(name).persistent().user_ids().build()?;
///     Ok::<_, PoaError>(true)
/// });
/// # }
/// ```
pub trait AdapterActivator: Send + Sync + 'static {
    /// A request came for an object of the POA `name` below `parent`, or [`Poa::find_poa`] asks for
    /// it, and there is none: `unknown_adapter`. Returns whether it was made; where it was not, the client
    /// hears that the object does not exist. Requests for it wait until this returns; for one POA it is called by
    /// one thread at a time.
    ///
    /// # Errors
    /// Why it cannot be said now. The client hears `OBJ_ADAPTER` (reason 1).
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException>;
}

impl<F, A> AdapterActivator for F
where
    F: Fn(&Poa, &str) -> A + Send + Sync + 'static,
    A: Answer,
{
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self(parent, name).was_made()
    }
}

/// What a closure that is an adapter activator returns.
pub trait Answer {
    /// Whether the POA was made.
    ///
    /// # Errors
    /// Why that cannot be said.
    fn was_made(self) -> Result<bool, SystemException>;
}

impl Answer for bool {
    fn was_made(self) -> Result<bool, SystemException> {
        Ok(self)
    }
}

impl<E: Into<SystemException>> Answer for Result<bool, E> {
    fn was_made(self) -> Result<bool, SystemException> {
        self.map_err(Into::into)
    }
}
