//! Bounds on the work of an analysis, and exact arithmetic on times.

/// How many terms an analysis may still add up. An analysis that runs out of it has no result, and
/// says so: it accepts nothing that it has not proven.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

/// The terms of one analysis: below a second.
const TERMS: u64 = 50_000_000;

/// No result: the budget is used up, or a value exceeds 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Budget {
    pub(crate) fn new() -> Self {
        Self { left: TERMS }
    }

    /// Lets one of `parts` use its share of what is left, so that the others need not suffer.
    pub(crate) fn share<T>(&mut self, parts: usize, part: impl FnOnce(&mut Self) -> T) -> T {
        let given = (self.left / parts.max(1) as u64).max(10_000).min(self.left);
        let mut share = Self { left: given };
        let result = part(&mut share);
        self.left -= given - share.left;
        result
    }

    pub(crate) fn spend(&mut self, terms: usize) -> Result<(), Exhausted> {
        self.left = self.left.checked_sub(terms as u64 + 1).ok_or(Exhausted)?;
        Ok(())
    }
}

/// `left + right`.
pub(crate) fn add(left: u64, right: u64) -> Result<u64, Exhausted> {
    left.checked_add(right).ok_or(Exhausted)
}

/// `left × right`.
pub(crate) fn multiply(left: u64, right: u64) -> Result<u64, Exhausted> {
    left.checked_mul(right).ok_or(Exhausted)
}

/// The execution that is released within a window of length `window`, if releases of `cost` come
/// once in `period` and each at most `jitter` late.
pub(crate) fn released(window: u64, jitter: u64, period: u64, cost: u64) -> Result<u64, Exhausted> {
    multiply(add(window, jitter)?.div_ceil(period), cost)
}
