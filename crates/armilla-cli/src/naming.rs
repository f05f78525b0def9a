//! `armilla naming`: look into a naming service and change what is in it.

use crate::failure::Outcome;
use crate::orb::OrbArguments;
use crate::output::say;
use armilla::naming::{Binding, BindingIterator, BindingType, NamingContext, NamingContextRef};
use armilla::{Object, Orb};
use armilla_giop::url::{NameComponent, ObjectUrl, UrlError, stringify_name};

/// What `armilla naming` may be told. The service is the initial reference `NameService`:
/// -ORBInitRef NameService=corbaloc::HOST:PORT/NameService says where it is.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Naming {
    /// List what is bound in a context; a slash behind a name marks a context
    List {
        /// The context's name, or a reference to it such as corbaname::HOST:PORT; the root context without it
        name: Option<String>,
    },
    /// Print the reference that is bound to a name
    Resolve {
        /// The name, such as observatory/dome.device, or corbaname::HOST:PORT#NAME
        name: String,
    },
    /// Bind a name to a reference, in place of what it was bound to
    Bind {
        /// The name; contexts on the way are made
        name: String,
        /// The reference
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// Remove the binding of a name
    Unbind {
        /// The name
        name: String,
    },
}

pub(crate) fn run(naming: &Naming, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    match naming {
        Naming::List { name } => list(&context(&orb, name.as_deref())?),
        Naming::Resolve { name } => say!("{}", orb.object_to_string(named(&orb, name)?)?),
        Naming::Bind { name, reference } => {
            Ok(orb.bind_name(name, orb.string_to_object(reference)?)?)
        }
        Naming::Unbind { name } => Ok(orb.unbind_name(name)?),
    }
}

/// The context of this name, or the root context.
fn context(orb: &Orb, name: Option<&str>) -> Outcome<NamingContextRef> {
    let object: Object = match name {
        Some(name) => named(orb, name)?,
        None => orb.resolve_initial_references("NameService")?,
    };
    Ok(object.narrow()?)
}

/// What is bound to a name, or what a reference stands for where one is given instead.
fn named(orb: &Orb, name: &str) -> Outcome<Object> {
    Ok(match ObjectUrl::parse(name) {
        Err(UrlError::UnknownScheme(_)) => orb.resolve_name(name)?,
        _ => orb.string_to_object(name)?,
    })
}

/// How many bindings are asked for at once.
const PORTION: u32 = 500;

fn list(context: &NamingContextRef) -> Outcome {
    let (first, rest) = context.list(PORTION)?;
    show(&first)?;
    if rest.is_nil() {
        return Ok(());
    }
    loop {
        let (more, portion) = rest.next_n(PORTION)?;
        show(&portion)?;
        if !more {
            // The service keeps the iterator until it is told otherwise.
            return Ok(rest.destroy()?);
        }
    }
}

fn show(bindings: &[Binding]) -> Outcome {
    bindings.iter().try_for_each(|binding| {
        let steps = binding.binding_name.iter();
        let steps: Vec<NameComponent> = steps
            .map(|step| NameComponent { id: step.id.clone(), kind: step.kind.clone() })
            .collect();
        let slash = match binding.binding_type {
            BindingType::Ncontext => "/",
            BindingType::Nobject => "",
        };
        say!("{}{slash}", stringify_name(&steps))
    })
}
