//! Hosts that do not answer, and many transactions that wait for them.

use crate::bank_world::{Process, await_that, shared};
use crate::recovery::port;
use armilla::{Error, IdUniqueness, Object, Orb, Poa, SystemException};
use armilla_transactions::corba::recovery_coordinator::{self, ReplayCompletionRaises};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Coordinator, RecoveryCoordinator, Resource, ResourceRef, Status, Vote, resource,
};
use armilla_transactions::model::{GlobalId, Key, Kind, Options, Record};
use armilla_transactions::{CommitError, Journal, MemoryJournal};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Counts how often its resources were told, and its coordinators asked.
#[derive(Clone, Default)]
struct Counting {
    told: Arc<AtomicUsize>,
    asked: Arc<AtomicUsize>,
}

impl Resource for Counting {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        Ok(Vote::VoteCommit)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        Ok(())
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        self.told.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        panic!("all have voted")
    }

    fn forget(&self) -> Result<(), SystemException> {
        panic!("all did as they were told")
    }
}

impl RecoveryCoordinator for Counting {
    fn replay_completion(&self, _: &ResourceRef) -> Result<Status, Error<ReplayCompletionRaises>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(Status::StatusCommitted)
    }
}

/// The host, with resources and recovery coordinators of any id.
fn host(address: &str, counting: &Counting) -> (Orb, Poa, Poa) {
    let orb = Orb::builder().listen(&format!("iiop://{address}")).unwrap().build().unwrap();
    let poa = |name: &str, servant: armilla::AnyServant| {
        let poa = orb.root_poa().create_poa(name).persistent().user_ids();
        poa.policy(IdUniqueness::Multiple).default_servant(servant).build().unwrap()
    };
    let resources = poa("resources", resource::tie(counting.clone()).into());
    let superiors = poa("superiors", recovery_coordinator::tie(counting.clone()).into());
    (orb, resources, superiors)
}

/// Answers nothing until it is let go.
#[derive(Clone)]
struct Hanging {
    votes: bool,
    told: Arc<AtomicUsize>,
    gate: Arc<RwLock<()>>,
}

impl Resource for Hanging {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        if !self.votes {
            drop(self.gate.read().unwrap());
        }
        Ok(Vote::VoteCommit)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        drop(self.gate.read().unwrap());
        Ok(())
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        drop(self.gate.read().unwrap());
        self.told.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        panic!("there are two")
    }

    fn forget(&self) -> Result<(), SystemException> {
        panic!("all did as they were told")
    }
}

#[test]
fn one_that_hangs_holds_up_neither_who_commits_nor_the_others() {
    let options = Options { call: Duration::from_millis(100), ..Options::default() };
    let client = Process::new(Orb::builder().listen("iiop://127.0.0.1:0").unwrap(), |it| {
        it.options(options)
    });
    let elsewhere = Process::client();
    for votes in [false, true] {
        let gate = Arc::<RwLock<()>>::default();
        let shut = gate.write().unwrap();
        let hanging = Hanging { votes, told: Arc::default(), gate: gate.clone() };
        let counting = Counting::default();
        let time = Duration::from_secs(if votes { 60 } else { 3 });
        let transaction = client.transactions.begin_within(Some(time)).unwrap();
        let coordinator = transaction.coordinator().unwrap();
        let poa = elsewhere.orb.root_poa();
        let register = |made: ResourceRef| {
            let text = elsewhere.orb.object_to_string(&made).unwrap();
            let resource: ResourceRef = client.orb.string_to_object(&text).unwrap().assume();
            coordinator.register_resource(&resource).unwrap();
        };
        register(poa.activate(resource::tie(hanging.clone())).unwrap());
        register(poa.activate(resource::tie(counting.clone())).unwrap());
        // It returns, whatever hangs.
        let ended = transaction.commit();
        let told = counting.told.load(Ordering::SeqCst);
        match votes {
            false => assert_eq!(ended, Err(CommitError::RolledBack { timed_out: true })),
            true => assert_eq!((ended, told), (Ok(()), 1)),
        }
        drop(shut);
        await_that("everything is over", || client.transactions.list().is_empty());
        assert!(!votes || hanging.told.load(Ordering::SeqCst) > 0);
    }
}

/// Accepts connections at an address, and closes them. Returns how many there were.
struct Deaf {
    connects: Arc<AtomicUsize>,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Deaf {
    fn new(address: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let (connects, ends) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (counter, until) = (connects.clone(), ends.clone());
        let thread = thread::spawn(move || {
            while listener.accept().is_ok() && !until.load(Ordering::SeqCst) {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { connects, ends, thread }
    }

    fn end(self, address: &str) {
        self.ends.store(true, Ordering::SeqCst);
        std::net::TcpStream::connect(address).unwrap();
        self.thread.join().unwrap();
    }
}

#[test]
fn a_host_that_is_away_is_asked_once_for_all_and_all_go_on_when_it_is_back() {
    const EACH: usize = 500;
    let address = format!("127.0.0.1:{}", port());
    let counting = Counting::default();
    let (orb, resources, superiors) = host(&address, &counting);
    let journal = Arc::<MemoryJournal>::default();
    let text = |made: Object| orb.object_to_string(&made).unwrap();
    for number in 0..2 * EACH {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&number.to_be_bytes());
        let resource = resources.create_reference_with_id::<dyn Resource>(key.to_vec()).unwrap();
        let participants = vec![text(resource.object().clone()).into()];
        let global = GlobalId { format: 1, branch_length: 0, octets: key.to_vec() };
        let kind = match number % 2 {
            0 => Kind::Committed { global, superior: None, participants, by_operator: false },
            _ => {
                let asked = superiors
                    .create_reference_with_id::<dyn RecoveryCoordinator>(key.to_vec())
                    .unwrap();
                let superior = text(asked.object().clone()).into();
                Kind::Prepared { global, superior, participants }
            }
        };
        journal.force(&Record { key: Key(key), kind }).unwrap();
    }
    orb.shutdown();
    drop((orb, resources, superiors));

    let (deaf, begun) = (Deaf::new(&address), Instant::now());
    let process = Process::new(Orb::builder().listen("iiop://127.0.0.1:0").unwrap(), |it| {
        it.journal(shared(&journal))
    });
    assert_eq!(process.transactions.list().len(), 2 * EACH);
    thread::sleep(Duration::from_secs(3));
    // Each of the four threads may find out, then one asks after pauses of up to two seconds. A call may
    // connect twice.
    let (connects, passed) = (deaf.connects.load(Ordering::SeqCst), begun.elapsed().as_secs());
    assert!(connects <= 2 * (4 + 5 + passed as usize), "{connects} in {passed} s");
    await_that("it is asked again", || deaf.connects.load(Ordering::SeqCst) > 3);
    deaf.end(&address);
    let back = host(&address, &counting);
    back.1.manager().activate().unwrap();
    await_that("everything is over", || process.transactions.list().is_empty());
    assert_eq!(counting.told.load(Ordering::SeqCst), 2 * EACH, "each is told once");
    assert_eq!(counting.asked.load(Ordering::SeqCst), EACH);
    back.0.shutdown();
}
