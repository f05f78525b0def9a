//! Moves money from a database to another, as a whole or not at all, also when the process or a database
//! is killed meanwhile: the next start ends what was begun.
//!
//! ```text
//! transfer LOG URL URL AMOUNT
//! transfer /tmp/transfers postgresql:///first postgresql:///second 30
//! ```

use armilla::Orb;
use armilla_transactions::{DiskJournal, Transactions};
use armilla_transactions_postgres::postgres::{Client, NoTls};
use armilla_transactions_postgres::{Database, DatabaseError};
use std::sync::Arc;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Opens a database, and makes its account where there is none.
fn open(name: &str, url: &str) -> Outcome<Database> {
    let owned = url.to_owned();
    let database = Database::builder(name, move || Client::connect(&owned, NoTls)).open()?;
    Client::connect(url, NoTls)?.batch_execute(
        "CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, balance bigint CHECK (balance >= 0));
         INSERT INTO account VALUES (1, 100) ON CONFLICT DO NOTHING",
    )?;
    Ok(database)
}

fn balance(client: &mut Client) -> Result<i64, armilla_transactions_postgres::postgres::Error> {
    Ok(client.query_one("SELECT balance FROM account WHERE id = 1", &[])?.get(0))
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [log, from, to, amount] = &arguments[..] else {
        return Err("see the head of examples/transfer.rs".into());
    };
    let (amount, from, to) = (amount.parse::<i64>()?, open("from", from)?, open("to", to)?);
    let transactions = Transactions::builder()
        .journal(Arc::new(DiskJournal::open(log)?))
        .resource_manager("from", Arc::new(from.clone()))
        .resource_manager("to", Arc::new(to.clone()))
        .build();
    let orb = Orb::builder().initializer(transactions.clone()).build()?;
    // What the process before this one has left is ended from now on.
    transactions.start(&orb)?;
    let add = "UPDATE account SET balance = balance + $1 WHERE id = 1";
    let done = transactions.run(|transaction| {
        to.within(transaction, |client| client.execute(add, &[&amount]))?;
        from.within(transaction, |client| client.execute(add, &[&-amount]))?;
        Ok::<_, DatabaseError>(())
    });
    match done {
        Ok(()) => println!("moved {amount}"),
        Err(error) => println!("nothing was moved: {error}"),
    }
    let transaction = transactions.begin()?;
    let (from, to) = (from.within(&transaction, balance)?, to.within(&transaction, balance)?);
    println!("{from} in the first, {to} in the second");
    drop(transaction);
    transactions.stop();
    orb.shutdown();
    Ok(())
}
