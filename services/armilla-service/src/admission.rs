//! Who is let in to the pages of a console, if it asks that.
//!
//! A request is known by the cookie of a session, or by the certificate of its connection. What
//! comes from nobody is shown the way to the login; what the rules deny is told so, and recorded.
//! The cookie alone proves nothing about changes: the guard of foreign sites stands before them, too.

use crate::access::Access;
use crate::guard::{HEADER, only_reads, used_up};
use crate::https::OverTls;
use crate::sessions::{Open, Secret};
use armilla_security::{AuditOutcome, Caller, Limits};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, COOKIE, LOCATION, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// The value of the header [`HEADER`] by which a page that reloads by itself says so: that is no use
/// of the session.
const BY_ITSELF: &str = "reload";

/// The header that tells a script of a page where users log in.
const LOGIN: HeaderName = HeaderName::from_static("x-armilla-login");

/// What of a console is behind it.
#[derive(Clone)]
pub(crate) struct Admission {
    pub(crate) access: Option<Access>,
    /// Whether the service knows tokens (`Authorization: Bearer`), which it then checks itself.
    pub(crate) tokens: bool,
    /// What each principal may do.
    pub(crate) limits: Option<Limits>,
}

/// Lets a request in, with a [`Visitor`](crate::Visitor) that says who sends it; or refuses it.
pub(crate) async fn admit(
    State(Admission { access, tokens, limits }): State<Admission>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(access) = access else { return next.run(request).await };
    let path = request.uri().path().to_owned();
    if access.chosen.open_health && ["/healthz", "/metrics"].contains(&&*path) {
        return next.run(request).await;
    }
    let Some(known) = known(&access, &request, peer) else {
        let shows_token = tokens && has_token(request.headers());
        let mut response = match shows_token {
            true => next.run(request).await,
            false => nobody(&access, &request, tokens),
        };
        forbid_keeping(response.headers_mut());
        return response;
    };
    let principal = Some(known.caller.principal());
    if let Some(refused) = used_up(limits.as_ref(), (peer, principal), &request) {
        return refused;
    }
    let operation = if only_reads(&request) { "view" } else { "change" };
    // Whoever is let in may see who that is, and leave.
    let is_own = ["/session", "/logout"].contains(&&*path);
    let decided = if is_own { Ok(()) } else { access.decide(&known.caller, operation, &path) };
    if let Err(line) = decided {
        access.note_denied(&known.caller, peer, (operation, &path), line);
        let what = "the rules of the service do not allow you that\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    let changes = operation == "change" && !is_own;
    if changes && access.refuses() {
        let what = "nothing is changed while that cannot be recorded\n";
        return (StatusCode::SERVICE_UNAVAILABLE, what).into_response();
    }
    let caller = known.caller.clone();
    let over_tls = request.extensions().get::<OverTls>().is_some();
    request.extensions_mut().insert(access.visitor(caller.clone(), (peer, over_tls), &path));
    if let Some(session) = known.session {
        request.extensions_mut().insert(session);
    }
    let begun = Instant::now();
    let mut response = next.run(request).await;
    if changes {
        note_change(&access, &caller, peer, &path, response.status(), begun);
    }
    forbid_keeping(response.headers_mut());
    response
}

/// Who is known to send a request.
struct Known {
    caller: Arc<Caller>,
    session: Option<Open>,
}

fn known(access: &Access, request: &Request, peer: SocketAddr) -> Option<Known> {
    let by_itself = request.headers().get(HEADER).is_some_and(|value| value == BY_ITSELF);
    let secret = secret(request.headers(), &access.cookie);
    // What a page listens to lasts as long as its session, and does not make that last.
    let uses = !by_itself && request.uri().path() != "/events";
    if let Some(session) = secret.and_then(|secret| access.session(&secret, uses)) {
        return Some(Known { caller: session.caller.clone(), session: Some(session) });
    }
    let OverTls(certificate) = request.extensions().get::<OverTls>()?;
    let caller = Access::by_certificate(certificate.as_deref()?, peer);
    Some(Known { caller, session: None })
}

/// The secret in the cookie of a console.
pub(crate) fn secret(headers: &HeaderMap, cookie: &str) -> Option<Secret> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    let mut pairs =
        fields.flat_map(|field| field.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == cookie)?.1.trim().parse().ok()
}

fn has_token(headers: &HeaderMap) -> bool {
    let field = headers.get(AUTHORIZATION).and_then(|field| field.to_str().ok());
    let scheme = field.and_then(|field| field.split_once(' ')).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
}

/// The answer to a request of nobody: a browser is led to the login.
fn nobody(access: &Access, request: &Request, tokens: bool) -> Response {
    let accepts = request.headers().get(ACCEPT).and_then(|field| field.to_str().ok());
    let is_page = only_reads(request) && accepts.is_some_and(|field| field.contains("text/html"));
    if is_page && access.takes_passwords() {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let login = format!("/login?then={}", escaped(target));
        return (StatusCode::SEE_OTHER, [(LOCATION, login)]).into_response();
    }
    let what = match access.takes_passwords() {
        true => "log in at /login, or show a certificate\n",
        false => "a certificate is needed that the service believes\n",
    };
    let mut response = (StatusCode::UNAUTHORIZED, what).into_response();
    if access.takes_passwords() {
        response.headers_mut().insert(LOGIN, HeaderValue::from_static("/login"));
    }
    if tokens {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// What was shown to somebody is for nobody else who uses the browser later.
fn forbid_keeping(headers: &mut HeaderMap) {
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

fn note_change(
    access: &Access,
    caller: &Caller,
    peer: SocketAddr,
    path: &str,
    status: StatusCode,
    begun: Instant,
) {
    let refused = format!("status {}", status.as_u16());
    let outcome = match status.is_success() || status.is_redirection() {
        true => AuditOutcome::Ok,
        false => AuditOutcome::Exception(&refused),
    };
    access.note(Some(caller), peer, path, "change", outcome, begun.elapsed());
}

/// Text as it stands in the query of a URL.
fn escaped(text: &str) -> String {
    let octets = text.bytes().map(|octet| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'/' | b'.' => {
            char::from(octet).to_string()
        }
        octet => format!("%{octet:02X}"),
    });
    octets.collect()
}
