//! Puts money into an account and tries to take more out.
//!
//! ```text
//! cargo run -p bank --bin bank-client [URL]
//! ```

use armilla::{Error, Orb};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    let url = url.as_deref().unwrap_or("corbaloc::localhost:2809/Account");

    let orb = Orb::from_args(std::env::args())?;
    let account: AccountRef = orb.resolve(url)?;

    account.deposit(100.0)?;
    match account.withdraw(500.0) {
        Err(Error::User(WithdrawRaises::InsufficientFunds(e))) => println!("{} missing", e.missing),
        other => other?,
    }

    // Calls through this copy of the reference have 50 ms each, instead of the ORB's 30 s.
    let impatient = account.with_timeout(Duration::from_millis(50));
    println!("{} left", impatient.balance()?);
    Ok(())
}
