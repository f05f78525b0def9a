//! `armilla tls`, and a service over TLS with the certificates that it makes.

use crate::running::{Directory, Running, Service, free_port, page, until};
use armilla::Orb;
use armilla_tls::{Authority, Tls};
use std::fs;
use std::io::{Read, Write, copy, sink};
use std::net::{Shutdown, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const NAMING: Service = Service { command: "naming", reference: "NameService" };

/// The exit status, standard output and standard error of a command.
fn armilla(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_armilla")).args(arguments).output().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn ok(arguments: &[&str]) -> String {
    let (succeeded, out, error) = armilla(arguments);
    assert!(succeeded, "{arguments:?}: {out}{error}");
    out
}

#[test]
fn a_service_and_its_client_know_each_other_by_certificates_made_in_three_commands() {
    let directory = Directory::new("tls");
    let pki = directory.0.display().to_string();
    ok(&["tls", "new-authority", &pki, "--name", "observatory"]);
    let used = ok(&["tls", "issue", "names", "127.0.0.1", "--directory", &pki]);
    assert!(used.contains("-ORBCertificate"), "{used}");
    ok(&["tls", "issue", "alice", "--directory", &pki]);
    for key in ["authority.key", "names.key"] {
        let mode = fs::metadata(directory.0.join(key)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{key}");
    }
    let shown = ok(&["tls", "show", &directory.file("names.pem")]);
    for part in ["CN=names", "CN=observatory", "127.0.0.1", "P-256", "pin "] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
    let (succeeded, _, error) = armilla(&["tls", "issue", "names", "--directory", &pki]);
    assert!(!succeeded && error.contains("names.key"), "a file is not replaced: {error}");

    let [roots, names, names_key, alice, alice_key] =
        ["authority.pem", "names.pem", "names.key", "alice.pem", "alice.key"]
            .map(|name| directory.file(name));
    let own = ["-ORBCertificate", &names, "-ORBKey", &names_key, "-ORBRoots", &roots];
    let wanted = [&["--memory"][..], &own, &["-ORBVerify", "required"]].concat();
    let service = Running::at(&NAMING, "ssliop://127.0.0.1:0", &wanted);
    assert!(service.url.starts_with("corbaloc:ssliop:1.2@127.0.0.1:"), "{}", service.url);
    let shows = ["-ORBCertificate", &alice, "-ORBKey", &alice_key, "-ORBRoots", &roots];
    let object = "corbaloc::127.0.0.1:1/vega";
    service.ok(&[&["bind", "vega", object][..], &shows].concat());
    assert_eq!(service.ok(&[&["ls"][..], &shows].concat()), "vega\n");

    let error = service.fails(&["ls", "-ORBRoots", &roots]);
    assert!(error.contains("NO_PERMISSION") && error.contains("-ORBCertificate"), "{error}");

    let seen = ok(&[&["tls", "check", &service.url][..], &shows].concat());
    for part in
        ["TLS 1.2   TLS_", "TLS 1.3   TLS13_", "is asked for", "CN=names", "connects TLS 1.3"]
    {
        assert!(seen.contains(part), "{part} is missing in {seen}");
    }
    let (succeeded, seen, error) = armilla(&["tls", "check", &service.url]);
    assert!(!succeeded && seen.contains("refused"), "{seen}{error}");
    // Of a reference with several addresses each is looked at, whether the one before answers or not.
    let both = service.url.replacen("corbaloc:", "corbaloc:ssliop:127.0.0.1:1,", 1);
    let (succeeded, seen, error) = armilla(&[&["tls", "check", &both][..], &shows].concat());
    assert!(!succeeded && error.contains("cannot connect to tcp://127.0.0.1:1"), "{seen}{error}");
    assert!(seen.starts_with("127.0.0.1:1\n  refused ") && seen.contains("connects TLS"), "{seen}");
    service.stop();
}

#[test]
fn who_looks_at_a_server_is_not_told_to_look_at_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = listener.local_addr().unwrap().to_string();
    let served = thread::spawn(move || {
        // One connection for each version, and one as a client makes it.
        for _ in 0..3 {
            let (mut peer, _) = listener.accept().unwrap();
            assert!(peer.read(&mut [0; 4096]).unwrap() > 0);
            // handshake_failure (RFC 8446, 6)
            peer.write_all(b"\x15\x03\x03\x00\x02\x02\x28").unwrap();
            peer.shutdown(Shutdown::Write).unwrap();
            copy(&mut peer, &mut sink()).ok();
        }
    });
    let (succeeded, seen, error) = armilla(&["tls", "check", &url]);
    served.join().unwrap();
    assert!(!succeeded && error.contains("X25519"), "{seen}{error}");
    assert!(!format!("{seen}{error}").contains("tls check"), "{seen}{error}");
}

#[test]
fn no_call_is_lost_or_leaves_tls_while_hangups_have_certificates_read_again() {
    const DAY: Duration = Duration::from_secs(86_400);
    let (directory, http) = (Directory::new("tls-hangup"), free_port());
    let authority = Authority::new("authority", DAY).unwrap();
    let [own, roots] = ["server.pem", "authority.pem"].map(|name| directory.file(name));
    fs::write(&roots, &authority.own().certificate).unwrap();
    let put = |text: &str| {
        let next = directory.file("next");
        fs::write(&next, text).unwrap();
        fs::rename(&next, &own).unwrap();
    };
    let issue = || {
        let issued = authority.issue("server", &["127.0.0.1"], DAY).unwrap();
        put(&(issued.certificate + &issued.key));
    };
    issue();
    // With a plain port beside that for TLS, which nobody may use.
    let more = ["--memory", "--http", &http, "-ORBCertificate", &own];
    let file = directory.file("reference");
    let plain = ["-ORBEndpoint", "iiop://127.0.0.1:0", "--reference", &file];
    let more = [&more[..], &plain].concat();
    let service = Running::at(&NAMING, "ssliop://127.0.0.1:0", &more);
    let reference = fs::read_to_string(&file).unwrap();
    let client = || {
        let tls = Tls::new().required();
        tls.set("-ORBRoots", &roots).unwrap();
        Orb::builder().transport(tls).build().unwrap()
    };
    let (stop, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    let call = |orb: &Orb| {
        let root = orb.string_to_object(reference.trim()).unwrap();
        assert_eq!(root.non_existent(), Ok(false));
        calls.fetch_add(1, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        // One whose connection stays, and others with a handshake each time.
        scope.spawn(|| {
            let orb = client();
            while !stop.load(Ordering::Relaxed) {
                call(&orb);
            }
        });
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let orb = client();
                    call(&orb);
                    orb.shutdown();
                }
            });
        }
        for round in 1..=20 {
            match round % 4 {
                // Now and then a file that is wrong, which leaves the one of before in use.
                0 => put("nonsense\n"),
                _ => issue(),
            }
            let before = calls.load(Ordering::Relaxed);
            service.signal("-HUP");
            until("the files are read", || {
                page(&http, "/metrics").contains(&format!("armilla_reloads_total {round}\n"))
            });
            until("calls go on", || calls.load(Ordering::Relaxed) > before);
        }
        stop.store(true, Ordering::Relaxed);
    });
    service.stop();
}
