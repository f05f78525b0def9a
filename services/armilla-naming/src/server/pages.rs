//! The pages: a context with its bindings, a binding with its decoded reference, a search.

use super::reference::{address, age, interface, ior, printable};
use super::{Shown, Viewer};
use crate::access::Operation;
use crate::client::Liveness;
use crate::model::{
    Bound, ContextId, Found, NameComponent, ROOT, ReferenceOctets, Step, Target, parse_name,
    stringify_name,
};
use crate::servant::now;
use armilla::CdrResult;
use armilla_giop::ior::IiopProfile;
use armilla_service::axum::extract::{Query, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{IntoResponse, Response};
use armilla_service::page::{Page, facts, page, table};
use armilla_service::spawn_blocking;
use maud::{Markup, html};
use std::collections::HashMap;

/// The bindings on one page.
const ROWS: usize = 200;

/// The most bindings that a search looks at, and that it shows.
const SEARCHED: usize = 2_000_000;

const LINKS: &[(&str, &str)] = &[("/", "Names"), ("/metrics", "Metrics")];

/// The parameters of a page.
pub(super) type Parameters = Query<HashMap<String, String>>;

/// A binding with its name from the root.
struct Row {
    name: Vec<NameComponent>,
    bound: Bound,
}

/// `/`: the bindings of a context, or with `q` those that are found.
pub(super) async fn names(
    State(shown): State<Shown>,
    viewer: Viewer,
    Query(parameters): Parameters,
) -> Response {
    // There may be many names to look through.
    let made = spawn_blocking(move || names_page(&shown, &viewer, &parameters)).await;
    made.unwrap_or_else(|| refused(StatusCode::INTERNAL_SERVER_ERROR, "the page was not made"))
}

fn names_page(shown: &Shown, viewer: &Viewer, parameters: &HashMap<String, String>) -> Response {
    let given = |key| parameters.get(key).map_or("", String::as_str);
    let (text, query) = (given("name"), given("q"));
    let name = if text.is_empty() { Ok(Vec::new()) } else { parse_name(text) };
    let Ok(name) = name else { return refused(StatusCode::BAD_REQUEST, "this is not a name") };
    if !shown.service.permits(&viewer.client, Operation::Read, &name) {
        return refused(StatusCode::FORBIDDEN, "the rules of the service do not show this name");
    }
    let Some(context) = context_of(shown, &name) else {
        return refused(StatusCode::NOT_FOUND, "no context has this name");
    };
    let after = given("after").replace('\u{1}', "\0");
    let (rows, more) = match query {
        "" => rows(shown, context, &name, Step::from_text(&after).as_ref()),
        query => found(shown, viewer, context, &name, query),
    };
    let title = if name.is_empty() { "Root context".to_owned() } else { text.to_owned() };
    let content = html! {
        h1 { (trail(&name)) }
        form.row method="get" action="/" role="search" {
            input type="hidden" name="name" value=(text);
            input type="search" name="q" value=(query) placeholder="Search below this context"
                aria-label="Search";
            button { "Search" }
        }
        div #live {
            (bindings(shown, viewer, &rows, !query.is_empty()))
            @if let Some(last) = more {
                @let next = format!("/?name={}&after={}", escaped(text), escaped(&last));
                p { a href=(next) { "More" } }
            }
        }
        @if query.is_empty() && shown.permits(viewer, Operation::Bind, &name) { (forms(text)) }
    };
    let frame = Page { service: "naming", title: &title, here: "/", links: LINKS };
    page(&frame, content).into_response()
}

/// The context of this service that a name denotes.
fn context_of(shown: &Shown, name: &[NameComponent]) -> Option<ContextId> {
    if name.is_empty() {
        return Some(ROOT);
    }
    match shown.service.store().read().resolve(ROOT, name).ok()? {
        Found::Here(Bound { target: Target::Context(context), .. }) => Some(context),
        _ => None,
    }
}

/// The bindings behind a step, and the text of the last one if there are more.
fn rows(
    shown: &Shown,
    context: ContextId,
    name: &[NameComponent],
    after: Option<&Step>,
) -> (Vec<Row>, Option<String>) {
    let tree = shown.service.store().read();
    let Ok(bindings) = tree.bindings_after(context, after) else { return Default::default() };
    let mut rows = Vec::new();
    let mut last: Option<&Step> = None;
    for (step, bound) in bindings {
        if rows.len() == ROWS {
            let last = last.map(|last| last.as_str().replace('\0', "\u{1}"));
            return (rows, last);
        }
        last = Some(step);
        let name = [name, &[step.component()]].concat();
        rows.push(Row { name, bound: bound.clone() });
    }
    (rows, None)
}

/// The bindings below a context whose names contain a text, without regard to case.
fn found(
    shown: &Shown,
    viewer: &Viewer,
    context: ContextId,
    name: &[NameComponent],
    query: &str,
) -> (Vec<Row>, Option<String>) {
    let query = query.to_lowercase();
    let mut rows = Vec::new();
    let mut seen = std::collections::HashSet::from([context]);
    let mut open = vec![(context, name.to_vec())];
    let mut looked = 0;
    while let Some((context, name)) = open.pop() {
        // The lock is held for one context at a time.
        let tree = shown.service.store().read();
        let Ok(bindings) = tree.bindings_after(context, None) else { continue };
        for (step, bound) in bindings {
            looked += 1;
            if rows.len() == ROWS || looked > SEARCHED {
                return (rows, None);
            }
            let component = step.component();
            let matches = [&component.id, &component.kind]
                .iter()
                .any(|part| part.to_lowercase().contains(&query));
            let child = match bound.target {
                Target::Context(child) => seen.insert(child).then_some(child),
                _ => None,
            };
            if matches || child.is_some() {
                let name = [&name[..], &[component]].concat();
                if let Some(child) = child {
                    open.push((child, name.clone()));
                }
                if matches {
                    rows.push(Row { name, bound: bound.clone() });
                }
            }
        }
    }
    rows.retain(|row| shown.service.permits(&viewer.client, Operation::Read, &row.name));
    (rows, None)
}

/// A table of bindings. Those that a search has found have their whole names, others what the
/// context calls them.
fn bindings(shown: &Shown, viewer: &Viewer, rows: &[Row], whole: bool) -> Markup {
    if rows.is_empty() {
        let what = if whole { "Nothing was found." } else { "Nothing is bound here." };
        return html! { p.quiet { (what) } };
    }
    let heads = ["Name", "Interface", "Address", "State", "Age", ""];
    table(&heads, rows.iter().map(|row| cells(shown, viewer, row, whole)))
}

fn cells(shown: &Shown, viewer: &Viewer, Row { name, bound }: &Row, whole: bool) -> Vec<Markup> {
    let text = stringify_name(name);
    let last = stringify_name(&name[name.len().saturating_sub(1)..]);
    // As `list` does, a page tells of each binding below a context that the client may read; what it
    // is bound to, only of those that the client may read themselves.
    let readable = shown.service.permits(&viewer.client, Operation::Read, name);
    let (kind, place) = if readable { summary(&bound.target) } else { Default::default() };
    let link = match bound.target {
        Target::Context(_) => format!("/?name={}", escaped(&text)),
        _ => format!("/binding?name={}", escaped(&text)),
    };
    let called = if whole { &text } else { &last };
    let code = |text: String| html! { @if !text.is_empty() { code { (text) } } };
    vec![
        html! { a href=(link) { (called) @if bound.target.is_context() { "/" } } },
        code(kind),
        code(place),
        html! { @if readable { (state(shown, &bound.target)) } },
        html! { @if readable { (age(u64::from(now().saturating_sub(bound.since)))) } },
        html! {
            @if shown.permits(viewer, Operation::Unbind, name) {
                (unbind_form(&text))
            }
        },
    ]
}

/// The form that unbinds a name. The service asks once more before it removes what only this name
/// leads to, and says how much that is.
fn unbind_form(text: &str) -> Markup {
    html! {
        form data-send action="/unbind" method="post" data-confirm=(format!("Unbind {text}?")) {
            input type="hidden" name="name" value=(text);
            button aria-label=(format!("Unbind {text}")) { "Unbind" }
        }
    }
}

/// The interface and the address of a target.
fn summary(target: &Target) -> (String, String) {
    let of = |reference: &ReferenceOctets| {
        let ior = ior(reference);
        (interface(&ior), address(&ior))
    };
    match target {
        Target::Object(reference) => of(reference),
        Target::Context(_) => ("context".to_owned(), String::new()),
        Target::ForeignContext(reference) => ("context".to_owned(), of(reference).1),
        Target::Group(group) => {
            let first = group.members.first().map(|member| of(&member.reference));
            let (kind, _) = first.unwrap_or_default();
            (kind, format!("{} servers, {}", group.members.len(), group.balance))
        }
    }
}

/// What the checks of a target have found.
fn state(shown: &Shown, target: &Target) -> Markup {
    let word = |reference: &ReferenceOctets| match shown.service.status(reference) {
        None => ("quiet", "not checked".to_owned()),
        Some(status) => match status.liveness {
            Liveness::Alive => ("good", "alive".to_owned()),
            Liveness::Gone => ("bad", "gone".to_owned()),
            Liveness::Unsure(_) => ("warn", "unsure".to_owned()),
            Liveness::Unreachable(_) => ("warn", "unreachable".to_owned()),
        },
    };
    let (class, text) = match target {
        Target::Context(_) => return html! {},
        Target::Object(reference) | Target::ForeignContext(reference) => word(reference),
        Target::Group(group) => {
            let words: Vec<_> = group.members.iter().map(|one| word(&one.reference)).collect();
            let alive = words.iter().filter(|(class, _)| *class == "good").count();
            let class = if alive > 0 { "good" } else { "warn" };
            (class, format!("{alive} of {} alive", words.len()))
        }
    };
    html! { span class=(class) { (text) } }
}

/// Links to the contexts on the way.
fn trail(name: &[NameComponent]) -> Markup {
    html! {
        a href="/" { "root" }
        @for end in 1..=name.len() {
            " / "
            @let step = stringify_name(&name[end - 1..end]);
            @if end == name.len() { (step) } @else {
                a href=(format!("/?name={}", escaped(&stringify_name(&name[..end])))) { (step) }
            }
        }
    }
}

/// The forms that bind below a context.
fn forms(context: &str) -> Markup {
    html! {
        h2 { "Bind" }
        form.row data-send action="/bind" method="post" {
            input type="hidden" name="context" value=(context);
            input name="name" required placeholder="Name, such as dome.device" aria-label="Name";
            input name="reference" required placeholder="IOR:… or corbaloc:…"
                aria-label="Reference";
            button { "Bind" }
        }
        form.row data-send action="/context" method="post" {
            input type="hidden" name="context" value=(context);
            input name="name" required placeholder="Name of a new context"
                aria-label="Name of a new context";
            button { "New context" }
        }
    }
}

/// `/binding`: one binding with its decoded reference.
pub(super) async fn binding(
    State(shown): State<Shown>,
    viewer: Viewer,
    Query(parameters): Parameters,
) -> Response {
    let text = parameters.get("name").map_or("", String::as_str);
    let Ok(name) = parse_name(text) else {
        return refused(StatusCode::BAD_REQUEST, "this is not a name");
    };
    if !shown.service.permits(&viewer.client, Operation::Read, &name) {
        return refused(StatusCode::FORBIDDEN, "the rules of the service do not show this name");
    }
    let found = shown.service.store().read().resolve(ROOT, &name);
    let Ok(Found::Here(bound)) = found else {
        return refused(StatusCode::NOT_FOUND, "nothing is bound to this name here");
    };
    let references: Vec<&ReferenceOctets> = match &bound.target {
        Target::Object(reference) | Target::ForeignContext(reference) => vec![reference],
        Target::Group(group) => group.members.iter().map(|member| &member.reference).collect(),
        Target::Context(_) => Vec::new(),
    };
    let content = html! {
        h1 { (trail(&name)) }
        div #live {
            p { "Bound " (age(u64::from(now().saturating_sub(bound.since)))) " ago." }
            @for reference in references { (decoded(&shown, reference)) }
        }
        @if shown.permits(&viewer, Operation::Unbind, &name) {
            h2 { "Rename" }
            form.row data-send action="/rename" method="post" {
                input type="hidden" name="from" value=(text);
                input name="to" required value=(text) aria-label="New name";
                button { "Rename" }
            }
        }
    };
    let frame = Page { service: "naming", title: text, here: "/binding", links: LINKS };
    page(&frame, content).into_response()
}

fn decoded(shown: &Shown, reference: &ReferenceOctets) -> Markup {
    let ior = ior(reference);
    let status = shown.service.status(reference);
    let state = html! {
        @match &status {
            Some(status) => {
                (status.liveness) ", checked " (age(status.checked.elapsed().as_secs())) " ago"
            }
            None => { "not checked" }
        }
    };
    let profiles: Vec<(String, Markup)> = ior.iiop_profiles().map(profile).collect();
    let mut rows = vec![
        ("Interface", html! { @if !ior.type_id.is_empty() { code { (ior.type_id) } } }),
        ("State", state),
    ];
    rows.extend(profiles.iter().map(|(name, value)| (name.as_str(), value.clone())));
    rows.push(("Reference", html! { code { (ior.to_text().unwrap_or_default()) } }));
    facts(rows)
}

/// What a profile is called, and what it says.
fn profile(profile: CdrResult<IiopProfile>) -> (String, Markup) {
    match profile {
        Ok(profile) => (
            format!("IIOP {}", profile.version),
            html! {
                code { (profile.host) ":" (profile.port) }
                br;
                "key " code { (printable(&profile.object_key)) }
                @if !profile.components.is_empty() {
                    br;
                    (profile.components.len()) " components"
                }
            },
        ),
        Err(error) => ("IIOP".to_owned(), html! { span.bad { (error) } }),
    }
}

fn refused(status: StatusCode, what: &'static str) -> Response {
    let frame = Page { service: "naming", title: "Not shown", here: "", links: LINKS };
    (status, page(&frame, html! { p.message { (what) } })).into_response()
}

/// Text as it stands in the query of a URL.
fn escaped(text: &str) -> String {
    let octets = text.bytes().map(|octet| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
            char::from(octet).to_string()
        }
        octet => format!("%{octet:02X}"),
    });
    octets.collect()
}
