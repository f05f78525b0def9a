//! Who may log in to the page.

use super::Failure;
use armilla_security::{AccessFile, PasswordFile};
use armilla_service::{ConsoleAccess, ConsoleOptions};
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
}

impl Login {
    /// Adds it to what the operator says of the page.
    pub(super) fn options(&self, options: ConsoleOptions) -> Result<ConsoleOptions, Failure> {
        let mut access = ConsoleAccess::new();
        if let Some(file) = &self.passwords {
            let realm = self.realm.clone().unwrap_or_default();
            access = access.passwords(PasswordFile::open(file)?, realm)?;
        }
        if let Some(file) = &self.access {
            access = access.rules(AccessFile::open(file)?);
        }
        Ok(match self.passwords.is_some() || self.access.is_some() {
            true => options.access(access),
            false => options,
        })
    }
}
