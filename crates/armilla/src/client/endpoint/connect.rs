//! Opening connections, or finding one that the server has opened, and the exceptions with reasons and hints when that fails.

use super::pool::Endpoint;
use crate::client::connection::{
    ConnectionSetup, ExclusiveConnection, MultiplexedConnection, PeerName,
};
use crate::client::request::{Bound, Deadline, ObjectAddress};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::transport::Refused;
use armilla_giop::Version;
use armilla_giop::engine::Role;
use armilla_giop::url::DEFAULT_PORT;
use armilla_ipc::{Stream, is_resource_exhausted};
use std::io;
use std::sync::Arc;

impl Endpoint {
    /// Opens a connection that carries one call at a time, for a call of `object`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and of the greeting, if there is one.
    pub(crate) fn connect(
        &self,
        object: ObjectAddress<'_>,
        deadline: &Deadline,
    ) -> Result<Box<ExclusiveConnection>, SystemException> {
        let stream = self.open(deadline)?;
        self.connect_over(stream, object, deadline).map(Box::new)
    }

    /// The same over a stream that was just opened.
    ///
    /// # Errors
    /// Those of the greeting, if there is one.
    pub(in crate::client) fn connect_over(
        &self,
        stream: Arc<dyn Stream>,
        object: ObjectAddress<'_>,
        deadline: &Deadline,
    ) -> Result<ExclusiveConnection, SystemException> {
        let (call_timer, agreed) = (self.common.call_timers.add(&stream), self.code_sets);
        let memory = self.common.reply_memory.reservation(stream.peer());
        let peer = PeerName::new(stream.peer(), &self.address);
        let (both, parts) = ((stream, peer), (call_timer, memory));
        let listener = self.silence_listener();
        let mut link = ExclusiveConnection::new(both, parts, agreed, listener, &self.settings);
        if let Some(greeting) = &self.greeting {
            greeting.exchange(&mut link, (object, &self.address), deadline)?;
            link.renew();
        }
        Ok(link)
    }

    /// Opens a connection. If the process has run out of descriptors, closes idle ones and tries
    /// again. To a server on this host that has an endpoint for such, a connection goes there if it
    /// can.
    ///
    /// # Errors
    /// `TRANSIENT` when no connection can be made; `TIMEOUT` when the call has no time left;
    /// `REBIND` when its policy allows no new connection. The completion status is `COMPLETED_NO`.
    pub(in crate::client) fn open(
        &self,
        deadline: &Deadline,
    ) -> Result<Arc<dyn Stream>, SystemException> {
        if !deadline.may_connect {
            return Err(self.unbound());
        }
        let Some((mut timeout, bound)) = deadline.connecting(self.settings.connect_timeout) else {
            let what = format!("no time was left to connect to {}", self.address);
            return Err(self.unreachable(ExceptionKind::Timeout, what));
        };
        if let Some(stream) = self.open_same_host(&mut timeout) {
            return Ok(Arc::from(stream));
        }
        let mut made = self.address.connect(timeout, &self.settings);
        if made.as_ref().is_err_and(is_resource_exhausted) && self.close_all_idle() {
            // The first attempt failed at once, so the time left is unchanged.
            made = self.address.connect(timeout, &self.settings);
        }
        match made {
            Ok(stream) => {
                self.common.local_addresses.note(&*stream);
                Ok(Arc::from(stream))
            }
            Err(error) => {
                if let Some(refused) = Refused::of(&error) {
                    return Err(refused.to_exception());
                }
                let late = error.kind() == io::ErrorKind::TimedOut;
                let kind = match late && bound == Bound::Call {
                    true => ExceptionKind::Timeout,
                    false => ExceptionKind::Transient,
                };
                let unreachable = self.unreachable(kind, error.to_string());
                Err(match bound {
                    Bound::Connection if late => {
                        unreachable.with_note(" (the limit is connect_timeout, -ORBConnectTimeout)")
                    }
                    Bound::Share if late => unreachable
                        .with_note(" (the remaining time is reserved for other addresses)"),
                    _ => unreachable,
                })
            }
        }
    }

    /// A connection that the server at this address has made and offered for calls. `None` before
    /// GIOP 1.2, which introduced bidirectional connections.
    pub(in crate::client) fn reverse_connection(
        &self,
        version: Version,
    ) -> Option<Arc<MultiplexedConnection>> {
        self.reverse_connections(version).find(|link| link.takes_calls())
    }

    /// Such a connection that is silent. It is the last resort: the server may be out of reach by
    /// any other way, and merely slow.
    #[cold]
    pub(in crate::client) fn silent_reverse_connection(
        &self,
        version: Version,
    ) -> Option<Arc<MultiplexedConnection>> {
        self.reverse_connections(version).find(|link| link.is_silent())
    }

    /// Whether there is such a connection, silent or not.
    #[cold]
    pub(in crate::client) fn has_reverse_connection(&self, version: Version) -> bool {
        self.reverse_connections(version).any(|link| link.is_open())
    }

    fn reverse_connections(
        &self,
        version: Version,
    ) -> impl Iterator<Item = Arc<MultiplexedConnection>> {
        let known = self.common.reverse_connections.as_ref().filter(|_| version >= Version::V1_2);
        let carriers = known.map(|known| known.carriers(&self.address.reverse_key()));
        carriers.into_iter().flatten().filter_map(|carrier| {
            carrier.link(&mut || {
                // The code sets of the originator hold in both directions.
                let stated = carrier.stated_code_sets();
                let setup = ConnectionSetup {
                    peer: PeerName::new(carrier.peer(), &self.address),
                    agreed: stated.or(self.code_sets),
                    announces: stated.is_none() && self.code_sets.is_some(),
                    offered: None,
                    settings: self.settings.clone(),
                    threads: self.common.threads.clone(),
                    silence_listener: self.silence_listener(),
                };
                MultiplexedConnection::carried(setup, Role::Acceptor, carrier.clone())
            })
        })
    }

    pub(in crate::client) fn unbound(&self) -> SystemException {
        let what = format!(
            "no connection to {} is idle, and Rebind::NoReconnect does not allow a new one",
            self.address
        );
        SystemException::new(ExceptionKind::Rebind, Minor::REBIND_NOT_ALLOWED, Completion::No)
            .with_reason(what)
            .with_hint("Object::locate binds the reference anew")
    }

    fn unreachable(&self, kind: ExceptionKind, what: String) -> SystemException {
        let address = self.address.to_string();
        let mut hint = format!(
            "is the server running, and is {address} the address at which this host can reach it?"
        );
        if address.ends_with(&format!(":{DEFAULT_PORT}")) {
            hint.push_str(
                " Without a port, a corbaloc: URL means port 2809; without a host, localhost.",
            );
        }
        SystemException::new(kind, Minor::CONNECT_FAILED, Completion::No)
            .with_reason(what)
            .with_hint(hint)
    }
}
