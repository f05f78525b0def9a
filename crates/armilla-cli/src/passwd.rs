//! `armilla passwd`: files of users with the Argon2id hashes of their passwords.

use crate::identity::secret::ask;
use armilla_security::{PasswordFile, PasswordVerifier, ScopedName, Totp};
use armilla_terminal::{Context, Failure, Outcome, say};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The arguments of `armilla passwd`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Passwd {
    /// Add a user, or change the password of one
    Add(User),
    /// Remove a user
    Rm(User),
    /// Check the password of a user
    Check(User),
    /// List the users
    List(File),
    /// Give a user a second factor: print the URL that a program for codes takes (TOTP)
    Totp(SecondFactor),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The URL holds the secret: show it to the user alone, as text or as a QR code. A new one\n\
                  takes the place of the one before."
)]
pub(crate) struct SecondFactor {
    #[command(flatten)]
    user: User,
    /// Take the second factor away
    #[arg(long, conflicts_with = "issuer")]
    rm: bool,
    /// The service that the program shows beside the code; the domain of the user if it is left out
    #[arg(long)]
    issuer: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A password is asked for twice at a terminal, and otherwise is the first line of standard\n\
                  input. It never stands on the command line, where others see it."
)]
pub(crate) struct User {
    /// The file; `add` makes it if there is none
    file: PathBuf,
    /// The user with the domain of the server: ann@bank
    user: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct File {
    /// The file
    file: PathBuf,
}

pub(crate) fn run(passwd: &Passwd) -> Outcome {
    match passwd {
        Passwd::Add(User { file, user }) => {
            let user = name(user)?;
            let mut users = PasswordFile::create(file)?;
            let password = ask("Password: ")?;
            if io::stdin().is_terminal() && ask("Again: ")? != password {
                return Err(Failure::because("the passwords differ; nothing was changed"));
            }
            users.set(&user, password.reveal().as_bytes())?;
            say!("{user} has a new password in {}", file.display())
        }
        Passwd::Rm(User { file, user }) => {
            let user = name(user)?;
            match PasswordFile::open(file)?.remove(&user)? {
                true => say!("{user} was removed from {}", file.display()),
                false => Err(Failure::because(format_args!("{} has no {user}", file.display()))),
            }
        }
        Passwd::Check(User { file, user }) => {
            let user = name(user)?;
            let users = PasswordFile::open(file)?;
            match users.verify(&user, ask("Password: ")?.reveal().as_bytes()) {
                true => say!("the password is right"),
                false => Err(Failure::because("the user or the password is wrong")),
            }
        }
        Passwd::List(File { file }) => {
            let users = PasswordFile::open(file)?;
            users.users().iter().try_for_each(|user| match users.has_second_factor(user) {
                true => say!("{user} with a second factor"),
                false => say!("{user}"),
            })
        }
        Passwd::Totp(SecondFactor { user: User { file, user }, rm, issuer }) => {
            let user = name(user)?;
            let secret = match rm {
                true => None,
                false => Some(Totp::generate().context("cannot make a secret")?),
            };
            if !PasswordFile::open(file)?.set_second_factor(&user, secret.clone())? {
                return Err(Failure::because(format_args!("{} has no {user}", file.display())));
            }
            let Some(secret) = secret else { return say!("{user} needs no code any more") };
            let issuer = issuer.as_deref().or(user.domain.as_deref()).unwrap_or_default();
            say!("{}", secret.url(issuer, &user.to_string()).reveal())
        }
    }
}

/// A user with a domain: the server adds its own to those that have none before it looks.
fn name(text: &str) -> Outcome<ScopedName> {
    let name: ScopedName = text.parse().map_err(Failure::usage)?;
    match (&*name.user, &name.domain) {
        ("", _) | (_, None) => {
            let what = "a user is NAME@DOMAIN, with the realm of the server as the domain";
            Err(Failure::usage(format_args!("{text}: {what}")))
        }
        _ => Ok(name),
    }
}
