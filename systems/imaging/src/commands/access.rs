//! Rules, tokens, removing.

use super::Failure;
use armilla::Orb;
use armilla_imaging::access::{Operation, Place, Rules, token_hash};
use armilla_imaging::audit::{Client, Guard, Subject};
use armilla_imaging::idl::{Server, ServerRef};
use armilla_imaging::store::{Store, now};
use clap::Parser;
use std::io::Read as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// Who may do what, and the record of who did.
#[derive(Debug, Parser)]
pub(crate) struct Access {
    /// A file with rules: who may read, store and remove, how long images stay.
    #[arg(long)]
    rules: Option<PathBuf>,
    /// The file for the record of accesses, which grows; it has no names.
    #[arg(long)]
    audit: Option<PathBuf>,
}

impl Access {
    pub(super) fn guard(&self) -> Result<Guard, Failure> {
        let rules = match &self.rules {
            None => Rules::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                text.parse().map_err(|error| format!("{}: {error}", path.display()))?
            }
        };
        let guard = Guard::new(rules, self.audit.as_deref());
        Ok(guard.map_err(|error| format!("the record of accesses: {error}"))?)
    }
}

#[derive(Debug, Parser)]
pub(crate) struct Token {
    /// Whose it is, as the record of accesses names it.
    name: String,
    /// read, store, remove or any.
    #[arg(long, default_value = "read")]
    operation: String,
}

#[derive(Debug, Parser)]
pub(crate) struct Remove {
    /// The reference of the server.
    server: String,
    /// UIDs of images.
    #[arg(required = true)]
    images: Vec<String>,
}

/// Removes what the rules let go, now and each hour.
pub(super) fn expire(store: &Store, guard: &Guard) -> Result<(), Failure> {
    let Some(days) = guard.rules().expire else { return Ok(()) };
    let (store, guard) = (store.clone(), guard.clone());
    let client = Client::at(Place::Here, "rule");
    let work = move || loop {
        match store.expire(days, now()) {
            Ok(removed) => {
                for image in removed {
                    let subject = Subject {
                        what: "expired",
                        study: &image.study,
                        series: &image.series,
                        image: &image.uid,
                    };
                    tracing::info!(uid = image.uid, "an image was removed by a rule");
                    guard.removed(&image.uid);
                    if let Err(error) = guard.note(&client, Operation::Remove, subject, "removed") {
                        tracing::error!(%error, "the record of accesses cannot be written");
                    }
                }
            }
            Err(error) => tracing::error!(%error, "images cannot be removed"),
        }
        thread::sleep(Duration::from_secs(3600));
    };
    thread::Builder::new().name("imaging-expiry".to_owned()).spawn(work)?;
    Ok(())
}

impl Token {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut octets = [0; 24];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut octets)?;
        let token: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        let rule = format!("allow {} token {} {}", self.operation, self.name, token_hash(&token));
        rule.parse::<Rules>()?;
        println!("token: {token}\nrule:  {rule}");
        Ok(())
    }
}

impl Remove {
    pub(super) fn run(&self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        for uid in &self.images {
            server.remove(uid).map_err(|error| format!("{uid}: {error}"))?;
        }
        Ok(())
    }
}
