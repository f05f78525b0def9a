//! The typed references that a POA gives out (CORBA 3.4 Part 1, 15.3.9).

use super::Ref;
use crate::server::Interface;
use crate::server::poa::{ObjectId, Poa, PoaError};
use std::sync::Arc;

impl Poa {
    /// Activates `servant` under an id that the POA assigns, and gives a reference to it:
    /// `activate_object` and `id_to_reference` at once.
    ///
    /// ```no_run
    /// # fn example<T: armilla::rt::Interface + ?Sized>(orb: armilla::Orb, servant: std::sync::Arc<T>)
    /// # -> Result<(), armilla::SystemException> {
    /// let reference = orb.root_poa().activate(servant)?;
    /// println!("{}", orb.object_to_string(reference.object())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `WrongPolicy` unless the POA retains servants and assigns ids; `ServantAlreadyActive` where
    /// ids are unique; `OBJECT_NOT_EXIST` when the POA was destroyed; `INITIALIZE` when the ORB
    /// cannot listen.
    pub fn activate<I: Interface + ?Sized>(&self, servant: Arc<I>) -> Result<Ref<I>, PoaError> {
        Ok(Ref::to_servant(self.activate_servant(servant.clone())?, servant))
    }

    /// Activates `servant` under the id `id`, and gives a reference to it:
    /// `activate_object_with_id` and `id_to_reference` at once.
    ///
    /// In a persistent POA references made for the same id by an earlier process, at the same
    /// address, reach the servant too. Where the POA assigns ids, `id` must be one that it has
    /// made. With a servant activator this waits until the last servant of the object was
    /// etherealized; who is called as that object, or etherealizes it, or serves a request of this
    /// POA where it makes one call at a time, cannot wait (`BAD_INV_ORDER`, reason 3).
    ///
    /// # Errors
    /// `ObjectAlreadyActive`; `ServantAlreadyActive` where ids are unique; `WrongPolicy` unless the
    /// POA retains servants; `BAD_PARAM` for an id that cannot be the POA's; `OBJECT_NOT_EXIST`
    /// when the POA was destroyed; `INITIALIZE` when the ORB cannot listen.
    pub fn activate_with_id<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
        servant: Arc<I>,
    ) -> Result<Ref<I>, PoaError> {
        Ok(Ref::to_servant(self.activate_servant_with_id(id, servant.clone())?, servant))
    }

    /// A reference to an object that is not active, with an id that the POA assigns:
    /// `create_reference`. Who serves it when it is called is for the policies to say.
    ///
    /// # Errors
    /// `WrongPolicy` when the program assigns ids; `INITIALIZE` when the ORB cannot listen.
    pub fn create_reference<I: Interface + ?Sized>(&self) -> Result<Ref<I>, PoaError> {
        Ok(self.create_object(I::REPOSITORY_ID)?.assume())
    }

    /// A reference to the object `id`, active or not: `create_reference_with_id`. Where the POA
    /// assigns ids, `id` must be one that it has made.
    ///
    /// # Errors
    /// `BAD_PARAM` (reason 14) for an id that cannot be the POA's; `INITIALIZE` when the ORB cannot
    /// listen.
    pub fn create_reference_with_id<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
    ) -> Result<Ref<I>, PoaError> {
        Ok(self.create_object_with_id(I::REPOSITORY_ID, id)?.assume())
    }

    /// A reference to the object that `servant` incarnates: `servant_to_reference`. A servant that
    /// incarnates none, or may incarnate many, is activated where the POA activates implicitly. To
    /// a servant that serves a request for an object of this POA it is, otherwise, that object,
    /// whatever the policies are.
    ///
    /// What other mappings call `_this` is [`Orb::this`](crate::Orb::this), which asks the servant
    /// for the POA.
    ///
    /// # Errors
    /// `ServantNotActive`; `WrongPolicy` where the policies allow none of that.
    pub fn servant_to_reference<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<Ref<I>, PoaError> {
        Ok(match self.object_of_servant(servant)? {
            (object, true) => Ref::to_servant(object, servant.clone()),
            (object, false) => object.assume(),
        })
    }
}
