//! States and changes that no message may have.

use crate::members::PATIENCE;
use crate::savings::Savings;
use armilla::Orb;
use armilla_replication::{
    Checkpointable, GroupName, MemoryRegistry, Replica, ReplicaBuilder, StateError,
};
use bank::bank::{Account, AccountRef};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// A registry, and the largest message of all members.
struct Bank(Arc<MemoryRegistry>, &'static str);

impl Bank {
    /// Starts a member with an account whose changes have so many octets, and whose first state takes so long
    /// to take.
    fn start(&self, name: &str, change: usize, taking: u64) -> (Orb, Arc<Bulky>, Replica) {
        let limit = ["-ORBMaxMessage", self.1].map(str::to_owned);
        let orb = Orb::builder().arguments(limit).unwrap().listen("iiop://127.0.0.1:0").unwrap();
        let orb = orb.build().unwrap();
        let account = Arc::<Savings>::default();
        *account.taking.lock().unwrap() = Duration::from_secs(taking);
        let servant: Arc<dyn Account> = account.clone();
        let object = Arc::new(Bulky { account, change, told: AtomicU32::default() });
        // What is large takes long on a busy machine.
        let patient = |it: ReplicaBuilder| it.heartbeat(Duration::from_secs(2));
        let member = patient(Replica::builder(GroupName::new("bank", 1), name));
        let replica = member.registry(self.0.clone()).start(&orb, object.clone(), servant).unwrap();
        (orb, object, replica)
    }
}

fn account(replica: &Replica) -> (Orb, AccountRef) {
    assert!(replica.wait_ready(PATIENCE));
    let client = Orb::new().unwrap();
    let account = client.string_to_object(&replica.reference().unwrap()).unwrap().assume();
    (client, account)
}

/// An account with much beside its balance: a state that no message may have, and large changes.
struct Bulky {
    account: Arc<Savings>,
    change: usize,
    /// How often it was told of a change.
    told: AtomicU32,
}

impl Bulky {
    const STATE: usize = 20 << 20;

    fn octets(&self, length: usize) -> Vec<u8> {
        let mut octets = self.account.balance.lock().unwrap().to_le_bytes().to_vec();
        octets.resize(length, 7);
        octets
    }

    fn take(&self, octets: &[u8], length: usize) -> Result<(), StateError> {
        match octets.len() == length {
            true => self.account.set_state(&octets[..8]),
            false => Err(StateError::new("not all of it")),
        }
    }
}

impl Checkpointable for Bulky {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        Ok(self.octets(Self::STATE))
    }

    fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
        self.take(state, Self::STATE)
    }

    fn update(&self) -> Result<Option<Vec<u8>>, StateError> {
        Ok(Some(self.octets(self.change)))
    }

    fn apply_update(&self, update: &[u8]) -> Result<(), StateError> {
        self.told.fetch_add(1, Ordering::SeqCst);
        self.take(update, self.change)
    }
}

#[test]
fn a_state_and_what_was_missed_may_be_larger_than_a_message() {
    // Many changes that are missed, and a few that are themselves larger than a message.
    for (change, pause) in [(64 << 10, 5), (3 << 20, 200)] {
        let bank = Bank(Arc::default(), "2097152");
        let (_a_orb, a, replica) = bank.start("a", change, 0);
        let (_client, account) = account(&replica);
        account.deposit(1.0).unwrap();
        let (_b_orb, b, _newcomer) = bank.start("b", change, 2);
        while replica.view().members.len() < 2 {
            account.deposit(1.0).unwrap();
            thread::sleep(Duration::from_millis(pause));
        }
        account.deposit(1.0).unwrap();
        let told = b.told.load(Ordering::SeqCst) as usize;
        assert!(told * change > 2 << 20, "it has missed only {told} changes");
        let balances = [a, b].map(|object| *object.account.balance.lock().unwrap());
        assert_eq!(balances[0], balances[1]);
    }
}

#[test]
fn a_change_may_be_larger_than_a_message_also_if_messages_are_small() {
    let bank = Bank(Arc::default(), "65536");
    let change = (2 << 20) + 7;
    let members = ["a", "b", "c"].map(|name| {
        let member = bank.start(name, change, 0);
        assert!(member.2.wait_ready(PATIENCE));
        member
    });
    let (_client, account) = account(&members[0].2);
    let before = members[0].2.view();
    (0..5).for_each(|_| account.deposit(1.0).unwrap());
    for (_, object, _) in &members[1..] {
        assert_eq!(object.told.load(Ordering::SeqCst), 5);
        assert_eq!(*object.account.balance.lock().unwrap(), 5.0);
    }
    assert_eq!(members[0].2.view(), before, "nobody was given a state instead");
}
