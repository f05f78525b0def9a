//! The web page: the servers with what they do, each with its definition, its processes and its
//! logs, and the commands of operators. Only operators see more than what servers do.

use crate::corba::{LogStream, Repository};
use crate::model::{Run, ServerStage, Status};
use crate::servant::ImplementationRepository;
use armilla_service::axum::Router;
use armilla_service::axum::extract::{ConnectInfo, Path, State};
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::response::{Html, IntoResponse, Response};
use armilla_service::axum::routing::{get, post};
use armilla_service::page::{Page, page};
use armilla_service::spawn_blocking;
use maud::{Markup, html};
use std::net::SocketAddr;

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
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    Path(name): Path<String>,
) -> Response {
    let Some(status) = repository.status(&name) else {
        return (StatusCode::NOT_FOUND, format!("there is no server {name:?}\n")).into_response();
    };
    let admitted = repository.admits(client.ip());
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
                p { strong { (status.stage.to_string()) } ", " (status.waiting) " clients wait, "
                    (status.forwards) " requests were forwarded" }
                @if let Some(reason) = &status.reason { p role="alert" { (reason) } }
                @for run in &status.runs { (process(run)) }
            }
            @if admitted {
                div #commands data-live { (commands(&name, status.stage)) }
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
        h2 { "Standard error" }
        pre { (String::from_utf8_lossy(&written(LogStream::Errors))) }
        h2 { "Standard output" }
        pre { (String::from_utf8_lossy(&written(LogStream::Output))) }
        h2 { "Definition" }
        pre { (repository.reference().definition(name).unwrap_or_default()) }
    }
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
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    Path((name, command)): Path<(String, String)>,
) -> Response {
    if !repository.admits(client.ip()) {
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
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// The status of the answer to a command, if it waits for nothing: if it is refused.
    fn status(repository: &ImplementationRepository, client: SocketAddr) -> Option<StatusCode> {
        let path = Path(("bank".to_owned(), "stop".to_owned()));
        let answer = command(State(repository.clone()), ConnectInfo(client), path);
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
