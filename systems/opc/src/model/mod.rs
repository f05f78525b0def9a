//! What the server serves, without DCOM, threads and clocks.

mod group;
mod plant;
mod quality;
mod space;
mod value;

pub use group::{Change, Group, GroupItem, Settings};
pub use plant::{Plant, STEP};
pub use quality::Quality;
pub use space::{Branch, Item, Kind, Space};
pub use value::{Sample, convert, type_name};
