//! The explicit forms, as clients of any vendor use them.

use crate::bank_world::{Bank, Process};
use armilla::SystemException;
use armilla::{Error, ExceptionKind};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Control, Coordinator, Resource, ResourceRef, Status, Terminator, TransactionFactory,
    TransactionFactoryRef, Vote, resource,
};
use std::sync::{Arc, Mutex};

/// Notes what it is told.
#[derive(Clone, Default)]
pub(crate) struct Noting(pub(crate) Arc<Mutex<Vec<&'static str>>>);

impl Noting {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }
}

impl Resource for Noting {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        self.note("prepare");
        Ok(Vote::VoteCommit)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        self.note("rollback");
        Ok(())
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        self.note("commit");
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        self.note("commit_one_phase");
        Ok(())
    }

    fn forget(&self) -> Result<(), SystemException> {
        self.note("forget");
        Ok(())
    }
}

/// A client without transactions of its own, and a factory elsewhere.
fn factory(client: &Process, service: &Bank) -> TransactionFactoryRef {
    let factory = service.process.transactions.factory().expect("it has started");
    let text = service.process.orb.object_to_string(factory).unwrap();
    client.orb.resolve(&text).unwrap()
}

#[test]
fn a_factory_makes_transactions_that_end_their_resources_together() {
    let (client, service) = (Process::client(), Bank::new(0.0));
    let factory = factory(&client, &service);
    let notes = [Noting::default(), Noting::default()];
    let control = factory.create(30).unwrap();
    let coordinator = control.get_coordinator().unwrap();
    assert_eq!(coordinator.get_status(), Ok(Status::StatusActive));
    for note in &notes {
        let poa = client.orb.root_poa();
        let resource: ResourceRef = poa.activate(resource::tie(note.clone())).unwrap();
        let recovery = coordinator.register_resource(&resource).unwrap();
        assert!(!recovery.is_nil());
    }
    control.get_terminator().unwrap().commit(true).unwrap();
    for note in &notes {
        assert_eq!(*note.0.lock().unwrap(), ["prepare", "commit"]);
    }
    let gone = coordinator.get_status().unwrap_err();
    assert_eq!(gone.kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn a_transaction_tells_who_it_is() {
    let (client, service) = (Process::client(), Bank::new(0.0));
    let factory = factory(&client, &service);
    let coordinator = factory.create(30).unwrap().get_coordinator().unwrap();
    let other = factory.create(30).unwrap().get_coordinator().unwrap();
    assert!(coordinator.is_same_transaction(&coordinator).unwrap());
    assert!(!coordinator.is_same_transaction(&other).unwrap());
    let context = coordinator.get_txcontext().unwrap();
    assert!((1..=30).contains(&context.timeout), "{}", context.timeout);
    // A subordinate elsewhere is of the same transaction.
    let here = client.transactions.factory().unwrap().recreate(&context).unwrap();
    let here = here.get_coordinator().unwrap();
    assert!(here.is_same_transaction(&coordinator).unwrap());
    assert_eq!(here.hash_transaction(), coordinator.hash_transaction());
}
