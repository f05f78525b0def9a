//! The name of an operation in a call, and the key by which encoded headers are found again.
//!
//! The headers are in [`request`](super::outgoing).

use crate::signature::{CallAtFault, Part, Signature};
use std::any::TypeId;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Finds the signature of an operation in generated code, by its name.
pub(in crate::client) type Signatures = fn(&str) -> Option<Signature>;

/// An operation of a call.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'r> {
    /// The name of the operation.
    pub(crate) name: &'r str,
    /// Identifies the operation for the lifetime of the process: the address and length of a
    /// constant name, or the number of a dynamic name and [`DYNAMIC`].
    pub(super) key: (usize, usize),
    /// The signatures of the generated code, if the operation is part of any.
    signatures: Option<Signatures>,
    /// Whether its results are a sequence of octets and nothing else.
    pub(super) returns_octets: bool,
}

/// Replaces the length in the key of a dynamic name.
const DYNAMIC: usize = usize::MAX;

impl<'r> Operation<'r> {
    /// An operation of generated code, whose name is a constant.
    #[inline]
    pub(crate) fn of_idl(name: &'static str, signatures: Signatures) -> Self {
        let key = (name.as_ptr().addr(), name.len());
        Self { name, key, signatures: Some(signatures), returns_octets: false }
    }

    /// The same operation, for a caller that decodes its results as an `R`.
    #[inline]
    pub(in crate::client) fn returning<R: 'static>(self) -> Self {
        Self { returns_octets: TypeId::of::<R>() == TypeId::of::<Vec<u8>>(), ..self }
    }

    /// An operation of every object, such as `_is_a`.
    pub(crate) fn of_object(name: &'static str) -> Self {
        Self::of_idl(name, Signature::of_object)
    }

    /// An operation with a dynamic name. The name must always be used with the same `key`.
    pub(crate) const fn dynamic(name: &'r str, key: &OperationKey) -> Self {
        Self { name, key: (key.0, DYNAMIC), signatures: None, returns_octets: false }
    }

    /// The operation as what cannot be encoded or decoded: its values of this `part`.
    pub(in crate::client) fn at_fault(&self, part: Part) -> CallAtFault<'r> {
        fault_of(self.name, self.signatures, part)
    }

    /// What [`fault_of`] needs of it: less than the whole, so that a call need not keep that.
    #[inline(always)]
    pub(in crate::client) const fn fault_source(&self) -> FaultSource<'r> {
        (self.name, self.signatures)
    }

    /// The signature that IDL declares, if any.
    pub(crate) fn signature(&self) -> Option<Signature> {
        self.signatures.and_then(|signatures| signatures(self.name))
    }
}

/// The name of an operation, and where its signature is found.
pub(in crate::client) type FaultSource<'r> = (&'r str, Option<Signatures>);

/// The operation as what cannot be encoded or decoded: its values of this `part`.
#[cold]
pub(in crate::client) fn fault_of(
    operation: &str,
    signatures: Option<Signatures>,
    part: Part,
) -> CallAtFault<'_> {
    let signature = signatures.and_then(|signatures| signatures(operation));
    CallAtFault { operation, signature, part }
}

/// An operation of an asynchronous call, which may outlive the caller.
pub(crate) struct OwnedOperation {
    name: Cow<'static, str>,
    key: (usize, usize),
    signatures: Option<Signatures>,
    /// The signature that the program states, if interceptors may ask for it.
    signature: Option<Box<Signature>>,
}

impl OwnedOperation {
    /// An operation of generated code.
    pub(crate) fn of_idl(name: &'static str, signatures: Signatures) -> Self {
        let Operation { key, signatures, .. } = Operation::of_idl(name, signatures);
        Self { name: Cow::Borrowed(name), key, signatures, signature: None }
    }

    /// An operation with a dynamic name. The name must always be used with the same `key`.
    pub(crate) fn dynamic(name: &str, key: &OperationKey, signature: Option<Signature>) -> Self {
        let Operation { key, signatures, .. } = Operation::dynamic(name, key);
        let name = name.to_owned().into();
        Self { name, key, signatures, signature: signature.map(Box::new) }
    }

    pub(in crate::client) fn get(&self) -> Operation<'_> {
        let Self { name, key, signatures, .. } = self;
        let (key, signatures) = (*key, *signatures);
        Operation { name, key, signatures, returns_octets: false }
    }

    /// The signature that IDL declares or the program states.
    pub(in crate::client) fn signature(&self) -> Option<Signature> {
        self.signature.as_deref().cloned().or_else(|| self.get().signature())
    }
}

/// The key of an operation with a dynamic name. Clones belong to the same name.
#[derive(Debug, Clone)]
pub(crate) struct OperationKey(usize);

impl OperationKey {
    /// A key that is unlike any other.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
