//! The viewer: a page that speaks DICOMweb with the server that it came from. It has no build step.

use armilla_service::axum::Router;
use armilla_service::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use armilla_service::axum::routing::get;

/// Path, media type, contents.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../../assets/viewer.html")),
    ("/worklist", "text/html; charset=utf-8", include_str!("../../assets/worklist.html")),
    ("/viewer/worklist.js", SCRIPT, include_str!("../../assets/worklist.js")),
    ("/viewer/viewer.css", "text/css; charset=utf-8", include_str!("../../assets/viewer.css")),
    ("/viewer/main.js", SCRIPT, include_str!("../../assets/main.js")),
    ("/viewer/api.js", SCRIPT, include_str!("../../assets/api.js")),
    ("/viewer/image.js", SCRIPT, include_str!("../../assets/image.js")),
    ("/viewer/panel.js", SCRIPT, include_str!("../../assets/panel.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The routes of the page. Nothing in it is of a patient, so whoever reaches the server may have it.
pub(super) fn pages() -> Router {
    FILES.iter().fold(Router::new(), |router, (path, kind, text)| {
        let head = [(CONTENT_TYPE, *kind), (CACHE_CONTROL, "no-cache")];
        router.route(path, get(move || async move { (head, *text) }))
    })
}
