//! Images over HTTP: DICOMweb (PS3.18) in and out, over one server or a locator of many.
//!
//! `resource` says what a path is about, `search` answers QIDO-RS, `retrieve` and `render` WADO-RS,
//! `store` STOW-RS, `workitems` UPS-RS, `viewer` is the page that shows images. `sources` finds the server that has an image. Pixels and files pass in pieces,
//! from a flow into the answer, so memory does not grow with them.

pub mod accept;
mod json;
pub mod multipart;
mod problem;
mod render;
mod resource;
mod retrieve;
mod search;
pub(crate) mod sources;
mod store;
mod viewer;
mod workitems;

use crate::access::Operation;
use crate::audit::{Client, Denied, Guard, Subject};
use crate::idl::SourceRef;
use crate::procedures::Procedures;
use accept::{MediaType, accepted};
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Path, Query, Request, State};
use armilla_service::axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST,
};
use armilla_service::axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use armilla_service::axum::response::{IntoResponse, Response};
use armilla_service::axum::routing::any;
use armilla_service::{BodyReader, ConsoleBuilder, Visitor, spawn_blocking};
use problem::Problem;
use resource::{Resource, Target};
use sources::Sources;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is served over HTTP.
#[derive(Debug)]
pub struct Web {
    sources: Sources,
    guard: Guard,
    /// What is planned and was done, if it is served here.
    procedures: Option<Procedures>,
    /// Whether the page asks who its visitors are.
    asks: bool,
}

/// The parameters of a URL.
type Parameters = Vec<(String, String)>;

/// A request, without its body.
#[derive(Debug)]
struct Asked {
    client: Client,
    method: Method,
    path: String,
    parameters: Parameters,
    /// What is accepted, the dearest first.
    accept: Vec<MediaType>,
    content_type: String,
    /// The URL of DICOMweb, as the client knows it.
    base: String,
}

impl Web {
    /// Serves the images of a server or a locator to whom the rules allow it.
    pub fn new(source: SourceRef, guard: Guard) -> Self {
        Self { sources: Sources::new(source), guard, procedures: None, asks: false }
    }

    /// Serves what is planned and was done as well.
    pub fn with_procedures(self, procedures: Option<Procedures>) -> Self {
        Self { procedures, ..self }
    }

    /// The console asks who its visitors are: who shows neither that nor a token of the rules may do
    /// nothing.
    pub fn with_login(self, asks: bool) -> Self {
        Self { asks, ..self }
    }

    /// Refuses what the rules forbid; the access is recorded.
    fn permit(&self, asked: &Asked, target: &Target, resource: Resource) -> Result<(), Problem> {
        let (operation, what) = match (&asked.method, resource) {
            (&Method::POST, _) => (Operation::Store, "begin"),
            (_, Resource::Search(_)) => (Operation::Read, "search"),
            (_, Resource::Files) => (Operation::Read, "file"),
            (_, Resource::Metadata) => (Operation::Read, "metadata"),
            (_, Resource::Frames) => (Operation::Read, "pixels"),
            (_, Resource::Rendered | Resource::Thumbnail) => (Operation::Read, "picture"),
        };
        let (study, series, image) = (&target.study, &target.series, &target.instance);
        self.check(asked, operation, Subject { what, study, series, image })
    }

    /// The same for any operation.
    fn check(
        &self,
        asked: &Asked,
        operation: Operation,
        subject: Subject<'_>,
    ) -> Result<(), Problem> {
        let checked = self.guard.check(&asked.client, operation, subject);
        checked.map_err(|denied| {
            let status = match denied {
                Denied::NeedsToken => StatusCode::UNAUTHORIZED,
                Denied::Forbidden(_) => StatusCode::FORBIDDEN,
                Denied::NotRecorded(_) => StatusCode::SERVICE_UNAVAILABLE,
            };
            Problem::new(status, denied)
        })
    }

    /// Adds DICOMweb, below `/dicomweb`, and the page of the viewer to a console. A request to store may have `max_body`
    /// octets.
    pub fn add_to(self, console: ConsoleBuilder, max_body: u64) -> ConsoleBuilder {
        let routes = Router::new().route("/dicomweb/{*path}", any(serve));
        let console = match self.guard.rules().restrict() {
            true => console.tokens(),
            false => console,
        };
        console.api(routes.with_state(Arc::new(self)), max_body).pages(viewer::pages())
    }

    fn answer(
        self: &Arc<Self>,
        asked: &Asked,
        body: Option<BodyReader>,
    ) -> Result<Response, Problem> {
        if workitems::is_one(&asked.path) {
            return workitems::answer(self, asked, body);
        }
        if asked.method == Method::PUT {
            return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "images are sent by POST"));
        }
        let (target, resource) = resource::parse(&asked.path)?;
        self.permit(asked, &target, resource)?;
        if let Some(body) = body {
            return match resource {
                Resource::Search(crate::idl::Level::Studies) | Resource::Files
                    if target.series.is_empty() =>
                {
                    store::store(self, asked, &target, body)
                }
                _ => Err(Problem::new(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "images are sent to /studies or /studies/UID",
                )),
            };
        }
        match resource {
            Resource::Search(level) => search::search(self, asked, &target, level),
            Resource::Files => retrieve::files(self, asked, &target),
            Resource::Metadata => retrieve::metadata(self, asked, &target),
            Resource::Frames => retrieve::frames(self, asked, &target),
            Resource::Rendered => render::rendered(self, asked, &target),
            Resource::Thumbnail => render::thumbnail(self, asked, &target),
        }
    }
}

impl Asked {
    fn accepts(&self, name: &str) -> bool {
        self.accept.iter().any(|range| range.includes(name))
    }
}

async fn serve(
    State(web): State<Arc<Web>>,
    Path(path): Path<String>,
    Query(parameters): Query<Parameters>,
    visitor: Visitor,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let text = |name: HeaderName| text(&parts.headers, &name);
    let scheme = text(HeaderName::from_static("x-forwarded-proto"));
    let is_protected = visitor.is_over_tls() || scheme.is_some_and(|scheme| scheme == "https");
    let scheme = if is_protected { "https" } else { "http" };
    let base = format!("{scheme}://{}/dicomweb", text(HOST).unwrap_or_default());
    // A page may name what it wants where it cannot set the header (PS3.18, section 8.3.3.1).
    let named = parameters.iter().find(|(name, _)| name == "accept");
    let accept = named.map(|(_, value)| value.clone()).or_else(|| text(ACCEPT));
    let token = text(AUTHORIZATION).and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    let user = visitor.caller().map(|caller| caller.principal().to_string());
    let mut client = Client::at(visitor.address().ip().into(), "http");
    client.needs_token = web.asks && user.is_none();
    (client.token, client.user) = (token, user);
    let asked = Asked {
        client,
        path,
        accept: accepted(accept.as_deref()),
        content_type: text(CONTENT_TYPE).unwrap_or_default(),
        base,
        parameters: parameters.into_iter().filter(|(name, _)| name != "accept").collect(),
        method: parts.method,
    };
    let body = match asked.method {
        Method::GET | Method::HEAD => None,
        Method::POST | Method::PUT => Some(BodyReader::new(body)),
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    };
    let answer = spawn_blocking(move || web.answer(&asked, body)).await;
    let failed = || Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "it was not done"));
    let mut response = answer.unwrap_or_else(failed).into_response();
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-store"));
    response
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    // Several fields of one name are one list (RFC 9110, section 5.3).
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let values: Vec<_> = values.collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// A boundary that is in no image: it would have to guess it.
fn boundary() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let random = || RandomState::new().hash_one(next);
    format!("armilla-{:016x}{:016x}", random(), random())
}
