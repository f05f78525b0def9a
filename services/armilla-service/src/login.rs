//! The pages by which users log in and out.
//!
//! The form works without a script. Whatever is wrong of what was shown, the answer is the same; a
//! login has a new secret, whatever the browser had before.

use crate::access::{Access, NotLoggedIn};
use crate::admission::secret;
use crate::blocking::spawn_blocking;
use crate::guard::foreign_sites;
use crate::limits::{Host, Places};
use crate::page::{Page, page};
use crate::visitor::Visitor;
use armilla_ipc::Address;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Query, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Form, Json, Router};
use maud::html;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The largest body of a login, in octets.
const MAX_BODY: usize = 8 << 10;

/// The logins under way, of which each waits for its hash; half of them for one host.
const UNDER_WAY: usize = 16;

/// What the form has, and where the browser wanted to go.
#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    user: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    then: String,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    then: String,
}

#[derive(Clone)]
struct Login {
    service: &'static str,
    access: Access,
    under_way: Places,
}

/// The page of the login to a service with this name, for everybody.
pub(crate) fn pages(access: Access, service: &'static str) -> Router {
    let login = Login { service, access, under_way: Places::new(UNDER_WAY) };
    Router::new()
        .route("/login", get(form).post(log_in))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(foreign_sites))
        .with_state(login)
}

/// What only those see who are let in: who they are, and the way out.
pub(crate) fn own_pages(access: Option<Access>) -> Router {
    let session = |visitor: Visitor| async move {
        match visitor.caller() {
            None => StatusCode::NO_CONTENT.into_response(),
            Some(caller) => {
                let user = caller.principal().to_string();
                let by_password = caller.proof() == armilla_security::Proof::Password;
                Json(Session { user, by_password }).into_response()
            }
        }
    };
    let router = Router::new().route("/session", get(session));
    match access {
        Some(access) => {
            let logout = axum::routing::post(log_out).with_state(access);
            router.route("/logout", logout)
        }
        None => router,
    }
}

/// Who a visitor is, for the script of the pages.
#[derive(Serialize)]
struct Session {
    user: String,
    by_password: bool,
}

async fn form(State(login): State<Login>, Query(Wanted { then }): Query<Wanted>) -> Response {
    shown(&login, StatusCode::OK, &then, None)
}

/// The page, with what was wrong before.
fn shown(login: &Login, status: StatusCode, then: &str, wrong: Option<&str>) -> Response {
    let content = html! {
        h1 { "Log in" }
        @if let Some(wrong) = wrong { p.message role="alert" { (wrong) } }
        @if login.access.takes_passwords() {
            form.fields.login action="/login" method="post" {
                label for="user" { "User" }
                input #user name="user" required autofocus autocomplete="username"
                    autocapitalize="none" spellcheck="false";
                label for="password" { "Password" }
                input #password name="password" type="password" required
                    autocomplete="current-password";
                label for="code" { "Code" }
                input #code name="code" inputmode="numeric" autocomplete="one-time-code"
                    placeholder="if you have a second factor";
                input type="hidden" name="then" value=(then);
                button { "Log in" }
            }
        } @else {
            p { "A certificate is needed that the service believes." }
        }
    };
    let frame = Page { service: login.service, title: "Log in", here: "/login", links: &[] };
    // A form that says nothing of where it comes from would look like one of another site.
    let headers = [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "same-origin")];
    (status, headers, page(&frame, content)).into_response()
}

async fn log_in(
    State(login): State<Login>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Response {
    let host = Host::from(peer.ip());
    let Some(_place) = login.under_way.take(host) else {
        let busy = "Too many log in just now: try again in a moment.";
        return shown(&login, StatusCode::SERVICE_UNAVAILABLE, &fields.then, Some(busy));
    };
    if let Some(before) = secret(&headers, &login.access.cookie) {
        login.access.sessions.end(&before);
    }
    let then = fields.then.clone();
    let access = login.access.clone();
    let checked = spawn_blocking(move || {
        let guessing = Address::tcp(host.address().to_string(), 0);
        access.log_in((&fields.user, &fields.password, &fields.code), peer, &guessing)
    });
    let (status, wrong) = match checked.await.unwrap_or(Err(NotLoggedIn::Failed)) {
        Ok(secret) => {
            let cookie = format!("{}={secret}; {ATTRIBUTES}", login.access.cookie);
            let headers = [(LOCATION, own(&then).to_owned()), (SET_COOKIE, cookie)];
            return (StatusCode::SEE_OTHER, headers).into_response();
        }
        Err(NotLoggedIn::Wrong) => (
            StatusCode::UNAUTHORIZED,
            "The user, the password or the code is wrong. Who has a second factor needs its code.",
        ),
        Err(NotLoggedIn::TooMany) => (
            StatusCode::TOO_MANY_REQUESTS,
            "There were too many wrong passwords of late: wait a minute.",
        ),
        Err(NotLoggedIn::Failed) => {
            (StatusCode::SERVICE_UNAVAILABLE, "The service cannot log anybody in now.")
        }
    };
    shown(&login, status, &then, Some(wrong))
}

/// What a browser does with the cookie: it shows it to this host over HTTPS alone, to no script, and
/// with no request that comes from another site.
const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";

async fn log_out(State(access): State<Access>, visitor: Visitor, headers: HeaderMap) -> Response {
    if let (Some(secret), Some(caller)) = (secret(&headers, &access.cookie), visitor.caller()) {
        access.log_out(&secret, caller, visitor.address());
    }
    let cookie = format!("{}=; Max-Age=0; {ATTRIBUTES}", access.cookie);
    (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response()
}

/// Where the browser goes after its login: a path of this console, whatever was asked for.
fn own(then: &str) -> &str {
    let is_path = then.starts_with('/') && !then[1..].starts_with(['/', '\\']);
    let is_clean = then.bytes().all(|octet| octet.is_ascii_graphic());
    if is_path && is_clean && !then.starts_with("/login") { then } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::own;

    #[test]
    fn a_login_leads_to_the_console_alone() {
        for path in ["/", "/binding?name=a", "/a/b"] {
            assert_eq!(own(path), path);
        }
        for elsewhere in
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nb", "/login"]
        {
            assert_eq!(own(elsewhere), "/", "{elsewhere}");
        }
    }
}
