//! Calls whose server is gone, refuses, resets, is silent or sends invalid messages: each ends with
//! the right exception, a correct completion status, and in bounded time. The servers are scripted.

mod connections;
mod forwards;
mod panics;
mod replies;
mod timeouts;

use armilla::{Completion, ExceptionKind, Minor, SystemException, Version};
use armilla_tests::peer::{self, Peer, Wire};
use std::time::Duration;

const NEWEST: Version = Version::V1_2;

/// The time limit of calls that are meant to run into it.
const LIMIT: Duration = Duration::from_millis(100);

/// Long before this a call that is limited to [`LIMIT`] has ended, on the busiest machine.
const BOUND: Duration = Duration::from_secs(5);

#[track_caller]
fn assert_fails<T: std::fmt::Debug>(
    result: Result<T, SystemException>,
    (kind, minor, completed): (ExceptionKind, Minor, Completion),
) -> String {
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.minor(), error.completed()),
        (kind, minor, completed),
        "{error}"
    );
    error.to_string()
}

/// A server that does one thing with the first request of every connection, and closes.
fn once(act: impl Fn(&mut Wire, &peer::Request) + Send + Sync + 'static) -> Peer {
    Peer::start(move |_, mut wire| {
        if let Some(request) = wire.request() {
            act(&mut wire, &request);
        }
    })
}
