//! Servant managers and default servants, and `Current` in their servants. Remote and collocated.

mod activators;
mod current;
mod default_servants;
mod locators;
mod through_poa;

use armilla::{
    AnyServant, Cookie, ExceptionKind, Minor, Object, ObjectId, Orb, Poa, RequestProcessing,
    ServantActivator, ServantLocator, ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::Gate;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, what: impl Into<String>) {
    log.lock().unwrap().push(what.into());
}

fn take(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

fn text(id: &ObjectId) -> String {
    String::from_utf8_lossy(id.as_bytes()).into_owned()
}

/// The reference as it is, and as a client elsewhere has it.
fn near_and_far(reference: &EverythingRef) -> [EverythingRef; 2] {
    [reference.clone(), travel(reference, &orbs::client())]
}

fn refused(what: SystemException, kind: ExceptionKind, minor: Minor) {
    assert_eq!((what.kind(), what.minor()), (kind, minor), "{what}");
}

/// Makes a probe for each object, and notes everything.
#[derive(Default)]
struct Maker {
    log: Log,
    /// Where `incarnate` of the object `slow` waits.
    gate: Arc<Gate>,
    elsewhere: Mutex<Option<Object>>,
}

impl ServantActivator for Maker {
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        note(&self.log, format!("incarnate {} in {}", text(id), adapter.name()));
        match &*text(id) {
            "slow" => self.gate.pass(),
            "elsewhere" => return Err(self.elsewhere.lock().unwrap().clone().unwrap().into()),
            "forbidden" => {
                let kind = ExceptionKind::NoPermission;
                return Err(SystemException::new(kind, Minor(7), armilla::Completion::No).into());
            }
            "panic" => panic!("as it was told"),
            _ => {}
        }
        let probe: Arc<dyn Everything> = Arc::new(Probe::default());
        Ok(probe.into())
    }

    fn etherealize(
        &self,
        id: &ObjectId,
        _adapter: &Poa,
        servant: AnyServant,
        cleanup_in_progress: bool,
        remaining_activations: bool,
    ) {
        let servant: Arc<dyn Everything> = servant.downcast().unwrap();
        let count = servant.count().unwrap();
        let why = if cleanup_in_progress { "cleanup" } else { "deactivated" };
        let more = if remaining_activations { ", remaining" } else { "" };
        note(&self.log, format!("etherealize {} at {count}: {why}{more}", text(id)));
    }
}

fn activating(server: &Orb) -> (Poa, Arc<Maker>, Log) {
    let maker = Arc::new(Maker::default());
    let log = maker.log.clone();
    let manager = ServantManager::Activator(maker.clone());
    let poa = server.root_poa().create_poa("made").user_ids().servant_manager(manager);
    (poa.build().unwrap(), maker, log)
}

fn reference(poa: &Poa, id: &str) -> EverythingRef {
    poa.create_reference_with_id(id).unwrap()
}

#[test]
fn a_servant_manager_is_set_once_and_of_the_right_kind() {
    let server = Server::start();
    let (poa, ..) = activating(&server);
    let error = poa.set_servant_manager(ServantManager::activator(Maker::default()));
    refused(
        error.unwrap_err().into(),
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_SERVANT_MANAGER_EXISTS,
    );
    let poa = server.root_poa().create_poa("unset").user_ids();
    let poa = poa.policy(RequestProcessing::ServantManager).build().unwrap();
    for reference in near_and_far(&reference(&poa, "a")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER,
        );
    }
    let error = poa.set_servant_manager(ServantManager::locator(Lender::default())).unwrap_err();
    refused(error.into(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER);
    assert!(poa.servant_manager().unwrap().is_none());
    poa.set_servant_manager(ServantManager::activator(Maker::default())).unwrap();
    reference(&poa, "a").ping().unwrap();
}

/// Lends one probe to every request, and notes everything.
#[derive(Default)]
struct Lender {
    log: Log,
    probe: Arc<Probe>,
    elsewhere: Mutex<Option<Object>>,
    count: AtomicUsize,
}

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        note(&self.log, format!("preinvoke {} {operation} in {}", text(id), adapter.name()));
        if text(id) == "elsewhere" {
            return Err(self.elsewhere.lock().unwrap().clone().unwrap().into());
        }
        let probe: Arc<dyn Everything> = self.probe.clone();
        Ok((probe.into(), Cookie::new(self.count.fetch_add(1, SeqCst))))
    }

    fn postinvoke(
        &self,
        id: &ObjectId,
        _adapter: &Poa,
        operation: &str,
        cookie: Cookie,
        servant: AnyServant,
    ) -> Result<(), SystemException> {
        let number = cookie.take::<usize>().unwrap();
        let servant: Arc<dyn Everything> = servant.downcast().unwrap();
        let count = servant.count().unwrap();
        note(&self.log, format!("postinvoke {} {operation} {number} at {count}", text(id)));
        match &*text(id) {
            "lost" => Err(SystemException::new(
                ExceptionKind::PersistStore,
                Minor(1),
                armilla::Completion::Yes,
            )),
            "broken" => panic!("as it was told"),
            _ => Ok(()),
        }
    }
}
