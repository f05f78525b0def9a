//! What keeps foreign web sites from using a console through the operator's browser.
//!
//! A request must name a host that the console serves, so that a site cannot point its own name at
//! it. A request to a page that changes something must carry the header `X-Armilla-Console`, which a
//! browser does not send for another site without asking the console first. Programs know no such
//! header; for their routes the `Origin` tells of a foreign site, which each browser sends with
//! whatever is not GET or HEAD (Fetch standard, "append a request `Origin` header").

use crate::bodies::KeepingBody;
use crate::https::OverTls;
use crate::limits::Places;
use crate::visitor::address;
use armilla_security::{Limits, Principal};
use armilla_tls::Tls;
use axum::RequestExt;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, RETRY_AFTER,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The header of requests that change something.
pub(crate) const HEADER: &str = "x-armilla-console";

/// Only what the console itself serves may run in its pages.
const POLICY: &str =
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// How long a browser speaks HTTPS alone with a host that it has reached so (RFC 6797).
const HTTPS_ALONE: &str = "max-age=31536000";

/// The names by which the console may be reached, besides numeric addresses and `localhost`: those
/// that were given, and those of its certificate.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    pub(crate) names: Arc<[String]>,
    pub(crate) tls: Option<Tls>,
}

impl Hosts {
    fn has(&self, name: &str) -> bool {
        let is_it = |known: &String| known.eq_ignore_ascii_case(name);
        let of_certificate = || self.tls.as_ref()?.own_certificate();
        let is_for = |own: &String| is_it(own) || stands_for(own, name);
        self.names.iter().any(is_it)
            || of_certificate().is_some_and(|own| own.names.iter().any(is_for))
    }
}

/// Whether a name of a certificate begins with a star that stands for the first label of this one (RFC
/// 9525, 6.3).
fn stands_for(own: &str, name: &str) -> bool {
    let (Some(rest), Some((label, of))) = (own.strip_prefix("*."), name.split_once('.')) else {
        return false;
    };
    !label.is_empty() && rest.eq_ignore_ascii_case(of)
}

/// Refuses requests to names that the console does not have.
pub(crate) async fn known_host(
    State(hosts): State<Hosts>,
    request: Request,
    next: Next,
) -> Response {
    if !names_known_host(&request, &hosts) {
        let what = "the console is not known by this host name; allow it where the server starts\n";
        return (StatusCode::MISDIRECTED_REQUEST, what).into_response();
    }
    let over_tls = request.extensions().get::<OverTls>().is_some();
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if over_tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ALONE));
    }
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
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

pub(crate) fn only_reads(request: &Request) -> bool {
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

/// Refuses a request when the share of its host is used up.
pub(crate) async fn within_share(
    State(limits): State<Option<Limits>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    match used_up(limits.as_ref(), (peer, None), &request) {
        Some(refused) => refused,
        None => next.run(request).await,
    }
}

/// The answer to a request beyond the share of its principal, or of its host while that is unknown.
pub(crate) fn used_up(
    limits: Option<&Limits>,
    (peer, principal): (SocketAddr, Option<&Principal>),
    request: &Request,
) -> Option<Response> {
    let octets = said_octets(request).and_then(|octets| octets.try_into().ok()).unwrap_or(0);
    let why = limits?.refuse(&address(peer), principal, octets)?;
    let headers = [(RETRY_AFTER, "1")];
    Some(
        (StatusCode::TOO_MANY_REQUESTS, headers, format!("{why}; try again later\n"))
            .into_response(),
    )
}

/// How large the body of a request is, as it says.
fn said_octets(request: &Request) -> Option<u64> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// What a request of a program is held to.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) most_octets: u64,
    /// Those under way.
    pub(crate) requests: Places,
}

/// Refuses a request when too many are under way, and a body that says that it is larger than its
/// route takes; cuts one off that is.
pub(crate) async fn within_limits(
    State(Api { most_octets, requests }): State<Api>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let Some(place) = requests.take(peer.ip().into()) else {
        let what = "too many requests are under way; try again later\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], what).into_response();
    };
    if said_octets(&request).is_some_and(|said| said > most_octets) {
        let what =
            format!("the body is larger than the {most_octets} octets that are taken here\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, what).into_response();
    }
    let response = next.run(request.with_limited_body()).await;
    response.map(|body| Body::new(KeepingBody { body, _kept: place }))
}

/// Whether a request names one host, by one that the console has. A client of HTTP/1.0 need not
/// name one, and is no browser (RFC 9112, 3.2).
fn names_known_host(request: &Request, hosts: &Hosts) -> bool {
    let mut said = request.headers().get_all(HOST).iter();
    let header = match (said.next(), said.next()) {
        (Some(host), None) => host.to_str().is_ok_and(|host| is_known_host(host, hosts)),
        (None, _) => request.version() < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    // The target may name a host, too, and would count before the header.
    header && request.uri().authority().is_none_or(|host| is_known_host(host.as_str(), hosts))
}

fn is_known_host(host: &str, hosts: &Hosts) -> bool {
    let name = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost") || hosts.has(name)
}

#[cfg(test)]
mod tests {
    use super::stands_for;

    #[test]
    fn a_star_of_a_certificate_stands_for_one_label() {
        let has = |name| stands_for("*.example.org", name);
        assert!(has("names.example.org") && has("NAMES.Example.org"));
        for other in ["example.org", "a.names.example.org", ".example.org", "namesexample.org", ""]
        {
            assert!(!has(other), "{other}");
        }
        assert!(!stands_for("names.example.org", "names.example.org"), "it has no star");
    }
}
