//! Where an asynchronous call goes.

use crate::client::reference::{AddedContext, Object};
use crate::client::request::Deadline;
use std::sync::OnceLock;

/// The reference that a call goes to, and until when.
pub(super) struct CallTarget {
    pub(super) object: Object,
    /// What an extension has added to the request.
    pub(super) context: Option<AddedContext>,
    pub(super) deadline: Deadline,
    /// Where the call goes instead, once it was led elsewhere.
    pub(super) next: OnceLock<Box<Self>>,
}

impl CallTarget {
    pub(super) const fn new(
        object: Object,
        context: Option<AddedContext>,
        deadline: Deadline,
    ) -> Self {
        Self { object, context, deadline, next: OnceLock::new() }
    }
}
