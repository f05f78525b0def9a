//! Reads what files say of operations.

use crate::input::{WRITTEN, read_text};
use armilla_idl::model::{DeclKind, Export, Level, Operation, Timing};
use armilla_idl::{Options, parse};
use armilla_schedule::{
    CallDescription, Criticality, Description, Importance, Nanos, Section, TaskDescription,
};
use armilla_terminal::{Failure, Outcome, complain};
use std::path::{Path, PathBuf};

/// What all files say together; later ones replace what earlier ones said.
pub(crate) fn read(files: &[PathBuf], include: &[PathBuf]) -> Outcome<Description> {
    let mut all = Description::default();
    for file in files {
        let table = file.extension().is_some_and(|extension| extension == "toml");
        let mut found = if table { table_of(file)? } else { idl_of(file, include)? };
        for task in &mut found.tasks {
            // A table that adds to what is known does not move an operation to another process.
            if task.process.is_none() && !all.tasks.iter().any(|known| known.name == task.name) {
                task.process = Some(process(file));
            }
        }
        all.merge(found);
    }
    if all.tasks.is_empty() {
        let problem = "no file describes an operation; annotate one, as in \
                       `@period(10 ms) @wcet(300 us) void update();`";
        return Err(Failure::usage(problem));
    }
    Ok(all)
}

/// The process of a file: its name without the extension.
fn process(file: &Path) -> String {
    file.file_stem().map_or_else(|| "main".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn table_of(file: &Path) -> Outcome<Description> {
    let name = file.display().to_string();
    let text = read_text(file, WRITTEN)
        .map_err(|error| Failure::usage(format_args!("cannot read {name}: {error}")))?;
    Description::parse(&name, None, &text).map_err(Failure::usage)
}

fn idl_of(file: &Path, include: &[PathBuf]) -> Outcome<Description> {
    let mut options = Options::new();
    for directory in include {
        options = options.include(directory);
    }
    let compilation = parse(file, &options).map_err(|errors| {
        complain(format_args!("{}", errors.render()));
        Failure::usage(format_args!("{} is not valid IDL", file.display()))
    })?;
    let model = &compilation.model;
    let mut description = Description::default();
    for (id, declaration) in model.iter() {
        let DeclKind::Interface(interface) = &declaration.kind else { continue };
        for export in &interface.exports {
            let Export::Operation(operation) = export else { continue };
            if let Some(timing) = &operation.timing {
                let name = format!("{}::{}", model.scoped_name(id), operation.name);
                description.tasks.push(task(name, file, operation, timing));
            }
        }
    }
    Ok(description)
}

fn task(name: String, file: &Path, operation: &Operation, timing: &Timing) -> TaskDescription {
    let mut task = TaskDescription::new(name, file.display().to_string());
    task.oneway = Some(operation.oneway);
    task.period = timing.period.map(Nanos);
    task.deadline = timing.deadline.map(Nanos);
    task.wcet = timing.wcet.map(Nanos);
    task.jitter = timing.jitter.map(Nanos);
    task.criticality = timing.criticality.map(|level| Criticality::ALL[place(level)]);
    task.importance = timing.importance.map(|level| Importance::ALL[place(level)]);
    task.threads = timing.threads;
    let sections = timing
        .holds
        .iter()
        .map(|hold| Section { resource: hold.resource.clone(), length: Nanos(hold.length) });
    task.sections = (!timing.holds.is_empty()).then(|| sections.collect());
    let calls = timing.calls.iter().map(|call| CallDescription {
        operation: call.operation.clone(),
        kind: None,
        delay: Nanos(call.delay),
    });
    task.calls = (!timing.calls.is_empty()).then(|| calls.collect());
    task
}

/// The place of a level on its scale, from 0.
fn place(level: Level) -> usize {
    Level::ALL.iter().position(|(other, _)| *other == level).unwrap_or(2)
}
