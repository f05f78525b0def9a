//! The operations of a POA that return typed references (CORBA 3.4 Part 1, 15.3.9).

use super::Ref;
use super::tied::Tied;
use crate::server::Interface;
use crate::server::poa::{ObjectId, Poa, PoaError};
use std::sync::Arc;

impl Poa {
    /// Activates `servant` under an id that the POA assigns, and returns a reference to the object:
    /// `activate_object` and `id_to_reference` in one call. The servant is
    /// [tied](Tied) to its interface: `poa.activate(account::tie(servant))`.
    ///
    /// ```no_run
    /// # use armilla::Orb;
    /// # use std::sync::Arc;
    /// # fn example<T: armilla::codegen::Interface + ?Sized>(orb: Orb, servant: Arc<T>)
    /// # -> Result<(), armilla::SystemException> {
    /// let reference = orb.root_poa().activate(servant)?;
    /// println!("{}", orb.object_to_string(reference.object())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `WrongPolicy` unless the POA retains servants and assigns ids; `ServantAlreadyActive` if the
    /// POA has unique ids and the servant is active; `OBJECT_NOT_EXIST` when the POA was destroyed;
    /// `INITIALIZE` when the ORB cannot listen.
    #[doc(alias = "activate_object")]
    pub fn activate<T: Tied>(&self, servant: T) -> Result<Ref<T::Interface>, PoaError> {
        let servant = servant.into_shared();
        Ok(Ref::to_servant(self.activate_servant(servant.clone())?, servant))
    }

    /// Activates `servant` under the id `id`, and returns a reference to the object:
    /// `activate_object_with_id` and `id_to_reference` in one call.
    ///
    /// In a persistent POA, references to the same id that an earlier process created at the same
    /// address reach the servant too. If the POA assigns ids, `id` must be one of these. With a
    /// servant activator the call waits until the previous servant of the object was etherealized.
    /// Three callers cannot wait, because they would wait for themselves: a call of that object,
    /// its etherealization, and a request of this POA if it serves one call at a time.
    ///
    /// # Errors
    /// `ObjectAlreadyActive`; `ServantAlreadyActive` if the POA has unique ids; `WrongPolicy`
    /// unless the POA retains servants; `BAD_PARAM` for an id that the POA did not assign;
    /// `BAD_INV_ORDER` (minor code 3) for a caller that cannot wait; `OBJECT_NOT_EXIST` when the
    /// POA was destroyed; `INITIALIZE` when the ORB cannot listen.
    #[doc(alias = "activate_object_with_id")]
    pub fn activate_with_id<T: Tied>(
        &self,
        id: impl Into<ObjectId>,
        servant: T,
    ) -> Result<Ref<T::Interface>, PoaError> {
        let servant = servant.into_shared();
        Ok(Ref::to_servant(self.activate_servant_with_id(id, servant.clone())?, servant))
    }

    /// Creates a reference to an object that is not active, with an id that the POA assigns:
    /// `create_reference`. The policies of the POA determine which servant serves its requests.
    ///
    /// # Errors
    /// `WrongPolicy` when the program assigns ids; `INITIALIZE` when the ORB cannot listen.
    pub fn create_reference<I: Interface + ?Sized>(&self) -> Result<Ref<I>, PoaError> {
        Ok(self.create_object(I::REPOSITORY_ID)?.assume())
    }

    /// Creates a reference to the object `id`, active or not: `create_reference_with_id`. If the
    /// POA assigns ids, `id` must be one of these.
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 14) for an id that the POA did not assign; `INITIALIZE` when the ORB
    /// cannot listen.
    pub fn create_reference_with_id<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
    ) -> Result<Ref<I>, PoaError> {
        Ok(self.create_object_with_id(I::REPOSITORY_ID, id)?.assume())
    }

    /// A reference to the object that `servant` incarnates: `servant_to_reference`.
    ///
    /// A POA with implicit activation activates a servant that incarnates no object, or that may
    /// incarnate several. Otherwise, while `servant` serves a request for an object of this POA,
    /// the result is that object, with any policies.
    ///
    /// [`Orb::this`](crate::Orb::this), which other mappings call `_this`, asks the servant for its
    /// POA.
    ///
    /// # Errors
    /// `ServantNotActive`; `WrongPolicy` when the policies of the POA allow none of that.
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
