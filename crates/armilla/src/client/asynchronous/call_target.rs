//! Where an asynchronous call goes.

use crate::client::reference::{AddedContext, Object};
use crate::client::request::Deadline;
use std::sync::OnceLock;

/// The reference that a call goes to, and until when.
pub(in crate::client) struct CallTarget {
    pub(in crate::client) object: Object,
    /// What an extension has added to the request.
    pub(in crate::client) context: Option<AddedContext>,
    pub(in crate::client) deadline: Deadline,
    /// Where the call goes instead, once it was led elsewhere.
    pub(in crate::client) next: OnceLock<Box<Self>>,
}

impl CallTarget {
    pub(in crate::client) const fn new(
        object: Object,
        context: Option<AddedContext>,
        deadline: Deadline,
    ) -> Self {
        Self { object, context, deadline, next: OnceLock::new() }
    }
}
