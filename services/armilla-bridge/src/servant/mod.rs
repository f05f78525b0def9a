//! The objects of the bridge: those that programs of COM call (`view`, `complex`), and
//! those that programs of CORBA call (`imported`).

mod by_number;
mod complex;
mod foreign;
mod imported;
mod raised;
mod told;
mod view;

pub(crate) use complex::Complex;
pub(crate) use imported::{Imported, Source, automation_servant};
pub(crate) use view::View;
