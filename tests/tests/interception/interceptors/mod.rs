//! Portable interceptors: their order in every flow, their view of a request, and interruptions
//! (CORBA 3.4 Part 1, 16).

mod both_sides;
mod client;
mod codec;
mod server;
mod slots;

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, Outcome, ReplyStatus, ServerInterceptor,
    ServerRequestInfo,
};
use armilla::{Completion, Error, ExceptionKind, Minor, Object, Orb, OrbBuilder, SystemException};
use armilla_tests::orbs::{self, Server};
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
