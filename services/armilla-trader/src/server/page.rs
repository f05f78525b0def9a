//! The web page: service types, offers with their properties, and links.

use crate::model::{Model, Offer, Target};
use crate::servant::Trader;
use armilla_cos_trading::FollowOption;
use armilla_service::axum::Router;
use armilla_service::axum::extract::Query;
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::get;
use armilla_service::page::{Page, page};
use armilla_service::spawn_blocking;
use maud::{Markup, html};
use std::collections::HashMap;
use std::sync::Arc;

/// The pages of the trader.
const LINKS: &[(&str, &str)] = &[("/", "Types"), ("/offers", "Offers"), ("/links", "Links")];

/// How many offers a page shows.
const SHOWN: usize = 200;

/// The routes of the pages.
pub(super) fn pages(trader: &Trader) -> Router {
    let (types, offers, links) = (trader.clone(), trader.clone(), trader.clone());
    Router::new()
        .route(
            "/",
            get(move || {
                made(types.clone(), |model| show("Service types", "/", html! {}, types_of(model)))
            }),
        )
        .route(
            "/offers",
            get(move |Query(asked): Query<HashMap<String, String>>| {
                made(offers.clone(), move |model| {
                    let of = |name: &str| asked.get(name).map_or("", |text| text.trim());
                    let content = offers_of(model, of("type"), of("search"));
                    show("Offers", "/offers", form(of("type"), of("search")), content)
                })
            }),
        )
        .route(
            "/links",
            get(move || {
                made(links.clone(), |model| show("Links", "/links", html! {}, links_of(model)))
            }),
        )
}

/// A page, which is made in a thread of its own: there may be many offers to look through.
async fn made(
    trader: Trader,
    make: impl FnOnce(&Model) -> Html<String> + Send + 'static,
) -> Response {
    let page = spawn_blocking(move || trader.read(make)).await;
    page.map_or_else(
        || (StatusCode::INTERNAL_SERVER_ERROR, "the page was not made\n").into_response(),
        IntoResponse::into_response,
    )
}

/// A page. A change of the trader loads `content` anew, and leaves `form` alone.
fn show(title: &str, here: &str, form: Markup, content: Markup) -> Html<String> {
    let frame = Page { service: "trader", title, here, links: LINKS };
    let content = html! { h1 { (title) } (form) div #live { (content) } };
    page(&frame, content)
}

fn types_of(model: &Model) -> Markup {
    html! {
        @if model.service_types().iter().next().is_none() {
            p { "The trader has no service types yet." }
        }
        @for service_type in model.service_types().iter() {
            section {
                h2 {
                    a href=(format!("/offers?type={}", escaped(&service_type.name))) {
                        (service_type.name)
                    }
                }
                p {
                    (model.offer_count_of(&service_type.name)) " offers"
                    @if service_type.declared.masked { ", masked" }
                    @if !service_type.declared.super_types.is_empty() {
                        ", derives from " (service_type.declared.super_types.join(", "))
                    }
                    @if !service_type.declared.if_name.is_empty() {
                        ", interface " code { (service_type.declared.if_name) }
                    }
                }
                table {
                    thead { tr { th { "Property" } th { "Type" } th { "Mode" } } }
                    tbody {
                        @for property in &service_type.properties {
                            tr {
                                td { (property.name) }
                                td { (armilla_ifr::model::type_name(&property.value_type)) }
                                td { (mode(property.mode)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn mode(mode: armilla_cos_trading::repos::service_type_repository::PropertyMode) -> &'static str {
    match (crate::model::is_mandatory(mode), crate::model::is_readonly(mode)) {
        (true, true) => "mandatory, readonly",
        (true, false) => "mandatory",
        (false, true) => "readonly",
        (false, false) => "",
    }
}

/// The form that searches offers.
fn form(service_type: &str, search: &str) -> Markup {
    html! {
        form method="get" action="/offers" {
            input type="search" name="search" value=(search) placeholder="id, type or value"
                aria-label="Search";
            @if !service_type.is_empty() { input type="hidden" name="type" value=(service_type); }
            button { "Search" }
        }
    }
}

/// The offers of a type, or all, whose id, type or values contain a text.
fn offers_of(model: &Model, service_type: &str, search: &str) -> Markup {
    let shown = model.offers().filter(|offer| {
        (service_type.is_empty() || offer.service_type == service_type) && found(offer, search)
    });
    let offers: Vec<&Arc<Offer>> = shown.take(SHOWN + 1).collect();
    html! {
        p {
            (model.offer_count()) " offers in all"
            @if !service_type.is_empty() {
                "; those of " strong { (service_type) } " are shown, " a href="/offers" { "show all" }
            }
        }
        @if offers.len() > SHOWN { p { "The first " (SHOWN) " are shown; search for others." } }
        table {
            thead { tr { th { "Offer" } th { "Type" } th { "Object" } th { "Properties" } } }
            tbody {
                @for offer in offers.iter().take(SHOWN) {
                    tr {
                        td { code { (offer.id()) } }
                        td { (offer.service_type) }
                        td { (target(offer)) }
                        td {
                            @for property in &offer.properties {
                                div { (property.name) " = " (value(&property.value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn found(offer: &Offer, search: &str) -> bool {
    let contains = |text: &str| text.to_lowercase().contains(&search.to_lowercase());
    search.is_empty()
        || contains(&offer.id())
        || contains(&offer.service_type)
        || offer
            .properties
            .iter()
            .any(|property| contains(&property.name) || contains(&value(&property.value)))
}

fn target(offer: &Offer) -> String {
    match &offer.target {
        Target::Object(object) => format!("{object:?}"),
        Target::Proxy(proxy) => format!("proxy for {:?}", proxy.lookup.object()),
    }
}

fn value(any: &armilla::Any) -> String {
    if crate::model::is_dynamic(any) {
        return "(dynamic)".to_owned();
    }
    let json = armilla::dynamic::DynAny::from_any(any).and_then(|value| value.to_json());
    json.map_or_else(|error| format!("({error})"), |json| json.to_string())
}

fn links_of(model: &Model) -> Markup {
    html! {
        @if model.links().next().is_none() { p { "The trader has no links to other traders." } }
        @else {
            table {
                thead { tr { th { "Link" } th { "Trader" } th { "Default" } th { "Limit" } } }
                tbody {
                    @for (name, link) in model.links() {
                        tr {
                            td { (name) }
                            td { (format!("{:?}", link.target.object())) }
                            td { (rule(link.def_pass_on_follow_rule)) }
                            td { (rule(link.limiting_follow_rule)) }
                        }
                    }
                }
            }
        }
    }
}

const fn rule(option: FollowOption) -> &'static str {
    match option {
        FollowOption::LocalOnly => "local only",
        FollowOption::IfNoLocal => "if nothing is found here",
        FollowOption::Always => "always",
    }
}

/// A text as part of a URL.
fn escaped(text: &str) -> String {
    let octet = |octet: u8| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(octet).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(octet).collect()
}
