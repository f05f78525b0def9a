//! The accounts of the bank: the object that all members have a copy of.

use crate::idl::lasting::ledger::TransferRaises;
use crate::idl::lasting::{Ledger, TooLittle};
use armilla::{Error, SystemException};
use armilla_replication::{Checkpointable, StateError};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The accounts, and what has changed since somebody asked.
#[derive(Default)]
pub(crate) struct Accounts(Mutex<Books>);

#[derive(Default)]
struct Books {
    balances: BTreeMap<String, i32>,
    transfers: u64,
    changed: Vec<String>,
}

impl Accounts {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn add(&mut self, account: &str, amount: i32) {
        *self.balances.entry(account.to_owned()).or_default() += amount;
        self.changed.push(account.to_owned());
    }

    /// A line for the number of transfers, and one for each account.
    fn text<'a>(&self, accounts: impl Iterator<Item = &'a String>) -> Vec<u8> {
        let mut text = format!("{}\n", self.transfers);
        for account in accounts {
            let balance = self.balances.get(account).copied().unwrap_or_default();
            _ = writeln!(text, "{balance} {account}");
        }
        text.into_bytes()
    }

    fn read(&mut self, text: &[u8]) -> Option<()> {
        let mut lines = std::str::from_utf8(text).ok()?.lines();
        self.transfers = lines.next()?.parse().ok()?;
        for line in lines {
            let (balance, account) = line.split_once(' ')?;
            self.balances.insert(account.to_owned(), balance.parse().ok()?);
        }
        Some(())
    }
}

impl Ledger for Accounts {
    fn pay_in(&self, account: &str, amount: i32) -> Result<(), SystemException> {
        self.books().add(account, amount);
        Ok(())
    }

    fn transfer(&self, payer: &str, payee: &str, amount: i32) -> Result<(), Error<TransferRaises>> {
        let mut books = self.books();
        let held = books.balances.get(payer).copied().unwrap_or_default();
        if held < amount {
            return Err(TooLittle { held }.into());
        }
        books.add(payer, -amount);
        books.add(payee, amount);
        books.transfers += 1;
        Ok(())
    }

    fn balance(&self, account: &str) -> Result<i32, SystemException> {
        Ok(self.books().balances.get(account).copied().unwrap_or_default())
    }

    fn transfers(&self) -> Result<u64, SystemException> {
        Ok(self.books().transfers)
    }
}

impl Checkpointable for Accounts {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        let books = self.books();
        Ok(books.text(books.balances.keys()))
    }

    fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
        let mut books = Books::default();
        books.read(state).ok_or_else(|| StateError::new("these are no accounts"))?;
        *self.books() = books;
        Ok(())
    }

    fn update(&self) -> Result<Option<Vec<u8>>, StateError> {
        let mut books = self.books();
        let changed = std::mem::take(&mut books.changed);
        Ok(Some(books.text(changed.iter())))
    }

    fn apply_update(&self, update: &[u8]) -> Result<(), StateError> {
        self.books().read(update).ok_or_else(|| StateError::new("this is no change of accounts"))
    }
}
