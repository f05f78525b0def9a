//! Typed object references, and calls through them.
//!
//! Which servant or stub a call reaches directly is in `direct`.

use super::direct::{Active, Direct, LocalCall};
use crate::client::Object;
use crate::client::{self, Operation, OwnedOperation, ReplyFuture};
use crate::exception::{Error, Raises, ReplyError, SystemException};
use crate::object::FactoryLimit;
use crate::policies::Policies;
use crate::policies::{ConnectionPolicy, SyncScope};
use crate::server::{Interface, IsA};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A reference to an object with the interface `I`, a trait object such as `dyn Account`. Generated
/// code names the type `AccountRef`.
///
/// The reference implements the trait of the interface. If the object is in this process, a call
/// calls the servant directly; otherwise it sends a request. Clones are cheap, and any thread may
/// use them. A reference may be nil; calls through it fail with `INV_OBJREF`.
pub struct Ref<I: ?Sized> {
    object: Object,
    direct: Direct<I>,
}

impl<I: Interface + ?Sized> Ref<I> {
    /// The nil reference.
    pub const fn nil() -> Self {
        Self { object: Object::nil(), direct: Direct::Never }
    }

    /// `object` as an `I`, without asking whether it is one.
    pub(crate) fn new(object: Object) -> Self {
        let far = object.reference().ok().filter(|reference| !reference.is_collocated());
        if let Some(far) = far {
            let stub = far.orb.stub_factories().stub(&object, FactoryLimit::ALL);
            return Self::with_stub(object, stub);
        }
        // The object may have been activated after the creation of the untyped reference.
        let direct = Direct::to(&object, object.find_activation(), Active::of);
        Self { direct, object }
    }

    /// `object`, which is in another process, with the stub of a factory.
    pub(crate) fn with_stub(object: Object, stub: Option<(Arc<I>, FactoryLimit)>) -> Self {
        let direct = |(stub, limit)| Direct::Stub(stub, limit);
        Self { object, direct: stub.map_or(Direct::Never, direct) }
    }

    /// The same reference with other overrides. A stub of a factory is created anew for it.
    fn with(&self, object: Object) -> Self {
        match &self.direct {
            Direct::Stub(_, limit) => {
                let far = object.reference().ok();
                let stub = far.and_then(|far| far.orb.stub_factories().stub(&object, *limit));
                Self::with_stub(object, stub)
            }
            direct => Self { object, direct: direct.clone() },
        }
    }

    /// `object` with its servant.
    pub(crate) fn to_servant(object: Object, servant: Arc<I>) -> Self {
        let active = |activation| Some(Active::new(servant, activation));
        let direct = Direct::to(&object, object.activation().cloned(), active);
        Self { direct, object }
    }

    /// Whether this is the nil reference.
    pub const fn is_nil(&self) -> bool {
        self.object.is_nil()
    }

    /// The reference without its type.
    pub const fn object(&self) -> &Object {
        &self.object
    }

    /// The same reference, typed as a base of the interface `I`.
    pub fn upcast<B: Interface + ?Sized>(&self) -> Ref<B>
    where
        I: IsA<B>,
    {
        Ref::new(self.object.clone())
    }

    /// The same reference with a time limit for each call, from the first octet of the request to
    /// the reply, connecting included. For an object in this process the limit covers the time
    /// until the servant is called, but not the execution of the servant.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with(self.object.with_timeout(timeout))
    }

    /// The same reference with these policies; see [`Object::with_policies`].
    #[must_use]
    pub fn with_policies(&self, policies: Policies) -> Self {
        self.with(self.object.with_policies(policies))
    }

    /// The same reference with this connection policy.
    #[must_use]
    pub fn with_connection_policy(&self, connection_policy: ConnectionPolicy) -> Self {
        self.with(self.object.with_connection_policy(connection_policy))
    }

    /// The same reference with this sync scope for oneway calls; see [`Object::with_sync_scope`].
    #[must_use]
    pub fn with_sync_scope(&self, scope: SyncScope) -> Self {
        self.with(self.object.with_sync_scope(scope))
    }

    /// A reference to the same object with one more tagged component; see
    /// [`Object::with_component`].
    ///
    /// # Errors
    /// Those of [`Object::with_component`].
    pub fn with_component(
        &self,
        id: u32,
        data: impl Into<Vec<u8>>,
    ) -> Result<Self, SystemException> {
        Ok(self.object.with_component(id, data)?.assume())
    }

    /// The servant, if the object was active in this process when the reference was created and a
    /// call needs neither a servant manager nor a wait; or the stub of a factory. The call lasts
    /// until the result is dropped.
    #[inline]
    pub fn local(&self) -> Option<LocalCall<'_, I>> {
        self.direct.begin()
    }

    /// The stub of a factory, if calls go through one. Generated code passes asynchronous calls on
    /// to it. An asynchronous call of an object of this process is a request like any other: the
    /// servant may take its time, and the thread that begins the call must not wait for it.
    #[doc(hidden)]
    pub fn factory_stub(&self) -> Option<&I> {
        match &self.direct {
            Direct::Stub(stub, _) => Some(&**stub),
            _ => None,
        }
    }

    /// Passes the servant to `call`, if the object is active in this process and the call needs
    /// neither a servant manager nor a wait; or passes the stub of a factory. Returns `None`
    /// otherwise. Generated code tries it before it sends a request. A system exception leaves a
    /// servant with the completion status that it would have in a reply.
    #[doc(hidden)]
    #[inline]
    pub fn directly<R, E: ReplyError>(
        &self,
        call: impl FnOnce(&I) -> Result<R, E>,
    ) -> Option<Result<R, E>> {
        let call = match &self.direct {
            Direct::Servant(active, _) => match active.call_fast(call) {
                Ok(result) => return Some(result.map_err(E::after_entry)),
                Err(call) => call,
            },
            _ => call,
        };
        if self.direct.is_never() { None } else { self.directly_slow(call) }
    }

    /// The same for an operation that no servant and no caller can tell from one with copies of its
    /// arguments and results, all of which can be encoded. It passes the servant to `call` also
    /// where calls go through the POA, if that needs nothing else that a request does.
    #[doc(hidden)]
    #[inline]
    pub fn directly_or_lent<R, E: ReplyError + From<SystemException>>(
        &self,
        operation: &'static str,
        call: impl FnOnce(&I) -> Result<R, E>,
    ) -> Option<Result<R, E>> {
        match &self.direct {
            Direct::ThroughPoa(active) => {
                let result = active.call_through(&self.object, operation, call)?;
                Some(result.map_err(E::after_entry))
            }
            _ => self.directly(call),
        }
    }

    /// The slow path of [`directly`](Self::directly).
    #[inline(never)]
    fn directly_slow<R, E: ReplyError>(
        &self,
        call: impl FnOnce(&I) -> Result<R, E>,
    ) -> Option<Result<R, E>> {
        let servant = match self.local() {
            Some(stub) if !stub.is_servant() => return Some(call(&stub)),
            Some(servant) => return Some(call(&servant).map_err(E::after_entry)),
            None => self.direct.begin_latest(&self.object)?,
        };
        Some(call(&servant).map_err(E::after_entry))
    }

    /// Calls an operation without `raises`. For generated code.
    ///
    /// # Errors
    /// Any system exception.
    #[doc(hidden)]
    #[inline(never)]
    pub fn invoke<'p, R: 'static>(
        &self,
        operation: &'static str,
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
    ) -> Result<R, SystemException> {
        client::invoke(
            &self.object,
            Operation::of_idl(operation, I::signature),
            &arguments,
            results,
        )
    }

    /// Calls an operation that raises the exceptions `E`. For generated code.
    ///
    /// # Errors
    /// Any system exception, and those of `E`.
    #[doc(hidden)]
    #[inline(never)]
    pub fn invoke_raises<'p, R: 'static, E: Raises>(
        &self,
        operation: &'static str,
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
    ) -> Result<R, Error<E>> {
        client::invoke_raises(
            &self.object,
            Operation::of_idl(operation, I::signature),
            &arguments,
            results,
        )
    }

    /// Begins an asynchronous call of an operation without `raises`. For generated code. The
    /// arguments are encoded when it returns.
    #[doc(hidden)]
    pub fn invoke_async<'p, R>(
        &self,
        operation: &'static str,
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
    ) -> ReplyFuture<R> {
        client::invoke_async(
            &self.object,
            OwnedOperation::of_idl(operation, I::signature),
            &arguments,
            results,
        )
    }

    /// Begins an asynchronous call of an operation that raises the exceptions `E`. For generated
    /// code.
    #[doc(hidden)]
    pub fn invoke_raises_async<'p, R, E: Raises>(
        &self,
        operation: &'static str,
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
    ) -> ReplyFuture<R, Error<E>> {
        client::invoke_raises_async(
            &self.object,
            OwnedOperation::of_idl(operation, I::signature),
            &arguments,
            results,
        )
    }

    /// Calls a oneway operation. For generated code. The [`SyncScope`] determines when it returns.
    ///
    /// # Errors
    /// Any system exception when the request cannot be sent.
    #[doc(hidden)]
    #[inline(never)]
    pub fn invoke_oneway<'p>(
        &self,
        operation: &'static str,
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Result<(), SystemException> {
        client::invoke_oneway(&self.object, Operation::of_idl(operation, I::signature), &arguments)
    }
}

impl<I: ?Sized> Clone for Ref<I> {
    fn clone(&self) -> Self {
        Self { object: self.object.clone(), direct: self.direct.clone() }
    }
}

impl<I: ?Sized> Default for Ref<I> {
    fn default() -> Self {
        Self { object: Object::nil(), direct: Direct::Never }
    }
}

impl<I: ?Sized> Ref<I> {
    pub(super) const fn untyped(&self) -> &Object {
        &self.object
    }
}

impl<I: ?Sized> PartialEq for Ref<I> {
    fn eq(&self, other: &Self) -> bool {
        self.object == other.object
    }
}

impl<I: ?Sized> fmt::Debug for Ref<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

impl<I: ?Sized> AsRef<Object> for Ref<I> {
    fn as_ref(&self) -> &Object {
        &self.object
    }
}
