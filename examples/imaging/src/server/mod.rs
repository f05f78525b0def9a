//! An image server: its objects, and later its other faces, over one store.

mod servant;
mod uploads;

pub use servant::{ImageServer, ServerSettings};
