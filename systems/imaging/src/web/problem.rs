//! What a request gets instead of an answer.

use crate::fetch::FetchError;
use crate::idl::{Missing, Refusal};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use armilla_service::axum::response::{IntoResponse, Response};

/// A status and a line of text.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) what: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, what: impl ToString) -> Self {
        Self { status, what: what.to_string() }
    }

    pub(super) fn bad(what: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what)
    }

    pub(super) fn not_found(what: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, what)
    }

    pub(super) fn not_acceptable(what: impl ToString) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, what)
    }

    /// A server fails or is not there.
    pub(super) fn gateway(what: impl ToString) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, what)
    }

    /// Nothing was found, and some servers were not asked.
    pub(super) fn missing(what: &str, missing: &[Missing]) -> Self {
        match missing {
            [] => Self::not_found(what),
            missing => {
                let names: Vec<_> = missing.iter().map(|one| one.server.as_str()).collect();
                let what = format!("{what}; these servers do not answer: {}", names.join(", "));
                Self::new(StatusCode::SERVICE_UNAVAILABLE, what)
            }
        }
    }

    pub(super) fn refused(kind: Refusal, reason: impl ToString) -> Self {
        let status = match kind {
            Refusal::NotUnderstood | Refusal::OtherStudy => StatusCode::BAD_REQUEST,
            Refusal::Differs => StatusCode::CONFLICT,
            Refusal::NoRoom => StatusCode::INSUFFICIENT_STORAGE,
            Refusal::NotDecodable => StatusCode::NOT_ACCEPTABLE,
            Refusal::Forbidden => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_GATEWAY,
        };
        Self::new(status, reason)
    }
}

impl From<armilla::SystemException> for Problem {
    fn from(exception: armilla::SystemException) -> Self {
        Self::gateway(exception)
    }
}

impl From<FetchError> for Problem {
    fn from(error: FetchError) -> Self {
        match error.refusal {
            Some(kind) => Self::refused(kind, error),
            None => Self::gateway(error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
        let mut response = (self.status, kind, self.what + "\n").into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = "Bearer realm=\"images\"".parse();
            response.headers_mut().extend(challenge.map(|value| (WWW_AUTHENTICATE, value)));
        }
        response
    }
}
