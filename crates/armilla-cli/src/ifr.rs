//! `armilla ifr`: an interface repository made of IDL files, and what is in one.

use crate::failure::{Failure, Outcome};
use crate::orb::OrbArguments;
use crate::output::say;
use armilla::Orb;
use armilla_idl::Options;
use armilla_ifr::corba::{
    Contained, ContainedRef, Container, ContainerRef, DefinitionKind, IdlType, IdlTypeRef,
    IrObject, Repository, RepositoryRef,
};
use armilla_ifr::model::Model;
use std::path::PathBuf;

/// What `armilla ifr` may be told. The repository is the initial reference `InterfaceRepository`:
/// -ORBInitRef InterfaceRepository=corbaloc::HOST:PORT/InterfaceRepository says where it is.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Ifr {
    /// Serve what IDL files declare, until interrupted; prints the repository's reference
    Serve {
        /// The IDL files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Where included files are looked for
        #[arg(short = 'I', value_name = "DIR")]
        include: Vec<PathBuf>,
    },
    /// List what stands in a module, an interface or the repository, with its kind
    List {
        /// The scoped name, such as Bank::Account; the whole repository without it
        name: Option<String>,
    },
    /// Tell what a definition is: of an interface, what it offers
    Describe {
        /// The scoped name, or the repository id
        name: String,
    },
}

pub(crate) fn run(ifr: &Ifr, arguments: &OrbArguments) -> Outcome {
    match ifr {
        Ifr::Serve { files, include } => serve(&model(files, include)?, arguments),
        Ifr::List { name } => {
            let orb = arguments.orb()?;
            let container: ContainerRef = match name {
                Some(name) => find(&repository(&orb)?, name)?.object().narrow()?,
                None => repository(&orb)?.upcast(),
            };
            list(&container)
        }
        Ifr::Describe { name } => {
            let orb = arguments.orb()?;
            describe(&find(&repository(&orb)?, name)?)
        }
    }
}

/// What IDL files declare.
pub(crate) fn model(files: &[PathBuf], include: &[PathBuf]) -> Outcome<Model> {
    let options = include.iter().fold(Options::new(), Options::include);
    let compiled = match armilla_idl::parse_all(files, &options) {
        Ok(compiled) => compiled,
        Err(errors) => {
            eprint!("{}", errors.render());
            return Err(Failure::Told);
        }
    };
    let mut model = Model::new();
    model.add_idl(&compiled.model)?;
    Ok(model)
}

fn serve(model: &Model, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let repository = armilla_ifr::serve(&orb, model.clone())?;
    say!("{}", orb.object_to_string(&repository)?)?;
    Ok(orb.run()?)
}

fn repository(orb: &Orb) -> Outcome<RepositoryRef> {
    Ok(orb.resolve_initial_references(armilla_ifr::REPOSITORY)?.narrow()?)
}

/// A definition by its scoped name or its repository id.
fn find(repository: &RepositoryRef, name: &str) -> Outcome<ContainedRef> {
    let by_id = repository.lookup_id(name)?;
    let found = match by_id.is_nil() {
        true => repository.lookup(&format!("::{}", name.trim_start_matches("::")))?,
        false => by_id,
    };
    match found.is_nil() {
        true => Err(Failure::because(format!("the repository does not know {name:?}"))),
        false => Ok(found),
    }
}

fn list(container: &ContainerRef) -> Outcome {
    for contained in container.contents(DefinitionKind::DkAll, true)? {
        say!("{:<18} {}", kind_name(contained.def_kind()?), contained.absolute_name()?)?;
    }
    Ok(())
}

/// `dk_AbstractInterface` is an `AbstractInterface`.
fn kind_name(kind: DefinitionKind) -> String {
    let name = format!("{kind:?}");
    name.strip_prefix("Dk").unwrap_or(&name).to_owned()
}

fn describe(contained: &ContainedRef) -> Outcome {
    let kind = contained.def_kind()?;
    say!("{} {}", kind_name(kind), contained.absolute_name()?)?;
    say!("repository id  {}", contained.id()?)?;
    say!("version        {}", contained.version()?)?;
    match kind {
        DefinitionKind::DkInterface
        | DefinitionKind::DkAbstractInterface
        | DefinitionKind::DkLocalInterface => {
            let signatures = armilla_ifr::describe(&contained.object().assume())?;
            signatures.iter().try_for_each(|signature| say!("  {signature}"))
        }
        _ => match contained.object().narrow::<dyn IdlType>() {
            Ok(ty) => show_type(&ty),
            // What is no type has a description all the same.
            Err(_) => {
                let description = armilla::dynamic::DynAny::from_any(&contained.describe()?.value)?;
                say!("{:#}", description.to_json()?)
            }
        },
    }
}

fn show_type(ty: &IdlTypeRef) -> Outcome {
    let code = armilla::Any::new(&ty.r#type()?)?;
    say!("{:#}", armilla::dynamic::DynAny::from_any(&code)?.to_json()?)
}
