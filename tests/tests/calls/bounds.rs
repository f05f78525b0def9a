//! Values beyond the bounds of their IDL type: the exception names operation and parameter, whoever
//! notices it.

use armilla::interceptor::{ClientInterceptor, Interruption, Outcome};
use armilla::interceptor::{ServerInterceptor, ServerRequestInfo};
use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, CdrResult, Completion, Encoder, Error, ExceptionKind, Orb, Settings};
use armilla::{Collocation, OrbBuilder, ResponseHandler, SystemException};
use armilla_tests::orbs;
use std::sync::{Arc, Mutex};

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("bounds");
}

use idl::bounds::{AmhStore, Choice, Few, Label, Refused, Shade, Store, StoreRef, store};

/// Returns what is beyond a bound: which value, the caller says.
struct Careless;

impl Store for Careless {
    fn put(
        &self,
        _first: i32,
        _name: &str,
        _numbers: &mut Few,
        _tone: Shade,
        _chosen: &Choice,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    fn get(&self, which: i32) -> Result<(Label, Few, Shade), Error<store::GetRaises>> {
        let (long, short) = ("longer".to_owned(), "four".to_owned());
        match which {
            0 => Ok((short, vec![1, 2], Shade::Light)),
            1 => Ok((long, vec![1], Shade::Dark)),
            2 => Ok((short, vec![1, 2, 3], Shade::Dark)),
            _ => Err(Refused { why: long })?,
        }
    }
}

/// Replies to `get` with values that the IDL does not allow.
struct Wrong;

impl Skeleton for Wrong {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        if call.operation().as_str() != "get" {
            return servant.dispatch(call);
        }
        let which = call.arguments().i32()?;
        call.reply(Ok::<_, SystemException>(which), |which, out| {
            out.put_string(if *which == 1 { "longer" } else { "four" })?;
            out.put_sequence::<i32>(if *which == 2 { &[1, 2, 3] } else { &[1] })?;
            out.put_u32(if *which == 3 { 9 } else { 0 });
            Ok(())
        })
    }
}

/// A `Careless` that replies when its method has returned, from another thread.
struct Later;

impl Store for Later {
    fn put(
        &self,
        _first: i32,
        _name: &str,
        _numbers: &mut Few,
        _tone: Shade,
        _chosen: &Choice,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    fn get(&self, which: i32) -> Result<(Label, Few, Shade), Error<store::GetRaises>> {
        Careless.get(which)
    }
}

impl AmhStore for Later {
    fn get_amh(&self, which: i32, reply: GetReply) {
        std::thread::spawn(move || reply.complete(Careless.get(which)));
    }
}

type GetReply = ResponseHandler<(Label, Few, Shade), Error<store::GetRaises>>;

/// Watches requests at both ends, and notes which exceptions go back.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Vec<String>>>);

impl ClientInterceptor for Watch {}

impl ServerInterceptor for Watch {
    fn send_exception(&self, info: &mut ServerRequestInfo) -> Result<(), Interruption> {
        if let Some(Outcome::SystemException(exception)) = info.outcome() {
            self.0.lock().unwrap().push(exception.to_string());
        }
        Ok(())
    }
}

/// An object of another ORB, and one of the same ORB that requests reach through its POA.
fn both(activate: impl Fn(&Orb) -> armilla::Object) -> [StoreRef; 2] {
    both_of(orbs::builder(), orbs::client(), activate)
}

fn both_of(
    builder: OrbBuilder,
    client: Orb,
    activate: impl Fn(&Orb) -> armilla::Object,
) -> [StoreRef; 2] {
    let set = |settings: &mut Settings| settings.collocation = Collocation::ThroughPoa;
    let server = builder.listen("iiop://127.0.0.1:0").unwrap().settings(set);
    let server = server.build().unwrap();
    let near = activate(&server);
    let far = orbs::travel_object(&near, &client);
    [far.assume(), near.assume()]
}

fn careless() -> [StoreRef; 2] {
    both(|server| {
        let store = server.root_poa().activate(store::tie(Careless)).unwrap();
        store.object().clone()
    })
}

#[track_caller]
fn check(error: &SystemException, kind: ExceptionKind, completed: Completion, named: &str) {
    assert_eq!((error.kind(), error.completed()), (kind, completed), "{error}");
    assert!(error.to_string().contains(named), "{named} is not in: {error}");
}

#[test]
fn an_argument_beyond_its_bound_is_named_before_it_is_sent() {
    for store in careless() {
        let number = Choice::Number(1);
        let bad = (ExceptionKind::BadParam, Completion::No);
        let long = store.put(1, "fives", &mut vec![], Shade::Dark, &number).unwrap_err();
        check(&long, bad.0, bad.1, "the parameter `name` of `put`: ");
        let many = store.put(1, "four", &mut vec![1, 2, 3], Shade::Dark, &number).unwrap_err();
        check(&many, bad.0, bad.1, "the parameter `numbers` of `put`: ");
        let chosen = Choice::Text("longer".to_owned());
        let inner = store.put(1, "four", &mut vec![1], Shade::Dark, &chosen).unwrap_err();
        check(&inner, bad.0, bad.1, "the parameter `chosen` of `put`: ");
        let later = store.put_async(1, "fives", &[], Shade::Dark, &number).wait().unwrap_err();
        check(&later, bad.0, bad.1, "the parameter `name` of `put`: ");
    }
}

#[test]
fn an_argument_that_another_client_sends_is_named_by_the_server() {
    type Write = fn(&mut Encoder<'_>) -> CdrResult;
    fn good(out: &mut Encoder<'_>) -> CdrResult {
        out.put_i32(1);
        out.put_string("four")
    }
    let requests: [(&str, Write); 5] = [
        ("first", |_| Ok(())),
        ("name", |out| {
            out.put_i32(1);
            out.put_string("fives")
        }),
        ("numbers", |out| {
            good(out)?;
            out.put_sequence::<i32>(&[1, 2, 3])
        }),
        ("tone", |out| {
            good(out)?;
            out.put_sequence::<i32>(&[1])?;
            out.put_u32(2);
            Ok(())
        }),
        ("chosen", |out| {
            good(out)?;
            out.put_sequence::<i32>(&[1])?;
            out.put_u32(0);
            out.put_u32(7);
            Ok(())
        }),
    ];
    for store in careless() {
        for (name, write) in requests {
            let error = store.invoke("put", write, |_| Ok(())).unwrap_err();
            let named = format!("the parameter `{name}` of `put`: ");
            check(&error, ExceptionKind::Marshal, Completion::No, &named);
        }
    }
}

/// What `get` returns beyond a bound, by its argument, and how it is named.
const BEYOND: [(i32, &str); 3] = [
    (1, "the result of `get`: "),
    (2, "the parameter `numbers` of `get`: "),
    (3, "the exception of `get`: "),
];

fn check_results(store: &StoreRef) {
    assert_eq!(store.get(0).unwrap(), ("four".to_owned(), vec![1, 2], Shade::Light));
    for (which, named) in BEYOND {
        let Err(Error::System(error)) = store.get(which) else { panic!("{which}") };
        check(&error, ExceptionKind::BadParam, Completion::Yes, named);
    }
}

#[test]
fn a_result_beyond_its_bound_is_named_by_the_server() {
    careless().iter().for_each(check_results);
}

#[test]
fn a_result_beyond_its_bound_that_comes_later_is_named_too() {
    let later = both(|server| {
        let store = server.root_poa().activate(store::tie_amh(Later)).unwrap();
        store.object().clone()
    });
    later.iter().for_each(check_results);
}

#[test]
fn a_value_beyond_its_bound_is_named_while_interceptors_watch() {
    let tie: [fn(&Orb) -> armilla::Object; 2] = [
        |server| server.root_poa().activate_servant(store::tie(Careless)).unwrap(),
        |server| server.root_poa().activate_servant(store::tie_amh(Later)).unwrap(),
    ];
    for activate in tie {
        let watch = Watch::default();
        let server = orbs::builder().server_interceptor(watch.clone());
        let client = orbs::builder().client_interceptor(watch.clone()).build().unwrap();
        for store in both_of(server, client, activate) {
            check_results(&store);
            let seen = std::mem::take(&mut *watch.0.lock().unwrap());
            assert_eq!(seen.len(), BEYOND.len(), "{seen:?}");
            for (seen, (_, named)) in seen.iter().zip(BEYOND) {
                assert!(seen.contains(named), "{named} is not in: {seen}");
            }
            let number = Choice::Number(1);
            let long = store.put(1, "fives", &mut vec![], Shade::Dark, &number).unwrap_err();
            let named = "the parameter `name` of `put`: ";
            check(&long, ExceptionKind::BadParam, Completion::No, named);
            let later = store.put_async(1, "fives", &[], Shade::Dark, &number).wait().unwrap_err();
            check(&later, ExceptionKind::BadParam, Completion::No, named);
        }
    }
}

#[test]
fn a_result_of_another_server_is_named_by_the_client() {
    let wrong = both(|server| {
        let servant = AnyServant::from(store::tie(Careless)).with_skeleton(Wrong);
        server.root_poa().activate_servant(servant).unwrap()
    });
    for store in wrong {
        for (which, named) in [
            (1, "the result of `get`: "),
            (2, "the parameter `numbers` of `get`: "),
            (3, "the parameter `tone` of `get`: "),
        ] {
            let Err(Error::System(error)) = store.get(which) else { panic!("{which}") };
            check(&error, ExceptionKind::Marshal, Completion::Yes, named);
            let Err(Error::System(later)) = store.get_async(which).wait() else { panic!() };
            check(&later, ExceptionKind::Marshal, Completion::Yes, named);
        }
    }
}
