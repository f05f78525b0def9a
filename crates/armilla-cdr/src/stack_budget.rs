//! How much of the stack reading may take.

/// How much of the stack what nests may take, in octets, and three more levels of it: large structs that
/// contain themselves take much for each level, and for a while more than what stays of it.
pub(crate) const STACK_LIMIT: usize = 1600 << 10;

/// How much of the stack there is for what begins within a value, and what is taken of it already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackBudget {
    pub(crate) used: usize,
    pub(crate) limit: usize,
}

impl StackBudget {
    /// That of a thread on which nothing nests yet.
    pub(crate) const FULL: Self = Self { used: 0, limit: STACK_LIMIT };
}
