//! Resources that ask for the outcome, and may come back with another reference.

use crate::bank_world::{Process, await_that, shared};
use crate::recovery::port;
use crate::references::Noting;
use armilla::{Error, ExceptionKind, Orb, Poa, SystemException};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Control, Coordinator, CoordinatorRef, RecoveryCoordinator, RecoveryCoordinatorRef, Resource,
    ResourceRef, Status, Terminator, TransactionFactory, Vote, resource,
};
use armilla_transactions::{MemoryJournal, Transactions};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

type Then = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

fn run(then: &Then) {
    if let Some(work) = then.lock().unwrap().take() {
        work();
    }
}

fn set(then: &Then, work: impl FnOnce() + Send + 'static) {
    *then.lock().unwrap() = Some(Box::new(work));
}

/// A resource elsewhere.
#[derive(Clone)]
struct Elsewhere {
    told: Noting,
    vote: Vote,
    /// Whether it cannot commit now.
    away: Arc<AtomicBool>,
    /// What it does when it has voted, and before it commits.
    then: Then,
    before: Then,
}

impl Elsewhere {
    fn new(vote: Vote) -> Self {
        let (told, away) = (Noting::default(), Arc::default());
        Self { told, vote, away, then: Arc::default(), before: Arc::default() }
    }

    fn activate(&self, poa: &Poa) -> ResourceRef {
        poa.activate(resource::tie(self.clone())).unwrap()
    }

    fn told(&self) -> Vec<&'static str> {
        self.told.0.lock().unwrap().clone()
    }
}

impl Resource for Elsewhere {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        self.told.prepare()?;
        run(&self.then);
        Ok(self.vote)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        self.told.rollback()
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        if self.away.load(Ordering::SeqCst) {
            return Err(ExceptionKind::Transient.because("it is away").into());
        }
        run(&self.before);
        self.told.commit()
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        self.told.commit_one_phase()
    }

    fn forget(&self) -> Result<(), SystemException> {
        self.told.forget()
    }
}

/// A coordinator that comes back where it was, with its log.
fn coordinator(endpoint: &str, journal: &Arc<MemoryJournal>) -> Process {
    Process::new(Orb::builder().listen(endpoint).unwrap(), |it| it.journal(shared(journal)))
}

fn begin(transactions: &Transactions) -> (CoordinatorRef, impl Terminator) {
    let control = transactions.factory().unwrap().create(60).unwrap();
    (control.get_coordinator().unwrap(), control.get_terminator().unwrap())
}

/// A recovery coordinator as who keeps its reference finds it.
fn kept(from: &Process, orb: &Orb, recovery: &RecoveryCoordinatorRef) -> RecoveryCoordinatorRef {
    orb.resolve(&from.orb.object_to_string(recovery).unwrap()).unwrap()
}

#[test]
fn who_comes_back_takes_nobody_elses_place_after_a_restart_of_the_coordinator() {
    let (endpoint, journal) = (format!("iiop://127.0.0.1:{}", port()), Arc::default());
    let (server, client) = (coordinator(&endpoint, &journal), Process::client());
    let poa = client.orb.root_poa();
    let reader = Elsewhere::new(Vote::VoteReadOnly);
    let [first, second] = [0, 1].map(|_| Elsewhere::new(Vote::VoteCommit));
    [&first, &second].iter().for_each(|it| it.away.store(true, Ordering::SeqCst));
    let (transaction, terminator) = begin(&server.transactions);
    let asks = [&reader, &first, &second].map(|it| {
        let recovery = transaction.register_resource(&it.activate(&poa)).unwrap();
        kept(&server, &client.orb, &recovery)
    });
    terminator.commit(true).unwrap();
    drop(server);

    let server = coordinator(&endpoint, &journal);
    // The log knows two of the three.
    let back = first.activate(&poa);
    assert_eq!(asks[1].replay_completion(&back), Ok(Status::StatusCommitted));
    [&first, &second].iter().for_each(|it| it.away.store(false, Ordering::SeqCst));
    await_that("everything is over", || server.transactions.list().is_empty());
    for each in [&first, &second] {
        assert_eq!(each.told(), ["prepare", "commit"]);
    }
    assert_eq!(reader.told(), ["prepare"]);
}

#[test]
fn who_has_heard_by_asking_and_is_gone_has_committed() {
    let (server, client) = (Process::client(), Process::client());
    let poa = client.orb.root_poa();
    for in_part in [false, true] {
        let (first, second) = (Elsewhere::new(Vote::VoteCommit), Elsewhere::new(Vote::VoteCommit));
        let (whole, terminator) = begin(&server.transactions);
        whole.register_resource(&first.activate(&poa)).unwrap();
        let old = second.activate(&poa);
        let recovery = if in_part {
            let part = whole.create_subtransaction().unwrap();
            let recovery = part.get_coordinator().unwrap().register_resource(&old).unwrap();
            part.get_terminator().unwrap().commit(true).unwrap();
            recovery
        } else {
            whole.register_resource(&old).unwrap()
        };
        let recovery = kept(&server, &client.orb, &recovery);
        // It comes back with another reference, and asks while both are told.
        let (new, own) = (second.activate(&poa), poa.clone());
        let old = poa.reference_to_id(&old).unwrap();
        set(&second.then, move || own.deactivate(&old).unwrap());
        set(&first.before, move || {
            assert_eq!(recovery.replay_completion(&new), Ok(Status::StatusCommitted));
        });
        terminator.commit(true).unwrap();
        await_that("everything is over", || server.transactions.list().is_empty());
    }
}
