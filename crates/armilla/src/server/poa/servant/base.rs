//! The operations that every object has, implemented by a servant (CORBA 3.4 Part 1, 8.3 and
//! 15.3.1).

use super::AnyServant;
use crate::client::Object;
use crate::client::interface_of;
use crate::exception::SystemException;
use crate::runtime::Orb;
use crate::server::poa::{Current, ObjectId, Poa};

/// A servant's own implementation of the operations that every object has: `ServantBase`.
///
/// The default methods answer as the ORB does for a servant without an implementation of its own.
/// To have one, a servant implements the method `servant_base`, which the trait of every IDL
/// interface has: `fn servant_base(&self) -> Option<&dyn ServantBase> { Some(self) }`. It may be in
/// the `impl` of the interface as which the servant is activated, or of one that this interface
/// inherits from; [`DynamicServant`](crate::dynamic::DynamicServant) has it too. The servant is
/// always asked in a request, even by a caller within the process. The policies of the POA thus
/// apply, and `current` identifies the object.
///
/// A servant that incarnates all records of a database knows which objects exist:
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
    /// Whether the object does not exist: `_non_existent`. The ORB also asks a default servant this
    /// to answer a LocateRequest, outside of a request, and does not ask it before other
    /// operations. A servant of objects that may not exist raises `OBJECT_NOT_EXIST` in those as
    /// well.
    ///
    /// # Errors
    /// The exception that the caller gets instead of an answer.
    #[doc(alias = "_non_existent")]
    fn non_existent(&self, current: &Current) -> Result<bool, SystemException> {
        let _ = current;
        Ok(false)
    }

    /// Whether the object has the interface with this repository id, which is never that of
    /// `Object`: `_is_a`. [`AnyServant::is_a`] of `current.servant()` returns the ORB's answer. A
    /// client whose reference carries this very repository id does not ask; references carry that
    /// of the skeleton.
    ///
    /// # Errors
    /// The exception that the caller gets instead of an answer.
    #[doc(alias = "_is_a")]
    fn is_a(&self, current: &Current, repository_id: &str) -> Result<bool, SystemException> {
        Ok(current.servant().is_a(current.object_id(), repository_id))
    }

    /// The repository id of the object's most derived interface: `_repository_id`. References carry
    /// that of the skeleton in any case.
    ///
    /// # Errors
    /// The exception that the caller gets instead of an answer.
    #[doc(alias = "_repository_id")]
    fn repository_id(&self, current: &Current) -> Result<String, SystemException> {
        let object = || current.object_id().clone();
        Ok(current.servant().get().repository_id(&object).into_owned())
    }

    /// The `InterfaceDef` of the object's most derived interface: `_get_interface`. By default it
    /// is looked up by the [`repository_id`](Self::repository_id) in the [interface repository of
    /// the ORB](Object::interface).
    ///
    /// # Errors
    /// The exception that the caller gets instead of an answer.
    #[doc(alias = "_get_interface")]
    fn interface(&self, current: &Current) -> Result<Object, SystemException> {
        interface_of(current.poa().orb(), &self.repository_id(current)?)
    }

    /// The component of which the object is a facet or port: `_get_component`; nil if there is
    /// none.
    ///
    /// # Errors
    /// The exception that the caller gets instead of an answer.
    #[doc(alias = "_get_component")]
    fn component(&self, current: &Current) -> Result<Object, SystemException> {
        let _ = current;
        Ok(Object::nil())
    }

    /// The POA in which [`Orb::this`] activates the servant outside of requests: `_default_POA`. By
    /// default it is the root POA.
    #[doc(alias = "_default_POA")]
    fn default_poa(&self, orb: &Orb) -> Poa {
        orb.root_poa()
    }
}

/// The ORB's answers for a servant without an implementation of its own.
pub(crate) struct AsDeclared;

impl ServantBase for AsDeclared {}

impl AnyServant {
    /// Whether the object with this id that the servant incarnates has the interface with this
    /// repository id, according to the skeleton or to a dynamic servant. A [`ServantBase`] is not
    /// asked.
    pub fn is_a(&self, object: &ObjectId, repository_id: &str) -> bool {
        self.get().is_a(&|| object.clone(), repository_id)
    }
}
