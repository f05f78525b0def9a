//! Which objects work in transactions, and what others are told.

use crate::bank_world::{Bank, Process};
use armilla::{Error, ExceptionKind, Policies, SystemException};
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
