//! Whether clients can use what references carry. What they cannot use is reported once, when the
//! endpoint is opened, with what to do about it; it is not refused, for a client on this host may.

use crate::log::report;
use std::net::{IpAddr, ToSocketAddrs};
use std::thread;

const FIX: &str = "-ORBPublishHost HOST, or -ORBEndpoint iiop://…?publish=HOST:PORT, names the \
                   address at which clients reach this host";

/// Looks at a host that references are to carry, for an endpoint on every interface or on one.
pub(super) fn check(host: &str, everywhere: bool) {
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() => {
            report!(
                warn,
                "references carry an address that nobody can reach",
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
        // Nobody else could reach it anyhow, so it is meant.
        false => tracing::info!(host, "the endpoint is for processes on this host alone"),
    }
}

/// Asks the resolver in a thread of its own, for it may take its time and nothing waits for it.
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
                    "references carry a host name that this host resolves to itself alone",
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
