//! Memory that many threads read without waiting for one another.
//!
//! A [`Table`] holds values in entries that do not move. A thread that has the [`Slot`] of a value
//! reads it in its entry: with no lock, no reference count, and no write to memory that threads
//! share. A removed value is reclaimed when no thread accesses it any more; [`hazard`] pointers
//! tell. [`Inline`] is a value of any type behind a trait, without a pointer in between, and
//! [`DataArc`] an `Arc` of a trait object that needs no arithmetic to reach its value.

mod data_arc;
mod entries;
mod entry;
mod entry_state;
mod guard;
mod handle;
pub mod hazard;
mod huge_pages;
mod inline;
#[cfg(test)]
mod model;
mod table;

pub use data_arc::DataArc;
pub use entry::Slot;
pub use guard::Guard;
pub use handle::Handle;
pub use inline::{Inline, Shows};
pub use table::Table;

/// Returns memory that the allocator holds for nobody to the operating system.
///
/// An allocator keeps much of what was freed: that of the GNU C library up to 64 MiB for each
/// thread. Call this after large blocks were freed that will not be needed soon. It takes some
/// microseconds, or milliseconds where there is much to return, during which other threads may wait
/// for their allocations. Without the GNU C library, and once `real_time::lock_memory` has been
/// called, it does nothing.
pub fn release_free() {
    crate::sys::release_free_memory();
}
