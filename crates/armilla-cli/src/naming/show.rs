//! `armilla naming ls`, `tree` and `sweep`.

use super::context;
use armilla::{Object, Orb};
use armilla_cos_naming::{BindingType, NameComponent, NamingContext};
use armilla_naming::client::{Liveness, Visited, check, list, to_name, to_text, walk};
use armilla_terminal::{Failure, Outcome, one_line, say};
use std::time::Duration;

/// The arguments of `armilla naming ls`.
#[derive(Debug, clap::Args)]
pub(crate) struct Ls {
    /// The name of the context, or a reference such as corbaname::HOST:PORT [default: the root
    /// context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// Also show the interface and the address of each object
    #[arg(short, long)]
    long: bool,
}

/// The arguments of `armilla naming tree`.
#[derive(Debug, clap::Args)]
pub(crate) struct Tree {
    /// The name of the context, or a reference [default: the root context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// Also show the contexts of other servers
    #[arg(long)]
    follow: bool,
}

/// The arguments of `armilla naming sweep`.
#[derive(Debug, clap::Args)]
pub(crate) struct Sweep {
    /// The name of the context, or a reference [default: the root context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// Unbind the objects that their servers do not know any more
    #[arg(long)]
    unbind: bool,
    /// With --unbind, also unbind objects of which nobody answers
    #[arg(long, requires = "unbind")]
    unreachable: bool,
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    timeout: u64,
}

pub(super) fn ls(orb: &Orb, options: &Ls) -> Outcome {
    let context = context(orb, options.name.as_deref())?;
    for binding in list(&context)? {
        let slash = match binding.binding_type {
            BindingType::Ncontext => "/",
            BindingType::Nobject => "",
        };
        let name = shown(&binding.binding_name) + slash;
        match options.long {
            false => say!("{name}")?,
            true => match context.resolve(&binding.binding_name) {
                Ok(object) => say!("{name}\t{}", described(&object))?,
                Err(error) => say!("{name}\t{error}")?,
            },
        }
    }
    Ok(())
}

/// A name as a person reads it.
fn shown(name: &[NameComponent]) -> String {
    one_line(&to_text(name)).into_owned()
}

/// The interface and the first address of an object.
fn described(object: &Object) -> String {
    let ior = object.ior();
    let place = match ior.iiop_profiles().next() {
        Some(Ok(profile)) => format!("{}:{}", profile.host, profile.port),
        _ => "-".to_owned(),
    };
    let interface = if ior.type_id.is_empty() { "-" } else { &ior.type_id };
    format!("{}\t{}", one_line(interface), one_line(&place))
}

pub(super) fn tree(orb: &Orb, options: &Tree) -> Outcome {
    let context = context(orb, options.name.as_deref())?;
    walk(orb, &context, options.follow, &mut |name, visited| {
        let indent = "  ".repeat(name.len() - 1);
        let step = shown(&name[name.len() - 1..]);
        match visited {
            Visited::Object { object } => say!("{indent}{step}\t{}", described(object)),
            Visited::Context { .. } => say!("{indent}{step}/"),
            Visited::Again { name } => say!("{indent}{step}/\tsee {}/", one_line(name)),
            Visited::Foreign { context } => {
                say!("{indent}{step}/\tin another server: {}", described(context.object()))
            }
            Visited::Unreadable { error } => say!("{indent}{step}\t{error}"),
            _ => Ok(()),
        }
    })
}

pub(super) fn sweep(orb: &Orb, options: &Sweep) -> Outcome {
    let context = context(orb, options.name.as_deref())?;
    let timeout = Duration::from_millis(options.timeout);
    let (mut dead, mut unbound) = (Vec::new(), 0);
    walk(orb, &context, false, &mut |name, visited| {
        let Visited::Object { object } = visited else { return Ok::<(), Failure>(()) };
        let found = check(object, timeout);
        let name = to_text(name);
        say!("{:<11}\t{}", found.as_str(), one_line(&name))?;
        match found {
            Liveness::Gone => dead.push((name, object.clone())),
            Liveness::Unreachable(_) if options.unreachable => dead.push((name, object.clone())),
            _ => {}
        }
        Ok(())
    })?;
    if options.unbind {
        for (name, object) in &dead {
            let path = to_name(name)?;
            // It may have been bound anew meanwhile.
            if context.resolve(&path).is_ok_and(|now| now == *object) {
                context.unbind(&path)?;
                unbound += 1;
            }
        }
        eprintln!("{unbound} unbound");
    }
    Ok(())
}
