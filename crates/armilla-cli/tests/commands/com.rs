//! `armilla com`: what objects of COM have, and calls by name.

use crate::running::Directory;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::flags;
use armilla_dcom::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeLibrary, passing,
};
use armilla_dcom::server::{Caller, Dispatched, Failure, Invocation, Object, Scriptable, Server};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

const CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e71");

/// A boiler with a pressure, which adds up and swaps.
struct Boiler(Mutex<f64>);

impl Scriptable for Boiler {
    fn member(&self, name: &str) -> Option<i32> {
        let place = ["Pressure", "Sum", "Swap"].iter().position(|it| it.eq_ignore_ascii_case(name));
        i32::try_from(place? + 1).ok()
    }

    fn description(&self) -> Option<Arc<TypeLibrary>> {
        let both = passing::IN | passing::OUT;
        let texts = ["left", "right"].map(|name| Parameter::out(name, Type::BSTR, both));
        let functions = vec![
            Function::get(1, "Pressure", Type::R8),
            Function::put(1, "Pressure", Type::R8),
            Function::method(2, "Sum", vec![Parameter::new("all", Type::R8.array())], Type::R8),
            Function::method(3, "Swap", texts.to_vec(), Type::VOID),
        ];
        let boiler = TypeDescription::dispatch("Boiler", CLASS, functions);
        Some(Arc::new(TypeLibrary::new("Boilers", CLASS, vec![boiler])))
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let mut pressure = self.0.lock().unwrap();
        match (invocation.member, invocation.flags) {
            (1, flags::PUT) => {
                // A number of this type alone.
                let [Variant::R8(new)] = invocation.arguments[..] else {
                    return Err(Status::TYPE_MISMATCH.into());
                };
                *pressure = new;
            }
            (1, _) => return Ok((*pressure).into()),
            (2, _) => {
                use armilla_dcom::automation::Elements::R8;
                let [Variant::Array(all)] = &invocation.arguments[..] else {
                    return Err(Status::TYPE_MISMATCH.into());
                };
                let R8(all) = &all.elements else { return Err(Status::TYPE_MISMATCH.into()) };
                return Ok(all.iter().sum::<f64>().into());
            }
            _ => invocation.arguments.swap(0, 1),
        }
        Ok(Variant::Empty)
    }
}

fn armilla(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla")).arg("com").args(words).output().unwrap()
}

#[test]
fn an_object_is_shown_and_called_by_name() {
    let boiler = Arc::new(Dispatched(Boiler(Mutex::new(1.5))));
    let class = move |_: &Caller<'_>| Ok(boiler.clone() as Arc<dyn Object>);
    let server = Server::builder("PLANT").account("operator", "secret").class(CLASS, class);
    let server = server.listen("127.0.0.1:0").unwrap();
    let directory = Directory::new("com");
    let password = directory.file("password");
    fs::write(&password, "secret\n").unwrap();
    fs::set_permissions(&password, fs::Permissions::from_mode(0o600)).unwrap();
    let place = format!("{CLASS}@127.0.0.1[{}]", server.address().port());
    let run = |command: &str, words: &[&str]| {
        let account = ["--as", "operator", "--as-password", &password, &place];
        let output = armilla(&[&[command][..], &account, words].concat());
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).trim_end().to_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let ok = |words: &[&str]| {
        let (code, out, error) = run("call", words);
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let (_, shown, error) = run("show", &[]);
    assert!(shown.starts_with("dispinterface Boiler : IDispatch {"), "{shown}{error}");
    assert!(shown.contains("[id(2)] double Sum([in] SAFEARRAY(double) all);"), "{shown}");
    assert_eq!(ok(&["pressure"]), "1.5");
    // What the object describes makes a whole number one with a fraction.
    assert_eq!(ok(&["Pressure=2"]), "");
    assert_eq!(ok(&["Pressure"]), "2.0");
    assert_eq!(ok(&["Sum", "[1, 2, 3.5]"]), "6.5");
    assert_eq!(ok(&["Swap", "one", "\"two\""]), r#"{"left":"two","right":"one"}"#);
    let (code, _, error) = run("call", &["Sum", "[1, true]"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("all: [1]: true is no double"), "{error}");
    let (code, _, error) = run("call", &["Colour"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("UNKNOWN_NAME"), "{error}");
}
