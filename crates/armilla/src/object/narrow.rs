//! From an untyped reference to a typed one.

use super::Ref;
use crate::client::Object;
use crate::exception::{Minor, SystemException};
use crate::server::Interface;

impl Object {
    /// The object as an `I`, after asking it whether it is one where the reference does not say so.
    /// A nil reference stays nil.
    ///
    /// # Errors
    /// `BAD_PARAM` when the object has another interface; what a call can fail with when it must
    /// be asked.
    pub fn narrow<I: Interface + ?Sized>(&self) -> Result<Ref<I>, SystemException> {
        if self.is_nil() || self.is_a(I::REPOSITORY_ID)? {
            return Ok(self.assume());
        }
        let what = format!(
            "the object is a {:?}, not a {:?}",
            self.reference().map_or("", |reference| &reference.ior().type_id),
            I::REPOSITORY_ID
        );
        Err(SystemException::bad_param(Minor::WRONG_INTERFACE, what))
    }

    /// The object as an `I`, without asking. When it is none, calls fail with `BAD_OPERATION`.
    pub fn assume<I: Interface + ?Sized>(&self) -> Ref<I> {
        Ref::new(self.clone())
    }
}
