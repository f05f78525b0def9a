//! `armilla access`: what the rules of a server say.

use armilla::codegen::Signature;
use armilla_idl::model::{DeclKind, Export};
use armilla_idl::{Compilation, Options, parse};
use armilla_ipc::Address;
use armilla_security::{AccessFile, Caller, Principal, Proof, Question};
use armilla_terminal::{Context, Failure, Outcome, complain, say};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The arguments of `armilla access`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Access {
    /// Say which line decides about a call
    Explain(Box<Explain>),
    /// Check that the rules can be read, and find those that never apply
    Check(Check),
    /// Print the rules of a naming service that are in the language of before in the present one
    Convert(Convert),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Convert {
    /// The file of rules
    rules: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "The exit status is 1 if the call is denied.")]
pub(crate) struct Explain {
    /// The file of rules
    rules: PathBuf,
    /// Who calls: ann@bank, dn:CN=ann,O=Bank, uid:1000, anonymous
    #[arg(long)]
    caller: String,
    /// How that is known: none, password, mechanism, operating-system, certificate, assertion.
    /// Default: as it is for such a caller
    #[arg(long)]
    proof: Option<String>,
    /// The operation; an attribute is _get_NAME, and _set_NAME to write it
    #[arg(long)]
    operation: String,
    /// The POA with its ancestors
    #[arg(long, default_value = "RootPOA")]
    poa: String,
    /// The id of the object
    #[arg(long, default_value = "")]
    object: String,
    /// The repository id of the object's interface
    #[arg(long, default_value = "")]
    interface: String,
    /// The address from which the call comes
    #[arg(long, default_value = "127.0.0.1")]
    address: IpAddr,
    /// When, in seconds since 1970. Default: now
    #[arg(long, value_name = "SECONDS")]
    at: Option<u64>,
    /// The IDL with the interface: its roles count where no rule decides
    #[arg(long, value_name = "FILE", requires = "interface")]
    idl: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "The exit status is 1 if anything was found.")]
pub(crate) struct Check {
    /// The file of rules
    rules: PathBuf,
    /// IDL of the server: find roles that its operations name and the file gives nobody
    #[arg(long, value_name = "FILE")]
    idl: Option<PathBuf>,
}

pub(crate) fn run(access: &Access) -> Outcome {
    match access {
        Access::Explain(explain) => explain.run(),
        Access::Convert(Convert { rules }) => {
            let text = std::fs::read_to_string(rules).context("cannot read the rules")?;
            let converted = armilla_naming::access::convert(&text)
                .map_err(|error| Failure::because(format_args!("{}: {error}", rules.display())))?;
            say!("{}", converted.trim_end())
        }
        Access::Check(Check { rules, idl }) => {
            let rules = AccessFile::open(rules)?.rules();
            let named = idl.as_deref().map_or(Ok(Vec::new()), named_roles)?;
            let roles: Vec<&str> = named.iter().map(|(role, _)| &**role).collect();
            let findings = rules.check_with_roles(&roles);
            findings.iter().try_for_each(|finding| say!("{finding}"))?;
            let unknown = || named.iter().filter(|(role, _)| !rules.has_role(role));
            unknown().try_for_each(|(role, by)| {
                say!("{by} names the role {role}, which `[roles]` gives nobody")
            })?;
            match findings.is_empty() && unknown().next().is_none() {
                true if rules.is_empty() => say!("no rule: everything is denied"),
                true if rules.len() == 1 => say!("1 rule; it applies to something"),
                true => say!("{} rules; each applies to something", rules.len()),
                false => Err(Failure::Reported),
            }
        }
    }
}

/// A file of IDL, whose errors are printed.
fn compiled(file: &Path) -> Outcome<Compilation> {
    parse(file, &Options::new()).map_err(|errors| {
        complain(format_args!("{}", errors.render()));
        Failure::usage(format_args!("{} is not valid IDL", file.display()))
    })
}

/// The roles that operations and attributes in IDL name, each with what names it.
fn named_roles(file: &Path) -> Outcome<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (_, declaration) in compiled(file)?.model.iter() {
        let DeclKind::Interface(declared) = &declaration.kind else { continue };
        for export in &declared.exports {
            let (name, roles) = match export {
                Export::Operation(it) => (&it.name, it.roles.clone()),
                Export::Attribute(it) => (&it.name, [&it.get_roles[..], &it.set_roles].concat()),
            };
            let by = format!("{} of {}", name, declaration.repository_id);
            let roles: BTreeSet<String> = roles.into_iter().collect();
            found.extend(roles.into_iter().map(|role| (role, by.clone())));
        }
    }
    Ok(found)
}

/// The roles that IDL names for an operation of an interface, or of its bases; `_get_NAME` and
/// `_set_NAME` are those of an attribute.
fn roles_of(file: &Path, interface: &str, operation: &str) -> Outcome<Vec<String>> {
    let compilation = compiled(file)?;
    let model = &compilation.model;
    let found = model.iter().find(|(_, declaration)| declaration.repository_id == interface);
    let Some((id, _)) = found else {
        let what = format_args!("{} declares no {interface}", file.display());
        return Err(Failure::usage(what));
    };
    // Who may call any operation of an object may call those that every object has.
    let of_object = Signature::name_of_object(operation).is_some();
    let of_object = of_object && !operation.starts_with("_get_");
    let (mut open, mut roles) = (vec![id], Vec::new());
    while let Some(id) = open.pop() {
        let DeclKind::Interface(declared) = &model.get(id).kind else { continue };
        open.extend(&declared.bases);
        for export in &declared.exports {
            roles.extend(match export {
                Export::Operation(found) if of_object || found.name == operation => {
                    found.roles.clone()
                }
                Export::Attribute(found) if of_object => {
                    [&found.get_roles[..], &found.set_roles].concat()
                }
                Export::Attribute(found) => match operation.split_at_checked(5) {
                    Some(("_get_", name)) if name == found.name => found.get_roles.clone(),
                    Some(("_set_", name)) if name == found.name => found.set_roles.clone(),
                    _ => continue,
                },
                Export::Operation(_) => continue,
            });
        }
    }
    Ok(roles)
}

impl Explain {
    fn run(&self) -> Outcome {
        let rules = AccessFile::open(&self.rules)?.rules();
        let principal: Principal = self.caller.parse().map_err(Failure::usage)?;
        let proof = match &self.proof {
            Some(proof) => proof.parse().map_err(Failure::usage)?,
            None => Proof::usual_of(&principal),
        };
        let caller = Caller::new(principal, proof, Address::tcp(self.address.to_string(), 0));
        let at = self.at.map_or_else(SystemTime::now, |at| UNIX_EPOCH + Duration::from_secs(at));
        let decision = rules.decide(&Question {
            caller: &caller,
            adapter: &self.poa,
            object: &self.object,
            interface: &self.interface,
            operation: &self.operation,
            at,
        });
        if let (None, Some(file)) = (decision.line, &self.idl) {
            let roles = roles_of(file, &self.interface, &self.operation)?;
            let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
            if let Some(role) = rules.role_of(&caller, &roles) {
                let (file, operation) = (file.display(), &self.operation);
                return say!(
                    "allowed by `@roles` of {operation} in {file}, as {role}: no rule decides"
                );
            }
        }
        let verdict = if decision.allowed { "allowed" } else { "denied" };
        match decision.line {
            Some(line) => {
                let text = std::fs::read_to_string(&self.rules).context("cannot read the rules")?;
                say!("{verdict} by line {line} of {}:", self.rules.display())?;
                // A rule ends where another table begins, or with an empty line.
                let rest = text.lines().skip(line - 1).enumerate();
                let rule = rest.take_while(|(at, line)| {
                    let line = line.trim();
                    *at == 0 || !(line.is_empty() || line.starts_with('[') && line.ends_with(']'))
                });
                rule.map(|(_, line)| line).try_for_each(|line| say!("  {line}"))?;
            }
            None => say!("{verdict}: no rule fits")?,
        }
        if decision.allowed { Ok(()) } else { Err(Failure::Reported) }
    }
}
