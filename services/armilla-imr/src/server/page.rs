//! The web page: the servers with what they do, each with its definition, its processes and its
//! logs, and the commands of operators. Only operators see more than what servers do.

use crate::corba::{LogStream, Repository};
use crate::engine::Engine;
use crate::model::{Run, ServerStage, Status};
use crate::servant::ImplementationRepository;
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::page::{Page, facts, page, table};
use armilla_service::{Visitor, spawn_blocking};
use maud::{Markup, html};

/// The pages that each page links to.
const LINKS: &[(&str, &str)] = &[("/", "Servers")];

/// The most octets of a log that a page shows.
const SHOWN: u32 = 32 << 10;

pub(super) fn pages(repository: &ImplementationRepository) -> Router {
    Router::new()
        .route("/", get(servers))
        .route("/servers/{name}", get(server))
        .route("/servers/{name}/{command}", post(command))
        .with_state(repository.clone())
}

async fn servers(State(repository): State<ImplementationRepository>) -> Html<String> {
    let servers = repository.list();
    let frame =
        Page { service: "implementation repository", title: "Servers", here: "/", links: LINKS };
    page(
        &frame,
        html! {
            h1 { "Servers" }
            div #live {
                @if servers.is_empty() {
                    p {
                        "No server is defined. " code { "armilla imr add NAME -- COMMAND" }
                        " adds one."
                    }
                } @else {
                    (table(&HEADS, servers.iter().map(|(name, status)| row(name, status))))
                }
            }
        },
    )
}

const HEADS: [&str; 7] =
    ["Server", "Stage", "Process", "Waiting", "Starts", "Failures", "Last failure"];

/// A server in the list. What is none is not shown.
fn row(name: &str, status: &Status) -> Vec<Markup> {
    let count = |count: u64| html! { @if count > 0 { (count) } };
    vec![
        html! { a href={ "/servers/" (name) } { (name) } },
        html! { span class=(class(status.stage)) { (status.stage.to_string()) } },
        html! { (processes(status)) },
        count(status.waiting as u64),
        count(status.starts),
        count(status.failures),
        html! { (status.reason.as_deref().unwrap_or_default()) },
    ]
}

/// The colour of a stage.
const fn class(stage: ServerStage) -> &'static str {
    match stage {
        ServerStage::Running | ServerStage::Replacing => "good",
        ServerStage::Failed => "bad",
        ServerStage::BackingOff | ServerStage::Held => "warn",
        ServerStage::Stopped | ServerStage::Starting | ServerStage::Ending => "quiet",
    }
}

/// The numbers of the processes of a server.
fn processes(status: &Status) -> String {
    let numbers = status.runs.iter().filter_map(|run| run.process);
    numbers.map(|process| process.to_string()).collect::<Vec<_>>().join(", ")
}

async fn server(
    State(repository): State<ImplementationRepository>,
    client: Visitor,
    Path(name): Path<String>,
) -> Response {
    let Some(status) = repository.status(&name) else {
        return (StatusCode::NOT_FOUND, format!("there is no server {name:?}\n")).into_response();
    };
    let admitted = may_command(&repository, &client);
    let details = match admitted {
        // An activator may be silent; the other pages do not wait for it.
        true => {
            let (repository, name) = (repository.clone(), name.clone());
            spawn_blocking(move || details(&repository, &name)).await
        }
        false => None,
    };
    let service = "implementation repository";
    let frame = Page { service, title: &name, here: "", links: LINKS };
    let page = page(
        &frame,
        html! {
            h1 { (name) }
            div #live {
                (facts([
                    ("Stage", html! {
                        strong class=(class(status.stage)) { (status.stage.to_string()) }
                    }),
                    ("Waiting", counted(status.waiting as u64, "client")),
                    ("Forwarded", counted(status.forwards, "request")),
                    ("Failures", html! { @if status.failures > 0 { (status.failures) } }),
                ]))
                @if let Some(reason) = &status.reason { p.message role="alert" { (reason) } }
                @if !status.runs.is_empty() {
                    (table(&["Process", "Stage", "Host", "Address", "Client"],
                        status.runs.iter().map(process)))
                }
            }
            @if admitted {
                div #commands data-live { (commands(&name, &status)) }
                div #details data-live { (details.unwrap_or_default()) }
            }
        },
    );
    page.into_response()
}

/// What a server has written, and its definition.
fn details(repository: &ImplementationRepository, name: &str) -> Markup {
    let written = |stream| repository.reference().log(name, stream, SHOWN).unwrap_or_default();
    html! {
        @for (title, stream) in
            [("Standard error", LogStream::Errors), ("Standard output", LogStream::Output)] {
            @let text = written(stream);
            @if !text.is_empty() {
                h2 { (title) }
                pre { (String::from_utf8_lossy(&text)) }
            }
        }
        h2 { "Definition" }
        pre { (repository.reference().definition(name).unwrap_or_default()) }
    }
}

/// A number of things; nothing if there are none.
fn counted(count: u64, what: &str) -> Markup {
    html! { @if count > 0 { (count) " " (what) @if count != 1 { "s" } } }
}

/// A process in the list of a server's page.
fn process(run: &Run) -> Vec<Markup> {
    let address = run.endpoint.as_deref().map(Engine::address_of).unwrap_or_default();
    vec![
        html! { (run.process.map(|process| process.to_string()).unwrap_or_default()) },
        html! { (run.stage.to_string()) },
        html! { (run.host) },
        html! { (address) },
        html! { (run.client.as_deref().unwrap_or_default()) },
    ]
}

/// The buttons of operators. What ends processes says how many, and what clients get.
fn commands(name: &str, status: &Status) -> Markup {
    let runs = matches!(status.stage, ServerStage::Running | ServerStage::Replacing);
    let commands: &[&str] = if runs { &["replace", "restart", "stop"] } else { &["start", "stop"] };
    html! {
        div.buttons {
            @for command in commands {
                form data-send action={ "/servers/" (name) "/" (command) } method="post"
                    data-confirm=[question(name, command, status)] {
                    button { (command) }
                }
            }
        }
    }
}

/// What an operator is asked before a command, if it ends something.
fn question(name: &str, command: &str, status: &Status) -> Option<String> {
    let processes = match status.runs.len() {
        0 => "no process".to_owned(),
        1 => "1 process".to_owned(),
        count => format!("{count} processes"),
    };
    let waiting = match status.waiting {
        0 => String::new(),
        1 => " 1 client that waits is refused.".to_owned(),
        count => format!(" {count} clients that wait are refused."),
    };
    match command {
        "stop" => Some(format!(
            "Stop {name}? This ends {processes}; calls are refused until it is started.{waiting}"
        )),
        "restart" => {
            Some(format!("Restart {name}? This ends {processes}; clients wait meanwhile."))
        }
        _ => None,
    }
}

/// Whether a client is an operator: who is known, as the access of the page says; others by their
/// address.
fn may_command(repository: &ImplementationRepository, client: &Visitor) -> bool {
    client.may_change(|address| repository.admits(address.ip()))
}

async fn command(
    State(repository): State<ImplementationRepository>,
    client: Visitor,
    Path((name, command)): Path<(String, String)>,
) -> Response {
    if !may_command(&repository, &client) {
        let what = "operators work on the host of the implementation repository, or are the users \
                    that it was started with; see `--remote-operators` and `--operator-user`\n";
        return (StatusCode::FORBIDDEN, what).into_response();
    }
    let done = spawn_blocking(move || carry_out(&repository, &name, &command)).await;
    match done {
        Some(Some(Ok(()))) => StatusCode::NO_CONTENT.into_response(),
        Some(Some(Err(why))) => (StatusCode::CONFLICT, why + "\n").into_response(),
        Some(None) => StatusCode::NOT_FOUND.into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Gives a command to a server. `None` if there is no such command.
fn carry_out(
    repository: &ImplementationRepository,
    name: &str,
    command: &str,
) -> Option<Result<(), String>> {
    let to = repository.reference();
    Some(match command {
        "start" => to.start(name).map_err(|error| error.to_string()),
        "stop" => to.stop(name).map_err(|error| error.to_string()),
        "restart" => to.restart(name).map_err(|error| error.to_string()),
        "replace" => to.replace(name).map_err(|error| error.to_string()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Definition;
    use armilla::Orb;
    use std::net::SocketAddr;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// The status of the answer to a command, if it waits for nothing: if it is refused.
    fn status(repository: &ImplementationRepository, client: SocketAddr) -> Option<StatusCode> {
        let path = Path(("bank".to_owned(), "stop".to_owned()));
        let answer = command(State(repository.clone()), Visitor::at(client), path);
        match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Some(answer.status()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn clients_on_other_hosts_command_only_if_they_are_admitted() {
        let orb = || Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        // For documentation (RFC 5737): the address of no host.
        let addresses = ["192.0.2.1:1000", "127.0.0.1:1000"];
        let [far, near] = addresses.map(|text| text.parse::<SocketAddr>().unwrap());
        let builder = ImplementationRepository::builder;
        for (builder, of_far, of_near) in [
            (builder(), false, true),
            (builder().remote_operators(true), true, true),
            (builder().operator_user(0), false, false),
            (builder().operator_user(0).remote_operators(true), false, false),
        ] {
            let orb = orb();
            let repository = builder.serve(&orb).unwrap();
            repository.define(Definition::new("bank"), false).unwrap();
            for (client, expected) in [(far, of_far), (near, of_near)] {
                assert_eq!(repository.admits(client.ip()), expected, "{client}");
                if !expected {
                    assert_eq!(status(&repository, client), Some(StatusCode::FORBIDDEN));
                }
            }
            orb.shutdown();
        }
    }
}
