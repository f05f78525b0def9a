//! A client that asks everything of an implementation repository and of an activator, and prints
//! what it gets. `lab/interop/strangers/check` runs it as a stranger and as those who may.
//!
//! ```text
//! stranger ask URL SERVER RUN [-ORB…]     every operation of the repository at URL, about SERVER
//! stranger activator URL HOST DIR [-ORB…] serves an activator, and prints its reference
//! stranger call IOR FILE [-ORB…]          every operation of an activator; `start` would make FILE
//! stranger page HOST:PORT SERVER          every page and command of a repository
//! ```
//!
//! RUN is the number of the run of SERVER, or 0. A line has an operation and its outcome: `ok`, a
//! system exception or a user exception.

use armilla::{Error, Object, Orb, SystemException};
use armilla_imr::corba::{
    self, Activator as _, ActivatorRef, EndSignal, Launch, LogStream, Registry, Repository,
    RepositoryRef, Secret, ServerInfo,
};
use armilla_imr::model::Definition;
use armilla_imr::{Activator, JACORB_KEY};
use std::fmt::Debug;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What a stranger knows of a secret.
const GUESS: Secret = [7; 32];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::init(&mut arguments)?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["ask", url, server, run] => ask(&orb, url, server, run.parse()?)?,
        ["activator", url, host, logs] => {
            let activator = Activator::builder(url, logs).host(host).serve(&orb)?;
            orb.perform_work()?;
            println!("{}", orb.object_to_string(activator.reference())?);
            orb.run()?;
        }
        ["call", reference, file] => call(&orb, reference, file)?,
        ["page", at, server] => pages(at, server)?,
        _ => return Err("ask URL SERVER RUN, activator …, call … or page … is needed".into()),
    }
    Ok(())
}

/// Prints the outcome of an operation.
fn tell<T, E: Debug>(operation: &str, outcome: Result<T, Error<E>>) {
    let text = match outcome {
        Ok(_) => "ok".to_owned(),
        Err(Error::System(exception)) => exception.to_string(),
        Err(Error::User(exception)) => format!("{exception:?}"),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.split(|c| !is_name(c)).next().unwrap_or_default();
    println!("{operation} {name}");
}

/// The same for one without user exceptions.
fn tell_system<T>(operation: &str, outcome: Result<T, SystemException>) {
    tell(operation, outcome.map_err(Error::<()>::System));
}

fn ask(orb: &Orb, url: &str, server: &str, run: u64) -> Result<(), SystemException> {
    let repository: RepositoryRef =
        orb.string_to_object(url)?.with_timeout(Duration::from_secs(20)).assume();
    let status = repository.status(server);
    let runs = status.iter().flat_map(|status| &status.runs);
    let seen: Vec<(u64, u32, String)> =
        runs.map(|run| (run.run, run.process, run.host.clone())).collect();
    tell("status", status);
    let shown = seen.iter().any(|(run, ..)| *run != 0);
    println!("status.run {}", if shown { "shown" } else { "hidden" });
    tell_system("list", repository.list());
    tell_system("hosts", repository.hosts());
    tell("definition", repository.definition(server));
    tell("log", repository.log(server, LogStream::Output, 100));
    let mut other = Definition::new("other");
    other.command = vec!["/bin/true".to_owned()];
    let other = serde_json::to_string(&other).unwrap_or_default();
    tell("define", repository.define(&other, true));
    tell("start", repository.start("other"));
    tell("restart", repository.restart("other"));
    tell("replace", repository.replace("other"));
    tell("stop", repository.stop("other"));
    tell("remove", repository.remove("nobody"));
    registry(orb, &repository, server, run, seen.first())?;
    jacorb(orb, url, server)
}

/// What servers and activators tell a repository.
fn registry(
    orb: &Orb,
    repository: &RepositoryRef,
    server: &str,
    run: u64,
    seen: Option<&(u64, u32, String)>,
) -> Result<(), SystemException> {
    let here = orb.root_poa().create_object("IDL:omg.org/CORBA/Object:1.0")?;
    let (process, host) = seen.map_or((0, String::new()), |(_, at, host)| (*at, host.clone()));
    let info = |run| ServerInfo {
        name: server.to_owned(),
        run,
        process,
        host: host.clone(),
        adapters: Vec::new(),
    };
    tell("register_server", repository.register_server(&info(0), &here));
    tell("unregister_server", repository.unregister_server(&info(0)));
    if run != 0 {
        tell("register_server.run", repository.register_server(&info(run), &here));
        tell("unregister_server.run", repository.unregister_server(&info(run)));
    }
    let activator: ActivatorRef = here.assume();
    tell("register_activator", repository.register_activator("elsewhere", &activator, &GUESS));
    tell_system("exited", repository.exited(run, false, "a stranger says so"));
    Ok(())
}

/// What servers of JacORB tell it.
fn jacorb(orb: &Orb, url: &str, server: &str) -> Result<(), SystemException> {
    let place = url.rsplit_once('/').map_or(url, |(place, _)| place);
    let registration = orb.string_to_object(&format!("{place}/{JACORB_KEY}"))?;
    let mut request = registration.request("register_poa");
    for text in [server, server, "192.0.2.1"] {
        request.add_in("text", armilla::Any::new(text)?);
    }
    request.add_in("port", armilla::Any::new(&9_u32)?);
    tell_jacorb("register_poa", request.invoke());
    let mut request = registration.request("set_server_down");
    request.add_in("name", armilla::Any::new(server)?);
    tell_jacorb("set_server_down", request.invoke());
    Ok(())
}

/// The same for a dynamic call, of whose exceptions the client knows the names alone.
fn tell_jacorb<T, E: Debug>(operation: &str, outcome: Result<T, Error<E>>) {
    let text = outcome.err().map_or_else(|| "ok".to_owned(), |error| format!("{error:?}"));
    let names = ["UnknownServerName", "IllegalPOAName", "DuplicatePOAName"];
    println!("{operation} {}", names.iter().find(|name| text.contains(**name)).unwrap_or(&&*text));
}

fn call(orb: &Orb, reference: &str, file: &str) -> Result<(), SystemException> {
    let object: Object = orb.string_to_object(reference)?;
    let activator: ActivatorRef = object.with_timeout(Duration::from_secs(20)).assume();
    let mut definition = Definition::new("stranger");
    definition.command = vec!["/bin/touch".to_owned(), file.to_owned()];
    let what = Launch {
        run: 7,
        name: "stranger".to_owned(),
        definition: serde_json::to_string(&definition).unwrap_or_default(),
        repository: String::new(),
    };
    tell("activator.start", activator.start(&GUESS, &what));
    tell("activator.log", activator.log(&GUESS, "bank", corba::LogStream::Output, 100));
    tell_system("activator.signal", activator.signal(&GUESS, 7, EndSignal::Kill));
    tell_system("activator.watch", activator.watch(&GUESS, 7, 1, 1));
    Ok(())
}

/// The status of an answer, and its text.
fn http(at: &str, request: &str) -> std::io::Result<(String, String)> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let rest = "X-Armilla-Console: 1\r\nContent-Length: 0\r\n\r\n";
    stream.write_all((head + rest).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok((answer.get(9..12).unwrap_or_default().to_owned(), answer))
}

fn pages(at: &str, server: &str) -> std::io::Result<()> {
    for page in ["/", "/healthz", "/metrics"] {
        println!("GET {page} {}", http(at, &format!("GET {page}"))?.0);
    }
    let (status, text) = http(at, &format!("GET /servers/{server}"))?;
    let shown = if text.contains("<h2>Definition") { "with" } else { "without" };
    println!("GET /servers/SERVER {status} {shown} its definition");
    for command in ["start", "stop", "restart", "replace"] {
        let (status, _) = http(at, &format!("POST /servers/other/{command}"))?;
        println!("POST {command} {status}");
    }
    Ok(())
}
