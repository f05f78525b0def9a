//! `armilla call`: how arguments of every kind are written, and what comes back.

use armilla::dynamic::{DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{ObjectId, Orb, SystemException, TypeCode};
use serde_json::Value;
use std::borrow::Cow;
use std::process::{Command, Output};

const IDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/echoes.idl");

/// Returns the only argument of each operation.
struct Echo;

impl DynamicServant for Echo {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Echoes/Echo:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let code = match request.operation() {
            "wide" => TypeCode::WString(0),
            "letter" => TypeCode::WChar,
            "all" => TypeCode::sequence(TypeCode::String(0), 0),
            _ => TypeCode::Any,
        };
        let arguments = request.arguments([(ParameterMode::In, code)])?;
        let value = arguments[0].value().cloned().unwrap_or_default();
        request.set_result(value)
    }
}

/// A server with an echo.
struct Server {
    orb: Orb,
    echo: String,
}

impl Server {
    fn new(options: &[&str]) -> Self {
        let options = options.iter().map(ToString::to_string);
        let builder = Orb::builder().arguments(options).unwrap();
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let echo = orb.root_poa().activate(serve(Echo)).unwrap();
        let echo = orb.object_to_string(&echo).unwrap();
        Self { orb, echo }
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
        command.args(["call", &self.echo, "--idl", IDL]).args(arguments).output().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}

/// What is printed when all is well.
fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// What is said when something is wrong.
fn said(output: Output) -> String {
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn lone_surrogates_are_escapes_of_json_for_an_orb_that_carries_them() {
    let carries = ["-ORBLoneSurrogates", "1"];
    let server = Server::new(&carries);
    for (operation, argument, printed_text) in [
        ("wide", r#"["a\ud83eb"]"#, r#""a\ud83eb""#),
        ("letter", r#""\udd80""#, r#""\udd80""#),
        ("wide", r#""\ud83e\udd80""#, "\"\u{1f980}\""),
    ] {
        let output = server.call(&[&[operation, argument], &carries[..]].concat());
        assert_eq!(printed(output), format!("{printed_text}\n"));
    }
    let refused = said(server.call(&["wide", r#"["a\ud83eb"]"#]));
    assert!(refused.contains("-ORBLoneSurrogates 1"), "{refused}");
    let server = Server::new(&[]);
    let refused = said(server.call(&["wide", r#"["a\ud83eb"]"#, carries[0], carries[1]]));
    assert!(refused.contains("0xd83e") && refused.contains("lone_surrogates"), "{refused}");
}

#[test]
fn the_type_of_an_any_is_a_scoped_name_a_repository_id_or_idl() {
    let server = Server::new(&[]);
    for (ty, value, name) in [
        ("Echoes::Longs", "[1,2]", "Echoes::Longs"),
        ("::Echoes::Longs", "[1,2]", "Echoes::Longs"),
        ("Longs", "[1,2]", "Echoes::Longs"),
        ("IDL:Echoes/Longs:1.0", "[1,2]", "Echoes::Longs"),
        ("sequence<long>", "[1,2]", "sequence<long>"),
        ("Echoes::State[2]", r#"["ON","OFF"]"#, "Echoes::State[2]"),
        ("sequence<Echoes::Longs,2>", "[[1],[2,3]]", "sequence<Echoes::Longs, 2>"),
        ("Echoes::State", r#""OFF""#, "Echoes::State"),
        ("CORBA::TypeCode", r#""sequence<string<4>>""#, "TypeCode"),
        ("CORBA::Object", "null", "Object"),
        ("Echoes::Echo", "null", "Echoes::Echo"),
    ] {
        let argument = format!(r#"{{"$type": "{ty}", "$value": {value}}}"#);
        let result: Value =
            serde_json::from_str(&printed(server.call(&["whole", &argument]))).unwrap();
        // The result can be given as an argument again.
        assert_eq!(result["$type"], name, "{ty}");
        assert_eq!(result["$value"].to_string(), value, "{ty}");
    }
    let unknown = said(server.call(&["whole", r#"{"$type": "Echoes::Lungs", "$value": 1}"#]));
    assert!(unknown.contains("Echoes::Lungs"), "{unknown}");
    let help =
        Command::new(env!("CARGO_BIN_EXE_armilla")).args(["call", "--help"]).output().unwrap();
    assert!(
        text(&help.stdout).contains(r#"{"$type": "Tango::DevVarLongArray", "$value": [1, 2]}"#)
    );
}

#[test]
fn a_list_is_read_by_the_type_of_the_parameter() {
    let server = Server::new(&[]);
    for argument in [r#"["xy"]"#, r#"[["xy"]]"#, r#"{"given": ["xy"]}"#] {
        let result: Value =
            serde_json::from_str(&printed(server.call(&["all", argument]))).unwrap();
        assert_eq!(result, serde_json::json!(["xy"]), "{argument}");
    }
    assert_eq!(printed(server.call(&["wide", r#"["xy"]"#])), "\"xy\"\n");
}

#[test]
fn wrong_arguments_are_named_with_what_was_due() {
    let server = Server::new(&[]);
    for (arguments, wrong) in [
        (vec!["two", "[1]"], "one argument was given"),
        (vec!["two", r#"{"count": 1}"#], r#"the argument "factor" is missing"#),
        (vec!["two", r#"{"count": 1, "fact": 2}"#], r#"there is no parameter "fact""#),
        (vec!["two", r#"[1.5, 2]"#], "count: expected an integer, not 1.5"),
        (vec!["two"], "the arguments are missing"),
    ] {
        let output = server.call(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let refused = said(output);
        assert!(refused.contains(wrong), "{refused}");
        assert!(refused.contains("two takes the arguments (long count, double factor)"));
    }
    for (value, wrong) in [
        (r#"{"$type": "float", "$value": 1e39}"#, "1e+39 is out of range"),
        (r#"{"$type": "long", "$value": 1, "x": 2}"#, r#""x" is neither $type nor $value"#),
        (r#"{"$type": "long"}"#, "expected an object with $type and $value"),
        (r#"[1, 2]"#, "or an object with $type and $value, not an array of 2"),
    ] {
        let refused = said(server.call(&["whole", value]));
        assert!(refused.contains(wrong), "{refused}");
    }
    let readonly = said(server.call(&["size=5"]));
    assert!(readonly.contains(r#"the attribute "size" is readonly"#), "{readonly}");
}

#[test]
fn an_interface_is_found_by_its_last_name() {
    let server = Server::new(&[]);
    let offered = printed(server.call(&["--interface", "Echo_5"]));
    assert!(offered.contains("nothing"), "{offered}");
    let unknown = said(server.call(&["--interface", "Echo_6"]));
    assert!(unknown.contains("it declares ::Echoes::Echo_5, ::Echoes::Echo"), "{unknown}");
}

#[test]
fn without_a_repository_the_idl_is_asked_for() {
    let server = Server::new(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["call", &server.echo, "whole", "1"])
        .output()
        .unwrap();
    let refused = said(output);
    assert!(refused.contains("--idl FILE"), "{refused}");
}
