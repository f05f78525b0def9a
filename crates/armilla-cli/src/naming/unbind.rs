//! `armilla naming unbind`.

use super::{about, root, without_slash};
use crate::progress::Progress;
use armilla::Orb;
use armilla_cos_naming::{NameComponent, NamingContext, NamingContextRef};
use armilla_naming::client::{Alone, Held, held, to_name};
use armilla_terminal::{Failure, Outcome, one_line};

/// The arguments of `armilla naming unbind`.
#[derive(Debug, clap::Args)]
pub(crate) struct Unbind {
    /// The name; an empty context that has no other name is destroyed
    #[arg(add = super::complete::names())]
    name: String,
    /// Destroy the context that was bound; it must have no bindings
    #[arg(long, conflicts_with_all = ["recursive", "orphan"])]
    destroy: bool,
    /// Remove the context with all names and contexts that only this name leads to
    #[arg(long, conflicts_with = "orphan")]
    recursive: bool,
    /// Leave what is bound in the context where no name leads to it; `armilla naming orphans` finds it
    #[arg(long)]
    orphan: bool,
}

pub(super) fn run(orb: &Orb, options: &Unbind) -> Outcome {
    let name = without_slash(&options.name);
    let (root, path) = (root(orb)?, to_name(name)?);
    let unbind = || root.unbind(&path).map_err(|error| about(name, error));
    let Some(context) = bound_context(&root, &path) else {
        return match options.destroy || options.recursive || options.orphan {
            true => Err(Failure::because(format!("{name:?} is bound to no context"))),
            false => Ok(orb.unbind_name(name)?),
        };
    };
    if options.destroy {
        context.destroy().map_err(|error| about(name, error))?;
        return unbind();
    }
    match held(orb, &root, &path, &context)? {
        Held::Elsewhere => {
            unbind()?;
            eprintln!("{}: the context is in another server, and stays there", one_line(name));
            Ok(())
        }
        Held::Otherwise(other) => {
            unbind()?;
            let other = if other.is_empty() { "the root".to_owned() } else { format!("{other}/") };
            eprintln!("{}: the context is still {}", one_line(name), one_line(&other));
            Ok(())
        }
        Held::Alone(alone) => alone_there(options, name, &context, alone, &unbind),
    }
}

/// The context that a name is bound to; nothing if it is bound to something else. Nobody but the
/// service is asked: what is bound may be gone long since.
fn bound_context(root: &NamingContextRef, path: &[NameComponent]) -> Option<NamingContextRef> {
    let object = root.resolve(path).ok()?;
    let type_id = object.ior().type_id;
    match type_id.as_str() {
        "" => object.narrow().ok(),
        type_id => type_id.contains("CosNaming/NamingContext").then(|| object.assume()),
    }
}

/// Unbinds the only name of a context.
fn alone_there(
    options: &Unbind,
    name: &str,
    context: &NamingContextRef,
    alone: Alone,
    unbind: &dyn Fn() -> Outcome,
) -> Outcome {
    let (names, contexts) = (alone.names(), alone.contexts());
    let shown = one_line(name).into_owned();
    if names == 0 && !options.orphan {
        context.destroy().map_err(|error| about(name, error))?;
        return unbind();
    }
    if options.recursive {
        eprintln!("{shown}/ goes, with {names} names in {contexts} contexts");
        let progress = Progress::new("removed");
        alone.remove(&|done| progress.show(done, names))?;
        progress.end();
        return unbind();
    }
    if options.orphan {
        unbind()?;
        eprintln!(
            "{shown}: no name leads to {names} names in {contexts} contexts any more; \
             `armilla naming orphans` lists them"
        );
        return Ok(());
    }
    Err(Failure::because(format!(
        "{shown}/ has {names} names in {contexts} contexts that nothing else leads to\n  hint: \
         --recursive removes them all; --orphan unbinds this name alone, and `armilla naming \
         orphans` finds the rest"
    )))
}
