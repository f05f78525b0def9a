//! How deep what is read may nest: by number, and by how much of the stack it takes.

use super::Decoder;
use crate::{CdrError, CdrErrorKind, CdrResult};

/// How deep sequences may nest within one message.
pub const DEPTH_LIMIT: u16 = 256;

/// How much of the stack what nests may take, in octets, and three more levels of it: large structs that
/// contain themselves take much for each level, and for a while more than what stays of it.
const STACK_LIMIT: usize = 1600 << 10;

impl Decoder<'_> {
    /// Runs `read` one level deeper.
    ///
    /// # Errors
    /// When that is deeper than [`DEPTH_LIMIT`], or those of `read`.
    #[inline]
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> CdrResult<T>) -> CdrResult<T> {
        let stack = end_of_stack();
        if self.depth == 0 {
            self.stack = stack;
        } else if self.depth == DEPTH_LIMIT || !self.has_room(stack) {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Whether there is room for one more level on a stack that ends there.
    #[inline]
    fn has_room(&self, stack: usize) -> bool {
        let used = stack.abs_diff(self.stack);
        used <= STACK_LIMIT / 4 || used + 3 * (used / usize::from(self.depth)) <= STACK_LIMIT
    }

    #[cold]
    fn too_deep(&self) -> CdrError {
        self.error(match self.depth == DEPTH_LIMIT {
            true => CdrErrorKind::TooDeep { limit: DEPTH_LIMIT },
            false => CdrErrorKind::Invalid(
                "values as large as these nest too deep: reading them takes 1,600 KiB of the stack",
            ),
        })
    }
}

/// Where the stack ends, about.
#[inline(always)]
fn end_of_stack() -> usize {
    let local = 0_u8;
    core::ptr::from_ref(&local).addr()
}
