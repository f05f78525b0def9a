//! `armilla naming`: lists and changes the bindings of a naming service.

use crate::failure::Outcome;
use crate::orb::OrbArguments;
use crate::output::say;
use armilla::{Object, Orb};
use armilla_cos_naming::{Binding, BindingIterator, BindingType, NamingContext, NamingContextRef};
use armilla_giop::url::{NameComponent, ObjectUrl, UrlError, stringify_name};

/// The arguments of `armilla naming`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "The service is the initial reference NameService. Its address is given by\n\
                        -ORBInitRef NameService=corbaloc::HOST:PORT/NameService."
)]
pub(crate) enum Naming {
    /// List the bindings of a context; a trailing slash marks a context
    List {
        /// The name of the context, or a reference such as corbaname::HOST:PORT [default: the root
        /// context]
        name: Option<String>,
    },
    /// Print the reference bound to a name
    Resolve {
        /// The name, such as observatory/dome.device, or corbaname::HOST:PORT#NAME
        name: String,
    },
    /// Bind a name to a reference, replacing an existing binding
    Bind {
        /// The name; missing contexts are created
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

/// The object bound to a name, or denoted by a reference if `name` is one.
fn named(orb: &Orb, name: &str) -> Outcome<Object> {
    Ok(match ObjectUrl::parse(name) {
        Err(UrlError::UnknownScheme(_)) => orb.resolve_name(name)?,
        _ => orb.string_to_object(name)?,
    })
}

/// How many bindings one call of `list` or `next_n` requests.
const BATCH: u32 = 500;

fn list(context: &NamingContextRef) -> Outcome {
    let (first, rest) = context.list(BATCH)?;
    show(&first)?;
    if rest.is_nil() {
        return Ok(());
    }
    loop {
        let (more, batch) = rest.next_n(BATCH)?;
        show(&batch)?;
        if !more {
            // The service keeps the iterator until the client destroys it.
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
