//! Servant locators: called before and after each request.

use super::{Lender, Log, near_and_far, note, reference, refused, take};
use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{Cookie, ExceptionKind, Minor, Orb, Poa, PoaError, ServantManager, SystemException};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, OnceLock};

/// Notes in the log of a lender how requests begin and end for interceptors.
#[derive(Clone, Default)]
struct Onlooker(Arc<OnceLock<Log>>);

impl Onlooker {
    fn note(&self, what: &str) {
        note(self.0.get().unwrap(), what);
    }
}

impl ServerInterceptor for Onlooker {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note("receive_request");
        Ok(())
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.note("send_reply");
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note(&format!(
            "send_exception {}",
            request.outcome().unwrap().exception_id().unwrap()
        ));
        Ok(())
    }
}

#[test]
fn ending_points_run_after_postinvoke() {
    let onlooker = Onlooker::default();
    let builder = orbs::builder().server_interceptor(onlooker.clone());
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (poa, _, log) = lending(&orb);
    onlooker.0.set(log.clone()).unwrap();
    for (n, reference) in near_and_far(&reference(&poa, "a")).iter().enumerate() {
        reference.increment().unwrap();
        let postinvoke = format!("postinvoke a increment {n} at {}", n + 1);
        let expected =
            ["preinvoke a increment in lent", "receive_request", &postinvoke, "send_reply"];
        assert_eq!(take(&log), expected);
    }
    for reference in near_and_far(&reference(&poa, "lost")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::PersistStore, Minor(1));
        let exception = ExceptionKind::PersistStore.repository_id();
        assert_eq!(take(&log)[3..], [format!("send_exception {exception}")]);
    }
    orb.shutdown();
}

fn lending(orb: &Orb) -> (Poa, Arc<Lender>, Log) {
    let lender = Arc::new(Lender::default());
    let log = lender.log.clone();
    let poa = orb.root_poa().create_poa("lent").persistent().user_ids();
    let poa = poa.servant_manager(ServantManager::Locator(lender.clone())).build().unwrap();
    (poa, lender, log)
}

#[test]
fn preinvoke_and_postinvoke_are_called_before_each_reply() {
    let server = Server::start();
    let (poa, _, log) = lending(&server);
    for (n, reference) in near_and_far(&reference(&poa, "a")).iter().enumerate() {
        assert_eq!(reference.increment(), Ok(n as i32 + 1));
        let around = [
            "preinvoke a increment in lent".to_owned(),
            format!("postinvoke a increment {n} at {}", n + 1),
        ];
        assert_eq!(take(&log), around);
    }
    assert_eq!(
        poa.activate_with_id("a", Arc::new(Probe::default()) as Arc<dyn Everything>),
        Err(PoaError::WrongPolicy)
    );
    // Operations of every object reach a servant; a locate request calls no servant manager.
    let [_, far] = near_and_far(&reference(&poa, "b"));
    assert_eq!(far.object().is_a("IDL:armilla.org/Probe/Stranger:1.0"), Ok(false));
    assert_eq!(take(&log)[0], "preinvoke b _is_a in lent");
    assert_eq!(far.object().locate(), Ok(true));
    assert!(take(&log).is_empty());
}

#[test]
fn postinvoke_is_called_after_every_outcome_and_can_replace_it() {
    let server = Server::start();
    let (poa, lender, log) = lending(&server);
    for reference in near_and_far(&reference(&poa, "a")) {
        assert_eq!(reference.panic("on purpose").unwrap_err().kind(), ExceptionKind::Unknown);
        assert!(reference.choose(1, &mut "no".into()).is_err());
        reference.remark("nobody waits for this").unwrap();
        eventually("the oneway is over", || log.lock().unwrap().len() == 6);
        let ends: Vec<_> = take(&log).into_iter().skip(1).step_by(2).collect();
        assert!(ends.iter().all(|line| line.starts_with("postinvoke a ")), "{ends:?}");
    }
    for reference in near_and_far(&reference(&poa, "lost")) {
        refused(reference.increment().unwrap_err(), ExceptionKind::PersistStore, Minor(1));
    }
    for reference in near_and_far(&reference(&poa, "broken")) {
        let error = reference.increment().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        assert_eq!(error.completed(), armilla::Completion::Maybe, "the servant was called");
    }
    *lender.elsewhere.lock().unwrap() = Some(server.local.object().clone());
    take(&log);
    for reference in near_and_far(&reference(&poa, "elsewhere")) {
        reference.increment().unwrap();
    }
    assert_eq!(server.local.count(), Ok(2));
    assert!(take(&log).iter().all(|line| line.starts_with("preinvoke")));
}

#[test]
fn a_large_result_of_a_lent_servant_arrives_whole() {
    let server = Server::start();
    let (poa, ..) = lending(&server);
    let octets: Vec<u8> = (0..200_000).map(|n| n as u8).collect();
    for reference in near_and_far(&reference(&poa, "a")) {
        let (result, copy) = reference.echo_octets(&octets, &mut vec![1, 2]).unwrap();
        assert_eq!((result, copy.len()), (vec![1, 2], 200_000));
        assert!(copy == octets);
    }
}

#[test]
fn a_cookie_returns_its_value() {
    assert_eq!(Cookie::new(7_u8).take::<u8>(), Some(7));
    assert_eq!(Cookie::new(7_u8).take::<u16>(), None);
    assert_eq!(Cookie::default().take::<u8>(), None);
}
