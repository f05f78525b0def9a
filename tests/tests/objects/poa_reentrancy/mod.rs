//! Calls of servant managers and adapter activators to the POA that called them, and the threads
//! that wait meanwhile (CORBA 3.4 Part 1, 15.3.3 to 15.3.9).

mod adapter_activators;
mod destruction;
mod own_calls;
mod servant_managers;

use armilla::{
    AnyServant, ExceptionKind, Minor, ObjectId, Orb, Poa, PoaError, ServantActivator,
    ServantLocator, ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

/// Fails where `work` does not come to its end.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(PATIENCE).expect("it hangs, or panicked")
}

fn probe() -> AnyServant {
    let probe: Arc<dyn Everything> = Arc::new(Probe::default());
    probe.into()
}

fn refused<T: std::fmt::Debug, E: Into<SystemException>>(
    result: Result<T, E>,
    kind: ExceptionKind,
    minor: Minor,
) {
    let error: SystemException = result.unwrap_err().into();
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
}

/// What a servant manager was asked, and what came of what it did.
type Diary = Arc<Mutex<Vec<String>>>;

/// What a servant manager does when it is asked.
type Deed = Box<dyn Fn(&Poa) -> Result<(), PoaError> + Send + Sync>;

/// Does something to its POA whenever it is asked.
struct Meddler {
    deed: Deed,
    diary: Diary,
}

impl Meddler {
    fn meddle(&self, asked: &str, poa: &Poa) {
        let outcome = match (self.deed)(poa) {
            Ok(()) => "done".into(),
            Err(PoaError::System(exception)) => format!("{:?}", exception.kind()),
            Err(error) => format!("{error:?}"),
        };
        self.diary.lock().unwrap().push(format!("{asked} {outcome}"));
    }
}

impl ServantActivator for Meddler {
    fn incarnate(&self, _: &ObjectId, poa: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.meddle("incarnate", poa);
        Ok(probe())
    }

    fn etherealize(&self, _: &ObjectId, poa: &Poa, _: AnyServant, cleanup: bool, _: bool) {
        self.meddle(&format!("etherealize {cleanup}"), poa);
    }
}

impl ServantLocator for Meddler {
    fn preinvoke(
        &self,
        _: &ObjectId,
        poa: &Poa,
        _: &str,
    ) -> Result<(AnyServant, armilla::Cookie), ServantManagerError> {
        self.meddle("preinvoke", poa);
        Ok((probe(), armilla::Cookie::default()))
    }

    fn postinvoke(
        &self,
        _: &ObjectId,
        poa: &Poa,
        _: &str,
        _: armilla::Cookie,
        _: AnyServant,
    ) -> Result<(), SystemException> {
        self.meddle("postinvoke", poa);
        Ok(())
    }
}

/// A POA with a meddler of one of both kinds, an object of it, and what happens.
fn meddled(
    manager: fn(Meddler) -> ServantManager,
    deed: impl Fn(&Poa) -> Result<(), PoaError> + Send + Sync + 'static,
) -> (Orb, Poa, EverythingRef, Diary) {
    let (orb, diary) = (orbs::listening(), Diary::default());
    let meddler = Meddler { deed: Box::new(deed), diary: diary.clone() };
    let poa = orb.root_poa().create_poa("meddled").user_ids().servant_manager(manager(meddler));
    let poa = poa.build().unwrap();
    let object = poa.create_reference_with_id("one").unwrap();
    (orb, poa, object, diary)
}

fn taken(diary: &Diary) -> Vec<String> {
    std::mem::take(&mut *diary.lock().unwrap())
}
