//! Who calls: what the servers of all services ask of their callers, and as whom commands call.
//!
//! `server` has the options of servers, `login` those of commands, `secret` reads passwords.

pub(crate) mod login;
pub(crate) mod secret;
pub(crate) mod server;
