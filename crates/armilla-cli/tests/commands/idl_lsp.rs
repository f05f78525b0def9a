//! `armilla idl lsp` as an editor meets it: JSON-RPC over the pipes of the process.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    directory: PathBuf,
    requests: i64,
}

impl Editor {
    /// Starts a server for a directory with a file in a search path.
    fn start(name: &str) -> Self {
        let mut editor = Self::launch(name);
        editor.initialize();
        editor
    }

    fn initialize(&mut self) {
        let parameters = json!({
            "capabilities": {},
            "workspaceFolders": [{ "uri": self.uri(""), "name": "bells" }],
            "initializationOptions": { "includePaths": ["common"], "defines": ["LOUD=1"] },
        });
        let answer = self.request("initialize", parameters);
        assert_eq!(answer["capabilities"]["textDocumentSync"]["change"], 2);
        assert_eq!(answer["serverInfo"]["name"], "armilla");
        self.notify("initialized", json!({}));
    }

    fn launch(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp").join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("common")).unwrap();
        let tune = "// What a bell plays.\ntypedef sequence<short> Tune;\n";
        fs::write(directory.join("common/tune.idl"), tune).unwrap();
        let mut server = Command::new(env!("CARGO_BIN_EXE_armilla"))
            .args(["idl", "lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        Editor { server, input, output, directory, requests: 0 }
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.directory.join(file).display())
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Sends a request and gives its result; what else comes before it is dropped.
    fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Sends a request and gives the number of the error that answers it.
    fn refused(&mut self, method: &str, params: Value) -> i64 {
        self.answer(method, params)["error"]["code"].as_i64().unwrap()
    }

    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn open(&mut self, file: &str, text: &str) {
        let uri = self.uri(file);
        let document = json!({ "uri": uri, "languageId": "idl", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces what stands from one place to another, each a line and a column.
    fn edit(&mut self, file: &str, version: i64, from: [u32; 2], to: [u32; 2], text: &str) {
        let place = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": place(from), "end": place(to) }, "text": text });
        let document = json!({ "uri": self.uri(file), "version": version });
        let parameters = json!({ "textDocument": document, "contentChanges": [change] });
        self.notify("textDocument/didChange", parameters);
    }

    /// The diagnostics of `file` that come next.
    fn diagnostics(&mut self, file: &str) -> Vec<Value> {
        let uri = self.uri(file);
        loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
            {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn ask(&mut self, method: &str, file: &str, [line, character]: [u32; 2]) -> Value {
        let position = json!({ "line": line, "character": character });
        let document = json!({ "uri": self.uri(file) });
        self.request(method, json!({ "textDocument": document, "position": position }))
    }

    fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let (status, printed) = self.leave();
        assert_eq!(status, Some(0), "{printed}");
    }

    /// Closes the pipe; gives the exit status of the server and what it wrote to standard error.
    fn leave(self) -> (Option<i32>, String) {
        drop(self.input);
        let output = self.server.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

const BELL: &str = "#include <tune.idl>
#ifdef LOUD
interface Bell {
  // Rings.
  void ring(in Tune what);
};
#endif
";

#[test]
fn errors_have_codes_and_disappear_when_fixed() {
    let mut editor = Editor::start("errors");
    editor.open("bell.idl", &BELL.replace("};", "  void ring();\n};"));
    let found = editor.diagnostics("bell.idl");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["code"], "E0403");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["range"]["start"], json!({ "line": 5, "character": 7 }));
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["message"], "first declared here");
    assert_eq!(related["location"]["range"]["start"]["line"], 4);
    editor.edit("bell.idl", 2, [5, 7], [5, 11], "stop");
    assert!(editor.diagnostics("bell.idl").is_empty());
    editor.end();
}

#[test]
fn a_name_has_hover_text_and_a_definition() {
    let mut editor = Editor::start("names");
    editor.open("bell.idl", BELL);
    let hover = editor.ask("textDocument/hover", "bell.idl", [4, 8]);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("void ring(in Tune what)"), "{text}");
    assert!(text.contains("Bell::ring — `IDL:Bell/ring:1.0`"), "{text}");
    assert!(text.contains("Rings."), "{text}");
    let hover = editor.ask("textDocument/hover", "bell.idl", [4, 17]);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("typedef sequence<short> Tune"), "{text}");
    assert!(text.contains("`IDL:Tune:1.0`") && text.contains("What a bell plays."), "{text}");
    let place = editor.ask("textDocument/definition", "bell.idl", [4, 17]);
    assert_eq!(place["uri"], editor.uri("common/tune.idl").as_str());
    assert_eq!(place["range"]["start"], json!({ "line": 1, "character": 24 }));
    let place = editor.ask("textDocument/definition", "bell.idl", [0, 12]);
    assert_eq!(place["uri"], editor.uri("common/tune.idl").as_str(), "of the included file");
    assert!(editor.ask("textDocument/hover", "bell.idl", [2, 1]).is_null(), "a keyword");
    editor.end();
}

#[test]
fn an_open_document_replaces_its_file() {
    let mut editor = Editor::start("shadow");
    editor.open("bell.idl", BELL);
    assert!(editor.diagnostics("bell.idl").is_empty());
    editor.open("common/tune.idl", "typedef long Melody;\n");
    let found = editor.diagnostics("bell.idl");
    assert_eq!(found[0]["code"], "E0401", "{found:#?}");
    let closed = json!({ "textDocument": { "uri": editor.uri("common/tune.idl") } });
    editor.notify("textDocument/didClose", closed);
    assert!(editor.diagnostics("bell.idl").is_empty());
    editor.end();
}

#[test]
fn an_error_in_an_included_file_appears_at_the_directive() {
    let mut editor = Editor::start("included");
    fs::write(editor.directory.join("common/tune.idl"), "\ntypedef Note Tune;\n").unwrap();
    editor.open("bell.idl", BELL);
    let found = editor.diagnostics("bell.idl");
    assert_eq!(found[0]["range"]["start"]["line"], 0);
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("tune.idl:2: `Note` is not declared"), "{message}");
    let place = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(place["uri"], editor.uri("common/tune.idl").as_str());
    editor.end();
}

#[test]
fn a_document_has_an_outline_and_can_be_formatted_while_it_has_errors() {
    let mut editor = Editor::start("outline");
    editor.open("bell.idl", "module M{interface Bell{void ring(in Nothing n);};};");
    let document = json!({ "textDocument": { "uri": editor.uri("bell.idl") } });
    let symbols = editor.request("textDocument/documentSymbol", document.clone());
    assert_eq!(symbols[0]["name"], "M");
    assert_eq!(symbols[0]["children"][0]["children"][0]["name"], "ring");
    let mut parameters = document.clone();
    parameters["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.request("textDocument/formatting", parameters.clone());
    let formatted = "module M {\n  interface Bell {\n    void ring(in Nothing n);\n  };\n};\n";
    assert_eq!(edits[0]["newText"], formatted);
    editor.edit("bell.idl", 2, [0, 0], [0, 52], formatted);
    assert_eq!(editor.request("textDocument/formatting", parameters), json!([]));
    editor.end();
}

#[test]
fn hover_works_while_the_text_has_errors() {
    let mut editor = Editor::start("writing");
    editor.open("bell.idl", BELL);
    assert!(editor.diagnostics("bell.idl").is_empty());
    editor.edit("bell.idl", 2, [5, 0], [5, 0], "  void more(in Tune\n");
    let hover = editor.ask("textDocument/hover", "bell.idl", [5, 16]);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("`IDL:Tune:1.0`"), "{text}");
    editor.end();
}

#[test]
fn requests_before_initialize_fail_and_initialize_may_be_repeated() {
    let mut editor = Editor::launch("early");
    assert_eq!(editor.refused("textDocument/hover", json!({})), -32002);
    assert_eq!(editor.refused("initialize", json!({ "capabilities": 17 })), -32602);
    editor.initialize();
    assert_eq!(editor.refused("initialize", json!({ "capabilities": {} })), -32600);
    editor.end();
}

#[test]
fn invalid_notifications_are_ignored() {
    let mut editor = Editor::start("senseless");
    editor.notify("textDocument/didOpen", json!({}));
    editor.notify("textDocument/didChange", json!({ "textDocument": { "uri": "not a uri" } }));
    editor.notify("textDocument/didClose", Value::Null);
    editor.edit("never_opened.idl", 1, [0, 0], [9, 9], "x");
    editor.open("bell.idl", BELL);
    assert!(editor.diagnostics("bell.idl").is_empty());
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    let (status, printed) = editor.leave();
    assert_eq!(status, Some(0), "{printed}");
    for what in ["didOpen: missing field", "ignored textDocument/didChange", "didClose: "] {
        assert!(printed.contains(what), "{printed}");
    }
}

#[test]
fn requests_after_shutdown_are_rejected() {
    let mut editor = Editor::start("shutdown");
    editor.request("shutdown", Value::Null);
    assert_eq!(editor.refused("textDocument/hover", json!({})), -32600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.leave(), (Some(0), String::new()));
}

#[test]
fn exit_without_shutdown_has_status_1() {
    let mut editor = Editor::start("exit");
    editor.notify("exit", Value::Null);
    assert_eq!(editor.leave(), (Some(1), String::new()));
}

#[test]
fn an_invalid_message_ends_the_server_with_an_error() {
    let mut editor = Editor::start("garbage");
    write!(editor.input, "Content-Length: 5\r\n\r\n{{\"a:}}").unwrap();
    let (status, printed) = editor.leave();
    assert_eq!(status, Some(1));
    assert!(printed.contains("malformed LSP payload"), "{printed}");
}
