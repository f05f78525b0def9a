//! The command, as a user has it.

use armilla_opc::client::{Class, Target, TargetError};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

struct Served(Child, String);

impl Drop for Served {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla-opc"));
    command.env("ARMILLA_OPC_USER", "operator").env("ARMILLA_OPC_PASSWORD", "secret");
    command
}

fn serve() -> Served {
    serve_at("127.0.0.1:0")
}

fn serve_at(address: &str) -> Served {
    let mut serve = command();
    let mut child =
        serve.args(["serve", address]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.split(' ').nth(1).expect("ready URL").to_string();
    Served(child, url)
}

/// Where it serves by IPv6; `None` where the host has none.
fn serve_by_6() -> Option<Served> {
    std::net::TcpListener::bind("[::1]:0").ok().map(|_| serve_at("[::1]:0"))
}

fn run(arguments: &[&str]) -> Output {
    command().args(arguments).output().unwrap()
}

fn lines(arguments: &[&str]) -> Vec<String> {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

/// The server calls the client by IPv6, too.
#[test]
fn a_server_by_ipv6_tells_of_changes() {
    let Some(server) = serve_by_6() else { return };
    for sink in [&[][..], &["--sink", "::1"], &["--sink", "[::1]:0"]] {
        let mut watch = command();
        watch.args(["watch", "--give-up", "60"]).args(sink);
        let watch = watch.args([&*server.1, "Tank1.Level"]).stdout(Stdio::piped()).spawn();
        let mut watch = Served(watch.unwrap(), String::new());
        let mut line = String::new();
        BufReader::new(watch.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("Tank1.Level") && line.contains("good"), "{sink:?}: {line}");
    }
}

#[test]
fn a_terminal_is_enough() {
    let server = serve();
    let url = &*server.1;
    assert!(lines(&["list", url])[0].starts_with("Armilla.Plant.1"));
    assert_eq!(lines(&["browse", url, "Tank1"])[..2], ["Tank1.High", "Tank1.Label"]);
    lines(&["write", url, "Tank1.Label=Boiler"]);
    let read = lines(&["read", url, "--json", "Tank1.Label"]);
    let read: serde_json::Value = serde_json::from_str(&read[0]).unwrap();
    assert_eq!((&read["value"], &read["good"]), (&"Boiler".into(), &true.into()));
    // A value may have what separates it from its item.
    for (write, value) in [("Tank1.Label=a=b", "a=b"), ("Tank1.Label==", "="), ("Tank1.Label=", "")]
    {
        lines(&["write", url, write]);
        let read: serde_json::Value =
            serde_json::from_str(&lines(&["read", url, "--json", "Tank1.Label"])[0]).unwrap();
        assert_eq!(read["value"], value);
    }
    lines(&["write", url, "--separator", " := ", "Tank1.Label := x=y"]);
    for how in [&["--count", "3"][..], &["--count", "3", "--poll"]] {
        let watch = ["watch", url, "Counters.C001", "--rate", "50"];
        let seen = lines(&[&watch, how].concat());
        assert!(seen.iter().all(|line| line.ends_with(" good")), "{seen:?}");
    }
}

#[test]
fn what_fails_says_why_and_what_to_do() {
    let server = serve();
    let url = &*server.1;
    let failed = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(!output.status.success());
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let text = failed(&["write", url, "Tank1.Level=7"]);
    assert!(text.contains("the access rights of the item do not allow this"), "{text}");
    let text = failed(&["read", url, "Tank9.Level"]);
    assert!(text.contains("browse shows those that there are"), "{text}");
    let text = failed(&["read", url, "--user", "nobody", "Tank1.Level"]);
    assert!(text.contains("check user, password and domain"), "{text}");
    let text = failed(&["read", "opcda://nobody.invalid/A", "Tank1.Level"]);
    assert!(text.contains("the host is not known") && !text.contains("firewall"), "{text}");
    let text = failed(&["read", "opcda://127.0.0.1:1/A", "Tank1.Level"]);
    assert!(text.contains("firewall") && text.contains("--address"), "{text}");
    assert!(!text.contains("ClientOptions"), "{text}");
    for dead_band in ["-1", "101", "nan"] {
        let text = failed(&["watch", url, "Tank1.Level", "--dead-band", dead_band]);
        assert!(text.contains("a number between 0 and 100"), "{text}");
    }
    let text = failed(&["write", url, "=7"]);
    assert!(text.contains("write it as ITEM=VALUE"), "{text}");
    let text = failed(&["read", "opc://host", "Tank1.Level"]);
    assert!(text.contains("write opcda://HOST/PROGID"), "{text}");
}

#[test]
fn a_watch_that_began_with_a_mistake_ends() {
    let server = serve();
    let url = &*server.1;
    let failed = |words: &[&str]| {
        let output = run(&[&["watch"], words].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = failed(&[url, "Tank9.Level", "Tank9.Label"]);
    assert!(text.contains("Tank9.Label: no item has this name"), "{text}");
    assert!(text.contains("the server has none of the items"), "{text}");
    // Tried again and again, a wrong password would have the account locked.
    let text = failed(&[url, "Tank1.Level", "--user", "nobody"]);
    assert!(text.contains("check user, password and domain") && !text.contains("again"), "{text}");
    let text = failed(&[&format!("{url}9"), "Tank1.Level"]);
    assert!(text.contains("no server has the program id Armilla.Plant.19"), "{text}");
}

#[test]
fn a_url_names_host_port_and_server() {
    let target = |text: &str| text.parse::<Target>().map(|it| (it.host, it.class));
    let named = |host: &str, name: &str| Ok((host.to_string(), Class::ProgId(name.to_string())));
    assert_eq!(target("opcda://plant/A.B.1"), named("plant", "A.B.1"));
    assert_eq!(target("opcda://plant:1350/A"), named("plant[1350]", "A"));
    assert_eq!(target("opcda://[::1]:135/A"), named("::1[135]", "A"));
    assert_eq!(target("opcda://plant"), Ok(("plant".into(), Class::None)));
    let id = "8a4bd5c1-6d63-4c0e-9d53-2f1a70e0c0a1";
    let class = Class::Id(id.parse().unwrap());
    assert_eq!(target(&format!("opcda://plant/{{{id}}}")), Ok(("plant".into(), class)));
    for (text, error) in [
        ("plant", TargetError::Scheme),
        ("opcda:///A", TargetError::Host),
        ("opcda://plant:x/A", TargetError::Port),
        ("opcda://plant:0/A", TargetError::Port),
        ("opcda://[::1/A", TargetError::Host),
    ] {
        assert_eq!(target(text), Err(error), "{text}");
    }
}
