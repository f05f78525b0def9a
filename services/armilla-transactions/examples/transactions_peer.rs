//! Our transactions with the transaction service of another vendor, whose factory is the argument:
//! its coordinators with our resources, and our coordinators with its subordinates.
//!
//! Prints a line for each case: what the client is told, and what each resource.

use armilla::{Error, Orb, SystemException};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Control, ControlRef, Coordinator, CoordinatorRef, Resource, ResourceRef, Terminator,
    TransactionFactory, TransactionFactoryRef, Vote, resource,
};
use armilla_transactions::{CommitError, ResourceError, Transactions, model};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Notes what it is told.
#[derive(Clone)]
struct Noting {
    vote: Vote,
    told: Arc<Mutex<Vec<&'static str>>>,
}

impl Noting {
    fn note(&self, what: &'static str) {
        self.told.lock().unwrap().push(what);
    }
}

impl Resource for Noting {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        self.note("prepare");
        Ok(self.vote)
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

/// The same as a resource of our own process.
impl armilla_transactions::Resource for Noting {
    fn prepare(&self) -> Result<model::Vote, ResourceError> {
        self.note("prepare");
        Ok(model::Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        self.note("commit");
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        self.note("rollback");
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        self.note("commit_one_phase");
        Ok(())
    }
}

type Failure = Box<dyn std::error::Error>;

struct Peer {
    orb: Orb,
    transactions: Transactions,
    factory: TransactionFactoryRef,
}

impl Peer {
    /// Registers a resource with a coordinator.
    fn register(&self, coordinator: &CoordinatorRef, vote: Vote) -> Result<Noting, Failure> {
        let noting = Noting { vote, told: Arc::default() };
        let resource: ResourceRef = self.orb.root_poa().activate(resource::tie(noting.clone()))?;
        coordinator.register_resource(&resource)?;
        Ok(noting)
    }

    /// A transaction of the peer, with our resources.
    fn theirs(&self, case: &str) -> Result<(), Failure> {
        let timeout = if case == "timeout" { 1 } else { 60 };
        let control = self.factory.create(timeout)?;
        let (coordinator, terminator) = (control.get_coordinator()?, control.get_terminator()?);
        let votes = votes(case);
        let resources: Result<Vec<_>, _> =
            votes.iter().map(|vote| self.register(&coordinator, *vote)).collect();
        let resources = resources?;
        if case == "rollback-only" {
            coordinator.rollback_only()?;
        }
        if case == "timeout" {
            wait(&resources);
        }
        let told = match case {
            "rollback" => terminator.rollback().map_err(Error::System),
            _ => terminator.commit(true),
        };
        let told = match told {
            Ok(()) => "done".to_owned(),
            Err(Error::User(raised)) => raised.to_string(),
            // The object may be gone, or still there and say that all is over.
            Err(Error::System(_)) if case == "timeout" => "refused".to_owned(),
            Err(Error::System(exception)) => exception.kind().name().to_owned(),
        };
        println!("theirs {case}: {told};{}", shown(&resources));
        Ok(())
    }

    /// A subtransaction of the peer's transaction: with a resource beside it, one in it, and one of our
    /// process below it.
    fn their_part(&self, case: &str) -> Result<(), Failure> {
        let control = self.factory.create(60)?;
        let (whole, terminator) = (control.get_coordinator()?, control.get_terminator()?);
        let beside = self.register(&whole, Vote::VoteCommit)?;
        let control = whole.create_subtransaction()?;
        let (part, ending) = (control.get_coordinator()?, control.get_terminator()?);
        let within = self.register(&part, Vote::VoteCommit)?;
        let below = Noting { vote: Vote::VoteCommit, told: Arc::default() };
        self.transactions.join_coordinator(&part)?.enlist(Arc::new(below.clone()))?;
        match case {
            "fails" => ending.rollback()?,
            _ => ending.commit(true)?,
        }
        let told = match case {
            "is undone" => terminator.rollback().map_err(Error::System),
            _ => terminator.commit(true),
        };
        told.map_err(|error| error.to_string())?;
        println!("their part {case}: done;{}", shown(&[beside, within, below]));
        Ok(())
    }

    /// The same of ours, whose part has a subordinate of the peer.
    fn our_part(&self, case: &str) -> Result<(), Failure> {
        let whole = self.transactions.begin()?;
        let beside = self.register(&whole.coordinator()?, Vote::VoteCommit)?;
        let part = whole.begin()?;
        let coordinator = part.coordinator()?;
        let within = self.register(&coordinator, Vote::VoteCommit)?;
        let theirs = self.factory.recreate(&coordinator.get_txcontext()?)?;
        let below = self.register(&theirs.get_coordinator()?, Vote::VoteCommit)?;
        match case {
            "fails" => part.rollback(),
            _ => part.commit()?,
        }
        match case {
            "is undone" => whole.rollback(),
            _ => whole.commit()?,
        }
        println!("our part {case}: done;{}", shown(&[beside, within, below]));
        Ok(())
    }

    /// A transaction of ours, with a subordinate of the peer that has our resources.
    fn ours(&self, case: &str) -> Result<(), Failure> {
        let timeout = if case == "timeout" { 1 } else { 60 };
        let transaction = self.transactions.begin_within(Some(Duration::from_secs(timeout)))?;
        let coordinator = transaction.coordinator()?;
        let context = coordinator.get_txcontext()?;
        let theirs: ControlRef = self.factory.recreate(&context)?;
        let subordinate = theirs.get_coordinator()?;
        let votes = votes(case);
        // The first is our own, the others are below the peer.
        let mut resources = vec![self.register(&coordinator, votes[0])?];
        for vote in &votes[1..] {
            resources.push(self.register(&subordinate, *vote)?);
        }
        if case == "rollback-only" {
            subordinate.rollback_only()?;
        }
        if case == "timeout" {
            wait(&resources);
        }
        let told = match case {
            "rollback" => {
                transaction.rollback();
                "done".to_owned()
            }
            _ => match transaction.commit() {
                Ok(()) => "done".to_owned(),
                Err(CommitError::RolledBack { .. }) => "TRANSACTION_ROLLEDBACK".to_owned(),
                Err(error) => error.to_string(),
            },
        };
        println!("ours {case}: {told};{}", shown(&resources));
        Ok(())
    }
}

fn votes(case: &str) -> [Vote; 3] {
    match case {
        "refused" => [Vote::VoteCommit, Vote::VoteCommit, Vote::VoteRollback],
        "read-only" => [Vote::VoteReadOnly, Vote::VoteCommit, Vote::VoteReadOnly],
        _ => [Vote::VoteCommit; 3],
    }
}

/// Waits until all were told something, for half a minute at most.
fn wait(resources: &[Noting]) {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end && resources.iter().any(|it| it.told.lock().unwrap().is_empty()) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn shown(resources: &[Noting]) -> String {
    let each = resources.iter().map(|it| format!(" [{}]", it.told.lock().unwrap().join(" ")));
    each.collect()
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("the reference of a factory is needed")?;
    let transactions = Transactions::builder().build();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?;
    let orb = orb.initializer(transactions.clone()).build()?;
    transactions.start(&orb)?;
    let factory = orb.resolve(&url)?;
    let peer = Peer { orb: orb.clone(), transactions: transactions.clone(), factory };
    let cases = ["commit", "rollback", "rollback-only", "refused", "read-only", "timeout"];
    for case in cases {
        peer.theirs(case).unwrap_or_else(|error| println!("theirs {case}: failed: {error}"));
    }
    for case in cases {
        peer.ours(case).unwrap_or_else(|error| println!("ours {case}: failed: {error}"));
    }
    let cases = ["commits", "fails", "is undone"];
    for case in cases {
        peer.their_part(case)
            .unwrap_or_else(|error| println!("their part {case}: failed: {error}"));
    }
    for case in cases {
        peer.our_part(case).unwrap_or_else(|error| println!("our part {case}: failed: {error}"));
    }
    transactions.stop();
    orb.shutdown();
    Ok(())
}
