//! Who calls as far as connections tell, remembered: to read a certificate with each call costs more than
//! the call.

use super::establish::Connected;
use crate::caller::Caller;
use armilla::interceptor::ServerRequestInfo;
use armilla_giop::csi::{certificate_subject, distinguished_name};
use armilla_ipc::Protection;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How many connections are remembered; then all are forgotten.
const MAX: usize = 4096;

/// The callers of connections, by the numbers of these, which are never given out again.
#[derive(Default)]
pub(super) struct Peers(RwLock<HashMap<u64, Arc<Caller>>>);

impl Peers {
    /// The caller of a request, as far as its connection tells.
    pub(super) fn caller(&self, request: &ServerRequestInfo) -> Arc<Caller> {
        let Some(connection) = request.connection() else { return caller(request) };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&connection) {
            return found.clone();
        }
        drop(known);
        let caller = caller(request);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX {
            known.clear();
        }
        known.insert(connection, caller.clone());
        caller
    }
}

fn caller(request: &ServerRequestInfo) -> Arc<Caller> {
    let connected = Connected {
        address: request.peer(),
        credentials: request.credentials(),
        subject: request.protection().and_then(subject),
    };
    Arc::new(connected.caller())
}

/// The subject of the certificate with which a client has proved who it is, if it has.
fn subject(protection: &Protection) -> Option<String> {
    let subject = certificate_subject(protection.certificates.first()?);
    subject.and_then(distinguished_name).ok()
}
