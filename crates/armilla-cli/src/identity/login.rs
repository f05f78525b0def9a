//! As whom a command calls.

use super::secret;
use armilla_security::{ClientSecurity, ScopedName, Secret};
use armilla_terminal::{Failure, Outcome};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The options by which a command says who calls.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Who calls")]
pub(crate) struct LoginArguments {
    /// Call as this user, NAME@DOMAIN or NAME, with a password that is asked for. A certificate is
    /// shown by -ORBCertificate and -ORBKey
    #[arg(long, value_name = "NAME", global = true, hide_short_help = true)]
    login: Option<String>,
    /// Read the password from the first line of this file, which only its owner may read; - is
    /// standard input, /dev/fd/N a descriptor
    #[arg(long, value_name = "FILE", global = true, hide_short_help = true)]
    password_file: Option<PathBuf>,
    /// Show the code of a second factor, too: it is asked for behind the password, or stands in the
    /// second line of the file. A server takes a code once, so for calls to several servers a
    /// certificate is better
    // `armilla idl explain CODE` has an argument of the name `code`.
    #[arg(id = "login_code", long = "code", global = true, hide_short_help = true)]
    code: bool,
    /// Let the password go to other hosts without TLS
    #[arg(long, global = true, hide_short_help = true)]
    password_in_clear: bool,
}

/// A user with a password.
#[derive(Debug, PartialEq)]
pub(crate) struct Login {
    user: ScopedName,
    password: Secret,
    in_clear: bool,
}

impl LoginArguments {
    const fn is_given(&self) -> bool {
        self.login.is_some() || self.password_file.is_some() || self.password_in_clear || self.code
    }

    /// Rejects the options, for commands that call nobody.
    pub(crate) fn refuse(&self) -> Outcome {
        match self.is_given() {
            true => Err(Failure::usage("this command calls nobody: leave --login out")),
            false => Ok(()),
        }
    }

    /// The user, whose password is read now.
    pub(crate) fn read(&self) -> Outcome<Option<Login>> {
        let Some(name) = &self.login else {
            return match self.is_given() {
                true => Err(Failure::usage("--login NAME is missing: whose is the password?")),
                false => Ok(None),
            };
        };
        let user: ScopedName = name
            .parse()
            .map_err(|error| Failure::usage(format_args!("--login {name}: {error}")))?;
        if user.user.is_empty() {
            return Err(Failure::usage("--login needs the name of a user: NAME@DOMAIN, or NAME"));
        }
        let password = match &self.password_file {
            Some(file) => secret::from_file(file, self.code)?,
            None if io::stdin().is_terminal() => {
                let password = secret::ask(&format!("Password of {user}: "))?;
                match self.code {
                    true => secret::behind(password, secret::ask("Code: ")?),
                    false => password,
                }
            }
            None => {
                return Err(Failure::usage(
                    "there is no terminal to ask for the password: --password-file FILE has it",
                ));
            }
        };
        Ok(Some(Login { user, password, in_clear: self.password_in_clear }))
    }
}

impl Login {
    /// What an ORB needs to show it. Each ORB has its own.
    pub(crate) fn security(&self) -> ClientSecurity {
        let security = ClientSecurity::builder().user(self.user.clone(), self.password.clone());
        match self.in_clear {
            true => security.allow_passwords_in_clear().build(),
            false => security.build(),
        }
    }
}
