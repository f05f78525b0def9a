//! The web page: the channels with their counts, and the consumers of each. Operators make and
//! remove channels.

use super::service::{ChannelError, Running, Service};
use crate::entry::ConsumerState;
use crate::store::KeptChannel;
use armilla::Caller;
use armilla_ipc::Address;
use armilla_service::axum::extract::{Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::axum::{Json, Router};
use armilla_service::page::{Page, facts, page, table};
use armilla_service::{Visitor, spawn_blocking};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The pages that each page links to.
const LINKS: &[(&str, &str)] = &[("/", "Channels"), ("/metrics", "Metrics")];

pub(super) fn pages(service: &Arc<Service>) -> Router {
    Router::new()
        .route("/", get(channels))
        .route("/channels/{name}", get(channel))
        .route("/create", post(create))
        .route("/channels/{name}/remove", post(remove))
        .with_state(service.clone())
}

/// Whether a client may make and remove channels: who is known, as the access of the page says;
/// others by their address.
fn admits(service: &Service, client: &Visitor) -> bool {
    client.may_change(|client| {
        let address = Some(Address::tcp(client.ip().to_string(), 0));
        service.operators.admit(&Caller { address, credentials: None, protection: None })
    })
}

fn count(count: impl Into<u64>) -> Markup {
    let count = count.into();
    html! { @if count > 0 { (count) } }
}

async fn channels(State(service): State<Arc<Service>>, client: Visitor) -> Html<String> {
    let frame = Page { service: "events", title: "Channels", here: "/", links: LINKS };
    let channels = service.list();
    let row = |(name, Running { channel, .. }): (String, Running)| {
        let statistics = channel.statistics();
        vec![
            html! { a href={ "/channels/" (escaped(&name)) } { (name) } },
            count(statistics.consumers),
            count(statistics.suppliers),
            count(statistics.pushed),
            count(statistics.unwanted),
            count(statistics.blocked),
            count(statistics.disconnected),
        ]
    };
    page(
        &frame,
        html! {
            h1 { "Channels" }
            div #live {
                @if channels.is_empty() {
                    p { "There is no channel. " code { "armilla events add NAME" } " makes one." }
                } @else {
                    (table(&["Channel", "Consumers", "Suppliers", "Pushed", "Unwanted",
                        "Suppliers waited", "Disconnected"], channels.into_iter().map(row)))
                }
            }
            @if admits(&service, &client) {
                form.row data-send action="/create" method="post" {
                    input name="name" required placeholder="Name of a new channel"
                        aria-label="Name of a new channel";
                    button { "New channel" }
                }
            }
        },
    )
}

async fn channel(
    State(service): State<Arc<Service>>,
    client: Visitor,
    Path(name): Path<String>,
) -> Response {
    let (Some(running), Some(consumers)) = (service.find(&name), service.consumers(&name)) else {
        return (StatusCode::NOT_FOUND, format!("there is no channel {name:?}\n")).into_response();
    };
    let statistics = running.channel.statistics();
    let frame = Page { service: "events", title: &name, here: "", links: LINKS };
    let heads = [
        "Consumer",
        "Object",
        "Heard of",
        "Delivered",
        "Waiting",
        "Discarded",
        "Expired",
        "Failed",
    ];
    let question = format!(
        "Remove {name}? This disconnects {} consumers and {} suppliers, and discards what waits.",
        statistics.consumers, statistics.suppliers
    );
    let content = html! {
        h1 { (name) }
        div #live {
            (facts([
                ("Pushed", count(statistics.pushed)),
                ("Unwanted", count(statistics.unwanted)),
                ("Suppliers", count(statistics.suppliers)),
                ("Consumers", count(statistics.consumers)),
                ("Disconnected", count(statistics.disconnected)),
                ("Made from", made_from(&running.kept)),
            ]))
            @if consumers.is_empty() {
                p.quiet { "No consumer is connected." }
            } @else {
                (table(&heads, consumers.iter().map(consumer)))
            }
        }
        @if admits(&service, &client) {
            // With the counts of now.
            div.buttons #commands data-live {
                form data-send action={ "/channels/" (escaped(&name)) "/remove" } method="post"
                    data-confirm=(question) {
                    button { "Remove" }
                }
            }
        }
    };
    page(&frame, content).into_response()
}

/// What a channel was made from, as far as that is no default.
fn made_from(kept: &KeptChannel) -> Markup {
    let numbers = [
        ("queues of", u64::from(kept.queue_length), "deliveries"),
        ("queues of", kept.queue_octets, "octets"),
        ("at most", kept.consumers.into(), "consumers"),
        ("at most", kept.suppliers.into(), "suppliers"),
    ];
    let given = numbers.into_iter().filter(|(_, number, _)| *number > 0);
    let mut texts: Vec<String> =
        given.map(|(before, number, after)| format!("{before} {number} {after}")).collect();
    if kept.consumers_may_block {
        texts.push("consumers may block suppliers".to_owned());
    }
    html! { (texts.join(", ")) }
}

fn consumer(state: &ConsumerState) -> Vec<Markup> {
    let ConsumerState { pulls, address, idle, statistics } = state;
    vec![
        html! { @if *pulls { "pulls" } @else { "is pushed to" } },
        html! { (address) },
        html! { @if idle.as_secs() > 0 { (idle.as_secs()) " s ago" } },
        count(statistics.delivered),
        count(statistics.waiting),
        count(statistics.discarded),
        count(statistics.expired),
        count(statistics.failed),
    ]
}

async fn create(
    State(service): State<Arc<Service>>,
    client: Visitor,
    Json(fields): Json<BTreeMap<String, String>>,
) -> Response {
    let name = fields.get("name").cloned().unwrap_or_default();
    change(service, client, move |service| service.create(&name, KeptChannel::default()).map(drop))
        .await
}

async fn remove(
    State(service): State<Arc<Service>>,
    client: Visitor,
    Path(name): Path<String>,
) -> Response {
    change(service, client, move |service| service.remove(&name)).await
}

/// Changes channels, if the client may.
async fn change(
    service: Arc<Service>,
    client: Visitor,
    change: impl FnOnce(&Arc<Service>) -> Result<(), ChannelError> + Send + 'static,
) -> Response {
    if !admits(&service, &client) {
        let what = "channels are made and removed on the host of the event service, or by the \
                    users that it was started with; see `--remote-operators` and \
                    `--operator-user`\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    let refuse = |why: String| (StatusCode::CONFLICT, why + "\n").into_response();
    match spawn_blocking(move || change(&service)).await {
        Some(Ok(())) => StatusCode::NO_CONTENT.into_response(),
        Some(Err(ChannelError::Exists)) => refuse("there is a channel with this name".to_owned()),
        Some(Err(ChannelError::Unknown)) => refuse("there is no such channel".to_owned()),
        Some(Err(ChannelError::Refused(why))) => refuse(why),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A name as a segment of a path.
fn escaped(text: &str) -> String {
    let octet = |octet: u8| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(octet).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(octet).collect()
}
