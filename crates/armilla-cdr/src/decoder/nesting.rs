//! Limits the nesting of input: by the number of levels, and by their use of the stack.

use super::Decoder;
use crate::stack_budget::{STACK_LIMIT, StackBudget};
use crate::{CdrError, CdrErrorKind, CdrResult};

/// The maximum nesting depth of sequences in one message.
pub const DEPTH_LIMIT: u16 = 256;

impl Decoder<'_> {
    /// Runs `read` one level deeper.
    ///
    /// # Errors
    /// When the depth exceeds [`DEPTH_LIMIT`]; those of `read`.
    #[inline]
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> CdrResult<T>) -> CdrResult<T> {
        let stack = end_of_stack();
        if self.depth == 0 {
            self.stack = stack;
        } else if self.depth == DEPTH_LIMIT || !self.has_stack_left(stack) {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// The number of octets of the stack in use since nesting began on this thread.
    pub fn stack_used(&self) -> usize {
        match self.depth {
            0 => 0,
            _ => self.stack_budget().used + end_of_stack().abs_diff(self.stack),
        }
    }

    /// Runs `read` on another stack, of which values may use `room` octets in addition to the limit
    /// for what nests within the last of them. The caller has switched stacks.
    pub fn on_another_stack<T>(
        &mut self,
        room: usize,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        self.with_budget(StackBudget { used: 0, limit: room.saturating_add(STACK_LIMIT) }, read)
    }

    /// Runs `read` with a new count of levels, but the same stack budget.
    pub(crate) fn with_fresh_depth<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        let budget = StackBudget { used: self.stack_used(), ..self.stack_budget() };
        self.with_budget(budget, read)
    }

    fn with_budget<T>(
        &mut self,
        budget: StackBudget,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        let outside = (self.depth, self.stack, self.stack_budget());
        // The outermost value is the first level.
        (self.depth, self.stack, *self.value_stack_budget()) = (1, end_of_stack(), budget);
        let read = read(self);
        (self.depth, self.stack, *self.value_stack_budget()) = outside;
        read
    }

    /// Whether the budget allows one more level on a stack with this end.
    #[inline]
    fn has_stack_left(&self, stack: usize) -> bool {
        let (used, budget) = (stack.abs_diff(self.stack), self.stack_budget());
        let (level, used) = (used / usize::from(self.depth), budget.used + used);
        used <= STACK_LIMIT / 4 || used + 3 * level <= budget.limit
    }

    #[cold]
    fn too_deep(&self) -> CdrError {
        self.error(match self.depth == DEPTH_LIMIT {
            true => CdrErrorKind::TooDeep { limit: DEPTH_LIMIT },
            false => CdrErrorKind::Invalid(
                "values of this size nest too deep: reading them would use 1,600 KiB of the stack",
            ),
        })
    }
}

/// The approximate end of the stack.
#[inline(always)]
fn end_of_stack() -> usize {
    let local = 0_u8;
    core::ptr::from_ref(&local).addr()
}
