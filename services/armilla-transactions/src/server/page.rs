//! The web page: transactions in progress, in doubt and with heuristic outcomes, and the participants of
//! each. Operators decide what is left undecided.

use crate::corba::TransactionInfo;
use crate::engine::Counts;
use crate::model::Decision;
use crate::{DecideError, Transactions};
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::page::{Page, facts, page, table};
use armilla_service::{Events, Rounds, Visitor, spawn_blocking};
use maud::{Markup, html};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::time::Duration;

/// The pages that each page links to.
const LINKS: &[(&str, &str)] = &[("/", "Transactions"), ("/metrics", "Metrics")];

/// The most transactions on a page: those that need somebody come first.
const MOST: usize = 1000;

/// How soon open pages show what is new.
const INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn pages(transactions: &Transactions) -> Router {
    Router::new()
        .route("/", get(all))
        .route("/transactions/{id}", get(one))
        .route("/transactions/{id}/{decision}", post(decide))
        .with_state(transactions.clone())
}

/// Tells open pages when something has changed.
///
/// # Errors
/// The system has no thread.
pub(super) fn watch(transactions: &Transactions, events: &Events) -> io::Result<Rounds> {
    let transactions = transactions.clone();
    events.watch("armilla-transactions", INTERVAL, move || Some(picture(&transactions.list())))
}

/// A number that changes with what a page shows.
fn picture(list: &[TransactionInfo]) -> u64 {
    let one = |it: &TransactionInfo| {
        let mut hasher = DefaultHasher::new();
        (&it.id, &it.status, &it.heuristic).hash(&mut hasher);
        it.participants.iter().for_each(|it| it.progress.hash(&mut hasher));
        hasher.finish()
    };
    // They come in no order.
    list.iter().map(one).fold(0, u64::wrapping_add)
}

fn needs_somebody(it: &TransactionInfo) -> bool {
    !it.heuristic.is_empty() || it.status == "in doubt" || it.status.starts_with("unknown")
}

fn status(it: &TransactionInfo) -> Markup {
    html! { (it.status) @if !it.heuristic.is_empty() { ", heuristic: " (it.heuristic) } }
}

const fn role(it: &TransactionInfo) -> &'static str {
    if it.is_subordinate { "subordinate" } else { "root" }
}

async fn all(State(transactions): State<Transactions>) -> Html<String> {
    let frame = Page { service: "transactions", title: "Transactions", here: "/", links: LINKS };
    let mut list = transactions.list();
    list.sort_by(|a, b| (!needs_somebody(a), &a.id).cmp(&(!needs_somebody(b), &b.id)));
    let in_doubt = list.iter().filter(|it| it.status == "in doubt").count();
    let heuristic = list.iter().filter(|it| !it.heuristic.is_empty()).count();
    let counts = &transactions.engine().counts;
    let oldest = transactions.engine().oldest_in_doubt().map(|age| age.as_secs());
    let rolled_back = why_rolled_back(counts);
    let row = |it: &TransactionInfo| {
        vec![
            html! { a href={ "/transactions/" (it.id) } { code { (it.id) } } },
            status(it),
            html! { (role(it)) },
            html! { (it.participants.len()) },
        ]
    };
    let content = html! {
        h1 { "Transactions" }
        div #live {
            (facts([
                ("In progress", html! { (list.len()) }),
                ("In doubt", html! {
                    (in_doubt) @if let Some(age) = oldest { ", for up to " (age) " s" }
                }),
                ("Heuristic", html! { (heuristic) }),
                ("Committed", html! { (counts.committed()) }),
                ("Rolled back", html! { (rolled_back) }),
            ]))
            @if transactions.has_failed() {
                p { "The log could not be written. Nothing commits until the server is restarted." }
            }
            @if list.is_empty() {
                p.quiet { "All transactions are over." }
            } @else {
                (table(&["Transaction", "Status", "Role", "Participants"],
                    list.iter().take(MOST).map(row)))
            }
            @if list.len() > MOST { p.quiet { (list.len() - MOST) " more are not shown." } }
        }
    };
    page(&frame, content)
}

/// How many were rolled back, and why.
fn why_rolled_back(counts: &Counts) -> String {
    let some: Vec<_> = counts.rolled_back().filter(|(_, count)| *count > 0).collect();
    let all: u64 = some.iter().map(|(_, count)| count).sum();
    let why: Vec<_> = some.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    if why.is_empty() { all.to_string() } else { format!("{all} ({})", why.join(", ")) }
}

async fn one(
    State(transactions): State<Transactions>,
    client: Visitor,
    Path(id): Path<String>,
) -> Response {
    let Some(it) = transactions.list().into_iter().find(|it| it.id == id) else {
        let over = format!("there is no transaction {id:?}; it may be over\n");
        return (StatusCode::NOT_FOUND, over).into_response();
    };
    let frame = Page { service: "transactions", title: &it.id, here: "", links: LINKS };
    let participants = it.participants.iter().map(|participant| {
        vec![html! { (participant.progress) }, html! { code { (participant.name) } }]
    });
    let content = html! {
        h1 { "Transaction " code { (it.id) } }
        div #live {
            (facts([
                ("Status", status(&it)),
                ("Role", html! { (role(&it)) }),
                ("Global id", html! { code { (it.global_id) } }),
            ]))
            @if it.participants.is_empty() {
                p.quiet { "Nobody takes part in it." }
            } @else {
                (table(&["Progress", "Participant"], participants))
            }
        }
        @if may_decide(&transactions, &client) {
            div.buttons #commands data-live {
                @for (path, text, question) in choices(&it) {
                    form data-send action={ "/transactions/" (it.id) "/" (path) } method="post"
                        data-confirm=(question) {
                        button { (text) }
                    }
                }
            }
        }
    };
    page(&frame, content).into_response()
}

type Choice = (&'static str, &'static str, &'static str);

/// What an operator can do about a transaction: the path, the text, and the question before it.
fn choices(it: &TransactionInfo) -> Vec<Choice> {
    const COMMIT: Choice = (
        "commit",
        "Commit",
        "Commit in place of the superior? If it decides otherwise, the outcome is heuristic.",
    );
    const ROLLBACK: Choice = (
        "rollback",
        "Roll back",
        "Roll back? For what is in doubt the superior may decide otherwise; then the outcome is \
         heuristic.",
    );
    const FORGET: Choice = (
        "forget",
        "Forget",
        "Forget heuristic outcomes, and participants that cannot be reached? Nobody tells them \
         any more.",
    );
    match &*it.status {
        "in doubt" => vec![COMMIT, ROLLBACK],
        "active" | "marked for rollback" => vec![ROLLBACK],
        "committing" => vec![FORGET],
        _ if !it.heuristic.is_empty() => vec![FORGET],
        _ => Vec::new(),
    }
}

/// Whether a visitor is an operator: who is known, as the access of the page says; others by their
/// address.
fn may_decide(transactions: &Transactions, client: &Visitor) -> bool {
    client.may_change(|client| transactions.admits_remote() || client.ip().is_loopback())
}

async fn decide(
    State(transactions): State<Transactions>,
    client: Visitor,
    Path((id, decision)): Path<(String, String)>,
) -> Response {
    if !may_decide(&transactions, &client) {
        let what = "operators decide on the host of the service; see `--remote-operators`\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    let decision = match &*decision {
        "commit" => Decision::Commit,
        "rollback" => Decision::Rollback,
        "forget" => Decision::Forget,
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match spawn_blocking(move || transactions.decide(&id, decision)).await {
        Some(Ok(())) => StatusCode::NO_CONTENT.into_response(),
        Some(Err(error @ DecideError::Unknown)) => {
            (StatusCode::NOT_FOUND, format!("{error}\n")).into_response()
        }
        Some(Err(error)) => (StatusCode::CONFLICT, format!("{error}\n")).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
