//! A distributed store of DICOM images: image servers, a locator that asks all of them, and viewers.
//!
//! Calls through the ORB find images and agree on flows; the images themselves come over stream
//! endpoints ([`armilla_stream`]). `dicom` reads and draws DICOM objects, `store` keeps them on the
//! disk, `server` serves them (to CORBA clients, to modalities, to browsers), `locator` finds them
//! wherever they are, `fetch` brings them, also after cuts and from replicas. `cache` keeps them near
//! the readers, `web` shows them to browsers and to DICOMweb clients. `access` says who may do what,
//! `audit` who did. `procedures` is what is planned at modalities and was done there.

#![forbid(unsafe_code)]

pub mod access;
pub mod attributes;
pub mod audit;
pub mod cache;
pub mod dicom;
pub mod fetch;
pub mod locator;
pub mod procedures;
pub mod query;
pub mod server;
mod shares;
pub mod store;
pub mod web;

mod generated {
    armilla::include_idl!("Imaging");
}

pub use generated::imaging as idl;
