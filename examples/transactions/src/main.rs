//! Money moves between two banks, wholly or not at all.

use armilla::{Error, Orb, SystemException};
use armilla_transactions::model::Vote;
use armilla_transactions::{OtsPolicy, Resource, ResourceError, RunError, Transactions};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef, InsufficientFunds, account};
use std::sync::{Arc, Mutex};

/// An account that changes with the transaction of each call.
struct Transacted {
    transactions: Transactions,
    balance: Arc<Mutex<f64>>,
}

/// What one call changes, once its transaction commits.
struct Change {
    balance: Arc<Mutex<f64>>,
    by: f64,
}

impl Resource for Change {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        Ok(Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        *self.balance.lock().unwrap() += self.by;
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        Ok(())
    }
}

impl Transacted {
    fn change(&self, by: f64) -> Result<(), SystemException> {
        // The policy of the POA lets no call in without one.
        let transaction = self.transactions.current().expect("the POA requires a transaction");
        transaction.enlist(Arc::new(Change { balance: self.balance.clone(), by }))
    }
}

impl Account for Transacted {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(*self.balance.lock().unwrap())
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        self.change(amount)
    }

    fn withdraw(&self, amount: f64) -> Result<(), Error<WithdrawRaises>> {
        let missing = amount - self.balance()?;
        if missing > 0.0 {
            return Err(InsufficientFunds { missing }.into());
        }
        Ok(self.change(-amount)?)
    }
}

/// A bank with one account. Returns its ORB, its transactions, and the reference of the account.
fn open(balance: f64) -> Result<(Orb, Transactions, String), SystemException> {
    let transactions = Transactions::builder().build();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?;
    let orb = orb.initializer(transactions.clone()).build()?;
    transactions.start(&orb)?;
    let poa = orb.root_poa().create_poa("accounts").policy(OtsPolicy::Requires).build()?;
    let balance = Arc::new(Mutex::new(balance));
    let servant = Transacted { transactions: transactions.clone(), balance };
    let account: AccountRef = poa.activate(account::tie(servant))?;
    let reference = orb.object_to_string(&account)?;
    Ok((orb, transactions, reference))
}

/// Transfers an amount between two new accounts of 100, and returns what is on them afterwards.
fn transfer(amount: f64) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let (first, second) = (open(100.0)?, open(100.0)?);
    let transactions = Transactions::builder().build();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?;
    let orb = orb.initializer(transactions.clone()).build()?;
    transactions.start(&orb)?;
    let (from, to): (AccountRef, AccountRef) = (orb.resolve(&first.2)?, orb.resolve(&second.2)?);

    let done = transactions.run(|_| {
        to.deposit(amount)?;
        from.withdraw(amount)
    });
    match done {
        Ok(()) => println!("{amount} were transferred"),
        Err(RunError::Work(error)) => println!("nothing was transferred: {error}"),
        Err(error) => return Err(error.into()),
    }

    let balances = transactions.run(|_| Ok::<_, SystemException>((from.balance()?, to.balance()?)));
    for (orb, transactions, _) in [(orb, transactions, String::new()), first, second] {
        transactions.stop();
        orb.shutdown();
    }
    Ok(balances?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for amount in [30.0, 300.0] {
        let (from, to) = transfer(amount)?;
        println!("the first bank has {from}, the second one {to}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_moves_wholly_or_not_at_all() {
        assert_eq!(transfer(30.0).unwrap(), (70.0, 130.0));
        // The deposit was made before the withdrawal failed.
        assert_eq!(transfer(300.0).unwrap(), (100.0, 100.0));
    }
}
