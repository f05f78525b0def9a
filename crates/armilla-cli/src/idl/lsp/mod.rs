//! `armilla idl lsp`: a language server over standard input and output.
//!
//! One thread does everything. Changes of documents are taken in at once, and compiled when no
//! message has come for a moment; requests are answered from the text as it is and from the last
//! compilation without errors, so that they have answers while the text is being written.
//!
//! `documents` holds the texts, `diagnostics` and `answers` make what the editor is told, `uri` and
//! `position` translate how the protocol names files and places.

mod answers;
mod diagnostics;
mod documents;
mod position;
mod uri;

use super::Input;
use crate::failure::{Failure, Outcome};
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

/// What `armilla idl lsp` is told. An editor may add to it by the initialization options
/// `includePaths` and `defines`, lists of strings.
#[derive(Debug, clap::Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    input: Input,
}

/// How long no message must come before changed documents are compiled.
const QUIET: Duration = Duration::from_millis(150);

pub(super) fn run(arguments: &Lsp) -> Outcome {
    let (connection, threads) = Connection::stdio();
    let end = serve(&connection, arguments)?;
    drop(connection);
    // What cannot be read as a message ends the reading thread, and it says what that was.
    threads.join()?;
    match end {
        End::Orderly => Ok(()),
        End::Abrupt => Err(Failure::Told),
        End::Gone => Err(Failure::because("the editor is gone")),
    }
}

/// How an editor leaves.
enum End {
    /// It sent `shutdown`, then `exit`.
    Orderly,
    /// It sent `exit` only.
    Abrupt,
    /// It sends nothing any more.
    Gone,
}

fn serve(connection: &Connection, arguments: &Lsp) -> Outcome<End> {
    let Some(parameters) = initialize(connection)? else { return Ok(End::Gone) };
    let options = with_client_options(&arguments.input, &parameters).options();
    let documents = Documents::new(options);
    let mut server = Server { connection, documents, changed: false, shut: false };
    loop {
        let message = if server.changed {
            match connection.receiver.recv_timeout(QUIET) {
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
                let response = server.answer(request);
                server.send(response.into())?;
            }
            Some(Message::Notification(notification)) if notification.method == Exit::METHOD => {
                return Ok(if server.shut { End::Orderly } else { End::Abrupt });
            }
            Some(Message::Notification(notification)) => server.notice(notification)?,
            Some(Message::Response(_)) => {}
            None => return Ok(End::Gone),
        }
    }
}

/// Waits for the request that comes first and answers it; `None` if the editor leaves before. Other
/// requests are told to wait. The notification `initialized` is not waited for: it says nothing.
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
                let what = "initialize has to come first".to_owned();
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

/// The command line and what the editor adds to it. Relative paths of the editor begin in the first
/// folder of its workspace.
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
    /// Whether something changed since the last compilation.
    changed: bool,
    /// Whether the editor said that it is about to leave.
    shut: bool,
}

fn send(connection: &Connection, message: Message) -> Outcome {
    let sent = connection.sender.send(message);
    sent.map_err(|_| Failure::because("the editor does not listen any more"))
}

fn invalid(id: RequestId, error: &serde_json::Error) -> Response {
    Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
}

impl Server<'_> {
    fn send(&self, message: Message) -> Outcome {
        send(self.connection, message)
    }

    /// Takes a notification in. Nothing answers one, so what makes no sense goes to the log, which
    /// editors show.
    fn notice(&mut self, notification: Notification) -> Outcome {
        let Notification { method, params } = notification;
        let documents = &mut self.documents;
        let closed = match method.as_str() {
            DidOpenTextDocument::METHOD => taken(params, |p| documents.open(p)).map(|()| None),
            DidChangeTextDocument::METHOD => taken(params, |p| documents.change(p)).map(|()| None),
            DidCloseTextDocument::METHOD => taken(params, |p| documents.close(p)),
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => Ok(None),
            _ => return Ok(()),
        };
        match closed {
            Ok(Some(uri)) => self.publish(uri, Vec::new(), None)?,
            Ok(None) => {}
            Err(error) => {
                eprintln!("warning: {method} is left out: {error}");
                return Ok(());
            }
        }
        self.changed = true;
        Ok(())
    }

    /// Compiles every open document, for a change of one may matter to all that include it.
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

    fn answer(&mut self, request: Request) -> Response {
        if self.changed && matches!(&*request.method, HoverRequest::METHOD | GotoDefinition::METHOD)
        {
            // What is asked about may have been written just now.
            self.documents.refresh();
        }
        let Request { id, method, params } = request;
        if self.shut {
            let what = "shutdown has come before; only exit may follow".to_owned();
            return Response::new_err(id, ErrorCode::InvalidRequest as i32, what);
        }
        let documents = &self.documents;
        let answer = match method.as_str() {
            HoverRequest::METHOD => parsed(params, |p| answers::hover(documents, p)),
            GotoDefinition::METHOD => parsed(params, |p| answers::definition(documents, p)),
            DocumentSymbolRequest::METHOD => parsed(params, |p| answers::symbols(documents, p)),
            Formatting::METHOD => parsed(params, |p| answers::formatting(documents, p)),
            Shutdown::METHOD => {
                self.shut = true;
                Ok(Value::Null)
            }
            Initialize::METHOD => {
                let what = "initialize has come before".to_owned();
                return Response::new_err(id, ErrorCode::InvalidRequest as i32, what);
            }
            _ => {
                let what = format!("there is no method {method}");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, what);
            }
        };
        match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => invalid(id, &error),
        }
    }
}

fn parsed<P: DeserializeOwned, R: serde::Serialize>(
    parameters: Value,
    answer: impl FnOnce(P) -> R,
) -> serde_json::Result<Value> {
    serde_json::to_value(taken(parameters, answer)?)
}

fn taken<P: DeserializeOwned, R>(
    parameters: Value,
    take: impl FnOnce(P) -> R,
) -> serde_json::Result<R> {
    serde_json::from_value(parameters).map(take)
}
