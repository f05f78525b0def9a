//! `armilla imr add`.

use super::{Where, failed, repository};
use crate::input::{WRITTEN, read_text};
use crate::orb::OrbArguments;
use armilla_imr::corba::Repository;
use armilla_imr::model::{Activation, Definition, KeyPattern, Network, ResourceLimits};
use armilla_terminal::{Context, Failure, Outcome, say};
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
    /// When it is started: on-demand, per-client, at-start or manual
    #[arg(long, value_name = "WHEN", value_parser = activation, default_value = "on-demand")]
    activation: Activation,
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
    /// Change the definition of a server that is known
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
    let definitions = match &options.from {
        Some(file) => read(file)?,
        None => vec![definition(options)?],
    };
    definitions.iter().try_for_each(Definition::check)?;
    let (_orb, repository) = repository(&options.at, arguments)?;
    for definition in &definitions {
        let text = serde_json::to_string(definition)?;
        failed(repository.define(&text, options.replace))?;
        say!("{}", definition.name)?;
    }
    Ok(())
}

fn read(file: &Path) -> Outcome<Vec<Definition>> {
    let text = read_text(file, WRITTEN).context(format_args!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::because(format_args!("{}: {error}", file.display())))
}

fn definition(options: &Add) -> Outcome<Definition> {
    let name = options.name.clone().unwrap_or_default();
    let mut definition = Definition::new(name);
    definition.objects = match options.objects.as_slice() {
        [] => vec![format!("poa:{}", definition.name).parse()?],
        given => given.to_vec(),
    };
    definition.command.clone_from(&options.command);
    for variable in &options.environment {
        let (name, value) = variable.split_once('=').ok_or_else(|| {
            Failure::usage(format_args!("--env {variable}: the form is NAME=VALUE"))
        })?;
        definition.environment.insert(name.to_owned(), value.to_owned());
    }
    definition.directory.clone_from(&options.directory);
    definition.user.clone_from(&options.user);
    definition.host.clone_from(&options.host);
    definition.registered_from.clone_from(&options.registered_from);
    definition.address.clone_from(&options.address);
    definition.activation = match options.command.is_empty() {
        true => Activation::Manual,
        false => options.activation,
    };
    definition.limits = ResourceLimits {
        open_files: options.open_files,
        address_space: options.address_space,
        ..ResourceLimits::default()
    };
    set(&mut definition.start_timeout, options.start_timeout)?;
    set(&mut definition.drain_timeout, options.drain_timeout)?;
    set(&mut definition.check_period, options.check_period)?;
    definition.failure_limit = options.failure_limit.unwrap_or(definition.failure_limit);
    Ok(definition)
}

fn set(time: &mut Duration, seconds: Option<f64>) -> Outcome {
    if let Some(seconds) = seconds {
        *time = Duration::try_from_secs_f64(seconds).map_err(Failure::usage)?;
    }
    Ok(())
}
