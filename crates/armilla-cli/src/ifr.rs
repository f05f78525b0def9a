//! `armilla ifr`: serves an interface repository, and shows the contents of one.

use crate::identity::server::CallerArguments;
use crate::orb::OrbArguments;
use crate::output;
use crate::service::RecoverArguments;
use armilla::Orb;
use armilla_idl::Options;
use armilla_ifr::Store;
use armilla_ifr::corba::{
    Contained, ContainedRef, Container, ContainerRef, DefinitionKind, IdlType, IdlTypeRef,
    IrObject, Repository, RepositoryRef,
};
use armilla_ifr::model::Model;
use armilla_terminal::{Context, Failure, Outcome, complain, say};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The arguments of `armilla ifr`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "`list` and `describe` use the initial reference InterfaceRepository. Its \
                        address is given by\n-ORBInitRef \
                        InterfaceRepository=corbaloc::HOST:PORT/InterfaceRepository.")]
pub(crate) enum Ifr {
    /// Serve a repository until interrupted; prints its reference when ready
    Serve(Box<Serve>),
    /// Save what can be saved of a damaged state, while no repository runs; the damaged file is kept
    Recover(RecoverArguments),
    /// List the definitions in a module, an interface or the repository, with their kinds
    List {
        /// The scoped name, such as Bank::Account [default: the whole repository]
        name: Option<String>,
    },
    /// Show a definition; of an interface, show its operations and attributes
    Describe {
        /// The scoped name or the repository id
        name: String,
    },
}

/// The arguments of `armilla ifr serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// IDL files to load. The repository keeps definitions that it has already. Each file includes
    /// what it needs
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Search this directory for included files; repeatable
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Store the repository in this directory. A change is stored before the client gets its reply.
    /// References stay valid after a restart with the same -ORBEndpoint
    #[arg(long, value_name = "DIR", alias = "state")]
    store: Option<PathBuf>,
    /// Also write the reference to this file, for use as file://FILE
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Bind this name to the repository in the naming service (-ORBInitRef NameService=…)
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
    #[command(flatten)]
    callers: CallerArguments,
}

pub(crate) fn run(ifr: &Ifr, arguments: &OrbArguments) -> Outcome {
    match ifr {
        Ifr::Serve(options) => serve(options, arguments),
        Ifr::Recover(options) => {
            options.run("ifr", arguments, |store, is_trial| Store::recover(store, is_trial))
        }
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

/// Compiles IDL files, each by itself with all that it includes.
fn compiled(files: &[PathBuf], include: &[PathBuf]) -> Outcome<Vec<(String, armilla_idl::Model)>> {
    let options = include.iter().fold(Options::new(), Options::include);
    let mut models = Vec::new();
    for file in files {
        match armilla_idl::parse(file, &options) {
            Ok(compiled) => models.push((file.display().to_string(), compiled.model)),
            Err(errors) => complain(format_args!("{}", errors.render())),
        }
    }
    if models.len() == files.len() { Ok(models) } else { Err(Failure::Reported) }
}

/// The model of a repository that holds the declarations of IDL files.
pub(crate) fn model(files: &[PathBuf], include: &[PathBuf]) -> Outcome<Model> {
    let mut model = Model::new();
    model.add_files(&compiled(files, include)?)?;
    Ok(model)
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let mut store = match &options.store {
        Some(directory) => Store::open(directory)?,
        None => Store::from(Model::new()),
    };
    let files = compiled(&options.files, &options.include)?;
    store.change(|model| model.add_files(&files))?;
    let mut warned = BTreeSet::new();
    for (file, idl) in &files {
        for id in store.model().differences(idl)? {
            if !warned.contains(&id) {
                eprintln!("warning: the repository keeps its {id}; {file} declares it differently");
                warned.insert(id);
            }
        }
    }
    let callers = options.callers.open(false)?;
    let orb = arguments.orb_of_server(&callers)?;
    let repository = armilla_ifr::serve(&orb, store)?;
    let reference = orb.object_to_string(&repository)?;
    if let Some(file) = &options.reference {
        let written = output::write(file, format!("{reference}\n"));
        written.context(format_args!("cannot write {}", file.display()))?;
    }
    if let Some(name) = &options.bind {
        orb.bind_name(name, repository.object().clone())?;
    }
    say!("{reference}")?;
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
        true => Err(Failure::because(format!(
            "the repository has no definition {name:?}\n  hint: `armilla ifr list` without a name \
             shows all"
        ))),
        false => Ok(found),
    }
}

fn list(container: &ContainerRef) -> Outcome {
    for contained in container.contents(DefinitionKind::DkAll, true)? {
        say!("{:<18} {}", kind_name(contained.def_kind()?), contained.absolute_name()?)?;
    }
    Ok(())
}

/// The name of a kind without its prefix: `AbstractInterface` for `dk_AbstractInterface`.
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
            // A definition that is no type has a description, too.
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
