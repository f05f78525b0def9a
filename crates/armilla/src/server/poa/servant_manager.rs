//! Servant activators, servant locators and adapter activators, which programs implement (CORBA 3.4
//! Part 1, 15.3.5, 15.3.6).

use super::{ObjectId, Poa};
use crate::client::Object;
use crate::exception::SystemException;
use crate::server::poa::AnyServant;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Provides servants on demand, for a POA that retains them: `ServantActivator`.
///
/// Closures that take an id and a POA and return a servant implement it; they do nothing in
/// `etherealize`.
///
/// ```
/// # use armilla_cos_naming::{Binding, BindingIterator, binding_iterator};
/// # use armilla::{AnyServant, ObjectId, Orb, Poa, ServantManager, ServantManagerError};
/// # use armilla::SystemException;
/// # struct Exhausted;
/// # impl BindingIterator for Exhausted {
/// #     fn next_one(&self) -> Result<(bool, Binding), SystemException> {
/// #         Ok((false, Binding::default()))
/// #     }
/// #     fn next_n(&self, _: u32) -> Result<(bool, Vec<Binding>), SystemException> {
/// #         Ok((false, Vec::new()))
/// #     }
/// #     fn destroy(&self) -> Result<(), SystemException> {
/// #         Ok(())
/// #     }
/// # }
/// /// Creates the servant of an object when it is called for the first time.
/// fn incarnate(_id: &ObjectId, _poa: &Poa) -> Result<AnyServant, ServantManagerError> {
///     Ok(binding_iterator::tie(Exhausted).into())
/// }
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let iterators = orb
///     .root_poa()
///     .create_poa("iterators")
///     .user_ids()
///     .servant_manager(ServantManager::activator(incarnate))
///     .build()?;
/// let iterator = iterators.create_reference_with_id::<dyn BindingIterator>("first")?;
/// assert!(!iterator.next_one()?.0);
/// # orb.shutdown();
/// # Ok::<(), SystemException>(())
/// ```
pub trait ServantActivator: Send + Sync + 'static {
    /// Returns the servant for an object that is called and not active: `incarnate`. The object is
    /// active from then on. The activator of a POA is called by one thread at a time, and never for
    /// an object whose last servant is still being etherealized. An activator may call other
    /// objects, also of this POA, but not the one that it is incarnating.
    ///
    /// # Errors
    /// The client is forwarded, or gets the exception.
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError>;

    /// Takes a servant back when its object was deactivated or its POA destroyed, and the last call
    /// has ended: `etherealize`. As for `deactivate`, this happens in the thread of that last call,
    /// or else in the thread that deactivated the object.
    ///
    /// `cleanup_in_progress` means that the POA is being destroyed or its manager was deactivated,
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

/// Finds a servant for each single request, for a POA that does not retain servants:
/// `ServantLocator`.
///
/// ```
/// use armilla::{AnyServant, Cookie, ObjectId, Poa, ServantLocator, ServantManagerError};
/// use std::time::Instant;
///
/// /// Serves every request with one servant, and measures how long it takes.
/// struct Timed(AnyServant);
///
/// impl ServantLocator for Timed {
///     fn preinvoke(
///         &self,
///         _id: &ObjectId,
///         _poa: &Poa,
///         _operation: &str,
///     ) -> Result<(AnyServant, Cookie), ServantManagerError> {
///         Ok((self.0.clone(), Cookie::new(Instant::now())))
///     }
///
///     fn postinvoke(
///         &self,
///         _id: &ObjectId,
///         _poa: &Poa,
///         operation: &str,
///         cookie: Cookie,
///         _servant: AnyServant,
///     ) -> Result<(), armilla::SystemException> {
///         let begun: Option<Instant> = cookie.take();
///         println!("{operation} took {:?}", begun.map(|begun| begun.elapsed()));
///         Ok(())
///     }
/// }
/// ```
pub trait ServantLocator: Send + Sync + 'static {
    /// Returns the servant for one request: `preinvoke`. The cookie is passed to
    /// [`postinvoke`](Self::postinvoke).
    ///
    /// # Errors
    /// The client is forwarded, or gets the exception; `postinvoke` is not called.
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError>;

    /// Called after the request was served, in the thread that called
    /// [`preinvoke`](Self::preinvoke): `postinvoke`. The client gets its reply afterwards.
    ///
    /// # Errors
    /// The client gets the exception instead of the servant's reply.
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

/// What a [`ServantLocator`] passes from `preinvoke` to `postinvoke`: `Cookie`.
#[derive(Default)]
pub struct Cookie(Option<Box<dyn Any>>);

impl Cookie {
    /// A cookie that holds `value`.
    pub fn new<T: Any>(value: T) -> Self {
        Self(Some(Box::new(value)))
    }

    /// The value of the cookie, if it is a `T`.
    pub fn take<T: Any>(self) -> Option<T> {
        self.0?.downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cookie").field(&self.0.is_some()).finish()
    }
}

/// Why a servant manager returns no servant.
///
/// ```
/// use armilla::{AnyServant, Completion, ExceptionKind, Minor, Object, ServantManagerError};
/// use armilla::SystemException;
///
/// /// Forwards the clients of an object that has moved.
/// fn find(moved_to: Option<Object>) -> Result<AnyServant, ServantManagerError> {
///     match moved_to {
///         Some(object) => Err(object.into()),
///         None => {
///             let kind = ExceptionKind::ObjectNotExist;
///             Err(SystemException::new(kind, Minor(0), Completion::No).into())
///         }
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ServantManagerError {
    /// The client is forwarded to this object and repeats the request there: `ForwardRequest`.
    #[doc(alias = "ForwardRequest")]
    Forward(Object),
    /// The client gets this exception.
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
    /// For POAs with the policy
    /// [`ServantRetention::NonRetain`](super::ServantRetention::NonRetain).
    Locator(Arc<dyn ServantLocator>),
}

impl ServantManager {
    /// Makes a servant manager of an activator.
    pub fn activator(activator: impl ServantActivator) -> Self {
        Self::Activator(Arc::new(activator))
    }

    /// Makes a servant manager of a locator.
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

/// Creates POAs on demand: `AdapterActivator`.
///
/// Closures that take a POA and a name and return whether they created it implement it. They may
/// also return a `Result` of that with a [`SystemException`] or a [`PoaError`](super::PoaError).
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
    /// Called when a request needs the POA `name` below `parent`, or [`Poa::find_poa`] asks for it,
    /// and it does not exist: `unknown_adapter`. Returns whether it was created; if not, the client
    /// gets `OBJECT_NOT_EXIST`. Requests for the POA wait until this returns. For one POA it is
    /// called by one thread at a time.
    ///
    /// # Errors
    /// An error that prevented an answer. The client gets `OBJ_ADAPTER`
    /// ([`Minor::OBJ_ADAPTER_UNAVAILABLE`](crate::Minor::OBJ_ADAPTER_UNAVAILABLE)).
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

/// The result of a closure that is an adapter activator.
pub trait Answer {
    /// Whether the POA was created.
    ///
    /// # Errors
    /// The error that prevented an answer.
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
