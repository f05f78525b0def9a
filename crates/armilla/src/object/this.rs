//! The reference of a servant: `_this`.

use super::Ref;
use crate::runtime::Orb;
use crate::server::poa::{Current, PoaError};
use crate::server::{AsDeclared, Interface, address};
use std::sync::Arc;

impl Orb {
    /// A reference to the object that `servant` incarnates: `_this`. To a servant that serves a
    /// request in this thread it is the object that is called. Otherwise it is what
    /// [`servant_to_reference`](crate::Poa::servant_to_reference) of its [default
    /// POA](crate::ServantBase::default_poa) gives, which activates the servant where that POA does
    /// so implicitly; the root POA does.
    ///
    /// ```no_run
    /// # fn example<T: armilla::rt::Interface + ?Sized>(orb: armilla::Orb, servant: std::sync::Arc<T>)
    /// # -> Result<(), armilla::PoaError> {
    /// let reference = orb.this(&servant)?;
    /// println!("{}", orb.object_to_string(reference.object())?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `ServantNotActive` or `WrongPolicy` where the policies of the default POA do not allow it;
    /// `OBJECT_NOT_EXIST` when it was destroyed; `INITIALIZE` when the ORB cannot listen.
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
