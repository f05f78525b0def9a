//! `armilla naming`: serves names, and lists and changes those of a service of any vendor.

mod complete;
mod copy;
mod orphans;
mod serve;
mod show;
mod unbind;
mod watch;

use crate::orb::OrbArguments;
use crate::place::Place;
use crate::service::RecoverArguments;
use armilla::{Object, Orb};
use armilla_cos_naming::{NameComponent, NamingContext, NamingContextRef};
use armilla_giop::url::{ObjectUrl, UrlError};
use armilla_naming::Store;
use armilla_naming::client::to_name;
use armilla_terminal::{Failure, Outcome, say};
use std::fmt;

/// The arguments of `armilla naming`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A service is found by -ORBInitRef NameService=URL, else at ARMILLA_NAMES, \
                  HOST:PORT or a URL, else at\n127.0.0.1:2809.\nNAME is text such as observatory/dome.device: steps\njoined by `/`, id and kind \
                  by `.`; where a context is read, it may be a reference."
)]
pub(crate) enum Naming {
    /// Serve names until interrupted; prints `ready URL` when it serves
    Serve(Box<serve::Serve>),
    /// List the bindings of a context; a trailing slash marks a context
    #[command(visible_alias = "list")]
    Ls(show::Ls),
    /// Show all names below a context
    Tree(show::Tree),
    /// Print the reference bound to a name
    Resolve {
        /// The name, or corbaname::HOST:PORT#NAME
        #[arg(add = complete::names())]
        name: String,
    },
    /// Bind a name to a reference, replacing an existing binding
    Bind(Bind),
    /// Make an empty context, with the contexts on the way to it that are missing
    #[command(name = "new-context", visible_alias = "mkdir")]
    NewContext {
        /// The name
        #[arg(add = complete::names())]
        name: String,
    },
    /// Remove the binding of a name; of a context only if that loses nothing from sight
    Unbind(unbind::Unbind),
    /// List the contexts that no name leads to, and remove them on request
    Orphans(orphans::Orphans),
    /// Save what can be saved of a damaged store, while no service runs; the damaged file is kept
    Recover(RecoverArguments),
    /// Bind the names of an export, or those of another service
    Import(copy::Import),
    /// Write all names with their references
    Export(copy::Export),
    /// Print what changes below a context, until interrupted
    Watch(watch::Watch),
    /// Look which objects are alive, and unbind on request those that are not
    Sweep(show::Sweep),
}

/// The arguments of `armilla naming bind`.
#[derive(Debug, clap::Args)]
pub(crate) struct Bind {
    /// The name; missing contexts are created
    #[arg(add = complete::names())]
    name: String,
    /// The reference
    #[arg(value_name = "REF")]
    reference: String,
    /// The reference is a context, through which names are resolved
    #[arg(long)]
    context: bool,
    /// Fail if the name is bound
    #[arg(long)]
    new: bool,
}

pub(crate) fn run(naming: &Naming, arguments: &OrbArguments) -> Outcome {
    if let Naming::Serve(serve) = naming {
        return serve::run(serve, arguments);
    }
    if let Naming::Recover(options) = naming {
        return options.run("naming", arguments, |store, is_trial| Store::recover(store, is_trial));
    }
    let orb = SERVICE.orb(arguments, None)?;
    match naming {
        Naming::Serve(_) | Naming::Recover(_) => Ok(()),
        Naming::Ls(options) => show::ls(&orb, options),
        Naming::Tree(options) => show::tree(&orb, options),
        Naming::Resolve { name } => say!("{}", orb.object_to_string(named(&orb, name)?)?),
        Naming::Bind(options) => bind(&orb, options),
        Naming::NewContext { name } => new_context(&orb, name),
        Naming::Unbind(options) => unbind::run(&orb, options),
        Naming::Orphans(options) => orphans::run(&orb, options),
        Naming::Import(options) => copy::import(&orb, options),
        Naming::Export(options) => copy::export(&orb, options),
        Naming::Watch(options) => watch::run(&orb, options),
        Naming::Sweep(options) => show::sweep(&orb, options),
    }
}

const SERVICE: Place =
    Place { name: "NameService", variable: "ARMILLA_NAMES", usual: "127.0.0.1:2809" };

/// The root context.
fn root(orb: &Orb) -> Outcome<NamingContextRef> {
    Ok(SERVICE.object(orb)?.narrow()?)
}

/// The context of this name, or the root context.
fn context(orb: &Orb, name: Option<&str>) -> Outcome<NamingContextRef> {
    match name {
        Some(name) => Ok(named(orb, name)?.narrow()?),
        None => root(orb),
    }
}

/// The object bound to a name, or denoted by a reference if `name` is one.
fn named(orb: &Orb, name: &str) -> Outcome<Object> {
    Ok(match ObjectUrl::parse(name) {
        // The root context has no name.
        Err(UrlError::UnknownScheme(_)) if name == "/" => root(orb)?.object().clone(),
        Err(UrlError::UnknownScheme(_)) => orb.resolve_name(without_slash(name))?,
        _ => orb.string_to_object(name)?,
    })
}

/// A name without the slash that `ls` prints behind that of a context. A slash behind a backslash is
/// part of the name.
fn without_slash(name: &str) -> &str {
    let Some(before) = name.strip_suffix('/') else { return name };
    let backslashes = before.chars().rev().take_while(|one| *one == '\\').count();
    if backslashes % 2 == 0 && !before.is_empty() { before } else { name }
}

/// Makes the contexts on the way of a name that are missing.
fn make_way(root: &NamingContextRef, path: &[NameComponent]) {
    for end in 1..path.len() {
        // A context that is there already is fine; what else is wrong shows in what follows.
        root.bind_new_context(&path[..end]).ok();
    }
}

fn new_context(orb: &Orb, name: &str) -> Outcome {
    let (root, path) = (root(orb)?, to_name(without_slash(name))?);
    make_way(&root, &path);
    let made = root.bind_new_context(&path);
    made.map(drop).map_err(|error| about(name, error))
}

fn bind(orb: &Orb, Bind { name, reference, context, new }: &Bind) -> Outcome {
    let (object, name) = (orb.string_to_object(reference)?, without_slash(name));
    if !context && !new {
        return Ok(orb.bind_name(name, object)?);
    }
    let (root, path) = (root(orb)?, to_name(name)?);
    make_way(&root, &path);
    match (context, new) {
        (false, _) => root.bind(&path, &object).map_err(|error| about(name, error)),
        (true, true) => {
            root.bind_context(&path, &object.narrow()?).map_err(|error| about(name, error))
        }
        (true, false) => {
            root.rebind_context(&path, &object.narrow()?).map_err(|error| about(name, error))
        }
    }
}

/// The failure of an operation with a name.
fn about(name: &str, error: impl fmt::Display) -> Failure {
    let error = error.to_string();
    let hints = [
        ("AlreadyBound", "without --new it replaces what is bound"),
        ("NotEmpty", "`armilla naming list NAME` shows what the context has"),
        ("NotFound", "`armilla naming list` shows what is bound"),
    ];
    let hint = hints.iter().find(|(exception, _)| error.contains(exception));
    let hint = hint.map(|(_, hint)| format!("\n  hint: {hint}")).unwrap_or_default();
    Failure::because(format!("{name:?}: {error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::without_slash;

    #[test]
    fn the_slash_behind_a_context_goes_and_one_of_the_name_stays() {
        for (name, without) in [
            ("a/", "a"),
            ("a", "a"),
            ("a/b/", "a/b"),
            ("a\\/", "a\\/"),
            ("a\\\\/", "a\\\\"),
            ("/", "/"),
        ] {
            assert_eq!(without_slash(name), without);
        }
    }
}
