//! What interceptors are told of the values of a call, and where (CORBA 3.4 Part 1, 16.3.12 and
//! 16.3.13).

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, ServerInterceptor, ServerRequestInfo,
};
use armilla::{Any, Error, ExceptionKind, SyncScope, SystemException, TypeCode, Typed};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};

type Notes = Arc<Mutex<Vec<String>>>;

/// Notes what each point is told.
struct Reader(Notes);

/// What a point is told, in words.
fn told<T: std::fmt::Debug>(what: Result<T, SystemException>) -> String {
    match what {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{:?} {}", error.kind(), error.minor().0 & 0xfff),
    }
}

fn numbers(arguments: Vec<armilla::dynamic::NamedValue>) -> Vec<Option<i32>> {
    let value = |argument: &armilla::dynamic::NamedValue| argument.value()?.get::<i32>().unwrap();
    arguments.iter().map(value).collect()
}

impl Reader {
    fn note(&self, point: &str, request: &ClientRequestInfo<'_>) {
        let arguments = told(request.arguments().map(numbers));
        let result = told(request.result().map(|any| any.get::<i32>().unwrap()));
        let exceptions = told(request.exceptions().map(|list| list.len()));
        let raised = request.received_exception();
        let raised = told(raised.map(|any| any.type_code().name().unwrap_or_default().to_owned()));
        let forward = told(request.forward_reference().map(|ior| ior.type_id.clone()));
        self.0.lock().unwrap().push(format!(
            "{point}: {arguments}, {result}, {exceptions}, {raised}, {forward}, {:?}",
            request.sync_scope(),
        ));
    }
}

impl ClientInterceptor for Reader {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note("send", request);
        Ok(())
    }
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.note("reply", request);
        Ok(())
    }
    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note("exception", request);
        Ok(())
    }
    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note("other", request);
        Ok(())
    }
}

impl ServerInterceptor for Reader {
    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let exception = request.sending_exception()?;
        let adapter =
            String::from_utf8_lossy(request.adapter_id().unwrap_or_default()).into_owned();
        let forward = told(request.forward_reference().map(drop));
        let name = exception.type_code().name().unwrap_or_default().to_owned();
        self.0.lock().unwrap().push(format!("{name}, {adapter:?}, {forward}"));
        Ok(())
    }
}

fn taken(notes: &Notes) -> Vec<String> {
    std::mem::take(&mut notes.lock().unwrap())
}

#[test]
fn the_values_of_dynamic_calls_are_shown_where_there_are_any() {
    let server = Server::start();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Reader(notes.clone())).build().unwrap();
    let far = server.remote(&client);
    let mut echo = far.object().request("echo_long");
    echo.add_in("given", Any::new(&1).unwrap());
    echo.add_out("copy", TypeCode::Long).add_inout("kept", Any::new(&2).unwrap());
    echo.set_return_type(TypeCode::Long).add_exception(Refused::type_code());
    echo.invoke().unwrap();
    let no = "BadInvOrder 14";
    assert_eq!(
        taken(&notes),
        [
            format!("send: [Some(1), None, Some(2)], {no}, 1, {no}, {no}, WithTarget"),
            format!("reply: [Some(1), Some(1), Some(1)], Some(2), 1, {no}, {no}, WithTarget"),
        ]
    );

    let mut choose = far.object().request("choose");
    choose.add_in("which", Any::new(&1).unwrap()).add_inout("note", Any::new("").unwrap());
    choose.set_return_type(TypeCode::Long).add_exception(Refused::type_code());
    choose.invoke().unwrap_err();
    let told = taken(&notes).pop().unwrap();
    assert_eq!(told, format!("exception: {no}, {no}, 1, \"Refused\", {no}, WithTarget"));
}

#[test]
fn static_stubs_have_no_values_to_show() {
    let server = Server::start();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Reader(notes.clone())).build().unwrap();
    let far = server.remote(&client);
    far.ping().unwrap();
    let (no, none) = ("BadInvOrder 14", "NoResources 1");
    assert_eq!(
        taken(&notes),
        [
            format!("send: {none}, {no}, {none}, {no}, {no}, WithTarget"),
            format!("reply: {none}, {none}, {none}, {no}, {no}, WithTarget"),
        ]
    );
    far.choose(1, &mut String::new()).unwrap_err();
    let told = taken(&notes).pop().unwrap();
    assert_eq!(told, format!("exception: {no}, {no}, {none}, \"UNKNOWN\", {no}, WithTarget"));
    far.choose(9, &mut String::new()).unwrap_err();
    let told = taken(&notes).pop().unwrap();
    assert_eq!(told, format!("exception: {no}, {no}, {none}, \"NO_PERMISSION\", {no}, WithTarget"));
    far.with_sync_scope(SyncScope::WithServer).remark("one way").unwrap();
    let told = taken(&notes).remove(0);
    assert!(told.ends_with("WithServer"), "{told}");
}

#[test]
fn a_call_that_goes_elsewhere_says_where() {
    let server = Server::start();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Reader(notes.clone())).build().unwrap();
    let url = server.orb.publish("probe", server.local.object()).unwrap();
    let far: EverythingRef = client.string_to_object(&url).unwrap().assume();
    far.ping().unwrap();
    let notes = taken(&notes);
    assert!(notes[1].starts_with("other: ") && notes[1].contains("Everything:1.0"), "{notes:?}");
}

#[test]
fn a_server_interceptor_is_told_of_the_exception_that_leaves() {
    let notes = Notes::default();
    let orb = orbs::builder().server_interceptor(Reader(notes.clone()));
    let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let client = orbs::client();
    let poa = server.root_poa().create_poa("inner").build().unwrap();
    let near: EverythingRef =
        poa.activate(everything::tie(armilla_tests::servant::Probe::default())).unwrap();
    let far = travel(&near, &client);
    let refused = far.choose(9, &mut String::new()).unwrap_err();
    assert!(matches!(refused, Error::System(e) if e.kind() == ExceptionKind::NoPermission));
    far.choose(2, &mut String::new()).unwrap_err();
    let order = "BadInvOrder 14";
    let notes = taken(&notes);
    assert_eq!(
        notes,
        [
            format!("NO_PERMISSION, \"\\0inner\", {order}"),
            format!("UNKNOWN, \"\\0inner\", {order}"),
        ]
    );
}
