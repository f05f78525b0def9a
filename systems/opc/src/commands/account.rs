//! Who calls, and how.

use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions, Mechanism};
use armilla_terminal::{Context, Failure, Outcome};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A level of security.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Level {
    /// Not at all; needs --allow-low-level
    None,
    /// Only who connects is proven; needs --allow-low-level
    Connect,
    /// Nobody changes what is sent
    Integrity,
    /// Nobody reads it either
    Privacy,
}

#[derive(Debug, Args)]
pub(super) struct Account {
    /// The user: NAME or DOMAIN\NAME
    #[arg(long, env = "ARMILLA_OPC_USER")]
    user: String,
    /// A file whose first line is the password; else ARMILLA_OPC_PASSWORD has it
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The least level of calls; a server may want more
    #[arg(long, value_enum, default_value = "integrity")]
    level: Level,
    /// Allow levels below integrity, and servers that call without security
    #[arg(long)]
    pub(super) allow_low_level: bool,
    /// Use NTLM at once, for servers that do not know SPNEGO
    #[arg(long)]
    ntlm: bool,
    /// How many seconds each call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub(super) timeout: u64,
    /// Where a host is that the server's references name by an address that cannot be reached from here
    #[arg(long = "address", value_name = "NAME=HOST", value_parser = pair)]
    addresses: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, host)| !name.is_empty() && !host.is_empty());
    let (name, host) = pair.ok_or("write it as NAME=HOST")?;
    Ok((name.to_string(), host.to_string()))
}

/// The credentials of a user, whose password is in a file or in the environment.
pub(super) fn credentials(user: &str, password_file: Option<&Path>) -> Outcome<Credentials> {
    let (domain, name) = user.split_once('\\').unwrap_or(("", user));
    let password = match password_file {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.context(format_args!("cannot read {}", path.display()))?;
            text.lines().next().unwrap_or_default().to_string()
        }
        None => std::env::var("ARMILLA_OPC_PASSWORD").map_err(|_| {
            Failure::usage(
                "no password: name a file by --password-file, or set ARMILLA_OPC_PASSWORD",
            )
        })?,
    };
    Ok(Credentials::new(domain, name, &password))
}

impl Account {
    pub(super) fn credentials(&self) -> Outcome<Credentials> {
        credentials(&self.user, self.password_file.as_deref())
    }

    pub(super) fn client(&self) -> Outcome<Client> {
        let mut options = ClientOptions::new(self.credentials()?);
        options.level = match self.level {
            Level::None => AuthLevel::None,
            Level::Connect => AuthLevel::Connect,
            Level::Integrity => AuthLevel::Integrity,
            Level::Privacy => AuthLevel::Privacy,
        };
        options.allow_low_level = self.allow_low_level;
        if self.ntlm {
            options.mechanism = Mechanism::Ntlm;
        }
        options.timeout = Duration::from_secs(self.timeout.max(1));
        options.addresses = self.addresses.iter().cloned().collect();
        Client::new(options).context("cannot start a thread")
    }
}
