//! Accepting streams, and admitting them as connections within the limits of the server.

use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::log::report;
use crate::runtime::Orb;
use crate::server::connections::connection::Connection;
use crate::server::threads::workers::Workers;
use crate::sync::lock;
use armilla_giop::{Version, close_connection};
use armilla_ipc::{Acceptor, Address, Stream};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The least interval between two log messages about the same shortage.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Accepts connections until the acceptor is closed.
pub(in crate::server) fn accept_all(orb: &Orb, acceptor: &dyn Acceptor, workers: &Arc<Workers>) {
    acceptor.on_resource_exhausted(evict_when_exhausted(acceptor, workers));
    loop {
        match acceptor.accept() {
            Ok(Some(stream)) => {
                let admit = || admit(orb, stream.into(), workers);
                // A panic is reported.
                guarded("a new connection", Completion::No, admit).ok();
            }
            Ok(None) => return,
            Err(error) => {
                report!(
                    error,
                    "the endpoint no longer accepts connections",
                    endpoint = acceptor.local(),
                    error = error
                );
                return;
            }
        }
    }
}

/// Returns the handler for a shortage of descriptors or memory: it closes an idle connection.
fn evict_when_exhausted(
    acceptor: &dyn Acceptor,
    workers: &Arc<Workers>,
) -> Box<dyn Fn(&io::Error) + Send + Sync> {
    let (endpoint, workers) = (acceptor.local().clone(), Arc::downgrade(workers));
    let reported = Mutex::new(None::<Instant>);
    Box::new(move |error| {
        let Some(workers) = workers.upgrade() else { return };
        let evicted = workers.registry.evict_one();
        let mut reported = lock(&reported);
        if reported.is_none_or(|then| then.elapsed() > REPORT_INTERVAL) {
            *reported = Some(Instant::now());
            report!(
                warn,
                "out of descriptors or memory: accepting pauses, and idle connections are closed",
                endpoint = endpoint,
                error = error,
                closed = evicted,
            );
        }
    })
}

/// Begins to serve a connection over `stream`, or refuses it if `max_connections` are open or its
/// user is not served.
pub(in crate::server) fn admit(orb: &Orb, stream: Arc<dyn Stream>, workers: &Arc<Workers>) {
    if !may_connect(&orb.settings().local_access.peers, &*stream) {
        return refuse(&*stream);
    }
    if orb.server_interceptors().is_some_and(|all| !all.admit(stream.peer())) {
        return refuse(&*stream);
    }
    let bidirectional = orb.client().reverse_connections().is_some();
    let served_by = match workers.served_by(&*stream, bidirectional) {
        Ok(served_by) => served_by,
        Err(error) => {
            report!(error, "cannot serve a connection; closing it", error = error);
            return refuse(&*stream);
        }
    };
    let entered = workers
        .registry
        .enter(stream.peer(), |n| Connection::new(orb, workers, stream.clone(), n, served_by));
    let connection = match entered {
        Ok(connection) => connection,
        Err(why) => {
            why.report("refused", orb.settings(), stream.peer());
            return refuse(&*stream);
        }
    };
    if let Err(error) = connection.begin_serving() {
        report!(error, "cannot watch a connection; closing it", error = error);
        refuse(&*stream);
        workers.registry.leave(connection.number);
    }
}

/// Whether the user at the other end is one of `users`, if any are named. Only the transports of
/// this host tell the user; the rule does not concern the others.
fn may_connect(users: &[u32], stream: &dyn Stream) -> bool {
    let of_host =
        |at: &Address| matches!(at, Address::Unix(_) | Address::Abstract(_) | Address::Shm(_));
    if users.is_empty() || !of_host(stream.local()) {
        return true;
    }
    let user = stream.credentials().map(|peer| peer.user);
    if user.is_some_and(|user| users.contains(&user)) {
        return true;
    }
    report!(
        warn,
        "a user who is not in local_access.peers connected; the connection is closed",
        endpoint = stream.local(),
        user = user.map_or("unknown".to_owned(), |user| user.to_string()),
    );
    false
}

/// Tells a client that is refused that none of its requests was read.
fn refuse(stream: &dyn Stream) {
    stream.send_all(&close_connection(Version::V1_0)).ok();
}
