//! A servant that replies later, from another thread.

use crate::world::{Client, Server};
use armilla::Orb;
use armilla::dynamic::{DynamicServant, Response, ServerRequest, serve};
use armilla::{Any, ExceptionKind, ObjectId, SystemException, TypeCode};
use armilla_security::{Audit, AuditOptions, ServerSecurity};
use std::borrow::Cow;
use std::fs;
use std::thread;
use std::time::Duration;

/// Replies from another thread with who calls, as the serving thread and the other one see it.
struct Late(ServerSecurity);

fn who(security: &ServerSecurity) -> String {
    security.caller().map_or_else(|| "nobody".to_owned(), |it| it.principal().to_string())
}

impl DynamicServant for Late {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Late:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments([])?;
        let (security, here) = (self.0.clone(), who(&self.0));
        let reply = request.response_handler()?;
        assert_eq!(who(&self.0), here, "the servant sees its caller until it returns");
        thread::spawn(move || {
            let text = format!("{here}, then {}", who(&security));
            let result = Any::new(&text).unwrap();
            reply.complete(Ok(Response { result, arguments: vec![] }));
        });
        Ok(())
    }
}

#[test]
fn its_thread_keeps_no_caller_and_the_other_has_none() {
    let server = Server::new(|builder| builder);
    let late = Late(server.security.clone());
    let object = server.orb.root_poa().activate(serve(late)).unwrap();
    let reference = server.orb.object_to_string(object.object()).unwrap();
    let ask = |client: &Client| {
        let object = client.orb.string_to_object(&reference).unwrap();
        let mut request = object.request("ask");
        request.set_return_type(TypeCode::String(0)).invoke().unwrap();
        request.return_value().get::<String>().unwrap().unwrap()
    };
    let ann = Client::user(&server, "ann", "secret");
    let stranger = Client::of(&server, Orb::builder());
    for _ in 0..3 {
        assert_eq!(ask(&ann), "ann@bank, then nobody");
        assert_eq!(ask(&stranger), "anonymous, then nobody");
    }
}

/// Replies from another thread after a while, as the operation says.
struct Slow;

const WHILE: Duration = Duration::from_millis(30);

impl DynamicServant for Slow {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Slow:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments([])?;
        let operation = request.operation().to_owned();
        let reply = request.response_handler()?;
        thread::spawn(move || {
            thread::sleep(WHILE);
            match &*operation {
                "right" => {
                    let result = Any::new(&7i32).unwrap();
                    reply.complete(Ok(Response { result, arguments: vec![] }));
                }
                "wrong" => {
                    reply.complete(Err(ExceptionKind::NoImplement.because("not yet").into()))
                }
                _ => drop(reply),
            }
        });
        Ok(())
    }
}

#[test]
fn the_record_has_what_came_late_and_after_how_long() {
    let file = std::env::temp_dir().join(format!("armilla-late-{}", std::process::id()));
    let audit = Audit::open(&file, AuditOptions::default()).unwrap();
    let server = Server::new(|builder| builder.audit(audit));
    let object = server.orb.root_poa().activate(serve(Slow)).unwrap();
    let reference = server.orb.object_to_string(object.object()).unwrap();
    let ann = Client::user(&server, "ann", "secret");
    let object = ann.orb.string_to_object(&reference).unwrap();
    for (operation, outcome) in [
        ("right", r#""outcome":"ok""#),
        ("wrong", r#""outcome":"exception","exception":"IDL:omg.org/CORBA/NO_IMPLEMENT:1.0""#),
        ("never", r#""outcome":"exception","exception":"IDL:omg.org/CORBA/NO_RESPONSE:1.0""#),
    ] {
        let mut request = object.request(operation);
        let ended = request.set_return_type(TypeCode::Long).invoke();
        assert_eq!(ended.is_ok(), operation == "right", "{ended:?}");
        let text = fs::read_to_string(&file).unwrap();
        let last = text.lines().last().unwrap();
        assert!(last.contains(&format!(r#""operation":"{operation}",{outcome}"#)), "{last}");
        assert!(last.contains(r#""caller":"ann@bank","proof":"password""#), "{last}");
        let took = last.rsplit(':').next().unwrap().trim_end_matches('}');
        assert!(took.parse::<u128>().unwrap() >= WHILE.as_micros(), "{last}");
    }
    fs::remove_file(&file).unwrap();
}
