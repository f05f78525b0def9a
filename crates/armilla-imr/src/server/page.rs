//! The web page: the servers with what they do, each with its definition, its processes and its
//! logs, and the commands of operators.

use crate::corba::{LogStream, Repository};
use crate::model::{Run, ServerStage, Status};
use crate::servant::ImplementationRepository;
use armilla_service::axum::Router;
use armilla_service::axum::extract::{Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::page::{Page, page};
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
                    table {
                        thead { tr {
                            th { "Server" } th { "Stage" } th { "Process" } th { "Waiting" }
                            th { "Starts" } th { "Failures" } th { "Last failure" }
                        } }
                        tbody {
                            @for (name, status) in &servers {
                                tr {
                                    td { a href={ "/servers/" (name) } { (name) } }
                                    td { (status.stage.to_string()) }
                                    td { (processes(status)) }
                                    td { (status.waiting) }
                                    td { (status.starts) }
                                    td { (status.failures) }
                                    td { (status.reason.as_deref().unwrap_or_default()) }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// The numbers of the processes of a server.
fn processes(status: &Status) -> String {
    let numbers = status.runs.iter().filter_map(|run| run.process);
    numbers.map(|process| process.to_string()).collect::<Vec<_>>().join(", ")
}

async fn server(
    State(repository): State<ImplementationRepository>,
    Path(name): Path<String>,
) -> Response {
    let Some(status) = repository.status(&name) else {
        return (StatusCode::NOT_FOUND, format!("there is no server {name:?}\n")).into_response();
    };
    let definition = repository.reference().definition(&name).unwrap_or_default();
    let errors = repository.reference().log(&name, LogStream::Errors, SHOWN).unwrap_or_default();
    let output = repository.reference().log(&name, LogStream::Output, SHOWN).unwrap_or_default();
    let service = "implementation repository";
    let frame = Page { service, title: &name, here: "", links: LINKS };
    let page = page(
        &frame,
        html! {
            h1 { (name) }
            div #live {
                p { strong { (status.stage.to_string()) } ", " (status.waiting) " clients wait, "
                    (status.forwards) " requests were forwarded" }
                @if let Some(reason) = &status.reason { p role="alert" { (reason) } }
                @for run in &status.runs { (process(run)) }
            }
            (commands(&name, status.stage))
            h2 { "Standard error" }
            pre { (String::from_utf8_lossy(&errors)) }
            h2 { "Standard output" }
            pre { (String::from_utf8_lossy(&output)) }
            h2 { "Definition" }
            pre { (definition) }
        },
    );
    page.into_response()
}

fn process(run: &Run) -> Markup {
    html! {
        p { "process " (run.process.map(|process| process.to_string()).unwrap_or_default())
            " on " (run.host) ": " (run.stage.to_string())
            @if let Some(client) = &run.client { " for " (client) } }
    }
}

/// The buttons of operators.
fn commands(name: &str, stage: ServerStage) -> Markup {
    let runs = matches!(stage, ServerStage::Running | ServerStage::Replacing);
    let commands: &[&str] = if runs { &["replace", "restart", "stop"] } else { &["start", "stop"] };
    html! {
        @for command in commands {
            form data-send action={ "/servers/" (name) "/" (command) } method="post" {
                button { (command) }
            }
        }
    }
}

async fn command(
    State(repository): State<ImplementationRepository>,
    Path((name, command)): Path<(String, String)>,
) -> Response {
    let to = repository.reference();
    let done = match command.as_str() {
        "start" => to.start(&name).map_err(|error| error.to_string()),
        "stop" => to.stop(&name).map_err(|error| error.to_string()),
        "restart" => to.restart(&name).map_err(|error| error.to_string()),
        "replace" => to.replace(&name).map_err(|error| error.to_string()),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match done {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(why) => (StatusCode::CONFLICT, why + "\n").into_response(),
    }
}
