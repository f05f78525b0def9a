//! The web page: service types, offers with their properties, and links.

use super::checker::Found;
use super::{Shown, actions, forms};
use crate::model::{Model, Offer, Target};
use armilla::Object;
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Query, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::page::{Page, facts, page, table};
use armilla_service::{Visitor, spawn_blocking};
use maud::{Markup, html};
use std::collections::HashMap;
use std::sync::Arc;

/// The pages of the trader.
const LINKS: &[(&str, &str)] =
    &[("/", "Types"), ("/offers", "Offers"), ("/links", "Links"), ("/metrics", "Metrics")];

/// How many offers a page shows.
const SHOWN: usize = 200;

/// The routes of the pages, and of what their forms do.
pub(super) fn pages(shown: Shown) -> Router {
    Router::new()
        .route("/", get(types))
        .route("/offers", get(offers))
        .route("/offer", get(offer))
        .route("/links", get(links))
        .route("/export", post(actions::export))
        .route("/withdraw", post(actions::withdraw))
        .route("/modify", post(actions::modify))
        .route("/type", post(actions::change_type))
        .route("/link", post(actions::add_link))
        .route("/relink", post(actions::modify_link))
        .route("/unlink", post(actions::remove_link))
        .with_state(shown)
}

type Asked = Query<HashMap<String, String>>;

async fn types(State(shown): State<Shown>, client: Visitor) -> Response {
    let may = shown.may_change(&client);
    made(shown, move |_, model| show("Service types", "/", html! {}, types_of(model, may))).await
}

async fn offers(State(shown): State<Shown>, client: Visitor, Query(asked): Asked) -> Response {
    let may = shown.may_change(&client);
    made(shown, move |shown, model| {
        let of = |name: &str| asked.get(name).map_or("", |text| text.trim());
        let content = offers_of(shown, model, of("type"), of("search"), may);
        let service_type = model.service_types().get(of("type")).ok();
        let open = service_type.filter(|service_type| may && !service_type.declared.masked);
        let form = html! {
            (search_form(of("type"), of("search")))
            @if let Some(open) = open { (forms::export(open)) }
        };
        show("Offers", "/offers", form, content)
    })
    .await
}

/// One offer, with its properties.
async fn offer(State(shown): State<Shown>, client: Visitor, Query(asked): Asked) -> Response {
    let may = shown.may_change(&client);
    made(shown, move |shown, model| {
        let id = asked.get("id").map_or("", |text| text.trim());
        match model.offers().find(|offer| offer.id() == id) {
            Some(offer) => show(id, "/offer", html! {}, offer_of(shown, model, offer, may)),
            None => show("Offer", "/offer", html! {}, html! { p { "There is no such offer." } }),
        }
    })
    .await
}

async fn links(State(shown): State<Shown>, client: Visitor) -> Response {
    let may = shown.may_change(&client);
    made(shown, move |_, model| {
        let form = html! { @if may { (forms::link()) } };
        show("Links", "/links", form, links_of(model, may))
    })
    .await
}

/// A page, which is made in a thread of its own: there may be many offers to look through.
async fn made(
    shown: Shown,
    make: impl FnOnce(&Shown, &Model) -> Html<String> + Send + 'static,
) -> Response {
    let page = spawn_blocking(move || shown.trader.read(|model| make(&shown, model))).await;
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

fn types_of(model: &Model, may: bool) -> Markup {
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
                    @if service_type.declared.masked { ", masked: takes no offers" }
                    @if !service_type.declared.super_types.is_empty() {
                        ", derives from " (service_type.declared.super_types.join(", "))
                    }
                    @if !service_type.declared.if_name.is_empty() {
                        ", interface " code { (service_type.declared.if_name) }
                    }
                }
                (table(
                    &["Property", "Type", "Mode"],
                    service_type.properties.iter().map(|property| {
                        let of = armilla_ifr::model::type_name(&property.value_type);
                        let mode = mode(property.mode);
                        vec![
                            html! { (property.name) },
                            html! { (of) },
                            html! { (mode) },
                        ]
                    }),
                ))
                @if may { (forms::type_forms(model, service_type)) }
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
fn search_form(service_type: &str, search: &str) -> Markup {
    html! {
        form.row method="get" action="/offers" role="search" {
            input type="search" name="search" value=(search) placeholder="id, type or value"
                aria-label="Search";
            @if !service_type.is_empty() { input type="hidden" name="type" value=(service_type); }
            button { "Search" }
        }
    }
}

/// The offers of a type, or all, whose id, type or values contain a text.
fn offers_of(shown: &Shown, model: &Model, service_type: &str, search: &str, may: bool) -> Markup {
    let found = model.offers().filter(|offer| {
        (service_type.is_empty() || offer.service_type == service_type) && found(offer, search)
    });
    let offers: Vec<&Arc<Offer>> = found.take(SHOWN + 1).collect();
    html! {
        p {
            (model.offer_count()) " offers in all"
            @if !service_type.is_empty() {
                "; those of " strong { (service_type) } " are shown, " a href="/offers" { "show all" }
            }
        }
        @if offers.len() > SHOWN { p { "The first " (SHOWN) " are shown; search for others." } }
        @if !offers.is_empty() {
            (table(
                &["Offer", "Type", "Object", "State", "Properties", ""],
                offers.iter().take(SHOWN).map(|offer| cells(shown, offer, may)),
            ))
        }
    }
}

fn cells(shown: &Shown, offer: &Offer, may: bool) -> Vec<Markup> {
    let id = offer.id();
    vec![
        html! { a href=(format!("/offer?id={}", escaped(&id))) { code { (id) } } },
        html! { (offer.service_type) },
        target(offer),
        state(shown, offer),
        html! {
            @for property in &offer.properties {
                div { (property.name) " = " (value(&property.value)) }
            }
        },
        html! { @if may { (forms::withdraw(&id)) } },
    ]
}

/// What the last check of the object has found.
fn state(shown: &Shown, offer: &Offer) -> Markup {
    match shown.findings.of(offer.number) {
        None => html! { span.quiet { "not checked" } },
        Some(Found::Alive) => html! { span.good { "alive" } },
        Some(Found::Gone) => html! { span.bad { "gone" } },
        Some(Found::Unreachable) => html! { span.warn { "unreachable" } },
    }
}

fn offer_of(shown: &Shown, model: &Model, offer: &Offer, may: bool) -> Markup {
    let id = offer.id();
    let service_type = model.service_types().get(&offer.service_type).ok();
    let properties = offer.properties.iter().map(|property| {
        let declared = service_type.and_then(|of| of.declaration(&property.name));
        let is_readonly = declared.is_none_or(|it| crate::model::is_readonly(it.mode));
        let form = html! {
            @if may && !is_readonly {
                form.row data-send action="/modify" method="post" {
                    input type="hidden" name="id" value=(id);
                    input type="hidden" name="name" value=(property.name);
                    input name="value" required value=(value(&property.value))
                        aria-label=(format!("Value of {}", property.name));
                    button { "Set" }
                }
            }
        };
        vec![html! { (property.name) }, html! { (value(&property.value)) }, form]
    });
    html! {
        (facts([
            ("Type", html! { (offer.service_type) }),
            ("Object", target(offer)),
            ("State", state(shown, offer)),
        ]))
        (table(&["Property", "Value", ""], properties))
        @if may { (forms::withdraw(&id)) }
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

/// The interface, the first address and the key of the object.
fn target(offer: &Offer) -> Markup {
    match &offer.target {
        Target::Object(object) => object_of(object),
        Target::Proxy(proxy) => html! { "proxy for " (object_of(proxy.lookup.object())) },
    }
}

fn object_of(object: &Object) -> Markup {
    let ior = object.ior();
    html! {
        @if !ior.type_id.is_empty() { code { (ior.type_id) } " " }
        @match ior.iiop_profiles().next() {
            Some(Ok(profile)) => {
                code { (profile.host) ":" (profile.port) }
                ", key " code { (profile.object_key.escape_ascii().to_string()) }
            }
            _ => { "without an address by TCP" }
        }
    }
}

fn value(any: &armilla::Any) -> String {
    if crate::model::is_dynamic(any) {
        return "(dynamic)".to_owned();
    }
    let json = armilla::dynamic::DynAny::from_any(any).and_then(|value| value.to_json());
    json.map_or_else(|error| format!("({error})"), |json| json.to_string())
}

fn links_of(model: &Model, may: bool) -> Markup {
    let rows = model.links().map(|(name, link)| {
        vec![
            html! { (name) },
            object_of(link.target.object()),
            html! { (forms::rule_text(link.def_pass_on_follow_rule)) },
            html! { (forms::rule_text(link.limiting_follow_rule)) },
            html! { @if may { (forms::link_forms(name, link)) } },
        ]
    });
    html! {
        @if model.links().next().is_none() { p { "The trader has no links to other traders." } }
        @else { (table(&["Link", "Trader", "Passed on", "Limit", ""], rows)) }
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
