//! `armilla idl lsp`: a language server over standard input and output.
//!
//! One thread handles all messages. It applies changes of documents at once, and compiles when no
//! message has arrived for a moment. It answers requests from the current text and the last
//! compilation without errors, so that an editor gets answers while the user is typing.
//!
//! `documents` holds the texts, `diagnostics` and `answers` make the messages for the editor, `uri`
//! and `position` translate the protocol's file names and positions.

mod answers;
mod diagnostics;
mod documents;
mod position;
mod uri;

use super::Input;
use armilla_terminal::{Failure, Outcome};
use documents::Documents;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Exit, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest, Initialize, Request as _,
    Shutdown,
};
use lsp_types::{
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, PublishDiagnosticsParams,
    SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of `armilla idl lsp`. An editor may add to them with the initialization options
/// `includePaths` and `defines`, lists of strings.
#[derive(Debug, clap::Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    input: Input,
}

/// How long the editor must send nothing before the server compiles changed documents.
const DEBOUNCE: Duration = Duration::from_millis(150);

pub(super) fn run(arguments: &Lsp) -> Outcome {
    let (connection, threads) = Connection::stdio();
    let end = serve(&connection, arguments)?;
    drop(connection);
    // An invalid message ends the reading thread, which returns the error.
    threads.join()?;
    match end {
        End::Shutdown => Ok(()),
        End::ExitOnly => Err(Failure::Reported),
        End::Disconnected => Err(Failure::because("the editor closed the connection")),
    }
}

/// How the session ended.
enum End {
    /// The editor sent `shutdown`, then `exit`.
    Shutdown,
    /// The editor sent `exit` without `shutdown`.
    ExitOnly,
    /// The editor closed the connection.
    Disconnected,
}

fn serve(connection: &Connection, arguments: &Lsp) -> Outcome<End> {
    let Some(parameters) = initialize(connection)? else { return Ok(End::Disconnected) };
    let options = with_client_options(&arguments.input, &parameters).options();
    let documents = Documents::new(options);
    let mut server = Server { connection, documents, changed: false, shut_down: false };
    loop {
        let message = if server.changed {
            match connection.receiver.recv_timeout(DEBOUNCE) {
                Err(error) if error.is_timeout() => {
                    server.compile()?;
                    continue;
                }
                message => message.ok(),
            }
        } else {
            connection.receiver.recv().ok()
        };
        match message {
            Some(Message::Request(request)) => {
                let response = server.handle_request(request);
                server.send(response.into())?;
            }
            Some(Message::Notification(notification)) if notification.method == Exit::METHOD => {
                return Ok(if server.shut_down { End::Shutdown } else { End::ExitOnly });
            }
            Some(Message::Notification(notification)) => {
                server.handle_notification(notification)?
            }
            Some(Message::Response(_)) => {}
            None => return Ok(End::Disconnected),
        }
    }
}

/// Waits for the request `initialize` and answers it; `None` if the editor exits before. Other
/// requests get an error. The function does not wait for the notification `initialized`, which
/// carries nothing.
fn initialize(connection: &Connection) -> Outcome<Option<InitializeParams>> {
    for message in &connection.receiver {
        let (response, parameters) = match message {
            Message::Request(Request { id, method, params }) if method == Initialize::METHOD => {
                match serde_json::from_value(params) {
                    Ok(parameters) => {
                        let result = InitializeResult {
                            capabilities: capabilities(),
                            server_info: Some(ServerInfo {
                                name: "armilla".to_owned(),
                                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                            }),
                        };
                        (Response::new_ok(id, result), Some(parameters))
                    }
                    Err(error) => (invalid(id, &error), None),
                }
            }
            Message::Request(Request { id, .. }) => {
                let what = "expected initialize first".to_owned();
                (Response::new_err(id, ErrorCode::ServerNotInitialized as i32, what), None)
            }
            Message::Notification(notification) if notification.method == Exit::METHOD => break,
            _ => continue,
        };
        send(connection, response.into())?;
        if parameters.is_some() {
            return Ok(parameters);
        }
    }
    Ok(None)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(SaveOptions::default().into()),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

/// The options of the command line and of the editor. Relative paths of the editor start at the
/// first folder of its workspace.
fn with_client_options(input: &Input, parameters: &InitializeParams) -> Input {
    let folders = parameters.workspace_folders.as_deref().unwrap_or_default();
    let root = folders.first().and_then(|folder| uri::to_path(&folder.uri)).unwrap_or_default();
    let options = parameters.initialization_options.as_ref();
    let strings = |name: &str| {
        let list = options.and_then(|options| options.get(name)).and_then(Value::as_array);
        let strings = list.into_iter().flatten().filter_map(Value::as_str);
        strings.map(str::to_owned).collect::<Vec<_>>()
    };
    let include = strings("includePaths").into_iter().map(|path| root.join(path));
    let own = input.include.iter().map(|path| std::path::absolute(path).unwrap_or(path.clone()));
    Input {
        include: own.chain(include).collect::<Vec<PathBuf>>(),
        define: [input.define.clone(), strings("defines")].concat(),
        ..input.clone()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    documents: Documents,
    /// Whether a document changed since the last compilation.
    changed: bool,
    /// Whether the editor has sent `shutdown`.
    shut_down: bool,
}

fn send(connection: &Connection, message: Message) -> Outcome {
    let sent = connection.sender.send(message);
    sent.map_err(|_| Failure::because("the editor closed the connection"))
}

fn invalid(id: RequestId, error: &serde_json::Error) -> Response {
    Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
}

impl Server<'_> {
    fn send(&self, message: Message) -> Outcome {
        send(self.connection, message)
    }

    /// Applies a notification. A notification has no response, so errors go to standard error,
    /// which editors show as a log.
    fn handle_notification(&mut self, notification: Notification) -> Outcome {
        let Notification { method, params } = notification;
        let documents = &mut self.documents;
        let closed = match method.as_str() {
            DidOpenTextDocument::METHOD => {
                with_parameters(params, |p| documents.open(p)).map(|()| None)
            }
            DidChangeTextDocument::METHOD => {
                with_parameters(params, |p| documents.change(p)).map(|()| None)
            }
            DidCloseTextDocument::METHOD => with_parameters(params, |p| documents.close(p)),
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => Ok(None),
            _ => return Ok(()),
        };
        match closed {
            Ok(Some(uri)) => self.publish(uri, Vec::new(), None)?,
            Ok(None) => {}
            Err(error) => {
                eprintln!("warning: ignored {method}: {error}");
                return Ok(());
            }
        }
        self.changed = true;
        Ok(())
    }

    /// Compiles every open document, because a change of one may affect all that include it.
    fn compile(&mut self) -> Outcome {
        self.changed = false;
        for (document, diagnostics) in self.documents.compile() {
            self.publish(document.uri, diagnostics, Some(document.version))?;
        }
        Ok(())
    }

    fn publish(
        &self,
        uri: Uri,
        diagnostics: Vec<lsp_types::Diagnostic>,
        version: Option<i32>,
    ) -> Outcome {
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        let method = PublishDiagnostics::METHOD.to_owned();
        self.send(Notification::new(method, parameters).into())
    }

    fn handle_request(&mut self, request: Request) -> Response {
        if self.changed && matches!(&*request.method, HoverRequest::METHOD | GotoDefinition::METHOD)
        {
            // The request may be about text that has just been typed.
            self.documents.refresh();
        }
        let Request { id, method, params } = request;
        if self.shut_down {
            let what = "only exit may follow shutdown".to_owned();
            return Response::new_err(id, ErrorCode::InvalidRequest as i32, what);
        }
        let documents = &self.documents;
        let answer = match method.as_str() {
            HoverRequest::METHOD => to_json(params, |p| answers::hover(documents, p)),
            GotoDefinition::METHOD => to_json(params, |p| answers::definition(documents, p)),
            DocumentSymbolRequest::METHOD => to_json(params, |p| answers::symbols(documents, p)),
            Formatting::METHOD => to_json(params, |p| answers::formatting(documents, p)),
            Shutdown::METHOD => {
                self.shut_down = true;
                Ok(Value::Null)
            }
            Initialize::METHOD => {
                let what = "the server is initialized already".to_owned();
                return Response::new_err(id, ErrorCode::InvalidRequest as i32, what);
            }
            _ => {
                let what = format!("unknown method {method}");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, what);
            }
        };
        match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => invalid(id, &error),
        }
    }
}

/// Parses the parameters of a request, and returns the answer as JSON.
fn to_json<P: DeserializeOwned, R: serde::Serialize>(
    parameters: Value,
    answer: impl FnOnce(P) -> R,
) -> serde_json::Result<Value> {
    serde_json::to_value(with_parameters(parameters, answer)?)
}

/// Parses parameters and passes them to `apply`.
fn with_parameters<P: DeserializeOwned, R>(
    parameters: Value,
    apply: impl FnOnce(P) -> R,
) -> serde_json::Result<R> {
    serde_json::from_value(parameters).map(apply)
}
