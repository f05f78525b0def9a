//! The reference to the object that a servant incarnates: `_this`.

use super::Ref;
use crate::runtime::Orb;
use crate::server::poa::{Current, PoaError};
use crate::server::{AsDeclared, Interface, address};
use std::sync::Arc;

impl Orb {
    /// A reference to the object that `servant` incarnates: `_this`.
    ///
    /// While `servant` serves a request in this thread, it is the object of the request. Otherwise
    /// it is the result of [`servant_to_reference`](crate::Poa::servant_to_reference) of the
    /// [default POA](crate::ServantBase::default_poa) of the servant. A POA with implicit
    /// activation, such as the root POA, activates the servant then.
    ///
    /// ```no_run
    /// # use armilla::Orb;
    /// # use std::sync::Arc;
    /// # fn example<T: armilla::codegen::Interface + ?Sized>(orb: Orb, servant: Arc<T>)
    /// # -> Result<(), armilla::PoaError> {
    /// let reference = orb.this(&servant)?;
    /// println!("{}", orb.object_to_string(reference.object())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `ServantNotActive` or `WrongPolicy` when the policies of the default POA do not allow it;
    /// `OBJECT_NOT_EXIST` when that POA was destroyed; `INITIALIZE` when the ORB cannot listen.
    #[doc(alias = "_this")]
    pub fn this<I: Interface + ?Sized>(&self, servant: &Arc<I>) -> Result<Ref<I>, PoaError> {
        let current = self.poa_current().ok();
        let is_this = |current: &Current| current.servant().get().address() == address(servant);
        if let Some(current) = current.filter(is_this) {
            return Ok(current.reference()?.assume());
        }
        let base = servant.servant_base().unwrap_or(&AsDeclared);
        base.default_poa(self).servant_to_reference(servant)
    }
}
