//! A server behind an implementation repository, for tests and for a first try.
//!
//! ```text
//! parrot [-ORBImR HOST:PORT] [--poa NAME] [--await FILE] [--fail] [--reference FILE]
//! ```
//!
//! It starts when the file of `--await` exists, or fails. Its persistent POA serves an object with
//! the id `polly` and these operations: `where` returns the number of the process, `wait` takes a
//! number of milliseconds and returns after them, `exit` ends the process with a status.

use armilla::dynamic::{DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{Any, Completion, ExceptionKind, Minor, ObjectId, Orb, SystemException, Typed};
use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

struct Parrot;

impl DynamicServant for Parrot {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Parrot:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        match request.operation() {
            "where" => {
                request.arguments([])?;
                request.set_result(Any::new(&std::process::id())?)
            }
            "wait" => {
                let number = number(request)?;
                std::thread::sleep(Duration::from_millis(number.into()));
                request.set_result(Any::new(&number)?)
            }
            "exit" => std::process::exit(number(request)?.try_into().unwrap_or(1)),
            other => {
                let (kind, minor) = (ExceptionKind::BadOperation, Minor::default());
                let what = format!("a parrot has no operation {other}");
                Err(SystemException::new(kind, minor, Completion::No).with_reason(what))
            }
        }
    }
}

/// The only argument.
fn number(request: &mut ServerRequest<'_, '_>) -> Result<u32, SystemException> {
    let arguments = request.arguments([(ParameterMode::In, u32::type_code())])?;
    let number = arguments.first().and_then(|argument| argument.value());
    Ok(number.map(|number| number.get()).transpose()?.flatten().unwrap_or_default())
}

fn await_file(name: &str) {
    while !std::path::Path::new(name).exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::init(&mut arguments)?;
    let (mut name, mut file) = ("parrots".to_owned(), None);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--poa" => name = arguments.next().unwrap_or_default(),
            "--await" => await_file(&arguments.next().unwrap_or_default()),
            "--reference" => file = arguments.next(),
            "--fail" => return Err("this parrot is no more".into()),
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    let poa = orb.root_poa().create_poa(name).persistent().user_ids();
    let poa = poa.default_servant(serve(Parrot)).build()?;
    let polly = poa.create_object_with_id("IDL:Parrot:1.0", "polly")?;
    if let Some(file) = file {
        std::fs::write(file, orb.object_to_string(&polly)?)?;
    }
    println!("serving");
    Ok(orb.run()?)
}
