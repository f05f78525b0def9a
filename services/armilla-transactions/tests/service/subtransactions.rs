//! Parts of a transaction, here and in other processes, that roll back alone or end with the whole.

use crate::bank_world::{Bank, Process, await_that};
use crate::references::Noting;
use armilla::{Error, ExceptionKind, SystemException};
use armilla_transactions::corba::coordinator::RegisterSubtranAwareRaises;
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    Control, Coordinator, CoordinatorRef, RecoveryCoordinator, Resource, ResourceRef, Status,
    SubtransactionAwareResource, SubtransactionAwareResourceRef, Terminator, TerminatorRef,
    TransactionFactory, TransactionFactoryRef, Vote, resource, subtransaction_aware_resource,
};
use armilla_transactions::{CommitError, RunError, Transaction};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

type Done<R = ()> = Result<R, RunError<Error<WithdrawRaises>>>;

fn nothing_is_left(processes: &[&Process]) {
    await_that("everything is over", || {
        processes.iter().all(|it| it.transactions.list().is_empty())
    });
}

#[test]
fn what_a_part_has_done_goes_when_it_fails_and_stays_when_it_does_not() {
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    let (rich, poor) = (client.account(&from.account), client.account(&to.account));
    let done: Done = client.transactions.run(|whole| {
        rich.withdraw(1.0)?;
        let failed: Done = whole.run(|_| {
            rich.withdraw(10.0)?;
            poor.deposit(10.0)?;
            poor.withdraw(1_000.0)
        });
        assert!(matches!(failed, Err(RunError::Work(Error::User(_)))), "{failed:?}");
        let kept: Done = whole.run(|_| Ok(poor.deposit(1.0)?));
        kept.unwrap();
        Ok(())
    });
    done.unwrap();
    assert_eq!((from.balance(), to.balance()), (99.0, 1.0));
    nothing_is_left(&[&client, &from.process, &to.process]);
}

#[test]
fn the_whole_takes_back_what_its_parts_have_committed() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let failed: Done = client.transactions.run(|whole| {
        whole.run(|part| -> Done { part.run(|_| account.withdraw(60.0)) }).unwrap();
        account.withdraw(1_000.0)
    });
    assert!(failed.is_err());
    assert_eq!(bank.balance(), 100.0);
    nothing_is_left(&[&client, &bank.process]);
}

#[test]
fn parts_within_parts_are_undone_with_the_one_around_them() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let done: Done = client.transactions.run(|whole| {
        account.withdraw(1.0)?;
        let outer = whole.begin().unwrap();
        outer.run(|_| account.withdraw(10.0)).unwrap();
        outer.rollback();
        whole.run(|_| account.withdraw(5.0)).unwrap();
        Ok(())
    });
    done.unwrap();
    assert_eq!(bank.balance(), 94.0);
    nothing_is_left(&[&client, &bank.process]);
}

#[test]
fn a_panic_in_a_part_undoes_the_part() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let done: Done = client.transactions.run(|whole| {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            whole.run(|_| -> Result<(), Error<WithdrawRaises>> {
                account.withdraw(50.0)?;
                panic!("on purpose");
            })
        }));
        assert!(panicked.is_err());
        account.withdraw(2.0)
    });
    done.unwrap();
    assert_eq!(bank.balance(), 98.0);
}

#[test]
fn a_part_that_is_under_way_lets_the_whole_not_commit() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let whole = client.transactions.begin().unwrap();
    let part = whole.begin().unwrap();
    {
        let _entered = part.enter().unwrap();
        account.withdraw(1.0).unwrap();
    }
    let refused = whole.commit();
    assert_eq!(refused, Err(CommitError::RolledBack { timed_out: false }));
    assert_eq!(part.commit(), Err(CommitError::RolledBack { timed_out: false }));
    assert_eq!(bank.balance(), 100.0);
    nothing_is_left(&[&client, &bank.process]);
}

#[test]
fn the_end_of_the_whole_ends_its_parts() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let whole = client.transactions.begin().unwrap();
    let part = whole.begin().unwrap();
    let entered = part.enter().unwrap();
    account.withdraw(1.0).unwrap();
    let within = format!("active, a part of {}", whole.id());
    let listed = client.transactions.list();
    assert!(listed.iter().any(|it| it.id == part.id() && it.status == within), "{listed:?}");
    whole.rollback();
    let late = account.withdraw(1.0).unwrap_err();
    let Error::System(late) = late else { panic!("{late}") };
    assert_eq!(late.kind(), ExceptionKind::TransactionRolledback, "{late}");
    drop(entered);
    let refused = part.begin().unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::TransactionRolledback, "{refused}");
    nothing_is_left(&[&client, &bank.process]);
}

#[test]
fn parts_side_by_side_do_not_know_one_another() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let whole = client.transactions.begin().unwrap();
    thread::scope(|scope| {
        for number in 0..8_u8 {
            let (whole, account) = (&whole, client.account(&bank.account));
            scope.spawn(move || {
                let done: Done = whole.run(|_| match number % 2 {
                    0 => account.withdraw(f64::from(number)),
                    _ => account.withdraw(1.0).and_then(|()| account.withdraw(1_000.0)),
                });
                assert_eq!(done.is_ok(), number % 2 == 0);
            });
        }
    });
    whole.commit().unwrap();
    assert_eq!(bank.balance(), 100.0 - 12.0);
    nothing_is_left(&[&client, &bank.process]);
}

/// Does a random tree of parts with deposits in them, and says what should be left of it.
fn tree(
    random: &mut Random,
    depth: u64,
    part: &Transaction,
    accounts: &[AccountRef; 2],
) -> Result<[f64; 2], SystemException> {
    let mut left = [0.0, 0.0];
    for _ in 0..random.below(4) {
        let at = random.below(2) as usize;
        accounts[at].deposit(1.0)?;
        left[at] += 1.0;
        if depth == 0 || random.below(2) == 0 {
            continue;
        }
        let fails = random.below(3) == 0;
        let done: Result<_, RunError<SystemException>> = part.run(|inner| {
            let left = tree(random, depth - 1, inner, accounts)?;
            if fails { Err(ExceptionKind::BadParam.into()) } else { Ok(left) }
        });
        match done {
            Ok(inner) => (0..2).for_each(|at| left[at] += inner[at]),
            Err(error) => assert!(fails, "{error}"),
        }
    }
    Ok(left)
}

#[test]
fn random_trees_of_parts_add_up() {
    let (client, first, second) = (Process::client(), Bank::new(0.0), Bank::new(0.0));
    let accounts = [client.account(&first.account), client.account(&second.account)];
    let mut random = Random(1);
    let mut expected = [0.0, 0.0];
    for _ in 0..100 {
        let fails = random.below(4) == 0;
        let done: Result<_, RunError<SystemException>> = client.transactions.run(|whole| {
            let left = tree(&mut random, 3, whole, &accounts)?;
            if fails { Err(ExceptionKind::BadParam.into()) } else { Ok(left) }
        });
        match done {
            Ok(left) => (0..2).for_each(|at| expected[at] += left[at]),
            Err(error) => assert!(fails, "{error}"),
        }
    }
    assert_eq!([first.balance(), second.balance()], expected);
    assert!(expected[0] > 50.0, "{expected:?}");
    nothing_is_left(&[&client, &first.process, &second.process]);
}

/// The same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// Notes the end of a part.
struct NotingPart(Noting, bool);

impl SubtransactionAwareResource for NotingPart {
    fn commit_subtransaction(&self, parent: &CoordinatorRef) -> Result<(), SystemException> {
        assert!(parent.is_top_level_transaction()?);
        self.0.0.lock().unwrap().push("commit_subtransaction");
        match self.1 {
            true => Ok(()),
            false => Err(ExceptionKind::TransactionRolledback.into()),
        }
    }

    fn rollback_subtransaction(&self) -> Result<(), SystemException> {
        self.0.0.lock().unwrap().push("rollback_subtransaction");
        Ok(())
    }
}

impl Resource for NotingPart {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        self.0.prepare()
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        self.0.rollback()
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        self.0.commit()
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        self.0.commit_one_phase()
    }

    fn forget(&self) -> Result<(), SystemException> {
        self.0.forget()
    }
}

/// The explicit forms: a coordinator elsewhere, and what is registered with a part of its transaction.
struct Explicit {
    client: Process,
    server: Process,
    whole: CoordinatorRef,
    terminator: TerminatorRef,
}

impl Explicit {
    fn new() -> Self {
        let (client, server) = (Process::client(), Process::client());
        let factory = server.transactions.factory().unwrap();
        let text = server.orb.object_to_string(factory).unwrap();
        let factory: TransactionFactoryRef = client.orb.resolve(&text).unwrap();
        let control = factory.create(30).unwrap();
        let (whole, terminator) =
            (control.get_coordinator().unwrap(), control.get_terminator().unwrap());
        Self { client, server, whole, terminator }
    }

    fn resource(&self, noting: &Noting) -> ResourceRef {
        self.client.orb.root_poa().activate(resource::tie(noting.clone())).unwrap()
    }

    fn part_aware(&self, noting: &Noting, agrees: bool) -> SubtransactionAwareResourceRef {
        let servant = subtransaction_aware_resource::tie(NotingPart(noting.clone(), agrees));
        self.client.orb.root_poa().activate(servant).unwrap()
    }
}

fn notes(noting: &Noting) -> Vec<&'static str> {
    noting.0.lock().unwrap().clone()
}

#[test]
fn a_resource_of_a_part_takes_part_in_the_whole() {
    let world = Explicit::new();
    let (first, second) = (Noting::default(), Noting::default());
    let part = world.whole.create_subtransaction().unwrap();
    let coordinator = part.get_coordinator().unwrap();
    let recovery = coordinator.register_resource(&world.resource(&first)).unwrap();
    let heard = Noting::default();
    let aware = world.part_aware(&heard, true);
    coordinator.register_subtran_aware(&aware).unwrap();
    coordinator.register_subtran_aware(&aware).unwrap();
    let early = recovery.replay_completion(&world.resource(&first));
    assert!(matches!(early, Err(Error::User(_))), "not prepared: {early:?}");
    part.get_terminator().unwrap().commit(true).unwrap();
    assert_eq!(notes(&heard), ["commit_subtransaction"]);
    assert!(notes(&first).is_empty(), "the whole asks for votes");
    world.whole.register_resource(&world.resource(&second)).unwrap();
    world.terminator.commit(true).unwrap();
    assert_eq!(notes(&first), ["prepare", "commit"]);
    assert_eq!(notes(&second), ["prepare", "commit"]);
    nothing_is_left(&[&world.client, &world.server]);
}

#[test]
fn a_resource_of_a_part_that_rolls_back_hears_of_it() {
    let world = Explicit::new();
    let (noting, heard) = (Noting::default(), Noting::default());
    let part = world.whole.create_subtransaction().unwrap();
    let coordinator = part.get_coordinator().unwrap();
    coordinator.register_resource(&world.resource(&noting)).unwrap();
    coordinator.register_subtran_aware(&world.part_aware(&heard, true)).unwrap();
    part.get_terminator().unwrap().rollback().unwrap();
    assert_eq!(
        (notes(&noting), notes(&heard)),
        (vec!["rollback"], vec!["rollback_subtransaction"])
    );
    world.terminator.commit(true).unwrap();
    assert_eq!(notes(&noting), ["rollback"]);
}

#[test]
fn a_part_that_has_committed_by_half_lets_the_whole_not_commit() {
    let world = Explicit::new();
    let (agrees, refuses) = (Noting::default(), Noting::default());
    let part = world.whole.create_subtransaction().unwrap();
    let coordinator = part.get_coordinator().unwrap();
    coordinator.register_subtran_aware(&world.part_aware(&agrees, true)).unwrap();
    coordinator.register_subtran_aware(&world.part_aware(&refuses, false)).unwrap();
    let failed = part.get_terminator().unwrap().commit(true).unwrap_err();
    let Error::System(failed) = failed else { panic!("{failed}") };
    assert_eq!(failed.kind(), ExceptionKind::TransactionRolledback);
    assert_eq!(notes(&agrees), ["commit_subtransaction", "rollback_subtransaction"]);
    let failed = world.terminator.commit(true).unwrap_err();
    let Error::System(failed) = failed else { panic!("{failed}") };
    assert_eq!(failed.kind(), ExceptionKind::TransactionRolledback);
}

#[test]
fn coordinators_say_how_transactions_are_related() {
    let world = Explicit::new();
    let part = |of: &CoordinatorRef| of.create_subtransaction().unwrap().get_coordinator().unwrap();
    let other = Explicit::new();
    let (whole, left, right) = (&world.whole, part(&world.whole), part(&world.whole));
    let deep = part(&left);
    assert!(whole.is_top_level_transaction().unwrap() && !deep.is_top_level_transaction().unwrap());
    assert!(whole.is_ancestor_transaction(&deep).unwrap());
    assert!(
        whole.is_ancestor_transaction(whole).unwrap()
            && deep.is_descendant_transaction(&deep).unwrap()
    );
    assert!(deep.is_descendant_transaction(whole).unwrap());
    assert!(deep.is_descendant_transaction(&left).unwrap());
    assert!(!deep.is_descendant_transaction(&right).unwrap());
    assert!(!right.is_ancestor_transaction(&deep).unwrap());
    assert!(right.is_related_transaction(&deep).unwrap());
    assert!(!right.is_same_transaction(&deep).unwrap());
    assert!(!right.is_related_transaction(&other.whole).unwrap());
    assert_eq!(deep.hash_top_level_tran().unwrap(), whole.hash_transaction().unwrap());
    assert_ne!(deep.hash_transaction().unwrap(), whole.hash_transaction().unwrap());
    let context = deep.get_txcontext().unwrap();
    assert_eq!(context.parents.len(), 2);
    left.rollback_only().unwrap();
    assert_eq!(deep.get_parent_status().unwrap(), Status::StatusMarkedRollback);
    assert_eq!(deep.get_top_level_status().unwrap(), Status::StatusActive);
    let heard = world.part_aware(&Noting::default(), true);
    let refused = whole.register_subtran_aware(&heard);
    assert!(
        matches!(refused, Err(Error::User(ref it)) if matches!(it, RegisterSubtranAwareRaises::NotSubtransaction(_))),
        "{refused:?}"
    );
}

#[test]
fn subtransactions_are_not_endlessly_deep() {
    let client = Process::client();
    let whole = client.transactions.begin().unwrap();
    let mut line = vec![whole];
    let refused = loop {
        match line.last().unwrap().begin() {
            Ok(part) => line.push(part),
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused.kind(), ExceptionKind::ImpLimit);
    assert!((60..100).contains(&line.len()), "{}", line.len());
    // The whole goes first, and all with it.
    line.swap_remove(0).rollback();
    drop(line);
    nothing_is_left(&[&client]);
}
