//! How much of a thread's stack a decoder may use.

/// The limit for nested values, in octets of the stack, three more levels included: large structs
/// that contain themselves take much for each level, and temporarily more than what stays in use.
pub(crate) const STACK_LIMIT: usize = 1600 << 10;

/// How much of the stack values may use, and how much of that is used already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackBudget {
    pub(crate) used: usize,
    pub(crate) limit: usize,
}

impl StackBudget {
    /// The budget of a thread on which nothing nests yet.
    pub(crate) const FULL: Self = Self { used: 0, limit: STACK_LIMIT };
}
