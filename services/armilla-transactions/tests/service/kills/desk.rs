//! Where 64 clients order transfers: a process with two ORBs, so that transactions of the service have
//! two subordinates here.

use super::world::{Role, run};
use armilla::{Error, ExceptionKind, Orb, SystemException};
use armilla_transactions::corba::{
    Control, ControlRef, Terminator, TransactionFactory, TransactionFactoryRef,
};
use armilla_transactions::{CommitError, DiskJournal, RunError, Transactions};
use bank::bank::{Account, AccountRef};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

const CLIENTS: usize = 64;

/// After which time a transaction is rolled back whose client was killed.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How a transfer has ended; `None` if nobody can say.
type Ended = Option<bool>;

/// What is added to an amount that no bank may ever have.
const NEVER: f64 = 1e15;

fn ended(done: &Result<(), RunError<SystemException>>) -> Ended {
    match done {
        Ok(()) => Some(true),
        Err(RunError::Work(_) | RunError::Commit(CommitError::RolledBack { .. })) => Some(false),
        Err(_) => None,
    }
}

struct Desk {
    transactions: Transactions,
    from: AccountRef,
    to: AccountRef,
    /// The same account by way of the other ORB, whose transactions are the other ones.
    other: Transactions,
    other_to: AccountRef,
    factory: TransactionFactoryRef,
}

impl Desk {
    /// A transaction of this process, with the banks below it.
    fn own(&self, amount: f64) -> Ended {
        ended(&self.transactions.run(|_| {
            self.to.deposit(amount)?;
            self.from.withdraw(amount).map_err(system)
        }))
    }

    /// The same with the deposit in a subtransaction, behind another one that fails.
    fn in_parts(&self, amount: f64) -> Ended {
        ended(&self.transactions.run(|whole| {
            let undone = whole.run(|_| {
                self.to.deposit(NEVER + amount)?;
                Err::<(), _>(SystemException::from(ExceptionKind::BadParam))
            });
            match undone {
                Err(RunError::Work(why)) if why.kind() == ExceptionKind::BadParam => {}
                _ => return Err(ExceptionKind::Unknown.into()),
            }
            match whole.run(|_| self.to.deposit(amount)) {
                Ok(()) => self.from.withdraw(amount).map_err(system),
                Err(_) => Err(ExceptionKind::Unknown.into()),
            }
        }))
    }

    /// One of the service, with two subordinates here, each with a bank below it.
    fn of_service(&self, amount: f64) -> Ended {
        let control = self.factory.create(TIMEOUT.as_secs() as u32).ok()?;
        let terminator = control.get_terminator().ok()?;
        if self.work(&control, amount).is_err() {
            return terminator.rollback().is_ok().then_some(false);
        }
        match terminator.commit(true) {
            Ok(()) => Some(true),
            Err(Error::System(it)) if it.kind() == ExceptionKind::TransactionRolledback => {
                Some(false)
            }
            Err(_) => None,
        }
    }

    fn work(&self, control: &ControlRef, amount: f64) -> Result<(), SystemException> {
        let transaction = self.transactions.join(control)?;
        let entered = transaction.enter()?;
        self.from.withdraw(amount).map_err(system)?;
        drop(entered);
        let transaction = self.other.join(control)?;
        let _entered = transaction.enter()?;
        self.other_to.deposit(amount)
    }
}

fn system<E: std::fmt::Debug>(error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(raised) => ExceptionKind::Unknown.because(format!("{raised:?}")),
    }
}

/// An ORB with transactions.
fn start(role: &Role, name: &str, place: usize) -> (Orb, Transactions) {
    let journal = DiskJournal::open(role.log(name)).unwrap();
    let transactions = Transactions::builder().journal(Arc::new(journal)).timeout(Some(TIMEOUT));
    let transactions = transactions.build();
    let orb = Orb::builder().listen(&role.endpoint(place)).unwrap();
    let orb = orb.initializer(transactions.clone()).build().unwrap();
    transactions.start(&orb).unwrap();
    (orb, transactions)
}

/// Serves until it is killed.
pub(super) fn serve(role: &Role) {
    let ((orb, transactions), (other_orb, other)) =
        (start(role, "desk", 3), start(role, "other", 4));
    let object = |orb: &Orb, place, key| orb.string_to_object(&role.url(place, key)).unwrap();
    let desk = Desk {
        transactions,
        from: object(&orb, 1, "Vault").assume(),
        to: object(&orb, 2, "Vault").assume(),
        other,
        other_to: object(&other_orb, 2, "Vault").assume(),
        factory: object(&orb, 0, "TransactionFactory").assume(),
    };
    let open = |what| OpenOptions::new().append(true).create(true).open(role.told(what)).unwrap();
    let told = [open("committed"), open("rolled back")];
    let next = AtomicI64::new(role.first);
    run(&orb, || {
        thread::scope(|scope| {
            for _ in 0..if role.works { CLIENTS } else { 0 } {
                scope.spawn(|| order(&desk, &next, told.each_ref()));
            }
        });
        orb.run().unwrap();
    });
    desk.transactions.stop();
    desk.other.stop();
    other_orb.shutdown();
}

fn order(desk: &Desk, next: &AtomicI64, [mut committed, mut rolled_back]: [&File; 2]) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let ended = match number % 4 {
            0 => desk.own(number as f64),
            2 => desk.in_parts(number as f64),
            _ => desk.of_service(number as f64),
        };
        let line = format!("{number}\n");
        match ended {
            Some(true) => committed.write_all(line.as_bytes()).unwrap(),
            Some(false) => rolled_back.write_all(line.as_bytes()).unwrap(),
            None => {}
        }
        if ended != Some(true) {
            // Somebody is away.
            thread::sleep(Duration::from_millis(50));
        }
    }
}
