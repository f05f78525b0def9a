//! Arguments, results and exceptions at each interception point (CORBA 3.4 Part 1, 16.3.12 and
//! 16.3.13).

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, ServerInterceptor, ServerRequestInfo,
};
use armilla::{Any, Encoder, Error, ExceptionKind, SyncScope, SystemException, TypeCode, Typed};
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
fn static_stubs_show_what_idl_tells_of_the_operation() {
    let server = Server::start();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Reader(notes.clone())).build().unwrap();
    let far = server.remote(&client);
    assert_eq!(far.echo_long(1, &mut 2).unwrap(), (2, 1));
    let no = "BadInvOrder 14";
    let replied = [
        format!("send: [Some(1), None, Some(2)], {no}, 0, {no}, {no}, WithTarget"),
        format!("reply: [Some(1), Some(1), Some(1)], Some(2), 0, {no}, {no}, WithTarget"),
    ];
    assert_eq!(taken(&notes), replied);
    let write = |out: &mut Encoder<'_>| {
        out.put_i32(1);
        out.put_i32(2);
        Ok(())
    };
    let later = far.invoke_async("echo_long", write, |input| input.i32());
    assert_eq!(later.wait().unwrap(), 2);
    assert_eq!(taken(&notes), replied, "of a call that nobody waits for too");

    far.choose(1, &mut String::new()).unwrap_err();
    let told = taken(&notes).pop().unwrap();
    assert_eq!(told, format!("exception: {no}, {no}, 2, \"Refused\", {no}, WithTarget"));
    far.choose(9, &mut String::new()).unwrap_err();
    let told = taken(&notes).pop().unwrap();
    assert_eq!(told, format!("exception: {no}, {no}, 2, \"NO_PERMISSION\", {no}, WithTarget"));
    far.with_sync_scope(SyncScope::WithServer).remark("one way").unwrap();
    let told = taken(&notes).remove(0);
    assert_eq!(told, format!("send: [None], {no}, 0, {no}, {no}, WithServer"));
    assert!(!far.object().is_a("IDL:elsewhere:1.0").unwrap());
    let told = taken(&notes);
    assert_eq!(told[1], format!("reply: [None], None, 0, {no}, {no}, WithTarget"));
}

/// Shows the texts and the structures of what passes.
struct Clerk(Notes);

impl Clerk {
    fn note(&self, point: &str, arguments: Vec<armilla::dynamic::NamedValue>, result: Option<Any>) {
        let shown = |any: &Any| {
            let label = any
                .get::<Label>()
                .unwrap()
                .map(|label| format!("{} {:?}", label.text, label.place));
            let list = || {
                any.get::<Vec<Point>>().unwrap().map(|points| format!("{} points", points.len()))
            };
            label.or_else(list).unwrap_or_else(|| any.type_code().name().unwrap_or("?").to_owned())
        };
        let values = arguments.iter().map(|argument| {
            let value = argument.value().map_or("-".to_owned(), shown);
            format!("{} {:?} {value}", argument.name(), argument.mode())
        });
        let values = values.chain(result.as_ref().map(shown)).collect::<Vec<_>>().join(", ");
        self.0.lock().unwrap().push(format!("{point}: {values}"));
    }
}

impl ServerInterceptor for Clerk {
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        assert_eq!(request.operation_context()?, [""; 0]);
        self.note("receive", request.arguments()?, None);
        Ok(())
    }
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.note("reply", request.arguments()?, Some(request.result()?));
        Ok(())
    }
    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let raised = request.sending_exception()?;
        let reason = raised.get::<Refused>().unwrap().map(|refused| refused.reason);
        self.0
            .lock()
            .unwrap()
            .push(format!("exception: {reason:?} of {}", request.exceptions()?.len()));
        Ok(())
    }
}

#[test]
fn a_custom_skeleton_sees_arguments_and_replies() {
    let notes = Notes::default();
    let orb = orbs::builder().server_interceptor(Clerk(notes.clone()));
    let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let far = server.remote(&orbs::client());
    let place = Point { tag: 7, x: 0.5, y: -1 };
    let label = Label { text: "Größe \u{1f980}".into(), place, ..Label::default() };
    let shown = format!("{} {place:?}", label.text);
    let mut kept = Label::default();
    far.echo_label(&label, &mut kept).unwrap();
    let none = format!(" {:?}", Point::default());
    assert_eq!(
        taken(&notes),
        [
            format!("receive: given In {shown}, copy Out -, kept InOut {none}"),
            format!("reply: given In {shown}, copy Out {shown}, kept InOut {shown}, {none}"),
        ]
    );
    let mut points = vec![place; 3];
    server.local.echo_points(&[], &mut points).unwrap();
    assert_eq!(
        taken(&notes),
        [
            "receive: given In 0 points, copy Out -, kept InOut 3 points",
            "reply: given In 0 points, copy Out 0 points, kept InOut 0 points, 3 points",
        ],
        "within the process too"
    );
    far.choose(1, &mut "no".to_owned()).unwrap_err();
    assert_eq!(taken(&notes)[1], "exception: Some(\"no\") of 2");
    far.choose(2, &mut "no".to_owned()).unwrap_err();
    assert_eq!(taken(&notes)[1], "exception: None of 2");
}

/// An interceptor that reads no values.
struct Blind(Notes);

impl ClientInterceptor for Blind {
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.lock().unwrap().push(told(request.arguments().map(numbers)));
        Ok(())
    }
    fn reads_values(&self) -> bool {
        false
    }
}

#[test]
fn values_are_not_kept_for_interceptors_that_do_not_read_them() {
    let server = Server::start();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Blind(notes.clone())).build().unwrap();
    server.remote(&client).ping().unwrap();
    assert_eq!(taken(&notes), ["NoResources 1"]);
}

#[test]
fn a_forwarded_call_reports_its_new_target() {
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
        [format!("NO_PERMISSION, \"\\0inner\", {order}"), format!("Empty, \"\\0inner\", {order}"),]
    );
}

/// Adds a context to requests and notes what replies and servers have of it; refuses `increment`.
struct Marker(Notes);

const MARK: u32 = 0x4558_0201;

impl ClientInterceptor for Marker {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.lock().unwrap().push(format!("send {}", request.operation()));
        request.keep(request.request_id());
        request.add_request_service_context(MARK, b"request", false)?;
        match request.operation() {
            "increment" => {
                let kind = ExceptionKind::NoPermission;
                let no = armilla::Completion::No;
                Err(SystemException::new(kind, armilla::Minor(7), no).into())
            }
            _ => Ok(()),
        }
    }
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let mark = request.reply_service_contexts()?.get(MARK).unwrap_or_default().to_vec();
        let mark = String::from_utf8(mark).unwrap();
        assert_eq!(request.kept::<u32>(), Some(&request.request_id()));
        self.0.lock().unwrap().push(format!("reply {} {mark}", request.operation()));
        Ok(())
    }
    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let id = request.outcome().and_then(|outcome| outcome.exception_id()).unwrap_or_default();
        self.0.lock().unwrap().push(format!("exception {} {id}", request.operation()));
        Ok(())
    }
    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let status = request.reply_status().unwrap();
        self.0.lock().unwrap().push(format!("other {} {status:?}", request.operation()));
        Ok(())
    }
}

/// Answers the context of a request in its reply.
struct Echo;

impl ServerInterceptor for Echo {
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let mark = request.request_service_contexts().get(MARK).map(<[u8]>::to_ascii_uppercase);
        request.add_reply_service_context(MARK, &mark.unwrap_or_default(), false)
    }
}

/// A server that answers the mark, and a client that sets it.
fn marked() -> (Server, armilla::Orb, Notes) {
    let orb = orbs::builder().server_interceptor(Echo).listen("iiop://127.0.0.1:0").unwrap();
    let notes = Notes::default();
    let client = orbs::builder().client_interceptor(Marker(notes.clone())).build().unwrap();
    (Server::of(orb.build().unwrap()), client, notes)
}

#[test]
fn asynchronous_calls_pass_the_same_interception_points() {
    let (server, client, notes) = marked();
    let far = server.remote(&client);
    far.object().request("ping").send_deferred().wait().unwrap();
    assert_eq!(taken(&notes), ["send ping", "reply ping REQUEST"]);

    let mut choose = far.object().request("choose");
    choose.add_in("which", Any::new(&1).unwrap()).add_inout("note", Any::new("").unwrap());
    choose.set_return_type(TypeCode::Long).add_exception(Refused::type_code());
    choose.send_deferred().wait().unwrap_err();
    let refused = "exception choose IDL:armilla.org/Probe/Refused:1.0";
    assert_eq!(taken(&notes), ["send choose", refused]);

    far.object().request("nothing").send_deferred().wait().unwrap_err();
    let unknown = "exception nothing IDL:omg.org/CORBA/BAD_OPERATION:1.0";
    assert_eq!(taken(&notes), ["send nothing", unknown]);

    let refused = far.object().request("increment").send_deferred().wait().unwrap_err();
    let Error::System(refused) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.kind(), ExceptionKind::NoPermission);
    assert_eq!(taken(&notes), ["send increment"], "who did not begin does not hear of the end");
    assert_eq!(server.local.count().unwrap(), 0);
}

#[test]
fn interceptors_see_forwards_of_asynchronous_calls() {
    let (server, client, notes) = marked();
    let url = server.orb.publish("probe", server.local.object()).unwrap();
    let far = client.string_to_object(&url).unwrap();
    far.request("ping").send_deferred().wait().unwrap();
    let seen = taken(&notes);
    let wanted = ["send ping", "other ping LocationForward", "send ping", "reply ping REQUEST"];
    assert_eq!(seen, wanted);
}

#[test]
fn interceptors_see_cancelled_and_expired_asynchronous_calls_end() {
    let (server, client, notes) = marked();
    let far = server.remote(&client);
    let mut remarks = far.object().request("remarks");
    remarks.add_in("least", Any::new(&1_u32).unwrap());
    remarks.set_return_type(TypeCode::sequence(TypeCode::String(0), 0));
    drop(remarks.send_deferred());
    let cancelled = "exception remarks IDL:omg.org/CORBA/NO_RESPONSE:1.0";
    assert_eq!(taken(&notes), ["send remarks", cancelled]);
    server.local.remark("so that nobody waits for ever").unwrap();

    let hurried = far.object().with_timeout(std::time::Duration::from_millis(50));
    let mut remarks = hurried.request("remarks");
    remarks.add_in("least", Any::new(&2_u32).unwrap());
    remarks.set_return_type(TypeCode::sequence(TypeCode::String(0), 0));
    remarks.send_deferred().wait().unwrap_err();
    let late = "exception remarks IDL:omg.org/CORBA/TIMEOUT:1.0";
    assert_eq!(taken(&notes), ["send remarks", late]);
    server.local.remark("nor this one").unwrap();
}
