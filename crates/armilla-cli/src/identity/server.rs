//! What the servers of all services ask of their callers.

use armilla_security::{
    AccessFile, AccessRules, Audit, AuditOptions, LimitOptions, Limits, OnFailure, PasswordFile,
    ServerSecurity,
};
use armilla_service::{ConsoleAccess, Upkeep};
use armilla_terminal::{Context, Failure, Outcome};
use armilla_tls::Tls;
use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

/// The rules of a server that is told passwords and no rules: who has shown who it is may call.
const KNOWN: &str = "[[rule]]\nallow = \"authenticated\"\n";

/// Who may call a server, and what is recorded of it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Callers")]
pub(crate) struct CallerArguments {
    /// Let callers prove who they are by a password of this file (`armilla passwd`). Without
    /// --access, nobody else may call but users of this host over a Unix-domain socket and clients
    /// with certificates. The web page shows nothing before a login, then
    #[arg(long, value_name = "FILE")]
    passwords: Option<PathBuf>,
    /// The domain of users who say none [default: the one of the users in the file]
    #[arg(long, value_name = "DOMAIN", requires = "passwords")]
    realm: Option<String>,
    /// Ask these rules who may call what (`armilla access`); what none allows is denied
    #[arg(long, value_name = "FILE")]
    access: Option<PathBuf>,
    /// Record each call in this file, a line of JSON for each: who, what, with which outcome
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Refuse calls while they cannot be recorded
    #[arg(long, requires = "audit")]
    audit_or_refuse: bool,
    /// What hosts and users may do in a second and have at a time, and who is not let in for a while,
    /// such as calls=1000,connections=50,user-calls=200,ban=600: calls= octets= connections= events=
    /// bindings= images=, the same behind user-, burst= breaches= window= ban= remembered=
    #[arg(long, value_name = "LIMITS")]
    limits: Option<LimitOptions>,
}

/// What a server asks of its callers, if it asks anything.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    /// For the ORB, which then knows who calls.
    pub(crate) security: Option<ServerSecurity>,
    /// The same for the web page.
    pub(crate) page: Option<ConsoleAccess>,
    /// Whether callers show passwords.
    pub(crate) have_passwords: bool,
    /// TLS for the ORB.
    pub(crate) tls: Tls,
    /// What is read again on SIGHUP, and shown to operators.
    pub(crate) upkeep: Upkeep,
}

/// The service that this process is: the first word behind the command.
fn service() -> String {
    let mut words = env::args_os().skip(1).filter_map(|word| word.into_string().ok());
    words.find(|word| !word.starts_with('-')).unwrap_or_default()
}

impl CallerArguments {
    /// Opens the files. Without rules of its own for callers, a service lets in who is known.
    pub(crate) fn open(&self, has_rules: bool) -> Outcome<Callers> {
        let mut callers = Callers::default();
        let upkeep = &callers.upkeep;
        upkeep.file("the files for TLS", callers.tls.clone());
        upkeep.reload_on_hangup().context("cannot handle SIGHUP")?;
        let audit = self.audit()?;
        let asks = self.passwords.is_some() || self.access.is_some() || has_rules;
        if !asks && audit.is_none() && self.limits.is_none() {
            return Ok(callers);
        }
        let (mut security, mut page) = (ServerSecurity::builder(), ConsoleAccess::new());
        if let Some(file) = &self.passwords {
            let users = PasswordFile::open_for(&service(), file)?;
            let realm = self.realm(&users)?;
            let logins = page.passwords(users.clone(), &realm);
            page = logins.context("nobody can log in to the page")?;
            upkeep.file("the passwords", users.clone());
            security = security.realm(&realm).passwords(users);
        }
        security = match (&self.access, &self.passwords) {
            (Some(file), _) => {
                let rules = AccessFile::open(file)?;
                page = page.rules(rules.clone());
                upkeep.file("the rules", rules.clone());
                security.access(rules)
            }
            (None, Some(_)) if !has_rules => security.access(KNOWN.parse::<AccessRules>()?),
            (None, _) => security,
        };
        if let Some(limits) = self.limits.map(Limits::new) {
            upkeep.limits(limits.clone());
            security = security.limits(limits);
        }
        if let Some(audit) = audit {
            upkeep.audit(audit.clone());
            page = page.audit(audit.clone());
            security = security.audit(audit);
        }
        let security = security.build().context("the callers cannot be told apart")?;
        (callers.security, callers.page) = (Some(security), Some(page));
        callers.have_passwords = self.passwords.is_some();
        Ok(callers)
    }

    fn audit(&self) -> Outcome<Option<Audit>> {
        let Some(file) = &self.audit else { return Ok(None) };
        let mut options = AuditOptions::default();
        if self.audit_or_refuse {
            options.on_failure = OnFailure::Refuse;
        }
        let opened = Audit::open(file, options);
        Ok(Some(opened.context(format_args!("cannot record calls in {}", file.display()))?))
    }

    fn realm(&self, users: &PasswordFile) -> Outcome<String> {
        if let Some(realm) = &self.realm {
            return Ok(realm.clone());
        }
        let domains: BTreeSet<String> =
            users.users().into_iter().filter_map(|user| user.domain).collect();
        let mut domains = domains.into_iter();
        match (domains.next(), domains.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Ok("default".to_owned()),
            (Some(one), Some(other)) => Err(Failure::usage(format_args!(
                "the users of --passwords are of {one}, of {other} and perhaps of others: --realm \
                 says which domain is that of this server"
            ))),
        }
    }
}
