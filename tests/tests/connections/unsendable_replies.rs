//! Replies that cannot be sent: too large, with characters that the code set lacks, or with types
//! that the GIOP version lacks. Server interceptors see only the exception that the client gets
//! instead (CORBA 3.4 Part 1, 16.3.8.5), and may change it.

use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException, Version};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use armilla_tests::speaker::Speaker;
use armilla_tests::texts::*;
use std::sync::{Arc, Mutex};

type Diary = Arc<Mutex<Vec<String>>>;

/// Writes down how requests end.
struct Clerk {
    diary: Diary,
    /// Whether it asks for the results.
    reads: bool,
    /// What it raises instead of another exception.
    raises: Option<SystemException>,
}

impl ServerInterceptor for Clerk {
    fn name(&self) -> &str {
        "clerk"
    }

    fn reads_values(&self) -> bool {
        self.reads
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.diary.lock().unwrap().push("reply".into());
        Ok(())
    }

    fn send_exception(&self, info: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let sent = info.outcome().and_then(|outcome| outcome.exception_id().map(str::to_owned));
        self.diary.lock().unwrap().push(sent.unwrap_or_default());
        self.raises.clone().map_or(Ok(()), |raised| Err(raised.into()))
    }
}

struct Scene {
    orb: Orb,
    diary: Diary,
    speaker: SpeechRef,
    producer: EverythingRef,
}

impl Scene {
    fn new(reads: bool, raises: Option<SystemException>) -> Self {
        let diary = Diary::default();
        let clerk = Clerk { diary: diary.clone(), reads, raises };
        let builder = orbs::builder().settings(|settings| settings.max_message = 1 << 16);
        let builder = builder.server_interceptor(clerk).listen("iiop://127.0.0.1:0").unwrap();
        let orb = builder.build().unwrap();
        let speaker = orb.root_poa().activate(Arc::new(Speaker) as Arc<dyn Speech>).unwrap();
        let (_, producer) = orbs::activate(&orb);
        Self { orb, diary, speaker, producer }
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.diary.lock().unwrap())
    }
}

fn failed<T: std::fmt::Debug>(outcome: Result<T, SystemException>) -> SystemException {
    let error = outcome.unwrap_err();
    assert_eq!(error.completed(), Completion::Yes, "the servant has done its work: {error}");
    error
}

#[test]
fn ending_points_see_the_exception_that_replaces_a_reply() {
    for reads in [false, true] {
        let scene = Scene::new(reads, None);
        let client = orbs::client();
        let oldest = orbs::builder().max_giop(Version::V1_0).build().unwrap();
        let (far, producer) = (travel(&scene.speaker, &oldest), travel(&scene.producer, &client));

        for producer in [&producer, &scene.producer] {
            let error = failed(producer.produce(1 << 17));
            assert_eq!(error.minor(), Minor::MESSAGE_TOO_LARGE);
            assert_eq!(scene.heard(), ["IDL:omg.org/CORBA/IMP_LIMIT:1.0"]);
        }
        let error = failed(far.say(0x20ac));
        assert_eq!(
            error.kind(),
            ExceptionKind::DataConversion,
            "no character of GIOP 1.0: {error}"
        );
        assert_eq!(scene.heard(), ["IDL:omg.org/CORBA/DATA_CONVERSION:1.0"]);
        let error = failed(far.say_wide(0x20ac));
        assert_eq!(error.kind(), ExceptionKind::Marshal, "no type of GIOP 1.0: {error}");
        assert_eq!(scene.heard(), ["IDL:omg.org/CORBA/MARSHAL:1.0"]);

        producer.produce(100).unwrap();
        assert_eq!(far.say(0x41).unwrap(), "A");
        assert_eq!(scene.heard(), ["reply", "reply"]);
        scene.orb.shutdown();
    }
}

#[test]
fn an_interceptor_may_say_it_in_another_way() {
    let other = SystemException::new(ExceptionKind::NoResources, Minor(7), Completion::Yes);
    let scene = Scene::new(false, Some(other));
    let error = failed(travel(&scene.producer, &orbs::client()).produce(1 << 17));
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoResources, Minor(7)));
    assert_eq!(scene.heard(), ["IDL:omg.org/CORBA/IMP_LIMIT:1.0"]);
    scene.orb.shutdown();
}
