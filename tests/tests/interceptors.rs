//! Portable interceptors: in which order they are called in every flow, what they see, and what
//! becomes of a request that they interrupt (CORBA 3.4 Part 1, 16).

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Codec, Interruption, OrbInitInfo, OrbInitializer,
    Outcome, PiCurrent, ReplyStatus, ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{
    Any, CodeSet, Completion, Error, ExceptionKind, Minor, Object, Orb, OrbBuilder,
    SystemException, TypeCode, Version, WString,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::dead_port;
use armilla_tests::probe::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// What interceptors were called at, in order: "a.send_request".
type Diary = Arc<Mutex<Vec<String>>>;

/// What an interceptor does at one of its points.
#[derive(Clone)]
enum Deed {
    Raise(ExceptionKind),
    /// Once: the next request passes.
    Forward(Arc<OnceLock<Object>>),
    Panic,
}

/// Writes down where it is called, and does what it was told for a point.
#[derive(Clone, Default)]
struct Witness {
    name: &'static str,
    diary: Diary,
    deeds: Arc<Mutex<HashMap<&'static str, Deed>>>,
}

impl Witness {
    fn at(&self, point: &'static str, status: Option<ReplyStatus>) -> Result<(), Interruption> {
        let status = status.map_or(String::new(), |status| format!(" {status:?}"));
        self.diary.lock().unwrap().push(format!("{}.{point}{status}", self.name));
        let deed = self.deeds.lock().unwrap().remove(point);
        match deed {
            None => Ok(()),
            Some(Deed::Panic) => panic!("as it was told"),
            Some(Deed::Raise(kind)) => {
                Err(SystemException::new(kind, Minor(0x7), Completion::No).into())
            }
            Some(Deed::Forward(place)) => Err(Interruption::Forward(place.get().unwrap().clone())),
        }
    }

    fn only_raise(result: Result<(), Interruption>) -> Result<(), SystemException> {
        result.map_err(|interruption| match interruption {
            Interruption::Exception(exception) => exception,
            Interruption::Forward(_) => panic!("not at this point"),
        })
    }
}

impl ClientInterceptor for Witness {
    fn name(&self) -> &str {
        self.name
    }

    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        assert_eq!(request.outcome().map(Outcome::status), None);
        self.at("send_request", None)
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        Self::only_raise(self.at("receive_reply", request.reply_status().ok()))
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.at("receive_exception", request.reply_status().ok())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.at("receive_other", request.reply_status().ok())
    }

    fn destroy(&self) {
        self.diary.lock().unwrap().push(format!("{}.destroy", self.name));
    }
}

impl ServerInterceptor for Witness {
    fn name(&self) -> &str {
        self.name
    }

    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        assert!(request.object_id().is_err(), "not looked for yet");
        self.at("contexts", None)
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        assert!(request.object_id().is_ok());
        self.at("receive_request", None)
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        Self::only_raise(self.at("send_reply", request.reply_status().ok()))
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at("send_exception", request.reply_status().ok())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at("send_other", request.reply_status().ok())
    }
}

/// Three interceptors that keep one diary.
struct Witnesses {
    diary: Diary,
    all: [Witness; 3],
}

impl Witnesses {
    fn new() -> Self {
        let diary = Diary::default();
        let all = ["a", "b", "c"].map(|name| Witness {
            name,
            diary: diary.clone(),
            ..Default::default()
        });
        Self { diary, all }
    }

    fn at_client(&self) -> OrbBuilder {
        self.all
            .iter()
            .fold(orbs::builder(), |builder, one| builder.client_interceptor(one.clone()))
    }

    fn at_server(&self) -> OrbBuilder {
        self.all
            .iter()
            .fold(orbs::builder(), |builder, one| builder.server_interceptor(one.clone()))
    }

    /// Has one of them (0 to 2) do something at its next visit to a point.
    fn tell(&self, which: usize, point: &'static str, deed: Deed) {
        self.all[which].deeds.lock().unwrap().insert(point, deed);
    }

    /// What was written since the last time.
    fn diary(&self) -> Vec<String> {
        std::mem::take(&mut *self.diary.lock().unwrap())
    }

    #[track_caller]
    fn expect(&self, wanted: &str) {
        let wanted: Vec<_> = wanted.split(',').map(|line| line.trim().to_owned()).collect();
        assert_eq!(self.diary(), wanted);
    }
}

/// The system exception that a call ended with.
#[track_caller]
fn system<T: std::fmt::Debug, E: std::fmt::Debug>(result: Result<T, Error<E>>) -> ExceptionKind {
    match result {
        Err(Error::System(exception)) => exception.kind(),
        other => panic!("{other:?}"),
    }
}

fn raise(kind: ExceptionKind) -> Deed {
    Deed::Raise(kind)
}

/// A server without interceptors, and a client of it with three.
fn client_side() -> (Server, Orb, Witnesses) {
    let witnesses = Witnesses::new();
    let client = witnesses.at_client().build().unwrap();
    (Server::start(), client, witnesses)
}

/// A server with three interceptors.
fn server_side() -> (Server, Witnesses) {
    let witnesses = Witnesses::new();
    let orb = witnesses.at_server().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    (Server::of(orb), witnesses)
}

#[test]
fn a_client_calls_them_forth_and_back() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, \
         c.receive_reply Successful, b.receive_reply Successful, a.receive_reply Successful",
    );
    client.shutdown();
    witnesses.expect("a.destroy, b.destroy, c.destroy");
}

#[test]
fn a_client_sees_exceptions_of_both_kinds() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    let refused = remote.choose(2, &mut String::new());
    assert!(matches!(refused, Err(Error::User(everything::ChooseRaises::Empty(_)))));
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_exception UserException, a.receive_exception UserException",
    );
    assert_eq!(system(remote.choose(3, &mut String::new())), ExceptionKind::NoPermission);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception SystemException, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
}

#[test]
fn a_oneway_ends_without_a_reply_on_either_side() {
    let (server, client, witnesses) = client_side();
    server.remote(&client).remark("far").unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, \
         c.receive_other Unknown, b.receive_other Unknown, a.receive_other Unknown",
    );
    let (server, witnesses) = server_side();
    server.remote(&orbs::client()).remark("near").unwrap();
    let done = || witnesses.diary.lock().unwrap().len() == 9;
    eventually("the oneway was served", done);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_other Successful, b.send_other Successful, \
         a.send_other Successful",
    );
}

#[test]
fn who_did_not_begin_does_not_hear_of_the_end() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    witnesses.tell(1, "send_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.send_request, b.send_request, a.receive_exception SystemException");
    witnesses.tell(0, "send_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.send_request");
    assert_eq!(remote.count().unwrap(), 0, "the server was never called, and can be");
}

#[test]
fn an_exception_at_the_end_is_what_the_rest_hear_of() {
    let (server, client, witnesses) = client_side();
    let remote = server.remote(&client);
    witnesses.tell(2, "receive_reply", raise(ExceptionKind::Internal));
    witnesses.tell(1, "receive_exception", raise(ExceptionKind::NoResources));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoResources);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_reply Successful, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
    assert_eq!(remote.count().unwrap(), 1, "the operation was executed");
    witnesses.diary();
    witnesses.tell(2, "receive_other", raise(ExceptionKind::BadContext));
    assert_eq!(remote.remark("x").unwrap_err().kind(), ExceptionKind::BadContext);
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other Unknown, \
         b.receive_exception SystemException, a.receive_exception SystemException",
    );
}

#[test]
fn a_client_interceptor_sends_a_request_elsewhere_from_its_beginning_and_from_its_end() {
    let (server, client, witnesses) = client_side();
    let other = Server::start();
    let place = Arc::new(OnceLock::new());
    place.set(other.remote(&client).object().clone()).unwrap();
    let remote = server.remote(&client);
    witnesses.tell(1, "send_request", Deed::Forward(place.clone()));
    assert_eq!(remote.increment().unwrap(), 1);
    witnesses.expect(
        "a.send_request, b.send_request, a.receive_other LocationForward, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
    assert_eq!((server.local.count().unwrap(), other.local.count().unwrap()), (0, 1));

    let remote = server.remote(&client);
    witnesses.tell(2, "receive_exception", Deed::Forward(place));
    let mut note = "why".to_owned();
    let refused = remote.choose(1, &mut note);
    assert!(matches!(refused, Err(Error::User(everything::ChooseRaises::Refused(_)))), "again");
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_other LocationForward, a.receive_other LocationForward, \
         a.send_request, b.send_request, c.send_request, c.receive_exception UserException, \
         b.receive_exception UserException, a.receive_exception UserException",
    );
}

#[test]
fn a_forward_of_the_server_and_a_retry_begin_anew() {
    let (server, client, witnesses) = client_side();
    let url = server.orb.publish("Probe", &server.local).unwrap();
    let published: EverythingRef = client.string_to_object(&url).unwrap().assume();
    published.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other LocationForward, \
         b.receive_other LocationForward, a.receive_other LocationForward, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
    // The first address of this reference refuses connections.
    let mut ior = server.local.object().ior();
    let mut profile = ior.iiop_profiles().next().unwrap().unwrap();
    (profile.host, profile.port) = ("127.0.0.1".into(), dead_port());
    ior.profiles.insert(0, profile.to_tagged().unwrap());
    let text = ior.to_text().unwrap();
    let remote: EverythingRef = client.string_to_object(&text).unwrap().assume();
    remote.ping().unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, c.receive_other TransportRetry, \
         b.receive_other TransportRetry, a.receive_other TransportRetry, a.send_request, \
         b.send_request, c.send_request, c.receive_reply Successful, b.receive_reply Successful, \
         a.receive_reply Successful",
    );
}

#[test]
fn a_server_calls_them_forth_and_back() {
    let (server, witnesses) = server_side();
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_reply Successful, b.send_reply Successful, \
         a.send_reply Successful",
    );
    remote.choose(2, &mut String::new()).unwrap_err();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_exception UserException, b.send_exception UserException, \
         a.send_exception UserException",
    );
    // An object that is not there is never found.
    let gone = server.remote(&orbs::client());
    let poa = server.orb.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    assert_eq!(gone.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, c.send_exception SystemException, \
         b.send_exception SystemException, a.send_exception SystemException",
    );
}

#[test]
fn a_server_interceptor_refuses_before_and_after_the_object_was_found() {
    let (server, witnesses) = server_side();
    let remote = server.remote(&orbs::client());
    witnesses.tell(1, "contexts", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.contexts, b.contexts, a.send_exception SystemException");
    witnesses.tell(1, "receive_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.send_exception SystemException, b.send_exception SystemException, \
         a.send_exception SystemException",
    );
    assert_eq!(remote.count().unwrap(), 0, "the servant was not called");
    witnesses.diary();
    witnesses.tell(2, "send_reply", raise(ExceptionKind::Internal));
    witnesses.tell(0, "send_exception", raise(ExceptionKind::NoResources));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoResources);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_reply Successful, b.send_exception SystemException, \
         a.send_exception SystemException",
    );
}

#[test]
fn an_interceptor_that_panics_has_raised_unknown() {
    let (server, at_server) = server_side();
    let at_client = Witnesses::new();
    let remote = server.remote(&at_client.at_client().build().unwrap());
    let ends = [(&at_server, "a.send_exception"), (&at_client, "a.receive_exception")];
    let server_points = ["contexts", "receive_request", "send_reply"].map(|point| (ends[0], point));
    let client_points = ["send_request", "receive_reply"].map(|point| (ends[1], point));
    for ((witnesses, last), point) in server_points.into_iter().chain(client_points) {
        witnesses.diary();
        witnesses.tell(1, point, Deed::Panic);
        let error = remote.ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        assert!(error.to_string().contains("the interceptor \"b\" panicked"), "{error}");
        let heard = witnesses.diary().pop();
        assert_eq!(heard, Some(format!("{last} SystemException")));
        remote.ping().unwrap();
    }
}

#[test]
fn a_server_interceptor_sends_the_client_elsewhere() {
    let (server, witnesses) = server_side();
    let other = Server::start();
    let place = Arc::new(OnceLock::new());
    place.set(other.remote(&server.orb).object().clone()).unwrap();
    for (point, diary) in [
        ("contexts", "a.contexts, b.contexts, a.send_other LocationForward"),
        (
            "receive_request",
            "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
             c.send_other LocationForward, b.send_other LocationForward, \
             a.send_other LocationForward",
        ),
    ] {
        let before = other.local.count().unwrap();
        witnesses.tell(1, point, Deed::Forward(place.clone()));
        server.remote(&orbs::client()).increment().unwrap();
        witnesses.expect(diary);
        assert_eq!(other.local.count().unwrap(), before + 1);
    }
    witnesses.tell(1, "send_exception", Deed::Forward(place));
    server.remote(&orbs::client()).choose(2, &mut String::new()).unwrap_err();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_exception UserException, b.send_exception UserException, \
         a.send_other LocationForward",
    );
    assert_eq!(server.local.count().unwrap(), 0);
}

#[test]
fn calls_within_the_process_are_seen_by_both_sides_and_mean_the_same() {
    let witnesses = Witnesses::new();
    let [a, b, _] = witnesses.all.clone();
    let builder = orbs::builder().client_interceptor(a).server_interceptor(b);
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    assert_eq!(server.local.increment().unwrap(), 1);
    witnesses.expect(
        "a.send_request, b.contexts, b.receive_request, b.send_reply Successful, \
         a.receive_reply Successful",
    );
    let mut note = "Größe \u{1f980}".to_owned();
    match server.local.choose(1, &mut note) {
        Err(Error::User(everything::ChooseRaises::Refused(refused))) => {
            assert_eq!(refused.reason, "Größe \u{1f980}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(system(server.local.choose(3, &mut note)), ExceptionKind::NoPermission);
    witnesses.diary();
    server.local.remark("here").unwrap();
    witnesses.expect(
        "a.send_request, b.contexts, b.receive_request, b.send_other Successful, \
         a.receive_other Unknown",
    );
    assert_eq!(server.local.remarks(1).unwrap(), ["here"]);
}

/// Passes a text from the client's thread to the servant's thread, and one back.
struct Passenger {
    slot: Arc<OnceLock<SlotId>>,
    seen: Arc<Mutex<Vec<String>>>,
}

const TICKET: u32 = 0x5449_4b00;

impl Passenger {
    fn slot(&self) -> SlotId {
        *self.slot.get().unwrap()
    }
}

impl ClientInterceptor for Passenger {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let octets = Codec::new(Version::V1_2).encode(&request.slot(self.slot())?)?;
        request.add_request_service_context(TICKET, &octets, false)?;
        let again = request.add_request_service_context(TICKET, b"", false).unwrap_err();
        assert_eq!(
            (again.kind(), again.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_SERVICE_CONTEXT_EXISTS)
        );
        request.keep(request.operation().to_owned());
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let late = request.add_request_service_context(TICKET, b"", true).unwrap_err();
        assert_eq!(
            (late.kind(), late.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL)
        );
        assert_eq!(request.kept::<String>().map(String::as_str), Some(request.operation()));
        let back = request.reply_service_contexts()?.get(TICKET).unwrap_or_default();
        self.seen.lock().unwrap().push(String::from_utf8_lossy(back).into_owned());
        Ok(())
    }
}

impl ServerInterceptor for Passenger {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let octets = request.request_service_contexts().get(TICKET).unwrap_or_default();
        let value = Codec::new(Version::V1_2).decode(octets)?;
        Ok(request.set_slot(self.slot(), value)?)
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        assert_eq!(request.adapter_name()?, ["RootPOA"]);
        assert!(request.target_is_a("IDL:armilla.org/Probe/Common:1.0")?);
        let interface = request.target_most_derived_interface()?;
        assert_eq!(interface, ("IDL:armilla.org/Probe/Everything:1.0"));
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let text: Option<String> = request.slot(self.slot())?.get().unwrap();
        let text = format!("{} {}", text.unwrap_or_default(), request.operation());
        request.add_reply_service_context(TICKET, text.as_bytes(), false)
    }
}

/// Brings a passenger into an ORB.
struct Travel(Arc<OnceLock<SlotId>>, Arc<Mutex<Vec<String>>>);

impl OrbInitializer for Travel {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.0.set(info.allocate_slot()).unwrap();
        let passenger = || Passenger { slot: self.0.clone(), seen: self.1.clone() };
        info.add_client_interceptor(passenger())?;
        info.add_server_interceptor(passenger())?;
        Ok(())
    }
}

/// An ORB with a passenger, whose slot comes into `slot` and what it has seen into `seen`.
fn travelling(slot: &Arc<OnceLock<SlotId>>, seen: &Arc<Mutex<Vec<String>>>) -> OrbBuilder {
    orbs::builder().initializer(Travel(slot.clone(), seen.clone()))
}

#[test]
fn contexts_and_slots_carry_what_belongs_to_a_thread_to_the_servant_and_back() {
    let builder = travelling(&Arc::default(), &Arc::default());
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let (slot, seen) = (Arc::default(), Arc::default());
    let client = travelling(&slot, &seen).build().unwrap();
    let remote = server.remote(&client);
    let (current, slot): (PiCurrent, SlotId) = (client.pi_current(), *slot.get().unwrap());
    assert_eq!(current.slot(slot).unwrap(), Any::default(), "not set in this thread");
    current.set_slot(slot, Any::new("Vega").unwrap()).unwrap();
    remote.ping().unwrap();
    remote.count().unwrap();
    std::thread::spawn(move || remote.ping().unwrap()).join().unwrap();
    assert_eq!(*seen.lock().unwrap(), ["Vega ping", "Vega _get_count", " ping"]);
    let other = orbs::client().pi_current().slot(slot).unwrap_err();
    assert_eq!(other.kind(), ExceptionKind::BadParam, "a slot of another ORB");
}

#[test]
fn a_codec_refuses_what_is_no_value() {
    let codec = Codec::new(Version::V1_2);
    let value = Any::new(&vec![1_i32, 2]).unwrap();
    let octets = codec.encode(&value).unwrap();
    assert_eq!(codec.decode(&octets).unwrap(), value);
    let bare = codec.encode_value(&value).unwrap();
    assert_eq!(codec.decode_value(&bare, value.type_code()).unwrap(), value);
    for length in 0..octets.len() {
        assert_eq!(codec.decode(&octets[..length]).unwrap_err().kind(), ExceptionKind::Marshal);
    }
    let wide = Any::new(&WString::from("a")).unwrap();
    assert!(Codec::new(Version::V1_0).encode(&wide).is_err());
}

#[test]
fn a_codec_has_the_code_sets_that_others_have_laid_down() {
    let codec = Codec::new(Version::V1_2);
    let latin = codec.with_code_sets(CodeSet::Iso8859_1, CodeSet::Utf16).unwrap();
    let value = Any::new("Zo\u{eb}").unwrap();
    let octets = latin.encode_value(&value).unwrap();
    assert!(octets.ends_with(b"Zo\xeb\0"), "{octets:x?}");
    assert_eq!(latin.decode_value(&octets, &TypeCode::String(0)).unwrap(), value);
    assert_eq!(latin.decode(&latin.encode(&value).unwrap()).unwrap(), value);
    let wrong = codec.decode_value(&octets, &TypeCode::String(0));
    assert!(wrong.is_err(), "as UTF-8 it is no text");
    let beyond = latin.encode(&Any::new("\u{20ac}").unwrap()).unwrap_err();
    assert_eq!(beyond.kind(), ExceptionKind::DataConversion);
    let wide = Any::new(&WString::from("\u{1d11e}")).unwrap();
    let four = codec.with_code_sets(CodeSet::Utf8, CodeSet::Ucs4).unwrap();
    let octets = four.encode_value(&wide).unwrap();
    assert!(octets.ends_with(&[0, 1, 0xd1, 0x1e]), "{octets:x?}");
    assert_eq!(four.decode_value(&octets, wide.type_code()).unwrap(), wide);
    for (char, wchar) in [(CodeSet::Utf16, CodeSet::Utf16), (CodeSet::Utf8, CodeSet::Utf8)] {
        let refused = codec.with_code_sets(char, wchar).unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::BadParam);
    }
}
