//! Replies: where they go, how they are encoded, and those that come later.

pub(super) mod amh;
pub(super) mod capture;
pub(super) mod close_reason;
pub(super) mod flow;
pub(super) mod locate_reply;
pub(super) mod location_reply;
pub(super) mod reply_port;
pub(super) mod sink;
