//! A bank: a process with books, whose account works in transactions.

use super::books::Books;
use super::world::{Role, run};
use armilla::{Error, Orb, SystemException};
use armilla_log::LogError;
use armilla_transactions::model::Vote;
use armilla_transactions::{
    DiskJournal, OtsPolicy, Resource, ResourceError, ResourceManager, Transactions,
};
use bank::bank::account::{self, WithdrawRaises};
use bank::bank::{Account, AccountRef};
use std::io;
use std::sync::Arc;

/// A change of the balance.
struct Change {
    books: Arc<Books>,
    amount: i64,
}

fn failed(error: LogError) -> ResourceError {
    ResourceError::Failed(error.to_string())
}

impl Resource for Change {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        self.books.prepare(self.amount).map_err(failed)?;
        Ok(Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        self.books.commit(self.amount).map_err(failed)
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        self.books.roll_back(self.amount).map_err(failed)
    }
}

struct Manager(Arc<Books>);

impl ResourceManager for Manager {
    fn prepared(&self) -> io::Result<Vec<String>> {
        Ok(self.0.prepared().iter().map(i64::to_string).collect())
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let amount = token.parse().map_err(io::Error::other)?;
        let is_prepared = self.0.prepared().contains(&amount);
        let books = self.0.clone();
        Ok(is_prepared.then(|| Arc::new(Change { books, amount }) as Arc<dyn Resource>))
    }
}

struct Vault {
    books: Arc<Books>,
    transactions: Transactions,
}

impl Vault {
    fn change(&self, amount: f64) -> Result<(), SystemException> {
        let transaction = self.transactions.current().expect("the POA requires one");
        // Whole numbers.
        let amount = amount as i64;
        let change = Arc::new(Change { books: self.books.clone(), amount });
        transaction.enlist_durable("bank", &amount.to_string(), change)
    }
}

impl Account for Vault {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(self.books.committed().iter().map(|amount| *amount as f64).sum())
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        self.change(amount)
    }

    fn withdraw(&self, amount: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(self.change(-amount)?)
    }
}

/// Serves until it is killed.
pub(super) fn serve(role: &Role, number: usize) {
    let books = Arc::new(Books::open(&role.books(number)).unwrap());
    let journal = DiskJournal::open(role.log(&format!("bank{number}"))).unwrap();
    let transactions = Transactions::builder()
        .journal(Arc::new(journal))
        .resource_manager("bank", Arc::new(Manager(books.clone())))
        .build();
    let orb = Orb::builder().listen(&role.endpoint(1 + number)).unwrap();
    let orb = orb.initializer(transactions.clone()).build().unwrap();
    transactions.start(&orb).unwrap();
    let poa = orb.root_poa().create_poa("vault").persistent().user_ids();
    let poa = poa.policy(OtsPolicy::Requires).build().unwrap();
    let stopping = transactions.clone();
    let vault = Vault { books, transactions };
    let vault: AccountRef = poa.activate_with_id("vault", account::tie(vault)).unwrap();
    orb.publish("Vault", &vault).unwrap();
    run(&orb, || orb.run().unwrap());
    stopping.stop();
}
