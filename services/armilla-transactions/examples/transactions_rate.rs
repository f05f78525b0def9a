//! How many transactions with two remote resources a service commits, any vendor's, and what it costs
//! a call to carry a transaction. `lab/interop/transactions/rate` runs it.
//!
//! ```text
//! transactions_rate serve DIRECTORY            a service; prints `ready URL`
//! transactions_rate rate SECONDS THREADS NAME=FACTORY…
//! transactions_rate call [off|unix|shm]        with and without a transaction
//! transactions_rate count with|without CALLS   for a tool that counts instructions
//! ```

use armilla::{Error, Orb, OrbBuilder, SameHost, SystemException};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Control, Coordinator, Resource, ResourceRef, Terminator, TransactionFactory,
    TransactionFactoryRef, Vote, resource,
};
use armilla_transactions::server::Server;
use armilla_transactions::{OtsPolicy, Transactions};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef, account};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Commits whatever it is told, at once: the rate is that of the service.
struct Willing;

impl Resource for Willing {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        Ok(Vote::VoteCommit)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        Ok(())
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        Ok(())
    }

    fn forget(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

/// Does nothing, with or without a transaction.
struct Idle;

impl Account for Idle {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(1.0)
    }

    fn deposit(&self, _: f64) -> Result<(), SystemException> {
        Ok(())
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(())
    }
}

/// The rate of each service, alternating, in rounds of a second.
fn rates(seconds: usize, threads: usize, services: &[(String, String)]) -> Outcome {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let factories: Result<Vec<TransactionFactoryRef>, _> =
        services.iter().map(|(_, factory)| orb.string_to_object(factory)?.narrow()).collect();
    let factories = factories?;
    let mut all = vec![Vec::new(); services.len()];
    for round in 0..=seconds {
        for (factory, rates) in factories.iter().zip(&mut all) {
            let rate = rate(&orb, factory, threads)?;
            // The first round makes connections, and lets a virtual machine compile.
            if round > 0 {
                rates.push(rate);
            }
        }
    }
    let medians: Vec<f64> = all.into_iter().map(median).collect();
    for ((name, _), rate) in services.iter().zip(&medians) {
        println!("{threads} clients, {name}: {rate:.0} transactions a second");
    }
    if let [first, second] = medians[..] {
        println!("{threads} clients: {:.1} times as many", first / second);
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn rate(orb: &Orb, factory: &TransactionFactoryRef, threads: usize) -> Outcome<f64> {
    let (begun, count) = (Instant::now(), AtomicUsize::new(0));
    let work = || -> Outcome {
        let activate = || orb.root_poa().activate(resource::tie(Willing));
        let resources: [ResourceRef; 2] = [activate()?, activate()?];
        while begun.elapsed() < Duration::from_secs(1) {
            let control = factory.create(60)?;
            let (coordinator, terminator) = (control.get_coordinator()?, control.get_terminator()?);
            for resource in &resources {
                coordinator.register_resource(resource)?;
            }
            terminator.commit(false)?;
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let done: Vec<Outcome> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no client panics")).collect()
    });
    done.into_iter().collect::<Outcome<Vec<()>>>()?;
    Ok(count.into_inner() as f64 / begun.elapsed().as_secs_f64())
}

fn builder(same_host: &str) -> Outcome<OrbBuilder> {
    let same_host = match same_host {
        "off" => SameHost::Off,
        "unix" => SameHost::Unix,
        _ => SameHost::Shm,
    };
    let builder = Orb::builder().listen("iiop://127.0.0.1:0")?;
    Ok(builder.settings(|settings| settings.same_host = same_host))
}

/// An object of another ORB of this process, both without transactions.
fn plain(same_host: &str) -> Outcome<(AccountRef, [Orb; 2])> {
    let [server, client] = [builder(same_host)?.build()?, builder(same_host)?.build()?];
    let account: AccountRef = server.root_poa().activate(account::tie(Idle))?;
    let account = client.resolve(&server.object_to_string(&account)?)?;
    Ok((account, [server, client]))
}

/// A client and a server in one process, each with an ORB and transactions of its own.
struct Pair {
    transactions: Transactions,
    serving: Transactions,
    account: AccountRef,
    _orbs: [Orb; 2],
}

impl Pair {
    /// `same_host` is as for `-ORBSameHost`: `off` is TCP.
    fn new(same_host: &str) -> Outcome<Self> {
        let serving = Transactions::builder().build();
        let server = builder(same_host)?.initializer(serving.clone()).build()?;
        serving.start(&server)?;
        let poa = server.root_poa().create_poa("idle").policy(OtsPolicy::Adapts).build()?;
        let account: AccountRef = poa.activate(account::tie(Idle))?;
        let url = server.object_to_string(&account)?;
        let transactions = Transactions::builder().timeout(None).build();
        let client = builder(same_host)?.initializer(transactions.clone()).build()?;
        transactions.start(&client)?;
        let account = client.resolve(&url)?;
        Ok(Self { transactions, serving, account, _orbs: [client, server] })
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.transactions.stop();
        self.serving.stop();
    }
}

/// What a transaction adds to a call, on both sides together: beside calls without one of the same
/// ORBs, and beside those of ORBs that know no transactions.
fn call(same_host: &str) -> Outcome {
    let pair = Pair::new(same_host)?;
    let (plain, _orbs) = plain(same_host)?;
    let transaction = pair.transactions.begin()?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..200 {
        for (way, times) in times.iter_mut().enumerate() {
            let entered = (way == 2).then(|| transaction.enter()).transpose()?;
            let account = if way == 0 { &plain } else { &pair.account };
            let begun = Instant::now();
            calls(account, 500)?;
            times.push(begun.elapsed().as_secs_f64() / 500.0 * 1e6);
            drop(entered);
        }
    }
    transaction.rollback();
    let [plain, without, with] = times.map(median);
    println!("{same_host}, ORBs without transactions: {plain:.2} µs");
    println!("{same_host}, without one: {without:.2} µs, {:.2} more", without - plain);
    println!("{same_host}, in one: {with:.2} µs, {:.2} more than without one", with - without);
    Ok(())
}

fn calls(account: &AccountRef, count: usize) -> Outcome {
    (0..count).try_for_each(|_| Ok(account.balance().map(drop)?))
}

/// Makes calls in a transaction or without, for a tool that counts instructions.
fn count(carries: bool, calls: usize) -> Outcome {
    let pair = Pair::new("off")?;
    let transaction = pair.transactions.begin()?;
    let entered = carries.then(|| transaction.enter()).transpose()?;
    self::calls(&pair.account, calls)?;
    drop(entered);
    transaction.rollback();
    Ok(())
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", directory] => {
            let server = Server::builder(Transactions::builder()).log(directory);
            Ok(server.start(|orb| orb.listen("iiop://127.0.0.1:0"))?.run()?)
        }
        ["rate", seconds, threads, ref services @ ..] => {
            let services = services.iter().filter_map(|it| it.split_once('='));
            let services = services.map(|(name, url)| (name.to_owned(), url.to_owned()));
            rates(seconds.parse()?, threads.parse()?, &services.collect::<Vec<_>>())
        }
        ["call"] => call("shm"),
        ["call", same_host] => call(same_host),
        ["count", how, calls] => count(how == "with", calls.parse()?),
        _ => Err("see the head of examples/transactions_rate.rs".into()),
    }
}
