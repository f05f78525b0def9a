//! A check whether clients can reach the hosts that references carry. The ORB reports a problem and
//! its remedy once, when it opens the endpoint. It is not an error, because clients on the same
//! host may still reach it.

use crate::log::report;
use std::net::{IpAddr, ToSocketAddrs};
use std::thread;

const FIX: &str = "-ORBPublishHost HOST, or -ORBEndpoint iiop://…?publish=HOST:PORT, names the \
                   address at which clients reach this host";

/// Checks the published host of an endpoint. `everywhere` tells whether the endpoint is on every
/// interface.
pub(super) fn check(host: &str, everywhere: bool) {
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() => {
            report!(
                warn,
                "references carry an address that no client can reach",
                host = host,
                fix = FIX
            );
        }
        Ok(ip) if ip.is_loopback() => loopback(host, everywhere),
        Ok(_) => {}
        Err(_) if host == "localhost" => loopback(host, everywhere),
        Err(_) => look_up(host.to_owned()),
    }
}

fn loopback(host: &str, everywhere: bool) {
    match everywhere {
        true => report!(
            warn,
            "references carry an address that only processes on this host can reach",
            host = host,
            fix = FIX
        ),
        // The endpoint itself is on the loopback interface, so this is intended.
        false => tracing::info!(host, "only processes on this host can reach the endpoint"),
    }
}

/// Resolves the name in a separate thread, because the resolver may be slow and nothing waits for
/// the result.
fn look_up(host: String) {
    let body = move || match (host.as_str(), 0).to_socket_addrs() {
        Err(error) => report!(
            warn,
            "references carry a host name that cannot be resolved",
            host = host,
            error = error,
            fix = FIX
        ),
        Ok(mut found) => {
            if found.len() > 0 && found.all(|address| address.ip().is_loopback()) {
                report!(
                    warn,
                    "references carry a host name that this host resolves to a loopback address",
                    host = host,
                    fix = FIX
                );
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("armilla-resolve".into()).spawn(body) {
        tracing::debug!(%error, "no thread to check a published host name");
    }
}
