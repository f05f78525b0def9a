//! The Armilla server of the interop suite. It activates one `Interop::Echo`, publishes it, and
//! runs until SIGTERM, SIGINT or the operation `shutdown`. The object is in the library.

use armilla::{Orb, SystemException};
use armilla_interop::cos_naming::{
    NameComponent, NamingContext, NamingContextExt, NamingContextExtRef, NamingContextRef,
};
use armilla_interop::interop::{Echo, EchoRef};
use armilla_interop::servant::EchoServant;
use armilla_tls::Tls;
use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

const USAGE: &str = "\
usage: server [--ior-file FILE] [--key KEY] [--publish NAME] [--bind-name a/b] [-ORB...]
  --ior-file FILE  write the object's IOR to FILE (else to standard output)
  --key KEY        give the object a persistent POA and this id, so that with -ORBEndpoint its
                   reference survives a restart
  --publish NAME   answer to corbaloc::HOST:PORT/NAME too, with a forward to the object
  --bind-name a/b  bind the object in the naming service, making contexts as needed";

#[derive(Default)]
struct Options {
    ior_file: Option<String>,
    key: Option<String>,
    publish: Option<String>,
    bind_name: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("server: {what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(arguments, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("server: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(format!("{name} needs a value, or is unknown"))?;
            let place = match name.as_str() {
                "--ior-file" => &mut options.ior_file,
                "--key" => &mut options.key,
                "--publish" => &mut options.publish,
                "--bind-name" => &mut options.bind_name,
                name if name.starts_with("-ORB") => continue,
                _ => return Err(format!("unknown option {name}")),
            };
            *place = Some(value.clone());
        }
        Ok(options)
    }
}

fn serve(arguments: Vec<String>, options: &Options) -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().transport(Tls::new()).arguments(arguments)?.build()?;
    let echo = activate(&orb, options.key.as_deref())?;
    if let Some(name) = &options.publish {
        orb.publish(name, &echo)?;
    }
    if let Some(name) = &options.bind_name {
        bind_name(&orb, &echo, name)?;
    }
    let ior = orb.object_to_string(&echo)?;
    match &options.ior_file {
        Some(file) => write_whole(file, &ior)?,
        None => println!("{ior}"),
    }
    println!("ready");
    orb.run()?;
    Ok(())
}

fn activate(orb: &Orb, key: Option<&str>) -> Result<EchoRef, SystemException> {
    let servant = EchoServant::new(orb)?;
    let object: Arc<dyn Echo> = servant.clone();
    let echo = match key {
        None => orb.root_poa().activate(object)?,
        Some(key) => {
            let poa = orb.root_poa().create_poa("interop").persistent().user_ids().build()?;
            poa.activate_with_id(key, object)?
        }
    };
    servant.publish_as(echo.clone());
    Ok(echo)
}

/// Writes a temporary file and renames it, so that a waiting process never reads a part of it.
fn write_whole(file: &str, text: &str) -> std::io::Result<()> {
    let unfinished = format!("{file}.unfinished");
    fs::write(&unfinished, format!("{text}\n"))?;
    fs::rename(unfinished, file)
}

fn bind_name(orb: &Orb, echo: &EchoRef, name: &str) -> Result<(), Box<dyn Error>> {
    let service = orb.resolve_initial_references("NameService")?;
    let root: NamingContextExtRef = service.narrow()?;
    let path = root.to_name(name)?;
    let Some((last, contexts)) = path.split_last() else { return Err("an empty name".into()) };
    let mut context: NamingContextRef = root.upcast();
    for step in contexts {
        context = open_context(&context, step)?;
    }
    context.rebind(std::slice::from_ref(last), echo.object())?;
    Ok(())
}

/// The context of this name in `parent`. Creates it if it does not exist.
fn open_context(
    parent: &NamingContextRef,
    step: &NameComponent,
) -> Result<NamingContextRef, Box<dyn Error>> {
    use armilla_interop::cos_naming::naming_context::BindNewContextRaises::AlreadyBound;
    let step = std::slice::from_ref(step);
    match parent.bind_new_context(step) {
        Err(armilla::Error::User(AlreadyBound(_))) => Ok(parent.resolve(step)?.narrow()?),
        made => Ok(made?),
    }
}
