//! `armilla bridge serve`.

use crate::identity::secret;
use crate::orb::OrbArguments;
use crate::place::{com_address, com_host};
use crate::service::PageArguments;
use armilla_bridge::server::{Server, ServerBuilder};
use armilla_bridge::{AUTOMATION, BridgeOptions, ComClass};
use armilla_dcerpc::Uuid;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::ClientOptions;
use armilla_security::AccessFile;
use armilla_terminal::{Failure, Outcome};
use std::path::PathBuf;
use std::time::Duration;

/// The endpoint of the ORB, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11176";

/// The arguments of `armilla bridge serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Programs of COM find the bridge at port 135 of --listen: the class CORBA.Factory, \
                  \n913d82c0-3b00-11cf-bbfc-444553540000, has GetObject. Programs of CORBA find objects of \
                  COM at\ncorbaloc::HOST:11176/NAME. A FILE with a password has it in its first line, and is \
                  for its owner\nalone. Without --com-rules all users of --account may call all objects."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    page: PageArguments,
    /// Where programs of COM find the bridge
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:135")]
    listen: String,
    /// The name of this computer, as programs of COM see it
    #[arg(long, value_name = "NAME", default_value = "ARMILLA")]
    computer: String,
    /// Let this user of COM in, whose password is in FILE; repeatable
    #[arg(long, value_name = "USER=FILE")]
    account: Vec<String>,
    /// Refuse users of COM below this level; old programs activate at `connect`
    #[arg(long, value_name = "LEVEL", default_value = "integrity", value_parser = ["connect", "integrity", "privacy"])]
    level: String,
    /// Let users of COM do what the rules of this file say; see `armilla access`
    #[arg(long, value_name = "FILE")]
    com_rules: Option<PathBuf>,
    /// Call objects of COM as this user, with the password of --as-password
    #[arg(long = "as", value_name = "[DOMAIN\\]USER", requires = "as_password")]
    as_user: Option<String>,
    /// The file with the password of --as
    #[arg(long, value_name = "FILE", requires = "as_user")]
    as_password: Option<PathBuf>,
    /// Where a host is that references of COM name by an address that cannot be reached from here;
    /// repeatable
    #[arg(long, value_name = "NAME=HOST", value_parser = com_address, requires = "as_user")]
    address: Vec<(String, String)>,
    /// How many seconds a call of an object of COM may take
    #[arg(long, value_name = "SECONDS", requires = "as_user")]
    timeout: Option<u64>,
    /// Know the interfaces of this IDL file; repeatable. Those of others come from the interface
    /// repositories of servers
    #[arg(long, value_name = "FILE")]
    idl: Vec<PathBuf>,
    /// Give programs of COM this object of CORBA by this name; repeatable
    #[arg(long, value_name = "NAME=REF")]
    object: Vec<String>,
    /// Give them whatever the naming service of -ORBInitRef NameService=URL has, too
    #[arg(long)]
    naming: bool,
    /// Let them activate an object of --object as this class; repeatable
    #[arg(long, value_name = "CLSID=NAME")]
    class: Vec<String>,
    /// Give programs of CORBA this object of COM by this name, with an interface of --idl, or to be
    /// called by names; repeatable
    #[arg(long, value_name = "NAME=CLSID@HOST[,ID]")]
    com: Vec<String>,
    /// Call objects of COM with this interface of --idl by number: as this interface of COM that is
    /// in --idl, too; repeatable
    #[arg(long, value_name = "ID=INTERFACE")]
    by_number: Vec<String>,
    /// Have so many views and references at most
    #[arg(long, value_name = "COUNT")]
    most: Option<usize>,
    /// Forget references to objects of COM that came as values, when nobody called them for so many
    /// seconds
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,
}

pub(super) fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.page.callers(false)?;
    let server = Server::builder(&options.computer).options(crossing(options)?);
    let server = server.listen(&options.listen).com(|com| {
        com.rpc.server.min_level = level(&options.level);
        com.allow_unsecured_pings = options.level == "connect";
    });
    let server = options.account.iter().try_fold(server, |server, text| account(server, text))?;
    let server = match (&options.as_user, &options.as_password) {
        (Some(user), Some(file)) => {
            let password = secret::from_file(file, false)?;
            server.client(client(options, user, password.reveal()))
        }
        _ => server,
    };
    let server = server.console(options.page.console(arguments, &callers));
    let server = server.start(|orb| arguments.configure(orb, ENDPOINT, &callers));
    server.map_err(Failure::because)?.run().map_err(Failure::because)
}

fn level(name: &str) -> AuthLevel {
    match name {
        "connect" => AuthLevel::Connect,
        "privacy" => AuthLevel::Privacy,
        _ => AuthLevel::Integrity,
    }
}

fn account(server: ServerBuilder, text: &str) -> Outcome<ServerBuilder> {
    let (user, file) = split(text, "--account USER=FILE")?;
    Ok(server.account(user, secret::from_file(file.as_ref(), false)?.reveal()))
}

fn client(options: &Serve, user: &str, password: &str) -> ClientOptions {
    let (domain, user) = user.split_once('\\').unwrap_or(("", user));
    let mut client = ClientOptions::new(Credentials::new(domain, user, password));
    client.addresses = options.address.iter().cloned().collect();
    if let Some(seconds) = options.timeout {
        client.timeout = Duration::from_secs(seconds.max(1));
    }
    client
}

/// What crosses.
fn crossing(options: &Serve) -> Outcome<BridgeOptions> {
    let mut crossing = BridgeOptions { naming: options.naming, ..BridgeOptions::default() };
    crossing.idl = super::texts(&options.idl)?;
    for text in &options.by_number {
        let (interface, name) = split(text, "--by-number ID=INTERFACE")?;
        crossing.by_number.insert(interface.to_owned(), name.to_owned());
    }
    for text in &options.object {
        let (name, reference) = split(text, "--object NAME=REF")?;
        crossing.objects.insert(name.to_owned(), reference.to_owned());
    }
    for text in &options.class {
        let (class, name) = split(text, "--class CLSID=NAME")?;
        if !crossing.objects.contains_key(name) {
            return Err(Failure::usage(format_args!("--class {text}: no --object has this name")));
        }
        crossing.classes.insert(uuid(class)?, name.to_owned());
    }
    for text in &options.com {
        let (name, rest) = split(text, "--com NAME=CLSID@HOST[,ID]")?;
        let (place, interface) = rest.split_once(',').unwrap_or((rest, AUTOMATION));
        let at = place.split_once('@');
        let (class, host) =
            at.ok_or_else(|| Failure::usage(format_args!("--com {text}: the host is missing")))?;
        let host =
            com_host(host).map_err(|why| Failure::usage(format_args!("--com {text}: {why}")))?;
        let interface = interface.to_owned();
        crossing.com.insert(name.to_owned(), ComClass { host, class: uuid(class)?, interface });
    }
    if !crossing.com.is_empty() && options.as_user.is_none() {
        return Err(Failure::usage("--com needs --as and --as-password: who calls objects of COM"));
    }
    if let Some(file) = &options.com_rules {
        crossing.rules = Some(AccessFile::open(file).map_err(Failure::because)?);
    }
    crossing.most = options.most;
    crossing.idle = options.idle.map(Duration::from_secs);
    Ok(crossing)
}

fn split<'t>(text: &'t str, form: &str) -> Outcome<(&'t str, &'t str)> {
    let split = text.split_once('=').filter(|(left, right)| !left.is_empty() && !right.is_empty());
    split.ok_or_else(|| Failure::usage(format_args!("{text}: expected {form}")))
}

fn uuid(text: &str) -> Outcome<Uuid> {
    let plain = text.trim_matches(['{', '}']);
    plain.parse().map_err(|_| Failure::usage(format_args!("{text} is not a UUID")))
}
