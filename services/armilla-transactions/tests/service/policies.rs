//! Which objects work in transactions, and what others are told.

use crate::bank_world::{Bank, Process};
use armilla::interceptor::ClientInterceptor;
use armilla::{Collocation, Error, ExceptionKind, Orb, OrbBuilder, Policies, SystemException};
use armilla_transactions::{NonTxTargetPolicy, OtsPolicy, RunError};
use bank::bank::Account;

fn kind<T: std::fmt::Debug>(outcome: Result<T, SystemException>) -> ExceptionKind {
    outcome.unwrap_err().kind()
}

#[test]
fn what_requires_a_transaction_refuses_calls_without() {
    let (client, bank) = (Process::client(), Bank::new(1.0));
    let account = client.account(&bank.account);
    assert_eq!(kind(account.balance()), ExceptionKind::TransactionRequired);
    let balance = client.transactions.run(|_| account.balance());
    assert_eq!(balance.unwrap(), 1.0);
    // Nobody has registered: nothing was left there.
    assert!(bank.process.transactions.list().is_empty());
}

#[test]
fn what_forbids_transactions_is_not_called_in_one() {
    let client = Process::client();
    let bank = Bank::with(1.0, Some(OtsPolicy::Forbids));
    let account = client.account(&bank.account);
    assert_eq!(account.balance(), Ok(1.0));
    let refused = client.transactions.run(|_| account.balance());
    match refused {
        Err(RunError::Work(exception)) => {
            assert_eq!(exception.kind(), ExceptionKind::InvalidTransaction);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_adapts_works_with_and_without() {
    let client = Process::client();
    let bank = Bank::with(1.0, Some(OtsPolicy::Adapts));
    let account = client.account(&bank.account);
    assert_eq!(account.balance(), Ok(1.0));
    client.transactions.run(|_| account.deposit(1.0)).unwrap();
    assert_eq!(bank.balance(), 2.0);
    assert_eq!(kind(account.deposit(1.0)), ExceptionKind::TransactionRequired);
}

#[test]
fn what_says_nothing_hears_of_no_transaction_unless_the_client_insists() {
    let (client, bank) = (Process::client(), Bank::with(1.0, None));
    let account = client.account(&bank.account);
    let refused = client.transactions.run(|_| account.deposit(1.0));
    match refused {
        // The servant looks for a transaction, and finds none.
        Err(RunError::Work(exception)) => {
            assert_eq!(exception.kind(), ExceptionKind::TransactionRequired);
        }
        other => panic!("{other:?}"),
    }
    let custom = vec![NonTxTargetPolicy::Prevent.into()];
    let strict = account.with_policies(Policies { custom, ..Policies::default() });
    let refused = client.transactions.run(|_| strict.balance());
    match refused {
        Err(RunError::Work(exception)) => {
            assert_eq!(exception.kind(), ExceptionKind::InvalidTransaction);
        }
        other => panic!("{other:?}"),
    }
    let suspended = client.transactions.run(|_| {
        let _suspended = client.transactions.suspend()?;
        strict.balance()
    });
    assert_eq!(suspended.unwrap(), 1.0);
}

#[test]
fn without_a_start_there_is_no_transaction() {
    let transactions = armilla_transactions::Transactions::builder().build();
    let refused = transactions.run(|_| Ok::<(), Error<std::fmt::Error>>(()));
    match refused {
        Err(RunError::Begin(exception)) => {
            assert_eq!(exception.kind(), ExceptionKind::TransactionUnavailable);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_an_object_is_may_be_asked_in_a_transaction_and_without() {
    let client = Process::client();
    let all = [Some(OtsPolicy::Requires), Some(OtsPolicy::Forbids), Some(OtsPolicy::Adapts), None];
    for policy in all {
        let bank = Bank::with(1.0, policy);
        let orb = &bank.process.orb;
        // A URL says nothing of the object: who resolves it asks.
        let url = orb.publish("account", bank.process.account(&bank.account)).unwrap();
        let ask = || -> Result<bool, SystemException> {
            let found = client.orb.resolve::<dyn Account>(&url)?;
            let custom = vec![NonTxTargetPolicy::Prevent.into()];
            let strict = found.with_policies(Policies { custom, ..Policies::default() });
            strict.object().non_existent()
        };
        assert_eq!(ask(), Ok(false), "{policy:?} without");
        assert_eq!(client.transactions.run(|_| ask()), Ok(false), "{policy:?} within");
    }
}

/// An interceptor that looks on, as one of a program that traces its calls: calls within the ORB are
/// encoded for it.
struct LooksOn;

impl ClientInterceptor for LooksOn {
    fn name(&self) -> &str {
        "looks on"
    }
}

#[test]
fn direct_calls_within_an_orb_are_of_the_thread_that_makes_them() {
    let bank = Bank::with(1.0, None);
    let account = bank.process.account(&bank.account);
    // The servant finds the transaction of the thread, though its POA has no policy.
    bank.process.transactions.run(|_| account.deposit(1.0)).unwrap();
    assert_eq!(bank.balance(), 2.0);
    assert_eq!(kind(account.deposit(1.0)), ExceptionKind::TransactionRequired);
}

#[test]
fn calls_within_an_orb_that_are_encoded_carry_the_transaction() {
    let orb = || Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let through_poa = || orb().settings(|it| it.collocation = Collocation::ThroughPoa);
    let with_interceptor = || orb().client_interceptor(LooksOn);
    let orbs: [(&str, &dyn Fn() -> OrbBuilder); 2] =
        [("through the POA", &through_poa), ("with an interceptor", &with_interceptor)];
    for (what, builder) in orbs {
        let bank = Bank::on(builder(), Some(OtsPolicy::Requires));
        let (account, transactions) =
            (bank.process.account(&bank.account), &bank.process.transactions);
        assert_eq!(transactions.run(|_| account.deposit(1.0)), Ok(()), "{what}");
        assert_eq!(bank.balance(), 1.0, "{what}");
        let undone = transactions.run(|_| {
            account.deposit(1.0)?;
            Err::<(), _>(ExceptionKind::NoResources.because("the work fails"))
        });
        assert!(matches!(undone, Err(RunError::Work(_))), "{what}: {undone:?}");
        assert_eq!(bank.balance(), 1.0, "{what}");
        assert_eq!(kind(account.balance()), ExceptionKind::TransactionRequired, "{what}");
        assert!(transactions.list().is_empty(), "{what}");

        let bank = Bank::on(builder(), Some(OtsPolicy::Forbids));
        let account = bank.process.account(&bank.account);
        let refused = bank.process.transactions.run(|_| account.balance());
        assert!(
            matches!(&refused, Err(RunError::Work(it))
                if it.kind() == ExceptionKind::InvalidTransaction),
            "{what}: {refused:?}"
        );
    }
}
