//! The object of the tests: an account whose state is its balance.

use armilla::SystemException;
use armilla_replication::{Checkpointable, StateError};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, InsufficientFunds};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// An account, and how often it was told to change.
#[derive(Default)]
pub(crate) struct Savings {
    pub(crate) balance: Mutex<f64>,
    pub(crate) executed: AtomicU32,
    /// How long a deposit takes.
    pub(crate) work: Mutex<Duration>,
    /// How long it takes to take the next state.
    pub(crate) taking: Mutex<Duration>,
}

impl Account for Savings {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(*self.balance.lock().unwrap())
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        self.executed.fetch_add(1, Ordering::SeqCst);
        thread::sleep(*self.work.lock().unwrap());
        *self.balance.lock().unwrap() += amount;
        Ok(())
    }

    fn withdraw(&self, amount: f64) -> Result<(), armilla::Error<WithdrawRaises>> {
        self.executed.fetch_add(1, Ordering::SeqCst);
        let mut balance = self.balance.lock().unwrap();
        if amount > *balance {
            return Err(InsufficientFunds { missing: amount - *balance }.into());
        }
        *balance -= amount;
        Ok(())
    }
}

impl Checkpointable for Savings {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        Ok(self.balance.lock().unwrap().to_le_bytes().into())
    }

    fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
        thread::sleep(std::mem::take(&mut *self.taking.lock().unwrap()));
        let octets = state.try_into().map_err(|_| StateError::new("not eight octets"))?;
        *self.balance.lock().unwrap() = f64::from_le_bytes(octets);
        Ok(())
    }
}
