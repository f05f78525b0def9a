//! The web page: the objects of either side that have names, and what has crossed.

use super::metrics::ROWS;
use crate::bridge::Bridge;
use armilla_service::axum::Router;
use armilla_service::axum::extract::State;
use armilla_service::axum::response::Html;
use armilla_service::axum::routing::get;
use armilla_service::page::{Page, page, table};
use maud::html;

/// The pages that each page links to.
const LINKS: &[(&str, &str)] = &[("/", "Bridge"), ("/metrics", "Metrics")];

pub(super) fn pages(bridge: &Bridge) -> Router {
    Router::new().route("/", get(overview)).with_state(bridge.clone())
}

async fn overview(State(bridge): State<Bridge>) -> Html<String> {
    let frame = Page { service: "bridge", title: "Bridge", here: "/", links: LINKS };
    let (options, counts) = (bridge.options(), bridge.counts());
    let objects = options.objects.iter().map(|(name, url)| {
        let class = options.classes.iter().find(|(_, known)| *known == name);
        let class = class.map(|(class, _)| class.to_string()).unwrap_or_default();
        vec![html! { (name) }, html! { code { (url) } }, html! { code { (class) } }]
    });
    let com = options.com.iter().map(|(name, class)| {
        vec![
            html! { (name) },
            html! { (class.host) },
            html! { code { (class.class) } },
            html! { code { (class.interface) } },
        ]
    });
    let rows =
        ROWS.iter().map(|(_, _, what, value)| vec![html! { (what) }, html! { (value(&counts)) }]);
    page(
        &frame,
        html! {
            h1 { "Bridge" }
            div #live {
                h2 { "Objects of CORBA for programs of COM" }
                (table(&["Name", "Reference", "Class"], objects))
                @if options.naming { p { "And whatever the naming service has." } }
                h2 { "Objects of COM for programs of CORBA" }
                (table(&["Name", "Host", "Class", "Interface"], com))
                h2 { "What has crossed" }
                (table(&["What", "Count"], rows))
            }
        },
    )
}
