//! Time limits of collocated calls that wait while an adapter activator or a servant activator runs
//! for another call. The activator is not interrupted.

use armilla::{
    AnyServant, Completion, ExceptionKind, Minor, ObjectId, Orb, Poa, ServantActivator,
    ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::{Gate, eventually};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(20);

#[track_caller]
fn late<T: std::fmt::Debug>(what: Result<T, SystemException>) {
    let error = what.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT));
    assert_eq!(error.completed(), Completion::No, "{error}");
}

fn probe() -> Arc<dyn Everything> {
    Arc::new(Probe::default())
}

/// An object of a POA below one, neither of which is there any more.
fn forgotten(orb: &Orb) -> EverythingRef {
    let upper = orb.root_poa().create_poa("upper").persistent().build().unwrap();
    let lower = upper.create_poa("lower").persistent().user_ids().build().unwrap();
    let object = lower.create_reference_with_id("one").unwrap();
    upper.destroy(true, true).unwrap();
    object
}

#[test]
fn a_call_that_waits_for_an_adapter_activator_ends_in_its_time() {
    // Before the POA is made, after that, and when the one below it is.
    for moment in 0..3 {
        let orb = orbs::listening();
        let object = forgotten(&orb);
        let gate = Arc::new(Gate::default());
        let passed = gate.clone();
        let pass = move |at: usize| {
            if at == moment {
                passed.pass()
            }
        };
        orb.root_poa().set_activator(move |root: &Poa, name: &str| {
            pass(0);
            let upper = root.create_poa(name).persistent().build().unwrap();
            pass(1);
            let pass = pass.clone();
            upper.set_activator(move |upper: &Poa, name: &str| {
                pass(2);
                let lower = upper.create_poa(name).persistent().user_ids().build().unwrap();
                lower.activate_with_id("one", probe()).is_ok()
            });
            true
        });
        thread::scope(|scope| {
            let first = scope.spawn(|| object.increment());
            gate.await_waiting(1);
            late(object.with_timeout(SHORT).increment());
            late(object.object().with_timeout(SHORT).locate());
            gate.open();
            assert_eq!(first.join().unwrap(), Ok(1), "who is asked has done its work");
        });
        assert_eq!(object.with_timeout(SHORT).increment(), Ok(2));
        orb.shutdown();
    }
}

/// Makes servants, and takes them back, at its leisure.
#[derive(Default)]
struct Leisurely {
    makes: Gate,
    takes: Gate,
}

struct Shared(Arc<Leisurely>);

impl ServantActivator for Shared {
    fn incarnate(&self, id: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        if id.as_bytes() == b"slow" {
            self.0.makes.pass();
        }
        Ok(probe().into())
    }

    fn etherealize(&self, id: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        if id.as_bytes() == b"slow" {
            self.0.takes.pass();
        }
    }
}

fn leisurely(orb: &Orb) -> (Poa, Arc<Leisurely>) {
    let leisurely = Arc::new(Leisurely::default());
    let manager = ServantManager::activator(Shared(leisurely.clone()));
    let poa = orb.root_poa().create_poa("leisurely").user_ids().servant_manager(manager);
    (poa.build().unwrap(), leisurely)
}

#[test]
fn a_call_that_waits_for_a_servant_activator_ends_in_its_time() {
    let orb = orbs::listening();
    let (poa, activator) = leisurely(&orb);
    let [slow, other]: [EverythingRef; 2] =
        ["slow", "other"].map(|id| poa.create_reference_with_id(id).unwrap());
    thread::scope(|scope| {
        let first = scope.spawn(|| slow.increment());
        activator.makes.await_waiting(1);
        late(slow.with_timeout(SHORT).increment());
        late(other.with_timeout(SHORT).increment());
        activator.makes.open();
        assert_eq!(first.join().unwrap(), Ok(1));
        let goes = scope.spawn(|| poa.deactivate(&"slow".into()));
        activator.takes.await_waiting(1);
        late(slow.with_timeout(SHORT).increment());
        late(other.with_timeout(SHORT).increment());
        activator.takes.open();
        goes.join().unwrap().unwrap();
    });
    assert_eq!(other.with_timeout(SHORT).increment(), Ok(1));
    assert_eq!(slow.with_timeout(SHORT).increment(), Ok(1), "with a servant of its own");
    orb.shutdown();
}

/// Asks the POA of others for something that takes its time.
struct Patient {
    root: Poa,
    poa: Poa,
}

impl Common for Patient {
    fn ping(&self) -> Result<(), SystemException> {
        self.root.find_poa("upper", true)?;
        self.poa.activate_with_id("slow", probe())?;
        Ok(())
    }
}

#[test]
fn the_wait_limit_of_a_call_does_not_limit_calls_of_its_servant() {
    let orb = orbs::listening();
    let (poa, activator) = leisurely(&orb);
    let gate = Arc::new(Gate::default());
    let passed = gate.clone();
    orb.root_poa().set_activator(move |root: &Poa, name: &str| {
        passed.pass();
        root.create_poa(name).build().is_ok()
    });
    let patient = Patient { root: orb.root_poa(), poa: poa.clone() };
    // It is asked by way of the POA, where the limit counts.
    let single = orb.root_poa().create_poa("single").single_thread().build().unwrap();
    let object = single.activate(Arc::new(patient) as Arc<dyn Common>).unwrap();
    activator.makes.open();
    let slow: EverythingRef = poa.create_reference_with_id("slow").unwrap();
    slow.ping().unwrap();
    thread::scope(|scope| {
        let maker = scope.spawn(|| orb.root_poa().find_poa("upper", true));
        gate.await_waiting(1);
        let goes = scope.spawn(|| poa.deactivate(&"slow".into()));
        activator.takes.await_waiting(1);
        let call = scope.spawn(|| object.with_timeout(SHORT).ping());
        thread::sleep(2 * SHORT);
        assert!(!call.is_finished());
        gate.open();
        thread::sleep(2 * SHORT);
        assert!(!call.is_finished());
        activator.takes.open();
        call.join().unwrap().unwrap();
        maker.join().unwrap().unwrap();
        goes.join().unwrap().unwrap();
    });
    eventually("it is active", || poa.id_to_servant(&"slow".into()).is_ok());
    orb.shutdown();
}
