//! Narrowing: the conversion of an untyped reference into a typed one.

use super::Ref;
use crate::client::{Object, Waiting};
use crate::exception::{Minor, SystemException};
use crate::server::Interface;

impl Object {
    /// The reference typed as `I`. If the reference does not tell whether the object has that
    /// interface, the client calls `_is_a`. A nil reference stays nil.
    ///
    /// # Errors
    /// `BAD_PARAM` when the object has another interface; those of the call of `_is_a`.
    #[doc(alias = "_narrow")]
    pub fn narrow<I: Interface + ?Sized>(&self) -> Result<Ref<I>, SystemException> {
        Waiting::blocking(|waiting| self.narrow_with(waiting))
    }

    /// [`narrow`](Self::narrow) without blocking a thread.
    ///
    /// # Errors
    /// Those of [`narrow`](Self::narrow).
    pub async fn narrow_async<I: Interface + ?Sized>(&self) -> Result<Ref<I>, SystemException> {
        self.narrow_with(Waiting::Task).await
    }

    pub(crate) async fn narrow_with<I: Interface + ?Sized>(
        &self,
        waiting: Waiting,
    ) -> Result<Ref<I>, SystemException> {
        if self.is_nil() || self.ask_is_a(I::REPOSITORY_ID, waiting).await? {
            return Ok(self.assume());
        }
        let mut is = self.ior().type_id;
        if is.is_empty() {
            // ORBs of before CORBA 3 do not know the operation.
            is = self.ask_repository_id(waiting).await.unwrap_or_default();
        }
        let wanted = I::REPOSITORY_ID;
        let what = match is.is_empty() {
            true => format!("the object is no {wanted:?}; its reference does not say what it is"),
            false => format!("the object is a {is:?}, not a {wanted:?}"),
        };
        Err(SystemException::bad_param(Minor::WRONG_INTERFACE, what))
    }

    /// The reference typed as `I`, unchecked. If the object has another interface, calls fail with
    /// `BAD_OPERATION`.
    #[doc(alias = "_unchecked_narrow")]
    pub fn assume<I: Interface + ?Sized>(&self) -> Ref<I> {
        Ref::new(self.clone())
    }
}

impl<I: Interface + ?Sized> Ref<I> {
    /// The same reference, typed as another interface; see [`Object::narrow`].
    /// [`upcast`](Self::upcast) converts to a base without asking.
    ///
    /// # Errors
    /// Those of [`Object::narrow`].
    pub fn narrow<J: Interface + ?Sized>(&self) -> Result<Ref<J>, SystemException> {
        self.object().narrow()
    }

    /// [`narrow`](Self::narrow) without blocking a thread.
    ///
    /// # Errors
    /// Those of [`narrow`](Self::narrow).
    pub async fn narrow_async<J: Interface + ?Sized>(&self) -> Result<Ref<J>, SystemException> {
        self.object().narrow_async().await
    }
}
