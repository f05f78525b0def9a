//! The operations that every object has: those of IDL `Object` that call the object (CORBA 3.4 Part
//! 1, 8.3).

use super::waiting::Waiting;
use crate::client::endpoint::LocalObject;
use crate::client::reference::Object;
use crate::client::synchronous::locate;
use crate::exception::{ExceptionKind, SystemException};
use crate::signature::Signature;
use crate::transport::Way;
use armilla_cdr::{Decoder, Encoder};

impl Object {
    /// Whether the object supports the interface with this repository id: `_is_a`. Calls the object
    /// only if the reference does not tell.
    ///
    /// # Errors
    /// Those of a call.
    #[doc(alias = "_is_a")]
    pub fn is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        Waiting::blocking(|waiting| self.ask_is_a(repository_id, waiting))
    }

    /// [`is_a`](Self::is_a) without blocking a thread.
    ///
    /// # Errors
    /// Those of a call.
    pub async fn is_a_async(&self, repository_id: &str) -> Result<bool, SystemException> {
        self.ask_is_a(repository_id, Waiting::Task).await
    }

    pub(crate) async fn ask_is_a(
        &self,
        repository_id: &str,
        waiting: Waiting,
    ) -> Result<bool, SystemException> {
        let reference = self.reference()?;
        let said = &reference.ior().type_id;
        if repository_id == crate::wire::OBJECT_ID || (!said.is_empty() && said == repository_id) {
            return Ok(true);
        }
        match self.local_object().and_then(|object| object.is_a(repository_id)) {
            Some(is_one) => Ok(is_one),
            None => {
                let operation = ("_is_a", Signature::of_object as _);
                let put = |out: &mut Encoder<'_>| out.put_string(repository_id);
                waiting.invoke(self, operation, put, |input| input.bool()).await
            }
        }
    }

    /// The repository id of the most derived interface of the object: `_repository_id`. Calls the
    /// object. The [`type_id`](crate::Ior::type_id) of the reference may name a base interface or be
    /// empty.
    ///
    /// # Errors
    /// Those of a call.
    #[doc(alias = "_repository_id")]
    pub fn repository_id(&self) -> Result<String, SystemException> {
        Waiting::blocking(|waiting| self.ask_repository_id(waiting))
    }

    pub(crate) async fn ask_repository_id(
        &self,
        waiting: Waiting,
    ) -> Result<String, SystemException> {
        self.reference()?;
        match self.local_object().and_then(LocalObject::repository_id) {
            Some(repository_id) => Ok(repository_id),
            None => {
                let operation = ("_repository_id", Signature::of_object as _);
                let result = |input: &mut Decoder<'_>| Ok(input.string()?.into_owned());
                waiting.invoke(self, operation, |_| Ok(()), result).await
            }
        }
    }

    /// Whether the object is known not to exist: `_non_existent`.
    ///
    /// # Errors
    /// Those of a call, when the object cannot be reached.
    #[doc(alias = "_non_existent")]
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        Waiting::blocking(|waiting| self.ask_non_existent(waiting))
    }

    /// [`non_existent`](Self::non_existent) without blocking a thread.
    ///
    /// # Errors
    /// Those of a call, when the object cannot be reached.
    pub async fn non_existent_async(&self) -> Result<bool, SystemException> {
        self.ask_non_existent(Waiting::Task).await
    }

    async fn ask_non_existent(&self, waiting: Waiting) -> Result<bool, SystemException> {
        let operation = ("_non_existent", Signature::of_object as _);
        match waiting.invoke(self, operation, |_| Ok(()), |input| input.bool()).await {
            Err(error) if error.kind() == ExceptionKind::ObjectNotExist => Ok(true),
            answer => answer,
        }
    }

    /// The way that the last connection to the address took to which calls of this object go now.
    /// `None` before the first, and for an object of this process.
    ///
    /// ```
    /// # use armilla::{Object, SystemException};
    /// # fn example(object: &Object) -> Result<(), SystemException> {
    /// object.locate()?;
    /// if let Some(way) = object.way() {
    ///     println!("calls go by {way}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn way(&self) -> Option<Way> {
        let reference = self.reference().ok()?;
        if reference.key_here().is_some() {
            return None;
        }
        reference.route().ok()?.preferred().access.endpoint.last_way()
    }

    /// Asks the server for the location of the object with a LocateRequest, without calling the
    /// object. Later calls go to that location. `false` when the server does not know the object.
    ///
    /// # Errors
    /// Those of a call.
    #[doc(alias = "validate_connection")]
    pub fn locate(&self) -> Result<bool, SystemException> {
        locate(self)
    }
}
