//! What the objects of the bridge stand on: what crosses, who may, and what is counted.

use crate::counts::Counters;
use crate::interfaces::Interfaces;
use crate::model::{Crossing, Mismatch, hresult, text};
use armilla::SystemException;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::client::Client;
use armilla_dcom::server::{Caller, Object};
use std::sync::Arc;

/// The bridge, as its objects see it.
pub(crate) trait Ground: Crossing + Send + Sync {
    /// Whether the rules let a program of COM call an operation of an object with an interface.
    fn check(&self, caller: &Caller<'_>, about: (&str, &str, &str)) -> Result<(), Mismatch>;

    /// What is counted.
    fn counters(&self) -> &Counters;

    /// The interfaces that are known.
    fn interfaces(&self) -> &Interfaces;

    /// A reference to an object of the bridge, for programs of COM.
    fn export(&self, object: Arc<dyn Object>, iid: Uuid) -> Result<InterfacePointer, Mismatch>;

    /// Who calls objects of COM.
    fn client(&self) -> Result<&Client, Mismatch>;
}

pub(crate) fn failed(status: Status, what: impl Into<String>) -> Mismatch {
    Mismatch { status, what: what.into() }
}

/// A failure of the ORB as one that a script sees.
pub(crate) fn of_system(exception: &SystemException) -> Mismatch {
    failed(hresult(exception), text(exception))
}

/// A failure of a call to an object of COM.
pub(crate) fn of_com(error: &armilla_dcom::client::Error) -> Mismatch {
    failed(error.hresult(), error.to_string())
}
