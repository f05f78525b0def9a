//! `armilla imr add`.

use super::{Where, failed, repository};
use crate::input::{WRITTEN, read_text};
use crate::orb::OrbArguments;
use armilla::Error;
use armilla_imr::corba::{Repository, RepositoryRef};
use armilla_imr::model::{Activation, Definition, KeyPattern, Network};
use armilla_terminal::{Context, Failure, Outcome, complain, say};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arguments of `armilla imr add`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A pattern is poa:NAME/NAME (a POA of an Armilla server), omniorb:NAME/NAME, \
                        jacorb:IMPLNAME, or\nkey:OCTETS with % escapes and *. In the command, in \
                        --env and in --address, {port} stands for a\nfree port and {imr} for \
                        HOST:PORT of the repository."
)]
pub(crate) struct Add {
    /// The name of the server
    #[arg(required_unless_present = "from")]
    name: Option<String>,
    /// Which requests are its own; repeatable [default: poa:NAME]
    #[arg(long = "objects", value_name = "PATTERN")]
    objects: Vec<KeyPattern>,
    /// Add a variable to its environment; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE")]
    environment: Vec<String>,
    /// Its working directory
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,
    /// The user whose process it is (only if the activator runs as root)
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// The activator that starts it [default: the repository]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// From where it may register, beside its host, if somebody else starts it: an address, a network
    /// ADDRESS/BITS, or any; repeatable
    #[arg(long = "register-from", value_name = "NETWORK")]
    registered_from: Vec<Network>,
    /// When it is started: on-demand, per-client, at-start or manual [default: on-demand, or manual
    /// without a command]
    #[arg(long, value_name = "WHEN", value_parser = activation)]
    activation: Option<Activation>,
    /// Where it listens, for a server that does not register: most of other vendors
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
    /// How many seconds a start may take
    #[arg(long, value_name = "SECONDS")]
    start_timeout: Option<f64>,
    /// How many failures within a minute make a crash loop
    #[arg(long, value_name = "COUNT")]
    failure_limit: Option<u32>,
    /// How many seconds it may take to end after SIGTERM
    #[arg(long, value_name = "SECONDS")]
    drain_timeout: Option<f64>,
    /// Seconds between two checks whether it answers; 0 checks never
    #[arg(long, value_name = "SECONDS")]
    check_period: Option<f64>,
    /// Limit its open files
    #[arg(long, value_name = "COUNT")]
    open_files: Option<u64>,
    /// Limit its address space, in octets
    #[arg(long, value_name = "OCTETS")]
    address_space: Option<u64>,
    /// Change the definition of a server that is known: what is not given stays as it is. With
    /// --from the definition of the file takes its place
    #[arg(long)]
    replace: bool,
    /// Read definitions in JSON from a file, `-` for standard input: what `export` prints
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    from: Option<PathBuf>,
    #[command(flatten)]
    at: Where,
    /// The program and its arguments, behind `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn activation(text: &str) -> Result<Activation, String> {
    match text {
        "on-demand" => Ok(Activation::OnDemand),
        "per-client" => Ok(Activation::PerClient),
        "at-start" => Ok(Activation::AtStart),
        "manual" => Ok(Activation::Manual),
        _ => Err("one of on-demand, per-client, at-start and manual is needed".to_owned()),
    }
}

pub(super) fn add(options: &Add, arguments: &OrbArguments) -> Outcome {
    let definitions = options.from.as_deref().map(read).transpose()?;
    // What is wrong with the arguments is said without a repository.
    let new = definition(options, None)?;
    let checked = definitions.as_deref().unwrap_or(std::slice::from_ref(&new));
    checked.iter().try_for_each(Definition::check)?;
    let (_orb, repository) = repository(&options.at, arguments)?;
    let definitions = match definitions {
        Some(definitions) => definitions,
        None => vec![match known(&repository, options)? {
            Some(known) => definition(options, Some(known))?,
            None => new,
        }],
    };
    for definition in &definitions {
        let text = serde_json::to_string(definition)?;
        failed(repository.define(&text, options.replace))?;
        say!("{}", definition.name)?;
        if definition.command.is_empty() {
            complain(format_args!(
                "{} has no command: calls are forwarded to it while it runs, and do not start it\n",
                definition.name
            ));
        }
    }
    Ok(())
}

/// The definition that is to be changed, if there is one.
fn known(repository: &RepositoryRef, options: &Add) -> Outcome<Option<Definition>> {
    let Some(name) = options.name.as_deref().filter(|_| options.replace) else { return Ok(None) };
    match repository.definition(name) {
        Ok(text) => Ok(Some(serde_json::from_str(&text)?)),
        // There is no such server.
        Err(Error::User(_)) => Ok(None),
        Err(Error::System(exception)) => Err(exception.into()),
    }
}

fn read(file: &Path) -> Outcome<Vec<Definition>> {
    let text = read_text(file, WRITTEN).context(format_args!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::because(format_args!("{}: {error}", file.display())))
}

/// The definition that the arguments make of one that is known, or of nothing.
fn definition(options: &Add, known: Option<Definition>) -> Outcome<Definition> {
    let is_new = known.is_none();
    let name = options.name.clone().unwrap_or_default();
    let mut definition = known.unwrap_or_else(|| Definition::new(name));
    match options.objects.as_slice() {
        // With `--from` there is no name.
        [] if is_new && options.from.is_some() => {}
        [] if is_new => definition.objects = vec![format!("poa:{}", definition.name).parse()?],
        [] => {}
        given => definition.objects = given.to_vec(),
    }
    let had_command = !definition.command.is_empty();
    if !options.command.is_empty() {
        definition.command.clone_from(&options.command);
    }
    for variable in &options.environment {
        let (name, value) = variable.split_once('=').ok_or_else(|| {
            Failure::usage(format_args!("--env {variable}: the form is NAME=VALUE"))
        })?;
        definition.environment.insert(name.to_owned(), value.to_owned());
    }
    change(&mut definition.directory, &options.directory);
    change(&mut definition.user, &options.user);
    change(&mut definition.host, &options.host);
    change(&mut definition.address, &options.address);
    change(&mut definition.limits.open_files, &options.open_files);
    change(&mut definition.limits.address_space, &options.address_space);
    if !options.registered_from.is_empty() {
        definition.registered_from.clone_from(&options.registered_from);
    }
    definition.activation = match (definition.command.is_empty(), options.activation) {
        (true, _) => Activation::Manual,
        (false, Some(given)) => given,
        // A server that could not be started before.
        (false, None) if !had_command => Activation::OnDemand,
        (false, None) => definition.activation,
    };
    set(&mut definition.start_timeout, options.start_timeout)?;
    set(&mut definition.drain_timeout, options.drain_timeout)?;
    set(&mut definition.check_period, options.check_period)?;
    definition.failure_limit = options.failure_limit.unwrap_or(definition.failure_limit);
    Ok(definition)
}

/// Takes what is given; else all stays as it is.
fn change<T: Clone>(present: &mut Option<T>, given: &Option<T>) {
    if given.is_some() {
        present.clone_from(given);
    }
}

fn set(time: &mut Duration, seconds: Option<f64>) -> Outcome {
    if let Some(seconds) = seconds {
        *time = Duration::try_from_secs_f64(seconds).map_err(Failure::usage)?;
    }
    Ok(())
}
