//! The web page: the groups, the members of each, who is the primary, and how far they have come.

use super::picture::{Group, Pictures, Said, lag};
use crate::reference::GroupName;
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{IntoResponse, Response};
use armilla_service::axum::routing::get;
use armilla_service::page::{Page, facts, page, table};
use armilla_service::{Events, Rounds, spawn_blocking};
use maud::{Markup, html};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::time::Duration;

/// The pages that each page links to.
const LINKS: &[(&str, &str)] = &[("/", "Groups"), ("/metrics", "Metrics")];

/// The most groups on a page: those that lack members come first.
const MOST: usize = 1000;

/// How soon open pages show what is new.
const INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn pages(pictures: Pictures) -> Router {
    Router::new()
        .route("/", get(all))
        .route("/groups/{domain}/{number}", get(one))
        .with_state(pictures)
}

/// Tells open pages when something has changed.
///
/// # Errors
/// The system has no thread.
pub(super) fn watch(pictures: Pictures, events: &Events) -> io::Result<Rounds> {
    events.watch("armilla-groups", INTERVAL, move || {
        let groups = pictures.groups().ok()?;
        let mut hasher = DefaultHasher::new();
        for Group { name, view, record } in &groups {
            (name, view.version).hash(&mut hasher);
            record.as_ref().map(|it| (it.is_deleted, it.pending.is_some())).hash(&mut hasher);
        }
        Some(hasher.finish())
    })
}

/// How many members a group lacks of its minimum.
fn missing(group: &Group) -> usize {
    let wanted = group.record.as_ref().map_or(0, |record| record.settings.numbers().1);
    wanted.saturating_sub(group.view.members.len())
}

fn style(group: &Group) -> &'static str {
    match group.record.as_ref().map(|record| record.settings.style()) {
        Some(0) => "stateless",
        Some(1) => "cold passive",
        Some(2) => "warm passive",
        Some(3) => "active",
        _ => "",
    }
}

fn unavailable(why: String) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response()
}

async fn all(State(pictures): State<Pictures>) -> Response {
    let asked = pictures.clone();
    let mut groups = match spawn_blocking(move || asked.groups()).await {
        Some(Ok(groups)) => groups,
        Some(Err(failure)) => return unavailable(failure.to_string()),
        None => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    groups.sort_by(|a, b| (missing(a) == 0, &a.name).cmp(&(missing(b) == 0, &b.name)));
    let frame = Page { service: "replication", title: "Groups", here: "/", links: LINKS };
    let lacking = groups.iter().filter(|group| missing(group) > 0).count();
    let managers = pictures.manager.managers();
    let leader = managers.primary().map(|first| first.name.clone()).unwrap_or_default();
    let row = |group: &Group| {
        let name = group.name.to_string();
        let primary = group.view.primary().map(|first| first.name.clone()).unwrap_or_default();
        vec![
            html! { a href={ "/groups/" (name) } { code { (name) } } },
            html! { (style(group)) },
            html! { (group.view.version) },
            html! {
                (group.view.members.len())
                @if missing(group) > 0 { ", lacks " (missing(group)) }
            },
            html! { code { (primary) } },
        ]
    };
    let content = html! {
        h1 { "Groups" }
        div #live {
            (facts([
                ("Domain", html! { code { (pictures.manager.domain()) } }),
                ("Groups", html! { (groups.len()) }),
                ("That lack members", html! { (lacking) }),
                ("Managers", html! { (managers.members.len()) ", led by " code { (leader) } }),
                ("Faults", html! { (pictures.manager.faults()) }),
            ]))
            @if groups.is_empty() {
                p.quiet { "There is no group." }
            } @else {
                (table(&["Group", "Style", "Version", "Members", "Primary"],
                    groups.iter().take(MOST).map(row)))
            }
            @if groups.len() > MOST { p.quiet { (groups.len() - MOST) " more are not shown." } }
        }
    };
    page(&frame, content).into_response()
}

fn state(said: &Said) -> Markup {
    match said {
        Said::Nothing => html! { strong { "does not answer" } },
        Said::Alive => html! { "alive" },
        Said::Status(status) => html! { (status.role) },
    }
}

async fn one(
    State(pictures): State<Pictures>,
    Path((domain, number)): Path<(String, u64)>,
) -> Response {
    let name = GroupName::new(domain, number);
    let wanted = name.clone();
    let asked = spawn_blocking(move || {
        let found = pictures.groups()?.into_iter().find(|group| group.name == wanted);
        Ok::<_, crate::model::Failure>(found.map(|group| {
            let said = pictures.ask_all(&group.view);
            (group, said)
        }))
    });
    let (group, said) = match asked.await {
        Some(Ok(Some(found))) => found,
        Some(Ok(None)) => {
            let what = format!("there is no group {name}\n");
            return (StatusCode::NOT_FOUND, what).into_response();
        }
        Some(Err(failure)) => return unavailable(failure.to_string()),
        None => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    let title = name.to_string();
    let frame = Page { service: "replication", title: &title, here: "", links: LINKS };
    let rows = said.iter().zip(&group.view.members).enumerate().map(|(at, (it, member))| {
        let status = match it {
            Said::Status(status) => Some(status),
            _ => None,
        };
        let number = |value: Option<u64>| html! { @if let Some(value) = value { (value) } };
        vec![
            html! { code { (member.name) } @if at == 0 { " (primary)" } },
            state(it),
            number(status.map(|status| status.last.number)),
            number(lag(&said, at)),
            number(status.map(|status| status.logged)),
            number(status.map(|status| status.replayed)),
        ]
    });
    let content = html! {
        h1 { "Group " code { (name) } }
        div #live {
            (facts([
                ("Version", html! { (group.view.version) }),
                ("Members", html! {
                    (group.view.members.len())
                    @if missing(&group) > 0 { ", lacks " (missing(&group)) }
                }),
                ("Style", html! { (style(&group)) }),
                ("Type", html! {
                    @if let Some(record) = &group.record { code { (record.type_id) } }
                    @else { "made without a manager" }
                }),
            ]))
            @if said.is_empty() {
                p.quiet { "The group has no member." }
            } @else {
                (table(&["Member", "State", "Requests", "Lag", "Replies", "Replayed"], rows))
            }
        }
    };
    page(&frame, content).into_response()
}
