//! `armilla ior` and `armilla ping`.

use armilla::dynamic::{DynamicServant, ServerRequest, serve};
use armilla::{ObjectId, Orb, SystemException};
use serde_json::Value;
use std::borrow::Cow;
use std::process::{Command, Output};

/// Made by omniORB's genior: an IIOP 1.2 profile with its components.
const ACCOUNT: &str = include_str!("../../../armilla-giop/tests/data/genior-account.ior");

fn armilla(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = armilla(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn printed_as_json(reference: &str) -> Value {
    serde_json::from_str(&printed(&["ior", reference, "--json"])).unwrap()
}

#[test]
fn an_ior_is_decoded_and_its_parts_are_named() {
    let text = printed(&["ior", ACCOUNT.trim()]);
    for line in ["type id: ", "profile 1: IIOP", "version: 1.2", "host: ", "port: ", "object key: "]
    {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    let json = printed_as_json(ACCOUNT.trim());
    let components = json["profiles"][0]["components"].as_array().unwrap();
    let named = |name: &str| components.iter().find(|component| component["name"] == name).unwrap();
    assert_eq!(named("TAG_ORB_TYPE")["orb"], "omniORB");
    assert_eq!(named("TAG_CODE_SETS")["wchar"]["native"], "UTF-16");
}

#[test]
fn urls_are_decoded_without_a_server() {
    let json = printed_as_json("corbaloc:iiop:1.1@nowhere.invalid:5555/a%00b,c");
    let profile = &json["profiles"][0];
    assert_eq!(profile["version"], "1.1");
    assert_eq!(profile["host"], "nowhere.invalid");
    assert_eq!(profile["port"], 5555);
    assert_eq!(profile["object_key"], r"a\x00b,c");
    let json = printed_as_json("corbaname::nowhere.invalid#bank/account");
    assert_eq!(json["name"], "bank/account");
    assert_eq!(json["profiles"][0]["object_key"], "NameService");
}

#[test]
fn orb_options_may_precede_and_follow_the_reference() {
    let init = "Tower=corbaloc::tower.invalid:9/K";
    for arguments in [
        ["ior", "corbaloc:rir:/Tower", "-ORBInitRef", init, "--json"],
        ["-ORBInitRef", init, "ior", "--json", "corbaloc:rir:/Tower"],
    ] {
        assert!(printed(&arguments).contains("tower.invalid"));
    }
    let output = armilla(&["ior", "corbaloc:rir:/Tower", "--", "-ORBInitRef", "no equals sign"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_invalid_reference_is_an_error_with_a_hint() {
    let output = armilla(&["ior", "http://example.org"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: BAD_PARAM") && error.contains("hint: "), "{error}");
}

#[test]
fn ping_distinguishes_present_and_absent_objects_and_servers() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (host, port) = orb.published_addresses().unwrap()[0].clone();
    struct Eye;
    impl DynamicServant for Eye {
        fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
            "IDL:Eye:1.0".into()
        }
        fn invoke(&self, _: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
            unreachable!("every object has the operation that ping calls")
        }
    }
    let eye = orb.root_poa().activate(serve(Eye)).unwrap();
    // The server has started: what is absent now does not exist.
    orb.perform_work().unwrap();
    let url = orb.publish("Eye", eye.object()).unwrap();
    let text = printed(&["ping", &url, "-c", "3"]);
    assert_eq!(text.matches("it exists").count(), 3, "{text}");

    let absent = armilla(&["ping", &format!("corbaloc::{host}:{port}/Ear")]);
    assert_eq!(absent.status.code(), Some(1));
    let absent = String::from_utf8_lossy(&absent.stderr).into_owned();
    for part in ["has no such object", "the key behind the address is none that this server has"] {
        assert!(absent.contains(part), "{absent}");
    }
    let logged = ["-v", "ping", &url, "-c", "1", "-ORBEndpoint", "iiop://127.0.0.1:0"];
    let log = String::from_utf8_lossy(&armilla(&logged).stderr).into_owned();
    assert!(log.contains("INFO"), "of the endpoint: {log}");
    assert!(!log.contains('\u{1b}'), "colours are for terminals: {log}");

    orb.shutdown();
    let gone = armilla(&["ping", &url]);
    assert_eq!(gone.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&gone.stderr).starts_with("error: TRANSIENT"));
}
