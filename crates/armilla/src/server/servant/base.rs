//! The operations that every object has, as a servant answers them (CORBA 3.4 Part 1, 8.3 and 15.3.1).

use super::AnyServant;
use crate::client::Object;
use crate::client::interface_of;
use crate::exception::SystemException;
use crate::runtime::Orb;
use crate::server::poa::{Current, ObjectId, Poa};

/// What a servant answers itself of the operations that every object has: `ServantBase`.
///
/// What is not implemented here is what the ORB answers for a servant that says nothing. A servant says
/// that it answers by the method `servant_base` that the trait of every IDL interface has:
/// `fn servant_base(&self) -> Option<&dyn ServantBase> { Some(self) }`. It may stand in the `impl` of the
/// interface that it is activated as, or of one that this inherits from;
/// [`DynamicServant`](crate::dynamic::DynamicServant) has it too. The servant is asked in a request,
/// wherever the caller is, so that the POA's policies hold and `current` says which object is meant.
///
/// One servant for all that a database holds knows best what exists:
///
/// ```
/// use armilla_cos_naming::{Binding, BindingIterator, BindingIteratorRef, binding_iterator};
/// use armilla::{Current, ObjectId, Orb, ServantBase, SystemException};
///
/// /// All iterators; those that are open have their ids here.
/// struct Iterators(Vec<ObjectId>);
///
/// impl ServantBase for Iterators {
///     fn non_existent(&self, current: &Current) -> Result<bool, SystemException> {
///         Ok(!self.0.contains(current.object_id()))
///     }
/// }
///
/// impl BindingIterator for Iterators {
///     fn servant_base(&self) -> Option<&dyn ServantBase> {
///         Some(self)
///     }
///     // The operations of the interface follow.
/// #   fn next_one(&self) -> Result<(bool, Binding), SystemException> {
/// #       Ok((false, Binding::default()))
/// #   }
/// #   fn next_n(&self, _how_many: u32) -> Result<(bool, Vec<Binding>), SystemException> {
/// #       Ok((false, Vec::new()))
/// #   }
/// #   fn destroy(&self) -> Result<(), SystemException> {
/// #       Ok(())
/// #   }
/// }
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let servant = binding_iterator::tie(Iterators(vec!["first".into()]));
/// let poa = orb.root_poa().create_poa("iterators").user_ids().default_servant(servant).build()?;
/// let first: BindingIteratorRef = poa.create_reference_with_id("first")?;
/// let second: BindingIteratorRef = poa.create_reference_with_id("second")?;
/// assert!(!first.object().non_existent()?);
/// assert!(second.object().non_existent()?);
/// # orb.shutdown();
/// # Ok::<(), armilla::PoaError>(())
/// ```
pub trait ServantBase {
    /// Whether the object does not exist: `_non_existent`. The ORB asks it no more than any other
    /// operation before a call: who serves objects that may not exist raises `OBJECT_NOT_EXIST` there.
    ///
    /// # Errors
    /// What the caller shall hear in place of an answer.
    fn non_existent(&self, current: &Current) -> Result<bool, SystemException> {
        let _ = current;
        Ok(false)
    }

    /// Whether the object has the interface with this repository id, which is not that of `Object`:
    /// `_is_a`. [`AnyServant::is_a`] of `current.servant()` says what the ORB would answer. Nobody is
    /// asked whose reference names the very interface: it carries that of the skeleton.
    ///
    /// # Errors
    /// What the caller shall hear in place of an answer.
    fn is_a(&self, current: &Current, repository_id: &str) -> Result<bool, SystemException> {
        Ok(current.servant().is_a(current.object_id(), repository_id))
    }

    /// The repository id of the object's most derived interface: `_repository_id`. References carry that
    /// of the skeleton in any case.
    ///
    /// # Errors
    /// What the caller shall hear in place of an answer.
    fn repository_id(&self, current: &Current) -> Result<String, SystemException> {
        let object = || current.object_id().clone();
        Ok(current.servant().get().repository_id(&object).into_owned())
    }

    /// The `InterfaceDef` of the object's most derived interface: `_get_interface`. It is, unless this is
    /// implemented, what the [interface repository of the ORB](Object::interface) has under the
    /// [`repository_id`](Self::repository_id).
    ///
    /// # Errors
    /// What the caller shall hear in place of an answer.
    fn interface(&self, current: &Current) -> Result<Object, SystemException> {
        interface_of(current.poa().orb(), &self.repository_id(current)?)
    }

    /// The component that the object is a facet or port of: `_get_component`; nil where it is none.
    ///
    /// # Errors
    /// What the caller shall hear in place of an answer.
    fn component(&self, current: &Current) -> Result<Object, SystemException> {
        let _ = current;
        Ok(Object::nil())
    }

    /// The POA in which [`Orb::this`] activates the servant: `_default_POA`. It is the root POA unless this
    /// is implemented, and is asked for outside of requests.
    fn default_poa(&self, orb: &Orb) -> Poa {
        orb.root_poa()
    }
}

/// What the ORB answers for a servant that says nothing.
pub(crate) struct AsDeclared;

impl ServantBase for AsDeclared {}

impl AnyServant {
    /// Whether the object with this id that it incarnates has the interface with this repository id, by its
    /// skeleton or by what a dynamic servant says. A [`ServantBase`] is not asked.
    pub fn is_a(&self, object: &ObjectId, repository_id: &str) -> bool {
        self.get().is_a(&|| object.clone(), repository_id)
    }
}
