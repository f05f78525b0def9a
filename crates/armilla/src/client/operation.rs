//! What a call names its operation by, and headers that were made before are found by.

use crate::signature::Signature;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What IDL says of an operation, by its name.
pub(crate) type Signatures = fn(&str) -> Option<Signature>;

/// An operation as a call names it.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'r> {
    /// Its name.
    pub(crate) name: &'r str,
    /// What tells it from all other operations for as long as the process lives: the place of its
    /// text, if that is a constant, or the number of the name that the program made and [`MADE`].
    pub(super) key: (usize, usize),
    /// That of generated code, if it is.
    signatures: Option<Signatures>,
}

/// Takes the place of the text's length in the key of a name that the program made.
const MADE: usize = usize::MAX;

impl<'r> Operation<'r> {
    /// One of generated code, whose name is a constant.
    #[inline]
    pub(crate) fn of_idl(name: &'static str, signatures: Signatures) -> Self {
        Self { name, key: (name.as_ptr().addr(), name.len()), signatures: Some(signatures) }
    }

    /// One that every object has.
    pub(crate) fn of_object(name: &'static str) -> Self {
        Self::of_idl(name, Signature::of_object)
    }

    /// One whose name the program made; it goes with `key` only.
    pub(crate) const fn made(name: &'r str, key: &OperationKey) -> Self {
        Self { name, key: (key.0, MADE), signatures: None }
    }

    /// What IDL says of it, if it is IDL's.
    pub(crate) fn signature(&self) -> Option<Signature> {
        self.signatures.and_then(|signatures| signatures(self.name))
    }
}

/// An operation of a call that outlives those who made it.
pub(crate) struct OwnedOperation {
    name: Cow<'static, str>,
    key: (usize, usize),
    signatures: Option<Signatures>,
    /// What the program says of it, where somebody may ask.
    signature: Option<Box<Signature>>,
}

impl OwnedOperation {
    /// One of generated code.
    pub(crate) fn of_idl(name: &'static str, signatures: Signatures) -> Self {
        let Operation { key, signatures, .. } = Operation::of_idl(name, signatures);
        Self { name: Cow::Borrowed(name), key, signatures, signature: None }
    }

    /// One whose name the program made; it goes with `key` only.
    pub(crate) fn made(name: &str, key: &OperationKey, signature: Option<Signature>) -> Self {
        let Operation { key, signatures, .. } = Operation::made(name, key);
        let name = name.to_owned().into();
        Self { name, key, signatures, signature: signature.map(Box::new) }
    }

    pub(super) fn get(&self) -> Operation<'_> {
        Operation { name: &self.name, key: self.key, signatures: self.signatures }
    }

    /// What IDL or the program says of it.
    pub(super) fn signature(&self) -> Option<Signature> {
        self.signature.as_deref().cloned().or_else(|| self.get().signature())
    }
}

/// The key of an operation whose name the program made. Copies go with the same name.
#[derive(Debug, Clone)]
pub(crate) struct OperationKey(usize);

impl OperationKey {
    /// One that there was never before.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
