//! Keeps one account, until Ctrl-C.
//!
//! ```text
//! cargo run -p bank --bin bank-server -- -ORBEndpoint iiop://localhost:2809
//! ```

use armilla::{Error, Orb, SystemException};
use bank::bank::account::WithdrawRaises;
use bank::bank::{self as idl, AccountRef};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The servant. Calls come from many threads at once, so the state stands behind a lock.
#[derive(Default)]
struct Savings(Mutex<f64>);

impl Savings {
    fn balance(&self) -> MutexGuard<'_, f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl idl::Account for Savings {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(*self.balance())
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        *self.balance() += amount;
        Ok(())
    }

    fn withdraw(&self, amount: f64) -> Result<(), Error<WithdrawRaises>> {
        let mut balance = self.balance();
        if *balance < amount {
            return Err(idl::InsufficientFunds { missing: amount - *balance }.into());
        }
        *balance -= amount;
        Ok(())
    }
}

fn main() -> Result<(), SystemException> {
    let orb = Orb::from_args(std::env::args())?;
    let account: AccountRef = orb.root_poa().activate(idl::account::tie(Savings::default()))?;
    println!("{}", orb.publish("Account", account.object())?);
    orb.run()
}
