//! What a call names its operation by, and headers that were made before are found by.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An operation as a call names it.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'r> {
    /// Its name.
    pub(crate) name: &'r str,
    /// What tells it from all other operations for as long as the process lives.
    pub(super) key: (usize, usize),
}

/// Takes the place of the text's length in the key of a name that the program made.
const MADE: usize = usize::MAX;

impl<'r> Operation<'r> {
    /// One of generated code, whose name is a constant: its key is the place of its text.
    #[inline]
    pub(crate) fn of_idl(name: &'static str) -> Self {
        Self { name, key: (name.as_ptr().addr(), name.len()) }
    }

    /// One whose name the program made; it goes with `key` only.
    pub(crate) const fn made(name: &'r str, key: &OperationKey) -> Self {
        Self { name, key: (key.0, MADE) }
    }
}

/// An operation of a call that outlives those who made it.
pub(crate) struct KeptOperation {
    name: Cow<'static, str>,
    key: (usize, usize),
}

impl KeptOperation {
    /// One of generated code.
    pub(super) fn of_idl(name: &'static str) -> Self {
        Self { name: name.into(), key: Operation::of_idl(name).key }
    }

    /// One whose name the program made; it goes with `key` only.
    pub(crate) fn made(name: &str, key: &OperationKey) -> Self {
        Self { name: name.to_owned().into(), key: Operation::made(name, key).key }
    }

    pub(super) fn get(&self) -> Operation<'_> {
        Operation { name: &self.name, key: self.key }
    }
}

/// The key of an operation whose name the program made.
#[derive(Debug)]
pub(crate) struct OperationKey(usize);

impl OperationKey {
    /// One that there was never before.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
