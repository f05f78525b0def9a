//! Who calls objects of COM, and how.

use crate::identity::secret;
use crate::place::com_address;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions, Mechanism};
use armilla_terminal::{Context, Outcome};
use std::path::PathBuf;
use std::time::Duration;

/// Who calls, and how calls are protected.
#[derive(Debug, clap::Args)]
pub(super) struct Account {
    /// Call as this user
    #[arg(long = "as", value_name = "[DOMAIN\\]USER")]
    user: String,
    /// The file with the password in its first line, which is for its owner alone [default: ask]
    #[arg(long = "as-password", value_name = "FILE")]
    password: Option<PathBuf>,
    /// Protect calls at this level at least
    #[arg(long, value_name = "LEVEL", default_value = "integrity", value_parser = ["integrity", "privacy"])]
    level: String,
    /// Use NTLM at once, for servers that do not know SPNEGO
    #[arg(long)]
    ntlm: bool,
    /// How many seconds each call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    timeout: u64,
    /// Where a host is that references name by an address that cannot be reached from here; repeatable
    #[arg(long, value_name = "NAME=HOST", value_parser = com_address)]
    address: Vec<(String, String)>,
}

impl Account {
    pub(super) fn client(&self) -> Outcome<Client> {
        let password = match &self.password {
            Some(file) => secret::from_file(file, false)?,
            None => secret::ask("Password: ")?,
        };
        let (domain, user) = self.user.split_once('\\').unwrap_or(("", &self.user));
        let mut options = ClientOptions::new(Credentials::new(domain, user, password.reveal()));
        if self.level == "privacy" {
            options.level = AuthLevel::Privacy;
        }
        if self.ntlm {
            options.mechanism = Mechanism::Ntlm;
        }
        options.timeout = Duration::from_secs(self.timeout.max(1));
        options.addresses = self.address.iter().cloned().collect();
        Client::new(options).context("cannot start a thread")
    }
}
