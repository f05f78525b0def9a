//! What keeps foreign web sites from using a console through the operator's browser.
//!
//! A request must name a host that the console serves, so that a site cannot point its own name at
//! it. A request to a page that changes something must carry the header `X-Armilla-Console`, which a
//! browser does not send for another site without asking the console first. Programs know no such
//! header; for their routes the `Origin` tells of a foreign site, which each browser sends with
//! whatever is not GET or HEAD (Fetch standard, "append a request `Origin` header").

use axum::RequestExt;
use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
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

/// Refuses requests to names that the console does not have.
pub(crate) async fn known_host(
    State(hosts): State<Hosts>,
    request: Request,
    next: Next,
) -> Response {
    if !is_known_host(request.headers(), &hosts) {
        let what = "the console is not known by this host name; allow it where the server starts\n";
        return (StatusCode::MISDIRECTED_REQUEST, what).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Refuses changes without the header of the console.
pub(crate) async fn needs_header(request: Request, next: Next) -> Response {
    if !only_reads(&request) && !request.headers().contains_key(HEADER) {
        let what = "a request that changes something needs the header X-Armilla-Console\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    next.run(request).await
}

/// Refuses changes that a browser sends for another site.
pub(crate) async fn foreign_sites(request: Request, next: Next) -> Response {
    if !only_reads(&request) && is_foreign(request.headers()) {
        let what = "another site may not change anything here\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    next.run(request).await
}

fn only_reads(request: &Request) -> bool {
    [Method::GET, Method::HEAD].contains(request.method())
}

/// Whether the origin of a request is another host or port than the one it goes to.
fn is_foreign(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let of = |value: &HeaderValue| value.to_str().map(str::to_ascii_lowercase).ok();
    let host = headers.get(HOST).and_then(of);
    match of(origin).as_deref().and_then(|origin| origin.split_once("://")) {
        Some((_, from)) => host.as_deref() != Some(from),
        None => true,
    }
}

/// Refuses a body that says that it is larger than `most`, and cuts one off that is.
pub(crate) async fn largest_body(
    State(most): State<u64>,
    request: Request,
    next: Next,
) -> Response {
    let said = request.headers().get(CONTENT_LENGTH).and_then(|said| said.to_str().ok());
    if said.and_then(|said| said.parse::<u64>().ok()).is_some_and(|said| said > most) {
        let what = format!("the body is larger than the {most} octets that are taken here\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, what).into_response();
    }
    next.run(request.with_limited_body()).await
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
