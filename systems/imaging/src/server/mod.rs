//! An image server: its objects, and the DICOM protocol of modalities, over one store.

pub mod dimse;
mod pending;
mod planning;
mod servant;
mod uploads;

pub(crate) use planning::none as no_worklist;
pub use servant::{ImageServer, ServerSettings, Through};
pub(crate) use servant::{caller, may_ask, refused};
