//! Who may log in to the page.

use super::Failure;
use armilla_security::{AccessFile, LimitOptions, Limits, PasswordFile};
use armilla_service::{ConsoleAccess, ConsoleOptions, Upkeep};
use clap::Parser;
use std::path::PathBuf;

/// Who may log in to the page.
#[derive(Debug, Parser)]
pub(crate) struct Login {
    /// Show the page and answer DICOMweb only to users who log in with a password of this file
    /// (`armilla passwd`), and to programs with a token of the rules.
    #[arg(long, value_name = "FILE", requires = "http")]
    passwords: Option<PathBuf>,
    /// The domain of users who say none [default: the one of the users in the file].
    #[arg(long, value_name = "DOMAIN", requires = "passwords")]
    realm: Option<String>,
    /// Ask these rules who may view and change the page (`armilla access`); what none allows is
    /// denied.
    #[arg(long, value_name = "FILE", requires = "http")]
    access: Option<PathBuf>,
    /// What hosts and users may do in a second at the page and by DICOMweb, such as
    /// calls=200,octets=50000000,user-calls=100; and how many images they may have stored, however
    /// they send them: images=100000,user-images=10000.
    #[arg(long, value_name = "LIMITS")]
    limits: Option<LimitOptions>,
}

impl Login {
    /// The limits of clients, of which nothing was used.
    pub(super) fn limits(&self) -> Option<Limits> {
        self.limits.map(Limits::new)
    }

    /// Adds it to what the operator says of the page, with these limits.
    pub(super) fn options(
        &self,
        options: ConsoleOptions,
        limits: Option<&Limits>,
    ) -> Result<ConsoleOptions, Failure> {
        let (mut access, upkeep) = (ConsoleAccess::new(), Upkeep::new());
        if let Some(file) = &self.passwords {
            let realm = self.realm.clone().unwrap_or_default();
            let users = PasswordFile::open(file)?;
            upkeep.file("the passwords", users.clone());
            access = access.passwords(users, realm)?;
        }
        if let Some(file) = &self.access {
            let rules = AccessFile::open(file)?;
            upkeep.file("the rules of the page", rules.clone());
            access = access.rules(rules);
        }
        if let Some(limits) = limits {
            upkeep.limits(limits.clone());
        }
        upkeep.reload_on_hangup()?;
        let options = options.upkeep(&upkeep);
        Ok(match self.passwords.is_some() || self.access.is_some() {
            true => options.access(access),
            false => options,
        })
    }
}
