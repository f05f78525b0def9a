//! Memory that many threads read without waiting for each other.
//!
//! A [`Table`] holds things in the places where they are put: who knows the place of one reads it there,
//! with no lock, no count and nothing else that threads share being written. What is taken out goes when
//! nobody looks at it any more, and the place is given away again. [`Inline`] is a value of any type behind a
//! trait that lies where it is, instead of behind a pointer. [`hazard`] is how threads let each other know
//! what they are looking at.

mod data_arc;
mod guard;
pub mod hazard;
mod held;
mod huge_pages;
mod inline;
mod life;
#[cfg(test)]
mod model;
mod place;
mod places;
mod table;

pub use data_arc::DataArc;
pub use guard::Guard;
pub use held::Held;
pub use inline::{Inline, Shows};
pub use place::Slot;
pub use table::Table;
