//! What is planned, by clients of the ORB and of DICOMweb (UPS-RS).

use crate::common::Scratch;
use crate::web::{Answer, ask};
use armilla::Orb;
use armilla_imaging::access::token_hash;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::{Server as _, ServerRef};
use armilla_imaging::procedures::Procedures;
use armilla_imaging::server::{ImageServer, ServerSettings};
use armilla_imaging::store::Store;
use armilla_imaging::web::Web;
use armilla_service::{Console, Lifecycle};
use armilla_stream::Listener;
use serde_json::{Value, json};

/// A server with a worklist, and its page.
struct Planning {
    _orb: Orb,
    server: ServerRef,
    console: Console,
    _scratch: Scratch,
}

fn serve(rules: &str) -> Planning {
    let scratch = Scratch::new();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let store = Store::open(&scratch.0, 0).unwrap();
    let procedures = Some(Procedures::open(&scratch.0).unwrap());
    let guard = Guard::new(rules.parse().unwrap(), None).unwrap();
    let settings = ServerSettings {
        name: "test".to_owned(),
        store,
        listener: Listener::builder().tcp("127.0.0.1", 0).start().unwrap(),
        guard: guard.clone(),
        procedures: procedures.clone(),
        through: None,
    };
    let server = ImageServer::activate(&orb.root_poa(), settings).unwrap();
    orb.perform_work().unwrap();
    let web = Web::new(server.upcast(), guard).with_procedures(procedures);
    let console = web.add_to(Console::builder("127.0.0.1:0"), 1 << 20);
    let console = console.start(&Lifecycle::new()).unwrap();
    Planning { _orb: orb, server, console, _scratch: scratch }
}

fn workitem(name: &str) -> Value {
    json!({
        "00080060": { "vr": "CS", "Value": ["US"] },
        "00100010": { "vr": "PN", "Value": [{ "Alphabetic": name }] },
        "00100020": { "vr": "LO", "Value": ["P7"] },
        "00404005": { "vr": "DT", "Value": ["20261127103000"] },
        "00741204": { "vr": "LO", "Value": ["abdomen"] },
    })
}

fn text<'a>(object: &'a Value, tag: &str) -> &'a str {
    object[tag]["Value"][0].as_str().unwrap_or_default()
}

impl Planning {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let kind = "Content-Type: application/dicom+json\r\n";
        let body = if body.is_null() { String::new() } else { body.to_string() };
        ask(&self.console, method, path, kind, body.as_bytes())
    }

    fn state(&self, uid: &str, state: &str, transaction: &str) -> u16 {
        let body = json!({
            "00081195": { "vr": "UI", "Value": [transaction] },
            "00741000": { "vr": "CS", "Value": [state] },
        });
        self.ask("PUT", &format!("workitems/{uid}/state"), &body).status
    }
}

#[test]
fn a_workitem_is_created_found_changed_and_done() {
    let planning = serve("");
    let created = planning.ask("POST", "workitems?1.2.3", &json!([workitem("Doe^J")]));
    assert_eq!(created.status, 201);
    assert!(created.field("location").ends_with("/dicomweb/workitems/1.2.3"));
    assert_eq!(planning.ask("POST", "workitems?1.2.3", &workitem("Doe^J")).status, 409);
    let made = planning.ask("POST", "workitems", &workitem("Roe^A"));
    let made = made.field("location").rsplit('/').next().unwrap().to_owned();

    for (query, count) in [
        ("", 2),
        ("?PatientName=doe*", 1),
        ("?00100010=roe*&_=7&includefield=all", 1),
        ("?ScheduledProcedureStepSequence.Modality=US", 2),
        ("?ScheduledProcedureStepSequence.Modality=CT", 0),
        ("?ScheduledProcedureStepStartDateTime=20261127-20261128&limit=1", 1),
        ("?ProcedureStepState=SCHEDULED&offset=1", 1),
    ] {
        let found = planning.ask("GET", &format!("workitems{query}"), &Value::Null);
        assert_eq!(found.json().as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(planning.ask("GET", "workitems?limit=many", &Value::Null).status, 400);

    let changes = json!({ "00404005": { "vr": "DT", "Value": ["202611281200"] } });
    assert_eq!(planning.ask("POST", "workitems/1.2.3", &changes).status, 200);
    let item = planning.ask("GET", "workitems/1.2.3", &Value::Null).json()[0].clone();
    let step = &item["00400100"]["Value"][0];
    assert_eq!((text(step, "00400002"), text(step, "00400003")), ("20261128", "1200"));
    assert_eq!((text(step, "00400007"), text(step, "00080060")), ("abdomen", "US"));

    // Only who has begun it ends it.
    assert_eq!(planning.state("1.2.3", "COMPLETED", "1.7"), 409);
    assert_eq!(planning.state("1.2.3", "DONE", "1.7"), 400);
    assert_eq!(planning.state("1.2.3", "IN PROGRESS", "1.7"), 200);
    assert_eq!(planning.state("1.2.3", "IN PROGRESS", "1.8"), 409);
    assert_eq!(planning.state("1.2.3", "COMPLETED", "1.8"), 409);
    assert_eq!(planning.ask("POST", "workitems/1.2.3", &changes).status, 409);
    assert_eq!(planning.ask("POST", "workitems/1.2.3?1.7", &changes).status, 200);
    assert_eq!(planning.ask("POST", "workitems/1.2.3/cancelrequest", &Value::Null).status, 409);
    assert_eq!(planning.state("1.2.3", "COMPLETED", "1.7"), 200);
    assert_eq!(planning.state("1.2.3", "CANCELED", "1.7"), 409);
    let cancel = format!("workitems/{made}/cancelrequest");
    assert_eq!(planning.ask("POST", &cancel, &Value::Null).status, 202);
    let item = planning.ask("GET", &format!("workitems/{made}"), &Value::Null).json();
    assert_eq!(text(&item[0], "00741000"), "CANCELED");
    assert!(planning.server.planned(false, "").unwrap().is_empty());
    assert_eq!(planning.server.planned(true, "").unwrap().len(), 2);
    assert_eq!(planning.server.planned(true, "1.2.3").unwrap().len(), 1);
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_planned() {
    let planning = serve("");
    for (path, method, body, status, why) in [
        ("workitems", "POST", json!({}), 400, "PatientID (0010,0020) is missing"),
        ("workitems", "POST", json!([1, 2]), 400, "no data set"),
        ("workitems", "POST", json!({ "x": "y".repeat(70_000) }), 413, "65536 octets"),
        ("workitems/1.9", "GET", Value::Null, 404, "no workitem"),
        ("workitems/1.9/state", "PUT", json!({}), 404, "no workitem"),
        ("workitems/1.9/what", "GET", Value::Null, 405, "workitems are created"),
        ("studies", "PUT", json!({}), 405, "POST"),
    ] {
        let answer = planning.ask(method, path, &body);
        let said = answer.text();
        assert!(answer.status == status && said.contains(why), "{path}: {} {said}", answer.status);
    }
    let error = planning.server.plan("{").unwrap_err().to_string();
    assert!(error.contains("no data set"), "{error}");
    assert!(planning.server.unplan("1.2.3").is_err());
    let uid = planning.server.plan(&workitem("Doe^J").to_string()).unwrap();
    planning.server.unplan(&uid).unwrap();
    assert!(planning.server.planned(true, "").unwrap().is_empty());
}

#[test]
fn rules_say_who_plans_and_who_sees_it() {
    let rules = format!("allow read token desk {}", token_hash("secret"));
    let planning = serve(&rules);
    for path in ["workitems", "performed-procedure-steps", "workitems/1.2"] {
        assert_eq!(planning.ask("GET", path, &Value::Null).status, 401, "{path}");
        let token = "Authorization: Bearer secret\r\n";
        let answer = ask(&planning.console, "GET", path, token, b"");
        assert_eq!(answer.status, if path.ends_with("1.2") { 404 } else { 200 }, "{path}");
    }
    assert_eq!(planning.ask("POST", "workitems", &workitem("Doe^J")).status, 403);
    assert_eq!(planning.ask("POST", "workitems/1.2/cancelrequest", &Value::Null).status, 403);
}
