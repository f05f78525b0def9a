//! The part of a thread's stack that a decoder may use.

/// The limit for nested values, in octets of stack. It includes three more levels, because large
/// structs use much stack in each level, and temporarily more than they keep.
pub(crate) const STACK_LIMIT: usize = 1600 << 10;

/// The stack that values may use, and the part of it that is in use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackBudget {
    pub(crate) used: usize,
    pub(crate) limit: usize,
}

impl StackBudget {
    /// The budget of a thread without nested values.
    pub(crate) const FULL: Self = Self { used: 0, limit: STACK_LIMIT };
}
