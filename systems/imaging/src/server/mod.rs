//! An image server: its objects, and the DICOM protocol of modalities, over one store.

pub mod dimse;
mod pending;
mod servant;
mod uploads;

pub use servant::{ImageServer, ServerSettings, Through};
pub(crate) use servant::{caller, may_ask, refused};
