//! What the bridge costs: calls by name from COM and calls from CORBA, direct and bridged, in turn.
//!
//! ```text
//! cargo run --release -p armilla-bridge --example measure_bridge
//! ```
//!
//! Each server, the bridge and the client is a process of its own on this machine, and calls go over
//! TCP; those of COM at level integrity.

use armilla::{Orb, SystemException};
use armilla_bridge::{Bridge, BridgeOptions, ComClass};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{DISPATCH, flags};
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::{Caller, Dispatched, Failure, Invocation, Object, Scriptable, Server};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The interface of CORBA.
#[allow(missing_docs)]
mod generated {
    armilla::include_idl!("Measured");
}

use generated::measured::{Adder, AdderRef, adder};

type Result<T = (), E = Box<dyn Error>> = std::result::Result<T, E>;

const CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e61");
const INTERFACE: &str = "IDL:Measured/Adder:1.0";
const ROUNDS: usize = 15;
const CALLS: u32 = 400;

struct Sum;

impl Adder for Sum {
    fn add(&self, left: i32, right: i32) -> std::result::Result<i32, SystemException> {
        Ok(left.wrapping_add(right))
    }
}

impl Scriptable for Sum {
    fn member(&self, name: &str) -> Option<i32> {
        name.eq_ignore_ascii_case("add").then_some(1)
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> std::result::Result<Variant, Failure> {
        match &invocation.arguments[..] {
            [Variant::I4(left), Variant::I4(right)] => Ok(Variant::I4(left.wrapping_add(*right))),
            _ => Err(Status::TYPE_MISMATCH.into()),
        }
    }
}

fn orb() -> Result<Orb> {
    Ok(Orb::builder().listen("iiop://127.0.0.1:0")?.build()?)
}

fn com_client() -> Result<Client> {
    Ok(Client::new(ClientOptions::new(Credentials::new("", "operator", "secret")))?)
}

fn com_host(server: &Server) -> String {
    format!("127.0.0.1[{}]", server.address().port())
}

fn say(words: &str) -> Result {
    println!("{words}");
    Ok(std::io::stdout().flush()?)
}

/// A server of CORBA until its input ends.
fn serve_corba() -> Result {
    let orb = orb()?;
    let reference = orb.root_poa().activate(adder::tie(Sum))?;
    say(&orb.object_to_string(&reference)?)?;
    wait()
}

/// A server of COM.
fn serve_com() -> Result {
    let object = Arc::new(Dispatched(Sum));
    let class = move |_: &Caller<'_>| Ok(object.clone() as Arc<dyn Object>);
    let server = Server::builder("COM").account("operator", "secret").class(CLASS, class);
    let server = server.listen("127.0.0.1:0")?;
    say(&com_host(&server))?;
    wait()
}

/// A bridge to both.
fn serve_bridge(corba: &str, com: &str) -> Result {
    let orb = orb()?;
    let mut options = BridgeOptions::default();
    options.idl.push(("Measured.idl".into(), include_str!("../idl/Measured.idl").into()));
    options.objects.insert("adder".into(), corba.into());
    options.classes.insert(CLASS, "adder".into());
    let (host, interface) = (com.to_owned(), INTERFACE.to_owned());
    options.com.insert("com".into(), ComClass { host, class: CLASS, interface });
    let bridge = Bridge::new(&orb, options, Some(com_client()?))?;
    let server = bridge.classes(Server::builder("BRIDGE").account("operator", "secret"));
    let server = server.listen("127.0.0.1:0")?;
    bridge.begin(server.exports());
    let object = bridge.com_object("com").ok_or("it has no object of COM")?;
    say(&format!("{} {}", com_host(&server), orb.object_to_string(&object)?))?;
    wait()
}

fn wait() -> Result {
    let mut line = String::new();
    while std::io::stdin().lock().read_line(&mut line)? > 0 {}
    Ok(())
}

/// A process of this program, which ends with its input.
struct Process(Child);

impl Process {
    fn start(words: &[&str]) -> Result<(Self, String)> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut ready = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut ready)?;
        Ok((Self(child), ready.trim().to_owned()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It has nothing that could be lost.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The mean of a round.
fn round(mut call: impl FnMut() -> Result) -> Result<Duration> {
    let start = Instant::now();
    for _ in 0..CALLS {
        call()?;
    }
    Ok(start.elapsed() / CALLS)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn measure() -> Result {
    let (_corba, url) = Process::start(&["corba"])?;
    let (_com, host) = Process::start(&["com"])?;
    let (_bridge, places) = Process::start(&["bridge", &url, &host])?;
    let (bridge_host, bridge_url) = places.split_once(' ').ok_or("the bridge does not begin")?;
    let client = com_client()?;
    let views = [&host, bridge_host].map(|host| client.activate(host, CLASS, DISPATCH.uuid));
    let [direct, bridged] = views;
    let (direct, bridged) = (direct?, bridged?);
    let orb = Orb::builder().build()?;
    let references = [&*url, bridge_url].map(|url| orb.string_to_object(url));
    let [object, through] = references;
    let (object, through): (AdderRef, AdderRef) = (object?.narrow()?, through?.narrow()?);
    let member = [direct.member("add")?, bridged.member("add")?];
    let by_name = |object: &armilla_dcom::client::Proxy, member| -> Result {
        let sum = object.invoke(member, flags::METHOD, &[Variant::I4(2), Variant::I4(40)])?;
        if sum == Variant::I4(42) { Ok(()) } else { Err("another sum".into()) }
    };
    let by_number = |object: &AdderRef| -> Result {
        if object.add(2, 40)? == 42 { Ok(()) } else { Err("another sum".into()) }
    };
    let mut times: [Vec<Duration>; 4] = Default::default();
    for number in 0..=ROUNDS {
        let round = [
            round(|| by_name(&direct, member[0]))?,
            round(|| by_name(&bridged, member[1]))?,
            round(|| by_number(&object))?,
            round(|| by_number(&through))?,
        ];
        // The first one warms up.
        if number > 0 {
            times.iter_mut().zip(round).for_each(|(all, one)| all.push(one));
        }
    }
    let [com, from_com, corba, from_corba] = times.map(median);
    println!("COM by name:       direct {com:7.1} us, by the bridge {from_com:7.1} us");
    println!("CORBA:             direct {corba:7.1} us, by the bridge {from_corba:7.1} us");
    println!("bridged calls of COM   {:.2} of a direct call of COM", from_com / com);
    println!("bridged calls of CORBA {:.2} of a direct call of COM", from_corba / com);
    println!("both calls in a row    {:.2} of a direct call of COM", (com + corba) / com);
    Ok(())
}

fn main() -> Result {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["corba"] => serve_corba(),
        ["com"] => serve_com(),
        ["bridge", corba, com] => serve_bridge(corba, com),
        [] => measure(),
        _ => Err("measure".into()),
    }
}
