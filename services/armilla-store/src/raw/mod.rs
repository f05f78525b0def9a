//! The file format of redb 2 to 4 (version 3 of its format; see `docs/design.md` of redb), read
//! without the engine: the engine opens a file whole or not at all, and does not say what is wrong.
//!
//! `header` and `page` are octets and what they mean, `image` walks the trees, `inspect` says whether
//! all that a file has is whole.

mod header;
mod image;
mod inspect;
mod page;

pub(crate) use header::Slot;
pub(crate) use image::{Image, MENDED, Met, Table};
pub(crate) use inspect::{Verdict, inspect};
