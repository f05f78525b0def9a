//! The frame of the pages of all services: head, navigation, style and script; and the tables that
//! they share.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};

pub use crate::table::{facts, table};

const STYLE: &str = include_str!("../assets/console.css");
const SCRIPT: &str = include_str!("../assets/console.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// A page: its title, the service that it belongs to, links to other pages (path and text), and its
/// content. The link to `here` is marked. The script `/console.js` reloads the part of the page
/// with the id `live`, and those with an id and `data-live`, when an event arrives, and sends forms
/// with `data-send` as JSON.
///
/// ```
/// use maud::html;
/// use armilla_service::page::{Page, page};
///
/// let frame = Page { service: "naming", title: "Names", here: "/", links: &[("/", "Names")] };
/// let text = page(&frame, html! { p { "a < b" } });
/// assert!(text.0.contains("a &lt; b"));
/// ```
pub fn page(frame: &Page<'_>, content: Markup) -> Html<String> {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " – " (frame.service) }
                link rel="icon" type="image/svg+xml" href="/favicon.ico";
                link rel="stylesheet" href="/console.css";
                script src="/console.js" defer {}
            }
            body {
                header {
                    strong { "Armilla " (frame.service) }
                    nav aria-label="Pages" {
                        @for (path, text) in frame.links {
                            a href=(path) aria-current=[(*path == frame.here).then_some("page")] {
                                (text)
                            }
                        }
                    }
                    span #connection role="status" { "not connected" }
                }
                main { (content) }
            }
        }
    };
    Html(text.into_string())
}

/// What a page shows around its content.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The name of the service, such as `naming`.
    pub service: &'a str,
    /// The title of the page.
    pub title: &'a str,
    /// The path of the page.
    pub here: &'a str,
    /// The pages of the service: paths and texts.
    pub links: &'a [(&'a str, &'a str)],
}

/// The style, the script, and the icon, at the path where browsers look for it without being told.
pub(crate) fn assets() -> Router {
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move {
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=300")], text).into_response()
        })
    };
    Router::new()
        .route("/favicon.ico", file("image/svg+xml", ICON))
        .route("/console.css", file("text/css; charset=utf-8", STYLE))
        .route("/console.js", file("text/javascript; charset=utf-8", SCRIPT))
}
