//! Server interceptors and dynamic servants: the interceptors run after the servant has declared
//! its arguments (CORBA 3.4 Part 1, 16.3.8.3).

use armilla::dynamic::{
    DynamicServant, ParameterMode, Response, ServerRequest, UnknownUserException, serve,
};
use armilla::interceptor::{
    Interruption, OrbInitInfo, OrbInitializer, ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{
    Any, Completion, Error, ExceptionKind, Minor, Object, ObjectId, Orb, SystemException, TypeCode,
    Typed,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock};

type Diary = Arc<Mutex<Vec<String>>>;

/// Writes down when it is called, and doubles a number.
struct Doubler(Diary);

impl DynamicServant for Doubler {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:armilla.org/Test/Doubler:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        self.0.lock().unwrap().push(format!("invoke {}", request.operation()));
        match request.operation() {
            "double" => {
                let modes = [ParameterMode::In, ParameterMode::InOut];
                let arguments = request.arguments(modes.map(|mode| (mode, TypeCode::Long)))?;
                let number: i32 = arguments[0].value().unwrap().get()?.unwrap();
                self.0.lock().unwrap().push("served".into());
                request.set_argument(1, Any::new(&-number)?);
                request.set_result(Any::new(&(2 * number))?)?;
            }
            "double_amh" | "refuse_amh" => {
                let parameters = [(ParameterMode::InOut, TypeCode::Long)];
                let arguments = request.arguments(parameters)?.to_vec();
                let refuses = request.operation() == "refuse_amh";
                let reply = request.response_handler()?;
                let reason = "later".to_owned();
                let exception = Any::new(&Refused { reason, number: 8 })?;
                let result = Any::new(&42)?;
                std::thread::spawn(move || match refuses {
                    true => reply.complete(Err(Error::User(UnknownUserException { exception }))),
                    false => reply.complete(Ok(Response { result, arguments })),
                });
            }
            "refuse" => {
                request.arguments([])?;
                let reason = "because".to_owned();
                request.set_exception(Any::new(&Refused { reason, number: 7 })?)?;
            }
            "forget" => {
                request.arguments([(ParameterMode::Out, TypeCode::Long)])?;
                request.set_result(Any::default())?;
            }
            "fail" => return Err(raised()),
            // It never asks for its arguments.
            _ => {}
        }
        Ok(())
    }
}

fn raised() -> SystemException {
    SystemException::new(ExceptionKind::NoPermission, Minor(7), Completion::No)
}

/// Writes down what it is told, and does what it shall when a request is received.
#[derive(Clone, Default)]
struct Seer {
    diary: Diary,
    interruption: Arc<Mutex<Option<Interruption>>>,
    slot: Arc<OnceLock<SlotId>>,
}

fn told<T: std::fmt::Debug>(read: Result<T, SystemException>) -> String {
    match read {
        Ok(value) => format!("{value:?}"),
        Err(error) if error.minor() == Minor::NO_RESOURCES_NOT_SUPPORTED_BY_BINDING => {
            "NO_RESOURCES".into()
        }
        Err(error) => format!("{error}"),
    }
}

impl Seer {
    fn note(&self, point: &str, request: &ServerRequestInfo) {
        let values = request.arguments().map(|arguments| {
            let value = |any: &Any| any.get::<i32>().unwrap().unwrap();
            arguments.iter().map(|each| each.value().map(value)).collect::<Vec<_>>()
        });
        self.diary.lock().unwrap().push(format!("{point} {}", told(values)));
        let declared = [told(request.exceptions()), told(request.contexts())];
        let declared = declared.into_iter().chain([told(request.operation_context())]);
        let is_implicit = request.operation().starts_with('_');
        assert!(is_implicit || declared.take(2).all(|told| told == "NO_RESOURCES"));
    }
}

impl ServerInterceptor for Seer {
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note("receive_request", request);
        request.set_slot(*self.slot.get().unwrap(), Any::new("late").unwrap())?;
        self.interruption.lock().unwrap().take().map_or(Ok(()), Err)
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.note("send_reply", request);
        let result = request.result().map(|result| result.get::<i32>().unwrap());
        self.diary.lock().unwrap().push(format!("result {}", told(result)));
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let sending = request.sending_exception()?;
        let refused = sending.get::<Refused>().unwrap().map(|refused| refused.number);
        let id = request.outcome().and_then(|outcome| outcome.exception_id()).unwrap_or_default();
        self.diary.lock().unwrap().push(format!("send_exception {id} {refused:?}"));
        Ok(())
    }

    fn send_other(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.diary.lock().unwrap().push("send_other".into());
        Ok(())
    }
}

impl OrbInitializer for Seer {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.slot.set(info.allocate_slot()).unwrap();
        info.add_server_interceptor(self.clone())
    }
}

/// A remote reference to a doubler, and the observer of its calls.
fn seen() -> (Orb, Object, Seer) {
    let seer = Seer::default();
    let builder = orbs::builder().initializer(seer.clone());
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let doubler = orb.root_poa().activate(serve(Doubler(seer.diary.clone()))).unwrap();
    let far = orbs::travel_object(doubler.object(), &orbs::client());
    (orb, far, seer)
}

fn double(object: &Object) -> Result<i32, SystemException> {
    let mut request = object.request("double");
    request.add_in("number", Any::new(&21)?).add_inout("other", Any::new(&5)?);
    request.set_return_type(TypeCode::Long);
    request.invoke().map_err(|error| match error {
        Error::System(exception) => exception,
        Error::User(raised) => panic!("{raised}"),
    })?;
    Ok(request.return_value().get()?.unwrap())
}

fn taken(seer: &Seer) -> Vec<String> {
    std::mem::take(&mut *seer.diary.lock().unwrap())
}

#[test]
fn values_are_shown_once_the_servant_has_told_of_its_arguments() {
    let (_orb, doubler, seer) = seen();
    assert_eq!(double(&doubler).unwrap(), 42);
    let expected = [
        "invoke double",
        "receive_request [Some(21), Some(5)]",
        "served",
        "send_reply [Some(21), Some(-21)]",
        "result Some(42)",
    ];
    assert_eq!(taken(&seer), expected);
}

#[test]
fn a_user_exception_is_shown_by_the_type_that_the_servant_gave_it() {
    let (_orb, doubler, seer) = seen();
    doubler.request("refuse").add_exception(Refused::type_code()).invoke().unwrap_err();
    let id = "IDL:armilla.org/Probe/Refused:1.0";
    let expected = ["invoke refuse", "receive_request []", &format!("send_exception {id} Some(7)")];
    assert_eq!(taken(&seer), expected);
}

#[test]
fn values_of_replies_that_come_later_are_shown_too() {
    let (_orb, doubler, seer) = seen();
    let mut request = doubler.request("double_amh");
    request.add_inout("number", Any::new(&21).unwrap()).set_return_type(TypeCode::Long);
    request.invoke().unwrap();
    let expected = [
        "invoke double_amh",
        "receive_request [Some(21)]",
        "send_reply [Some(21)]",
        "result Some(42)",
    ];
    assert_eq!(taken(&seer), expected);
    let mut request = doubler.request("refuse_amh");
    request.add_inout("number", Any::new(&21).unwrap()).add_exception(Refused::type_code());
    request.invoke().unwrap_err();
    let id = "IDL:armilla.org/Probe/Refused:1.0";
    assert_eq!(taken(&seer)[2..], [format!("send_exception {id} Some(8)")]);
}

#[test]
fn interceptors_are_called_once_although_the_servant_never_asks_for_arguments() {
    let (_orb, doubler, seer) = seen();
    doubler.request("silent").invoke().unwrap_err();
    let id = ExceptionKind::Marshal.repository_id();
    let silent =
        ["invoke silent", "receive_request NO_RESOURCES", &format!("send_exception {id} None")];
    assert_eq!(taken(&seer), silent);
    doubler.request("fail").invoke().unwrap_err();
    let id = ExceptionKind::NoPermission.repository_id();
    let failed =
        ["invoke fail", "receive_request NO_RESOURCES", &format!("send_exception {id} None")];
    assert_eq!(taken(&seer), failed);
}

#[test]
fn a_reply_that_cannot_be_encoded_becomes_an_exception() {
    let (_orb, doubler, seer) = seen();
    let mut forget = doubler.request("forget");
    forget.add_out("forgotten", TypeCode::Long).invoke().unwrap_err();
    let id = ExceptionKind::BadParam.repository_id();
    let seen = ["invoke forget", "receive_request [None]", &format!("send_exception {id} None")];
    assert_eq!(taken(&seer), seen);
}

#[test]
fn an_operation_that_every_object_has_needs_no_servant_to_tell_of_it() {
    let (_orb, doubler, seer) = seen();
    assert!(!doubler.non_existent().unwrap());
    assert_eq!(taken(&seer), ["receive_request []", "send_reply []", "result None"]);
}

#[test]
fn an_interceptor_that_interrupts_has_the_last_word() {
    let (_orb, doubler, seer) = seen();
    *seer.interruption.lock().unwrap() = Some(raised().into());
    assert_eq!(double(&doubler).unwrap_err().kind(), ExceptionKind::NoPermission);
    let id = ExceptionKind::NoPermission.repository_id();
    let expected = [
        "invoke double",
        "receive_request [Some(21), Some(5)]",
        &format!("send_exception {id} None"),
    ];
    assert_eq!(taken(&seer), expected, "the servant heard of it before it served");
    let (_other, elsewhere, _) = seen();
    *seer.interruption.lock().unwrap() = Some(Interruption::Forward(elsewhere));
    assert_eq!(double(&doubler).unwrap(), 42);
    assert_eq!(taken(&seer)[2..], ["send_other"]);
}

/// Gives what it finds in a slot before and after it has told of its arguments.
struct Passenger(OnceLock<(Orb, SlotId)>);

impl DynamicServant for Passenger {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:armilla.org/Test/Passenger:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let (orb, slot) = self.0.get().unwrap();
        let find = || Ok(orb.pi_current().slot(*slot)?.get::<String>()?.unwrap_or_default());
        let before: Result<String, SystemException> = find();
        request.arguments([])?;
        let after: Result<String, SystemException> = find();
        request.set_result(Any::new(&format!("{:?} {:?}", before?, after?))?)
    }
}

#[test]
fn the_servant_finds_the_slots_of_the_request() {
    let (orb, _, seer) = seen();
    let passenger = Passenger(OnceLock::new());
    passenger.0.set((orb.clone(), *seer.slot.get().unwrap())).ok().unwrap();
    let near = orb.root_poa().activate(serve(passenger)).unwrap();
    let far = orbs::travel_object(near.object(), &orbs::client());
    for _ in 0..2 {
        let mut request = far.request("look");
        request.set_return_type(TypeCode::String(0)).invoke().unwrap();
        let found = request.return_value().get::<String>().unwrap().unwrap();
        assert_eq!(found, r#""" "late""#);
    }
    Server::of(orb);
}
