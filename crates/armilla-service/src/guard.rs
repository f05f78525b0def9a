//! What keeps foreign web sites from using a console through the operator's browser.
//!
//! A request must name a host that the console serves, so that a site cannot point its own name at
//! it. A request that changes something must carry the header `X-Armilla-Console`, which a browser
//! does not send for another site without asking the console first.

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// The header of requests that change something.
pub(crate) const HEADER: &str = "x-armilla-console";

/// Only what the console itself serves may run in its pages.
const POLICY: &str =
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// The names by which the console may be reached, besides numeric addresses and `localhost`.
pub(crate) type Hosts = Arc<[String]>;

pub(crate) async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    if !is_known_host(request.headers(), &hosts) {
        let what = "the console is not known by this host name; allow it where the server starts\n";
        return (StatusCode::MISDIRECTED_REQUEST, what).into_response();
    }
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    if !reads && !request.headers().contains_key(HEADER) {
        let what = "a request that changes something needs the header X-Armilla-Console\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn is_known_host(headers: &HeaderMap, hosts: &[String]) -> bool {
    // A client of HTTP/1.0 need not send one, and is no browser.
    let Some(host) = headers.get(HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}
