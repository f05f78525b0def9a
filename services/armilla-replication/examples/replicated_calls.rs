//! What it costs that an object is a group: a call of a persistent object, of a group of one member, which
//! logs its replies, of a group of three, whose backups hear of each call, and of an active one, all of whose
//! members execute it; and a read of a persistent object, and of a group of three, which its primary answers
//! alone. Then the same calls by eight clients at once. Prints medians of rounds in turn.
//!
//! `cargo run --release -p armilla-replication --example replicated_calls [off|unix|shm]`; the argument is
//! how clients reach servers of the same host (`-ORBSameHost`).

use armilla::{Error, ExceptionKind, Orb, SystemException};
use armilla_replication::{Checkpointable, GroupName, MemoryRegistry, Replica, StateError, Style};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const ROUNDS: usize = 41;
const CALLS: u32 = 1000;

/// How many clients call at once, at the end.
const CLIENTS: u32 = 8;

/// From which one on accounts are only read.
const READS: usize = 4;

/// An account that tells its balance after each call.
#[derive(Default)]
struct Balance(Mutex<f64>);

impl Balance {
    fn set(&self, octets: &[u8]) -> Result<(), StateError> {
        let octets = octets.try_into().map_err(|_| StateError::new("no balance"))?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = f64::from_le_bytes(octets);
        Ok(())
    }
}

impl Account for Balance {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(*self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += amount;
        Ok(())
    }

    fn withdraw(&self, amount: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(self.deposit(-amount)?)
    }
}

impl Checkpointable for Balance {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).to_le_bytes().into())
    }

    fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
        self.set(state)
    }

    fn update(&self) -> Result<Option<Vec<u8>>, StateError> {
        self.state().map(Some)
    }

    fn apply_update(&self, update: &[u8]) -> Result<(), StateError> {
        self.set(update)
    }
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn orb(way: &str) -> Outcome<Orb> {
    let orb = Orb::builder().arguments(["-ORBSameHost", way].map(str::to_owned))?;
    Ok(orb.listen("iiop://127.0.0.1:0")?.build()?)
}

fn main() -> Outcome<()> {
    let way = std::env::args().nth(1).unwrap_or_else(|| "shm".to_owned());
    let (client, plain) = (orb(&way)?, orb(&way)?);
    let poa = plain.root_poa().create_poa("kept").persistent().user_ids().build()?;
    let servant: Arc<dyn Account> = Arc::<Balance>::default();
    let kept = plain.object_to_string(&poa.activate_with_id("account", servant)?)?;
    let registry = Arc::<MemoryRegistry>::default();
    let mut members = Vec::new();
    let mut group = |number: u64, names: &[&str], style: Style| -> Outcome<String> {
        for name in names {
            let (server, balance) = (orb(&way)?, Arc::<Balance>::default());
            let servant: Arc<dyn Account> = balance.clone();
            let replica = Replica::builder(GroupName::new("bank", number), *name)
                .registry(registry.clone())
                .style(style)
                .reads(["_get_balance"])
                .start(&server, balance, servant)?;
            replica.wait_ready(Duration::from_secs(10));
            members.push((server, replica));
        }
        let (_, replica) = members.last().ok_or("no member")?;
        Ok(replica.reference()?)
    };
    let all = ["a", "b", "c"];
    let three = group(2, &all, Style::WarmPassive)?;
    let references = [
        kept.clone(),
        group(1, &["a"], Style::WarmPassive)?,
        three.clone(),
        group(3, &all, Style::Active)?,
        kept,
        three,
    ];
    let accounts = references.map(|text| client.resolve::<dyn Account>(&text));
    let mut taken = [(); 6].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        for (which, (account, taken)) in accounts.iter().zip(&mut taken).enumerate() {
            let account = account.as_ref().map_err(Clone::clone)?;
            let begun = Instant::now();
            match which < READS {
                true => (0..CALLS).try_for_each(|_| account.deposit(1.0))?,
                false => (0..CALLS).try_for_each(|_| account.balance().map(drop))?,
            }
            taken.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS));
        }
    }
    let medians = taken.map(median);
    let what = [
        "a persistent object",
        "a group of one",
        "a group of three",
        "an active group of three",
        "a read of a persistent object",
        "a read of a group of three",
    ];
    for (which, (what, median)) in what.iter().zip(medians).enumerate() {
        let plain = medians[if which < READS { 0 } else { READS }];
        println!("{what:30} {median:7.2} µs, {:5.2} ×", median / plain);
    }
    let mut rates = [(); READS].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        for (account, rates) in accounts.iter().zip(&mut rates) {
            let account = account.as_ref().map_err(Clone::clone)?;
            rates.push(rate(account)?);
        }
    }
    for (what, rates) in what.iter().zip(rates) {
        println!("{what:30} {:7.0} calls a second of {CLIENTS} clients", median(rates));
    }
    Ok(())
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// How many calls of several clients at once are served in a second.
fn rate(account: &AccountRef) -> Outcome<f64> {
    let begun = Instant::now();
    let done: Result<Vec<()>, SystemException> = thread::scope(|scope| {
        let call = || (0..CALLS / CLIENTS).try_for_each(|_| account.deposit(1.0));
        let all: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(call)).collect();
        let panicked = |_| Err(ExceptionKind::Unknown.because("a client has panicked"));
        all.into_iter().map(|it| it.join().unwrap_or_else(panicked)).collect()
    });
    done?;
    Ok(f64::from(CALLS / CLIENTS * CLIENTS) / begun.elapsed().as_secs_f64())
}
