//! `armilla groups`: serves a manager of replicated object groups, and shows what groups there are, and
//! who is in them.

mod serve;

use crate::orb::OrbArguments;
use crate::service::report;
use armilla::{Error, Orb, SystemException};
use armilla_etcd::ClusterUser;
use armilla_replication::corba::member::LeaveRaises;
use armilla_replication::corba::{Member as _, MemberRef, Status};
use armilla_replication::model::{MemberInfo, View};
use armilla_replication::{EtcdRegistry, GroupName, ViewRegistry, group_reference};
use armilla_terminal::{Failure, Outcome, one_line, say};
use std::path::PathBuf;
use std::time::Duration;

/// How long a member has to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The arguments of `armilla groups`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "The registry is the etcd cluster of --registry, else of ARMILLA_GROUPS, else at \
                        etcd://127.0.0.1:2379.\nA GROUP is DOMAIN/NUMBER, as `ls` shows it."
)]
pub(crate) enum Groups {
    /// Serve a replication manager until interrupted; prints `ready URL`
    Serve(Box<serve::Serve>),
    /// List the groups: version, members, primary
    Ls(Where),
    /// Show a group, and what each of its members says
    Show(Named),
    /// Print the reference to a group
    Reference(Named),
    /// Save what can be saved of the damaged disk of a member, if no other member has the state
    Recover(Recover),
    /// Take a backup out of a group, or forget a group whose members are all gone
    Remove(Remove),
}

/// Which registry.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Where {
    /// The etcd cluster
    #[arg(long, value_name = "etcd://HOST:PORT,…")]
    registry: Option<String>,
    /// The user of the cluster, as NAME:PASSWORD in a file
    #[arg(long, value_name = "FILE")]
    etcd_user: Option<PathBuf>,
}

/// A group.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Named {
    /// The group
    #[arg(value_name = "GROUP")]
    group: GroupName,
    #[command(flatten)]
    at: Where,
}

/// The disk of a member.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "The member must not run. If another one of the group has the state, alive or on its disk, move \
                  the directory\naway instead: the member is given the state, and nothing is lost. What is saved \
                  is the latest state and the\nrequests behind it up to the first that is damaged; later ones \
                  are lost, although they were replied to.\nThe status is 0 if nothing is lost, else 1."
)]
pub(crate) struct Recover {
    /// The directory that the program of the member has given to `ReplicaBuilder::disk`
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Only say what is damaged; change nothing
    #[arg(long)]
    dry_run: bool,
}

/// A member, or a group.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    named: Named,
    /// The backup; without it the group, if no member of it answers
    #[arg(value_name = "MEMBER")]
    member: Option<String>,
}

pub(crate) fn run(groups: &Groups, arguments: &OrbArguments) -> Outcome {
    match groups {
        Groups::Serve(options) => serve::serve(options, arguments),
        Groups::Ls(at) => list(&at.registry()?),
        Groups::Show(named) => show(&arguments.orb()?, &named.group, &named.view()?),
        Groups::Reference(named) => {
            say!("{}", group_reference(&named.group, &named.view()?)?.to_text()?)
        }
        Groups::Recover(Recover { directory, dry_run }) => {
            arguments.refuse()?;
            let recovered = armilla_replication::recover(directory, *dry_run);
            report(&recovered.map_err(Failure::because)?, *dry_run)
        }
        Groups::Remove(remove) => {
            let (orb, view) = (arguments.orb()?, remove.named.view()?);
            match &remove.member {
                Some(member) => dismiss(&orb, &remove.named.group, &view, member),
                None => forget(&orb, &remove.named, &view),
            }
        }
    }
}

impl Where {
    fn registry(&self) -> Outcome<EtcdRegistry> {
        let variable = || std::env::var("ARMILLA_GROUPS").ok().filter(|place| !place.is_empty());
        let place = self.registry.clone().or_else(variable);
        let user = self.etcd_user.as_ref().map(ClusterUser::read).transpose()?;
        Ok(EtcdRegistry::connect(place.as_deref().unwrap_or("etcd://127.0.0.1:2379"), user)?)
    }
}

impl Named {
    fn view(&self) -> Outcome<View> {
        let found = self.at.registry()?.read(&self.group)?;
        found.ok_or_else(|| Failure::because(format!("there is no group {}", self.group)))
    }
}

fn list(registry: &EtcdRegistry) -> Outcome {
    // A heading without what is below it would say that there is nothing.
    let groups = registry.groups()?;
    say!("{:<32} {:>8} {:>8} PRIMARY", "GROUP", "VERSION", "MEMBERS")?;
    for (name, view) in groups {
        let primary = view.primary().map_or("", |member| &*member.name);
        let name = name.to_string();
        let (name, primary) = (one_line(&name), one_line(primary));
        say!("{name:<32} {:>8} {:>8} {primary}", view.version, view.members.len())?;
    }
    Ok(())
}

fn peer(orb: &Orb, member: &MemberInfo) -> Result<MemberRef, SystemException> {
    Ok(orb.string_to_object(&member.peer)?.assume::<dyn armilla_replication::corba::Member>())
        .map(|peer| peer.with_timeout(PATIENCE))
}

fn status(orb: &Orb, member: &MemberInfo) -> Result<Status, SystemException> {
    peer(orb, member)?.get_status()
}

fn show(orb: &Orb, name: &GroupName, view: &View) -> Outcome {
    say!("group    {}", one_line(&name.to_string()))?;
    say!("version  {}", view.version)?;
    let last = view.primary().and_then(|primary| status(orb, primary).ok());
    say!(
        "{:<20} {:<9} {:>12} {:>6} {:>8} {:>8}",
        "MEMBER",
        "ROLE",
        "REQUESTS",
        "LAG",
        "REPLIES",
        "REPLAYED"
    )?;
    for member in &view.members {
        let name = one_line(&member.name);
        // Members among which a manager decides have nothing to tell but that they are there.
        if member.peer.is_empty() {
            let object = orb.string_to_object(&member.object);
            match object.and_then(|object| object.with_timeout(PATIENCE).non_existent()) {
                Ok(false) => say!("{name:<20} alive")?,
                Ok(true) => say!("{name:<20} gone")?,
                Err(error) => say!("{name:<20} gone      {}", one_line(&error.to_string()))?,
            }
            continue;
        }
        match status(orb, member) {
            Ok(it) => {
                let lag =
                    last.as_ref().map_or(0, |last| last.last.number.saturating_sub(it.last.number));
                let (role, requests) = (one_line(&it.role), it.last.number);
                let (logged, replayed) = (it.logged, it.replayed);
                say!("{name:<20} {role:<9} {requests:>12} {lag:>6} {logged:>8} {replayed:>8}")?;
            }
            Err(exception) => say!("{name:<20} gone      {}", one_line(&exception.to_string()))?,
        }
    }
    Ok(())
}

fn dismiss(orb: &Orb, group: &GroupName, view: &View, name: &str) -> Outcome {
    let primary = view.primary().ok_or_else(|| Failure::because("the group has no member"))?;
    if view.member(name).is_none() {
        let what = format!("{group} has no member {name}\n  hint: `armilla groups show {group}`");
        return Err(Failure::because(what));
    }
    if primary.name == name && !primary.peer.is_empty() {
        let what = format!("{} is the primary", one_line(name));
        return Err(Failure::because(format!(
            "{what}\n  hint: end it, and a backup takes its place"
        )));
    }
    if primary.peer.is_empty() {
        let what = format!("the managers decide who is in {group}, and members take nobody out");
        let hint = "end the member, or have a program call remove_member of the manager";
        return Err(Failure::because(format!("{what}\n  hint: {hint}")));
    }
    peer(orb, primary)?.leave(name).map_err(|error| match error {
        Error::User(LeaveRaises::Refused(it)) => Failure::because(it.why),
        Error::System(exception) => exception.into(),
    })
}

fn forget(orb: &Orb, named: &Named, view: &View) -> Outcome {
    let is_alive = |member: &&MemberInfo| match member.peer.is_empty() {
        true => orb
            .string_to_object(&member.object)
            .and_then(|object| object.with_timeout(PATIENCE).non_existent())
            .is_ok_and(|is_gone| !is_gone),
        false => status(orb, member).is_ok(),
    };
    if let Some(alive) = view.members.iter().find(is_alive) {
        let what = format!("{} is alive\n  hint: end its members first", one_line(&alive.name));
        return Err(Failure::because(what));
    }
    match named.at.registry()?.forget(&named.group, view.version)? {
        true => Ok(()),
        false => Err(Failure::because("the group has changed meanwhile; look again")),
    }
}
