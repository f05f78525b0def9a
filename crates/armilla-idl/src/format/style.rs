//! The measures of the layout.

/// The maximum width of a line.
pub(super) const WIDTH: usize = 100;

/// The indentation of one level of a body, and of a broken list.
pub(super) const STEP: usize = 2;
