//! Namespaces, of which containers are made: processes in different ones reach each other over the
//! network alone, and know it before they try anything else; those in the same one are of one host.

use armilla::transport::{Way, WhyAddress};
use armilla::{Completion, ExceptionKind};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

const ROLE: &str = "ARMILLA_TEST_NAMESPACE_ROLE";
const REFERENCE: &str = "ARMILLA_TEST_NAMESPACE_REFERENCE";

/// What a process in other namespaces does; in an ordinary run of the tests it is nothing.
#[test]
fn visitor() {
    let Ok(role) = env::var(ROLE) else { return };
    // Not captured, unlike println.
    let say = |text: String| writeln!(io::stdout(), "\nvisitor: {text}").unwrap();
    let called = |remote: &EverythingRef| {
        remote.ping().unwrap();
        say(format!("called by {}", remote.object().way().unwrap()));
    };
    let client = orbs::client();
    match &*role {
        "client" => called(&client.resolve(&env::var(REFERENCE).unwrap()).unwrap()),
        "both" => called(&Server::start().remote(&client)),
        _ => {
            // A port that nobody has elsewhere.
            let orb = orbs::builder().listen("iiop://127.0.0.1:1").unwrap().build().unwrap();
            let server = Server::of(orb);
            say(server.orb.object_to_string(&server.local).unwrap());
            io::stdin().read_to_end(&mut Vec::new()).unwrap();
        }
    }
}

/// A process in new namespaces.
struct Visitor(Child);

impl Visitor {
    /// In namespaces of these kinds, as `unshare` names them; `None`, with a word about it, where
    /// the system allows none.
    fn start(kinds: &[&str], role: &str, reference: &str) -> Option<Self> {
        let unshared = || {
            let mut command = Command::new("unshare");
            command.arg("--map-root-user").args(kinds);
            command
        };
        if !unshared().arg("true").status().is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: no namespaces for this user: unshare {kinds:?} fails");
            return None;
        }
        let script = "ip link set lo up 2>/dev/null; exec \"$0\" \"$@\"";
        let mut command = unshared();
        command.args(["sh", "-c", script]).arg(env::current_exe().unwrap());
        command.args(["namespaces::visitor", "--exact", "--nocapture"]);
        command.env(ROLE, role).env(REFERENCE, reference);
        Some(Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()))
    }

    fn says(&mut self) -> String {
        let mut lines = BufReader::new(self.0.stdout.as_mut().unwrap()).lines();
        lines.find_map(|line| Some(line.unwrap().strip_prefix("visitor: ")?.to_owned())).unwrap()
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn a_client_in_another_user_namespace_comes_over_tcp() {
    let server = Server::start();
    let reference = server.orb.object_to_string(&server.local).unwrap();
    let Some(mut client) = Visitor::start(&["--user"], "client", &reference) else { return };
    let way = Way::Address(WhyAddress::OtherNamespace);
    assert_eq!(client.says(), format!("called by {way}"));
}

#[test]
fn processes_in_a_namespace_of_their_own_share_memory() {
    let Some(mut both) = Visitor::start(&["--user", "--net"], "both", "") else { return };
    assert_eq!(both.says(), format!("called by {}", Way::SharedMemory));
}

#[test]
fn a_server_in_another_network_is_not_reached_by_memory_and_its_namespace_may_end() {
    let Some(mut server) = Visitor::start(&["--user", "--net"], "server", "") else { return };
    let client = orbs::client();
    let remote: EverythingRef = client.resolve(&server.says()).unwrap();
    let fails = || {
        let error = remote.ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
        assert_eq!(error.completed(), Completion::No);
        let way = Some(Way::Address(WhyAddress::OtherNamespace));
        assert_eq!(remote.object().way(), way);
    };
    fails();
    drop(server);
    fails();
}
