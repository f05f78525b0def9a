//! The attributes of a request that are valid at each interception point: the two tables of CORBA
//! 3.4 Part 1, 16.3.13 and 16.3.14, for every kind of call. `+` is a value, `-` is `BAD_INV_ORDER`
//! with the minor code 14 of the OMG.

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer,
    ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{Any, ExceptionKind, Minor, Orb, PolicyType, SystemException, TypeCode};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// By point, what each attribute gave.
type Seen = Arc<Mutex<BTreeMap<&'static str, BTreeMap<&'static str, char>>>>;

/// A table of the specification: the points, and for each attribute a sign for each of them.
type Table<const POINTS: usize> = ([&'static str; POINTS], &'static [(&'static str, &'static str)]);

const CLIENT: Table<4> = (
    ["send_request", "receive_reply", "receive_exception", "receive_other"],
    &[
        ("arguments", "++--"),
        ("exceptions", "++++"),
        ("contexts", "++++"),
        ("operation_context", "++++"),
        ("result", "-+--"),
        ("reply_status", "-+++"),
        ("forward_reference", "---f"),
        ("get_slot", "++++"),
        ("get_reply_service_context", "-+++"),
        ("effective_profile", "++++"),
        ("received_exception", "--+-"),
        ("received_exception_id", "--+-"),
        ("get_request_policy", "++++"),
        ("add_request_service_context", "+---"),
    ],
);

const SERVER: Table<5> = (
    ["service_contexts", "receive_request", "send_reply", "send_exception", "send_other"],
    &[
        ("arguments", "-++--"),
        ("exceptions", "-++++"),
        ("contexts", "-++++"),
        ("operation_context", "-++--"),
        ("result", "--+--"),
        ("reply_status", "--+++"),
        ("forward_reference", "----f"),
        ("get_slot", "+++++"),
        ("get_reply_service_context", "--+++"),
        ("sending_exception", "---+-"),
        ("object_id", "-++++"),
        ("adapter_id", "-++++"),
        ("adapter_name", "-++++"),
        ("get_server_policy", "+++++"),
        ("target_most_derived_interface", "-+---"),
        ("target_is_a", "-+---"),
        ("set_slot", "+++++"),
        ("add_reply_service_context", "+++++"),
    ],
);

/// What reading an attribute gave, as a sign.
fn sign<T>(read: Result<T, SystemException>) -> char {
    match read {
        Ok(_) => '+',
        Err(error) => match (error.kind(), error.minor()) {
            (ExceptionKind::BadInvOrder, minor)
                if minor == Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL =>
            {
                '-'
            }
            (ExceptionKind::NoResources, minor)
                if minor == Minor::NO_RESOURCES_NOT_SUPPORTED_BY_BINDING =>
            {
                '0'
            }
            _ => panic!("{error}"),
        },
    }
}

/// Reads everything everywhere.
#[derive(Clone, Default)]
struct Curious {
    client: Seen,
    server: Seen,
    slot: Arc<OnceLock<SlotId>>,
}

impl Curious {
    fn slot(&self) -> SlotId {
        *self.slot.get().unwrap()
    }

    fn at_client(&self, point: &'static str, request: &mut ClientRequestInfo<'_>) {
        let profile = request.effective_profile().map(drop);
        let read = BTreeMap::from([
            ("arguments", sign(request.arguments())),
            ("exceptions", sign(request.exceptions())),
            ("contexts", sign(request.contexts())),
            ("operation_context", sign(request.operation_context())),
            ("result", sign(request.result())),
            ("reply_status", sign(request.reply_status())),
            ("forward_reference", sign(request.forward_reference())),
            ("get_slot", sign(request.slot(self.slot()))),
            ("get_reply_service_context", sign(request.reply_service_contexts())),
            ("effective_profile", if profile.is_some() { '+' } else { '-' }),
            ("received_exception", sign(request.received_exception())),
            ("received_exception_id", sign(request.received_exception_id())),
            ("get_request_policy", sign(Ok(request.policies()))),
            (
                "add_request_service_context",
                sign(request.add_request_service_context(0x4558_0301, b"", true)),
            ),
        ]);
        assert_eq!(
            request.effective_component(0x4558_0302).unwrap_err().minor(),
            Minor::BAD_PARAM_INVALID_COMPONENT_ID
        );
        self.client.lock().unwrap().insert(point, read);
    }

    fn at_server(&self, point: &'static str, request: &mut ServerRequestInfo) {
        let common = "IDL:armilla.org/Probe/Common:1.0";
        let read = BTreeMap::from([
            ("arguments", sign(request.arguments())),
            ("exceptions", sign(request.exceptions())),
            ("contexts", sign(request.contexts())),
            ("operation_context", sign(request.operation_context())),
            ("result", sign(request.result())),
            ("reply_status", sign(request.reply_status())),
            ("forward_reference", sign(request.forward_reference())),
            ("get_slot", sign(request.slot(self.slot()))),
            ("get_reply_service_context", sign(request.reply_service_contexts())),
            ("sending_exception", sign(request.sending_exception())),
            ("object_id", sign(request.object_id())),
            ("adapter_id", sign(request.adapter_id())),
            ("adapter_name", sign(request.adapter_name())),
            ("get_server_policy", sign(request.policy(PolicyType::LIFESPAN))),
            ("target_most_derived_interface", sign(request.target_most_derived_interface())),
            ("target_is_a", sign(request.target_is_a(common))),
            ("set_slot", sign(request.set_slot(self.slot(), Any::default()))),
            (
                "add_reply_service_context",
                sign(request.add_reply_service_context(0x4558_0303, b"", true)),
            ),
        ]);
        assert!(request.orb_id().starts_with("inner") && request.server_id() == "house");
        self.server.lock().unwrap().insert(point, read);
    }
}

impl ClientInterceptor for Curious {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.at_client("send_request", request);
        Ok(())
    }
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at_client("receive_reply", request);
        Ok(())
    }
    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.at_client("receive_exception", request);
        Ok(())
    }
    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.at_client("receive_other", request);
        Ok(())
    }
}

impl ServerInterceptor for Curious {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        self.at_server("service_contexts", request);
        Ok(())
    }
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at_server("receive_request", request);
        Ok(())
    }
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.at_server("send_reply", request);
        Ok(())
    }
    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at_server("send_exception", request);
        Ok(())
    }
    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at_server("send_other", request);
        Ok(())
    }
}

impl OrbInitializer for Curious {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.slot.set(info.allocate_slot()).unwrap();
        info.add_client_interceptor(self.clone())?;
        info.add_server_interceptor(self.clone())?;
        Ok(())
    }
}

/// An ORB of a curious one; `Server::of` may serve with it.
fn curious() -> (Orb, Curious) {
    let seer = Curious::default();
    let names = ["-ORBid", &orbs::unique("inner"), "-ORBServerId", "house"].map(str::to_owned);
    let builder = orbs::builder().arguments(names).unwrap().initializer(seer.clone());
    (builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap(), seer)
}

/// Compares the attributes seen at `points` with a table, and clears them. A table entry `f` is
/// valid for forwards only.
fn expect<const POINTS: usize>(seen: &Seen, table: &Table<POINTS>, points: &[&str], forward: bool) {
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let mut sorted = points.to_vec();
    sorted.sort_unstable();
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), sorted, "the points that were passed");
    for (column, point) in table.0.iter().enumerate().filter(|(_, point)| points.contains(point)) {
        for (attribute, signs) in table.1 {
            let wanted = match signs.chars().nth(column).unwrap() {
                'f' if forward => '+',
                'f' => '-',
                sign => sign,
            };
            assert_eq!(seen[point][attribute], wanted, "{attribute} at {point}");
        }
    }
}

/// What the client's interceptors pass, and the server's.
fn expect_both(seer: &Curious, client: &[&str], server: &[&str]) {
    expect(&seer.client, &CLIENT, client, false);
    expect(&seer.server, &SERVER, server, false);
}

/// Both ends are the same ORB's, near or as if elsewhere.
fn ends(near: bool) -> (Server, EverythingRef, Curious, Curious) {
    let (orb, server_seer) = curious();
    let server = Server::of(orb);
    if near {
        let local = server.local.clone();
        return (server, local, server_seer.clone(), server_seer);
    }
    let (client, client_seer) = curious();
    let far = server.remote(&client);
    (server, far, client_seer, server_seer)
}

const BEGUN: [&str; 2] = ["service_contexts", "receive_request"];

fn check_calls(near: bool) {
    let (server, probe, client, server_seer) = ends(near);
    let check = |ending: &str, answer: &str| {
        expect(&client.client, &CLIENT, &["send_request", ending], false);
        expect(&server_seer.server, &SERVER, &[BEGUN[0], BEGUN[1], answer], false);
    };
    probe.echo_long(1, &mut 2).unwrap();
    check("receive_reply", "send_reply");
    probe.choose(1, &mut String::new()).unwrap_err();
    check("receive_exception", "send_exception");
    probe.choose(3, &mut String::new()).unwrap_err();
    check("receive_exception", "send_exception");
    let mut echo = probe.object().request("echo_long");
    echo.add_in("given", Any::new(&1).unwrap()).add_out("copy", TypeCode::Long);
    echo.add_inout("kept", Any::new(&2).unwrap()).set_return_type(TypeCode::Long);
    echo.invoke().unwrap();
    check("receive_reply", "send_reply");
    echo.send_deferred().wait().unwrap();
    check("receive_reply", "send_reply");
    probe.remark("one way").unwrap();
    server.local.remarks(1).unwrap();
}

#[test]
fn the_attributes_of_remote_calls_match_the_tables() {
    check_calls(false);
}

#[test]
fn the_attributes_of_collocated_calls_match_the_tables() {
    check_calls(true);
}

#[test]
fn the_attributes_of_a_oneway_match_the_tables() {
    let (_server, near, seer, _) = ends(true);
    near.remark("one way").unwrap();
    expect_both(&seer, &["send_request", "receive_other"], &[BEGUN[0], BEGUN[1], "send_other"]);
}

#[test]
fn the_attributes_at_a_forward_match_the_tables() {
    let (orb, server_seer) = curious();
    let server = Server::of(orb);
    let url = server.orb.publish("probe", server.local.object()).unwrap();
    let (client, seer) = curious();
    let far: EverythingRef = client.string_to_object(&url).unwrap().assume();
    far.ping().unwrap();
    let points = ["send_request", "receive_other", "receive_reply"];
    expect(&seer.client, &CLIENT, &points, true);
    let mut seen = server_seer.server.lock().unwrap();
    let other = seen.remove("send_other").expect("the name was answered with a forward");
    assert_eq!(
        (other["forward_reference"], other["object_id"]),
        ('+', '0'),
        "no servant was found"
    );
}

#[test]
fn a_call_of_no_object_has_no_object_to_show() {
    let (orb, server_seer) = curious();
    let server = Server::of(orb);
    let (client, seer) = curious();
    let far = server.remote(&client);
    let id = server.orb.root_poa().reference_to_id(server.local.object()).unwrap();
    server.orb.root_poa().deactivate(&id).unwrap();
    far.ping().unwrap_err();
    expect(&seer.client, &CLIENT, &["send_request", "receive_exception"], false);
    let seen = server_seer.server.lock().unwrap();
    let ended = &seen["send_exception"];
    assert_eq!(
        (ended["sending_exception"], ended["object_id"], ended["arguments"]),
        ('+', '0', '-')
    );
}
