//! The interface repository: as data, as objects, and on the disk.

mod few_descriptors;
mod model;
mod objects;
mod rules;
mod served;
mod store;

#[path = "../../../../tests/src/alone.rs"]
#[allow(dead_code, unreachable_pub)]
mod alone;
