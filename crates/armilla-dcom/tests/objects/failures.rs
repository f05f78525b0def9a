//! What is refused, and how it is told.

use crate::plant::{COUNTED, COUNTED_CLASS, Chain, Panic, client, options, plant, plant_with};
use armilla_dcerpc::Status;
use armilla_dcerpc::client::{Call, ClientOptions as RpcOptions};
use armilla_dcerpc::driver::{self, Connection};
use armilla_dcerpc::ndr::{Ndr, Parameters, to_stub};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{ByteOrder, Uuid};
use armilla_dcom::automation::SafeArray;
use armilla_dcom::automation::dispatch::flags;
use armilla_dcom::client::{Client, ClientOptions, Step};
use armilla_dcom::remote::{ComplexPingIn, OBJECT_EXPORTER, ServerAlive2, syntax};
use armilla_dcom::{ComVersion, ObjRef, OrpcThis, Reference};
use std::time::Duration;

#[test]
fn an_error_names_step_class_level_and_what_to_change() {
    let plant = plant();
    let error = client().activate(&plant.host(), Uuid::NIL, COUNTED.uuid).unwrap_err();
    assert_eq!((error.step, error.status()), (Step::Activate, Some(Status::CLASS_NOT_REGISTERED)));
    let text = error.to_string();
    assert!(text.starts_with("activate class 00000000-"), "{text}");
    assert!(text.contains("at level integrity (5)") && text.contains("DllSurrogate"), "{text}");
    let wrong = Client::new(options("wrong")).unwrap();
    let error = wrong.activate(&plant.host(), COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert_ne!(error.hint(), None, "{error}");
    let nobody = client().activate("127.0.0.1[1]", COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert_eq!(nobody.step, Step::Bind);
    assert!(nobody.to_string().contains("firewall"), "{nobody}");
    let unknown = client().activate("nobody.invalid", COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert_eq!((unknown.step, unknown.hresult()), (Step::Bind, Status::RPC_UNAVAILABLE));
    let text = unknown.to_string();
    assert!(text.contains("the host is not known: nobody.invalid[135]"), "{text}");
    assert!(text.contains("DNS") && !text.contains("firewall"), "{text}");
}

#[test]
fn what_cannot_be_sent_or_is_too_large_is_told_and_the_next_call_works() {
    let (plant, client) = (plant(), client());
    let counted = plant.counted(&client);
    let mut array = SafeArray::from(vec![1.5]);
    array.bounds[0].count = 3;
    let error = counted.invoke(1, flags::METHOD, &[array.into()]).unwrap_err();
    assert_eq!(error.hresult(), Status::INVALID_ARGUMENT);
    let text = error.to_string();
    let why = "an argument cannot be sent: 1 elements are not as many as the bounds";
    assert!(text.contains(why) && !text.contains("answer"), "{text}");
    // The server closes the connection on which it was sent more than it takes.
    for _ in 0..3 {
        let much = SafeArray::from(vec![0u8; 5_000_000]);
        counted.invoke(1, flags::METHOD, &[much.into()]).unwrap_err();
        counted.call::<Chain>(&()).unwrap();
    }
}

#[test]
fn a_server_that_does_not_answer_is_not_waited_for() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_millis(200);
    let client = Client::new(ClientOptions { timeout, ..options("secret") }).unwrap();
    let host = format!("127.0.0.1[{}]", silent.local_addr().unwrap().port());
    let error = client.activate(&host, COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
}

#[test]
fn limits_that_outlast_all_times_are_none() {
    let far = Duration::MAX;
    let plant = plant_with(
        |options| {
            let server = &mut options.rpc.server;
            (server.handshake_timeout, server.idle_timeout) = (far, far);
            server.fragment_timeout = far;
        },
        |it| it,
    );
    let patient = ClientOptions { timeout: far, connect_timeout: far, ..options("secret") };
    let client = Client::new(ClientOptions { ping_period: far, ..patient }).unwrap();
    let counted = plant.counted(&client);
    counted.call::<Chain>(&()).unwrap();
    drop(counted);
    assert!(client.flush(far));
}

#[test]
fn low_levels_are_refused_unless_both_sides_allow_them() {
    let connect = || ClientOptions { level: AuthLevel::Connect, ..options("secret") };
    let strict = plant();
    let refused = Client::new(connect()).unwrap();
    let error = refused.activate(&strict.host(), COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert!(error.to_string().contains("allow_low_level"), "{error}");
    let low = Client::new(ClientOptions { allow_low_level: true, ..connect() }).unwrap();
    let error = low.activate(&strict.host(), COUNTED_CLASS, COUNTED.uuid).unwrap_err();
    assert_eq!(error.status(), Some(Status::ACCESS_DENIED));
    assert!(error.to_string().contains("KB5004442"), "{error}");
    let lax = plant_with(|options| options.rpc.server.min_level = AuthLevel::Connect, |it| it);
    lax.counted(&low).call::<Chain>(&()).unwrap();
}

#[test]
fn strangers_learn_that_a_resolver_is_there_and_nothing_else() {
    let plant = plant();
    let mut stranger = Connection::connect(plant.server.address(), crate::plant::LONG).unwrap();
    stranger.bind(&[OBJECT_EXPORTER], None).unwrap();
    assert_eq!(stranger.call::<ServerAlive2>(&()).unwrap().status, 0);
    let given = ComplexPingIn {
        set: 0,
        sequence: 1,
        adds: 0,
        removes: 0,
        added: None.into(),
        removed: None.into(),
    };
    let stub = given.to_stub(ByteOrder::Little).unwrap();
    let denied = stranger.call_stub(&Call::new(OBJECT_EXPORTER, 2, &stub)).unwrap_err();
    assert!(denied.to_string().contains("denied"), "{denied}");
    assert_eq!(plant.server.exports().ping_sets(), 0);
    stranger.alter(COUNTED).unwrap();
    let call = Call { object: Some(Uuid::NIL), ..Call::new(COUNTED, 3, &[]) };
    assert!(stranger.call_stub(&call).unwrap_err().to_string().contains("denied"));
}

#[test]
fn an_object_that_panics_fails_its_call_alone() {
    let (plant, client) = (plant(), client());
    let object = plant.counted(&client);
    let error = object.call::<Panic>(&()).unwrap_err();
    assert_eq!(error.status(), Some(Status::SERVER_FAULT));
    object.call::<Chain>(&()).unwrap();
}

#[test]
fn heads_that_are_none_or_of_another_version_are_refused() {
    let (plant, client) = (plant(), client());
    let object = plant.counted(&client);
    let mut raw =
        Connection::connect_with(plant.server.address(), crate::plant::LONG, RpcOptions::default())
            .unwrap();
    let credentials = Credentials::new("", "operator", "secret");
    let security = (driver::ntlm(credentials), AuthLevel::Integrity);
    raw.bind(&[syntax(COUNTED.uuid)], Some(security)).unwrap();
    let mut fails = |stub: &[u8], ipid| {
        let call = Call { object: ipid, ..Call::new(COUNTED, 3, stub) };
        raw.call_stub(&call).unwrap_err().to_string()
    };
    let head = |version| {
        let head = OrpcThis { version, ..OrpcThis::new(Uuid::NIL) };
        to_stub(&head, ByteOrder::Little).unwrap()
    };
    let ipid = Some(object.ipid());
    assert!(fails(&[5, 0, 7], ipid).contains("BAD_STUB"));
    assert!(fails(&head(ComVersion { major: 5, minor: 8 }), ipid).contains("VERSION_MISMATCH"));
    assert!(fails(&head(ComVersion { major: 4, minor: 0 }), ipid).contains("VERSION_MISMATCH"));
    let good = head(ComVersion { major: 5, minor: 1 });
    assert!(fails(&good, None).contains("DISCONNECTED"));
    assert!(fails(&good, Some(COUNTED.uuid)).contains("DISCONNECTED"));
    assert_eq!(u32::ALIGNMENT, 4);
}

#[test]
fn a_custom_reference_names_its_class() {
    let reference = Reference::Custom { class: COUNTED_CLASS, extensions: 0, data: vec![] };
    let error = client().unmarshal(&ObjRef { iid: COUNTED.uuid, reference }).unwrap_err();
    assert!(error.to_string().contains(&COUNTED_CLASS.to_string()), "{error}");
}
