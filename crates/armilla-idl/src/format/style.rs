//! The measures of the layout.

/// How long a line may be.
pub(super) const WIDTH: usize = 100;

/// How much farther a list that is broken stands, and one level of a body.
pub(super) const STEP: usize = 2;
