//! Services over TLS that know who calls, and commands that show it: what is allowed, what is
//! refused, with which words, and what stays in the record.

use crate::running::{Directory, Running, Service, free_port, page, until};
use armilla::{Ior, Orb};
use armilla_cos_naming::{NameComponent, NamingContext, NamingContextRef};
use armilla_security::{ClientSecurity, ClientSecurityBuilder, Identity};
use armilla_tls::Tls;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const NAMING: Service = Service { command: "naming", reference: "NameService" };
const TRADER: Service = Service { command: "trader", reference: "TradingService" };
const IMR: Service = Service { command: "imr", reference: "ImplementationRepository" };
const EVENTS: Service = Service { command: "events", reference: "EventChannelFactory" };

const OBJECT: &str = "corbaloc::127.0.0.1:1/vega";

/// A command with this on its standard input: whether it succeeded, and all that it wrote.
fn armilla(arguments: &[&str], input: &str) -> (bool, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early reads nothing.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Certificates of a server and of alice, passwords of ann and zoe, and rules.
struct World(Directory);

const RULES: &str = r#"
[groups]
staff = ["ann@bank", "dn:CN=alice", "gateway@bank"]

[[rule]]
deny = "*"
operation = "destroy"

[[rule]]
allow = "group:staff"

[[rule]]
allow = "zoe@bank"
operation = ["resolve", "list"]

[[rule]]
allow = "zoe@bank"
operation = "bind_new_context"
network = "192.0.2.0/24"

[[assertion]]
by = "gateway@bank"
for = "*@bank"
"#;

impl World {
    fn new(name: &str) -> Self {
        let world = Self(Directory::new(name));
        let pki = world.0.0.display().to_string();
        for made in [
            &["tls", "new-authority", &pki][..],
            &["tls", "issue", "server", "127.0.0.1", "--directory", &pki],
            &["tls", "issue", "alice", "--directory", &pki],
        ] {
            let (succeeded, text) = armilla(made, "");
            assert!(succeeded, "{text}");
        }
        for (user, password) in
            [("ann@bank", "horse"), ("zoe@bank", "battery"), ("gateway@bank", "staple")]
        {
            let (succeeded, text) =
                armilla(&["passwd", "add", &world.file("users"), user], &format!("{password}\n"));
            assert!(succeeded, "{text}");
            world.secret(user, password);
        }
        fs::write(world.0.0.join("rules.toml"), RULES).unwrap();
        world
    }

    fn file(&self, name: &str) -> String {
        self.0.file(name)
    }

    /// A file with a password, which only its owner may read.
    fn secret(&self, name: &str, password: &str) -> String {
        let file = self.0.0.join(name);
        fs::write(&file, format!("{password}\n")).unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        self.file(name)
    }

    /// The options of a server over TLS, with passwords, rules and a record.
    fn server(&self) -> Vec<String> {
        let mut options = vec!["-ORBVerify".to_owned(), "peer".to_owned()];
        for (option, file) in [
            ("-ORBCertificate", "server.pem"),
            ("-ORBKey", "server.key"),
            ("-ORBRoots", "authority.pem"),
            ("--passwords", "users"),
            ("--access", "rules.toml"),
            ("--audit", "audit"),
        ] {
            options.extend([option.to_owned(), self.file(file)]);
        }
        options
    }

    fn start(&self, service: &'static Service, more: &[&str]) -> Running {
        let options = self.server();
        let options = options.iter().map(String::as_str).chain(more.iter().copied());
        Running::at(service, "ssliop://127.0.0.1:0", &options.collect::<Vec<_>>())
    }

    /// The options of a client that has alice's certificate.
    fn alice(&self) -> [String; 6] {
        ["-ORBRoots", "authority.pem", "-ORBCertificate", "alice.pem", "-ORBKey", "alice.key"]
            .map(|word| if word.starts_with('-') { word.to_owned() } else { self.file(word) })
    }

    /// The options of a client that shows a password, or nothing.
    fn as_user(&self, user: &str, password: &str) -> Vec<String> {
        let mut options = vec!["-ORBRoots".to_owned(), self.file("authority.pem")];
        if !user.is_empty() {
            let secret = self.secret("shown", password);
            options.extend(["--login", user, "--password-file", &secret].map(str::to_owned));
        }
        options
    }

    fn audit(&self) -> String {
        fs::read_to_string(self.0.0.join("audit")).unwrap()
    }
}

fn words<'w>(command: &[&'w str], options: &'w [String]) -> Vec<&'w str> {
    command.iter().copied().chain(options.iter().map(String::as_str)).collect()
}

#[test]
fn every_service_knows_its_callers_over_tls_alone() {
    let world = World::new("callers");
    let (alice, nobody) = (world.alice(), world.as_user("", ""));
    let ann = world.as_user("ann@bank", "horse");
    for (service, command) in
        [(&NAMING, &["ls"][..]), (&TRADER, &["types"]), (&IMR, &["ls"]), (&EVENTS, &["ls"])]
    {
        let running = world.start(service, &["--memory"]);
        assert!(running.url.starts_with("corbaloc:ssliop:"), "{}", running.url);
        let ask = |options: &[String]| {
            let mut asked = Command::new(env!("CARGO_BIN_EXE_armilla"));
            if service.command == "imr" {
                asked.args(["imr"]).args(command).args(["--imr", &running.url]).args(options);
            } else {
                let reference = format!("{}={}", service.reference, running.url);
                asked
                    .args(["-ORBInitRef", &reference, service.command])
                    .args(command)
                    .args(options);
            }
            let output = asked.output().unwrap();
            (output.status.success(), String::from_utf8(output.stderr).unwrap())
        };
        for known in [&alice[..], &ann] {
            let (succeeded, error) = ask(known);
            assert!(succeeded, "{} {known:?}: {error}", service.command);
        }
        let (succeeded, error) = ask(&nobody);
        assert!(!succeeded && error.contains("NO_PERMISSION"), "{}: {error}", service.command);
        assert!(error.contains("--login NAME"), "{}: {error}", service.command);
        running.stop();
    }
    let audit = world.audit();
    for part in ["dn:CN=alice", "\"certificate\"", "ann@bank", "\"password\"", "anonymous"] {
        assert!(audit.contains(part), "{part}: {audit}");
    }
    assert!(!audit.contains("horse"));
}

#[test]
fn an_interface_repository_knows_its_callers_and_has_no_plain_port() {
    let world = World::new("callers-ifr");
    let mut process = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["ifr", "serve", "-ORBEndpoint", "ssliop://127.0.0.1:0"])
        .args(world.server())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let reference: Ior = line.trim().parse().unwrap();
    let profile = reference.iiop_profiles().next().unwrap().unwrap();
    let ids: Vec<u32> = profile.components.iter().map(|component| component.id).collect();
    assert_eq!(profile.port, 0, "TLS alone");
    assert!(ids.contains(&20) && ids.contains(&33), "{ids:?}");
    let repository = format!("InterfaceRepository={}", line.trim());
    let list = |options: &[String]| {
        armilla(&words(&["-ORBInitRef", &repository, "ifr", "list"], options), "")
    };
    assert!(list(&world.alice()).0);
    let ann = list(&world.as_user("ann@bank", "horse"));
    assert!(ann.0, "{}", ann.1);
    let (succeeded, error) = list(&world.as_user("", ""));
    assert!(!succeeded && error.contains("NO_PERMISSION"), "{error}");
    process.kill().unwrap();
    process.wait().unwrap();
}

/// What is wrong, who calls with which password, the command, a part of the error, and a part of the
/// record: its reason, which the client is not told.
type Wrong<'w> = (&'w str, (&'w str, &'w str), &'w [&'w str], &'w str, &'w str);

#[test]
fn who_is_wrong_or_may_not_is_refused_unexecuted_and_only_the_server_says_why() {
    let world = World::new("callers-wrong");
    let running = world.start(&NAMING, &["--memory"]);
    let bind = &["bind", "vega", OBJECT][..];
    let refused = "does not accept the credentials";
    let cases: [Wrong<'_>; 9] = [
        ("nobody", ("", ""), bind, "--login NAME", "\"rule\":null"),
        ("a wrong password", ("ann@bank", "horses"), bind, refused, "password"),
        ("an unknown user", ("bob@bank", "horse"), bind, refused, "bob@bank"),
        ("a wrong domain", ("ann@shop", "horse"), bind, refused, "ann@shop"),
        ("a password of another user", ("ann@bank", "battery"), bind, refused, "ann@bank"),
        ("no rule", ("zoe@bank", "battery"), bind, "audit record of the server", "zoe@bank"),
        ("another network", ("zoe@bank", "battery"), &["mkdir", "a"], "hint: ", "zoe@bank"),
        (
            "a rule that denies",
            ("ann@bank", "horse"),
            &["unbind", "--destroy", "d"],
            "hint: ",
            "\"destroy\"",
        ),
        ("a wrong name", ("@bank", "horse"), bind, "--login needs the name", ""),
    ];
    running.ok(&words(&["mkdir", "d"], &world.as_user("ann@bank", "horse")));
    for (what, (user, password), command, said, recorded) in cases {
        let before = world.audit().lines().count();
        let error = running.fails(&words(command, &world.as_user(user, password)));
        assert!(error.contains(said), "{what}: {error}");
        if recorded.is_empty() {
            continue;
        }
        assert!(error.contains("NO_PERMISSION"), "{what}: {error}");
        for hidden in ["line ", "rules.toml", "no such user", "password is wrong", "user is"] {
            assert!(!error.contains(hidden), "{what}: {hidden}: {error}");
        }
        let audit = world.audit();
        let new: Vec<&str> = audit.lines().skip(before).collect();
        let is_reason = |line: &&str| {
            line.contains(recorded) && (line.contains("denied") || line.contains("refused"))
        };
        assert!(new.iter().any(is_reason), "{what}: {new:#?}");
    }
    assert_eq!(running.ok(&words(&["ls"], &world.as_user("zoe@bank", "battery"))), "d/\n");
    running.stop();
}

fn client(world: &World, security: ClientSecurityBuilder) -> Orb {
    let tls = Tls::new();
    tls.set("-ORBRoots", &world.file("authority.pem")).unwrap();
    Orb::builder().transport(tls).initializer(security.build()).build().unwrap()
}

fn root(orb: &Orb, url: &str) -> NamingContextRef {
    orb.string_to_object(url).unwrap().assume()
}

fn name(id: &str) -> Vec<NameComponent> {
    vec![NameComponent { id: id.to_owned(), kind: String::new() }]
}

#[test]
fn who_acts_for_others_must_be_allowed_to_and_has_their_rights() {
    let world = World::new("callers-assert");
    let running = world.start(&NAMING, &["--memory"]);
    let as_user = |user: &str, password: &str, other: &str| {
        let builder = ClientSecurity::builder().user(user.parse().unwrap(), password);
        client(&world, builder.asserting(Identity::User(other.parse().unwrap())))
    };
    let calls = [
        ("gateway@bank", "staple", "ann@bank", true),
        // zoe may not make contexts, whoever calls for her.
        ("gateway@bank", "staple", "zoe@bank", false),
        ("gateway@bank", "staple", "ann@shop", false),
        ("zoe@bank", "battery", "ann@bank", false),
    ];
    for (user, password, other, allowed) in calls {
        let orb = as_user(user, password, other);
        let made = root(&orb, &running.url).bind_new_context(&name(other));
        assert_eq!(made.is_ok(), allowed, "{user} for {other}: {made:?}");
        if let Err(error) = made {
            assert!(error.to_string().contains("NO_PERMISSION"), "{error}");
        }
        orb.shutdown();
    }
    assert_eq!(running.ok(&words(&["ls"], &world.as_user("ann@bank", "horse"))), "ann@bank/\n");
    let audit = world.audit();
    assert!(audit.contains("zoe@bank may not act for ann@bank"), "{audit}");
    running.stop();
}

#[test]
fn a_context_that_a_restarted_server_has_forgotten_is_made_again_and_the_call_once() {
    let world = World::new("callers-stale");
    let store = world.file("names");
    let file = world.file("root");
    let running = world.start(&NAMING, &["--store", &store, "--reference", &file]);
    let security = ClientSecurity::builder().user("ann@bank".parse().unwrap(), "horse");
    let orb = client(&world, security.stateful(true));
    let root = root(&orb, &format!("file://{file}"));
    root.bind_new_context(&name("a")).unwrap();
    let url = running.url.clone();
    running.stop();
    let place = url.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let options = world.server();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let endpoint = format!("ssliop://{place}");
    let running = Running::at(&NAMING, &endpoint, &[&options[..], &["--store", &store]].concat());
    root.bind_new_context(&name("b")).unwrap();
    orb.shutdown();
    assert_eq!(running.ok(&words(&["ls"], &world.as_user("ann@bank", "horse"))), "a/\nb/\n");
    let made = world
        .audit()
        .lines()
        .filter(|line| line.contains("\"bind_new_context\"") && line.contains("\"ok\""))
        .count();
    assert_eq!(made, 2);
    running.stop();
}

#[test]
fn files_that_cannot_work_are_refused_before_a_server_or_a_command_begins() {
    let world = World::new("callers-files");
    fs::write(world.0.0.join("wrong.toml"), "[[rule]]\nallow = 7\n").unwrap();
    fs::write(world.0.0.join("open"), "horse\n").unwrap();
    fs::set_permissions(world.0.0.join("open"), PermissionsExt::from_mode(0o644)).unwrap();
    let [wrong, open, users, missing] =
        ["wrong.toml", "open", "users", "missing/audit"].map(|name| world.file(name));
    let serve = ["naming", "serve", "--memory", "-ORBEndpoint", "iiop://127.0.0.1:0"];
    let other = armilla(&["passwd", "add", &users, "eve@shop"], "x\n");
    assert!(other.0, "{}", other.1);
    for (arguments, said) in [
        ([&serve[..], &["--access", &wrong]].concat(), "wrong.toml:2:9: a text in quotes"),
        ([&serve[..], &["--passwords", &open]].concat(), "open"),
        ([&serve[..], &["--passwords", &users]].concat(), "--realm"),
        ([&serve[..], &["--audit", &missing]].concat(), "cannot record calls in"),
        (vec!["ping", OBJECT, "--login", "ann@bank"], "--password-file FILE"),
        (vec!["ping", OBJECT, "--login", "ann@bank", "--password-file", &open], "chmod 600"),
        (vec!["ping", OBJECT, "--password-file", &open], "--login NAME is missing"),
        (vec!["idl", "check", "--login", "ann@bank", "x.idl"], "leave --login out"),
    ] {
        let (succeeded, error) = armilla(&arguments, "");
        assert!(!succeeded && error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn rules_about_names_know_callers_by_password_and_certificate() {
    let world = World::new("callers-names");
    let rules = "[[rule]]\nallow = \"dn:CN=alice\"\n\n[[rule]]\nallow = \"ann@bank\"\n\
                 object = [\"/a\", \"/a/*\"]\n\n[[rule]]\nallow = \"*@bank\"\noperation = \"read\"\n";
    fs::write(world.0.0.join("names.toml"), rules).unwrap();
    let mut options = world.server();
    // The rules about names are enough.
    options.retain(|option| !option.contains("access") && !option.contains("rules.toml"));
    options.extend(["--memory".to_owned(), "--rules".to_owned(), world.file("names.toml")]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let running = Running::at(&NAMING, "ssliop://127.0.0.1:0", &options);
    let (alice, ann) = (world.alice(), world.as_user("ann@bank", "horse"));
    running.ok(&words(&["mkdir", "b"], &alice));
    running.ok(&words(&["bind", "a/vega", OBJECT], &ann));
    let error = running.fails(&words(&["bind", "b/vega", OBJECT], &ann));
    assert!(error.contains("NO_PERMISSION"), "{error}");
    let zoe = world.as_user("zoe@bank", "battery");
    assert_eq!(running.ok(&words(&["ls"], &zoe)), "a/\nb/\n");
    assert!(running.fails(&words(&["mkdir", "c"], &zoe)).contains("NO_PERMISSION"));
    let nobody = world.as_user("", "");
    assert!(running.fails(&words(&["ls"], &nobody)).contains("NO_PERMISSION"));
    running.ok(&words(&["unbind", "--recursive", "b"], &alice));
    assert_eq!(running.ok(&words(&["ls"], &zoe)), "a/\n");
    running.stop();
}

/// The examples that operators begin with.
#[test]
fn examples_of_rules_let_readers_read_and_operators_do_all() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/access/");
    for (service, read, changed) in [
        ("naming", "read", "bind"),
        ("trader", "query", "export"),
        ("imr", "list", "define"),
        ("ifr", "contents", "create_struct"),
        ("events", "obtain_push_supplier", "create_channel"),
    ] {
        let file = format!("{folder}{service}.toml");
        let (fine, found) = armilla(&["access", "check", &file], "");
        assert!(fine, "{found}");
        let may = |caller, operation| {
            let asked = ["access", "explain", &file, "--caller", caller, "--operation", operation];
            armilla(&asked, "").0
        };
        assert!(may("ann@example.org", read) && !may("ann@example.org", changed), "{service}");
        assert!(may("dn:CN=operator 1", read) && may("dn:CN=operator 1", changed), "{service}");
        assert!(!may("anonymous", read), "{service}");
    }
}

#[test]
fn rules_of_before_are_converted() {
    let world = Directory::new("callers-convert");
    let file = world.file("before");
    fs::write(&file, "deny change / from any\n").unwrap();
    let (converted, text) = armilla(&["access", "convert", &file], "");
    let expected =
        "[[rule]]\ndeny = \"*\"\noperation = [\"bind\", \"unbind\"]\n\n[[rule]]\nallow = \"*\"\n";
    assert!(converted && text == expected, "{text}");
    let running = Running::at(&NAMING, "iiop://127.0.0.1:0", &["--memory", "--rules", &file]);
    assert!(running.fails(&["mkdir", "a"]).contains("NO_PERMISSION"));
    assert_eq!(running.ok(&["ls"]), "");
    running.stop();
}

/// The complaint of TAO's users: a random port, a `corbaloc` that fails, a plain port behind TLS.
#[test]
fn a_repository_over_tls_starts_servers_and_forwards_to_them_over_tls_alone() {
    let world = World::new("callers-imr");
    let certificate =
        ["-ORBCertificate", "server.pem", "-ORBKey", "server.key", "-ORBRoots", "authority.pem"]
            .map(|word| if word.starts_with('-') { word.to_owned() } else { world.file(word) });
    let own: Vec<&str> = certificate.iter().map(String::as_str).collect();
    let store = world.file("imr");
    let stored = ["--store", &store, "-ORBVerify", "peer"];
    let options = [&own[..], &stored].concat();
    let imr = Running::at(&IMR, "ssliop://127.0.0.1:0", &options);
    let url = imr.url.clone();
    let (alice, idl) = (world.alice(), world.file("bank.idl"));
    fs::write(&idl, "module Bank { struct Balance { long long amount; }; };").unwrap();
    let reference = world.file("ifr");
    let program = env!("CARGO_BIN_EXE_armilla");
    let server = [
        &["--", program, "ifr", "serve", &idl, "--reference", &reference, "-ORBImR", "{imr}"][..],
        &["-ORBServerId", "types", "-ORBEndpoint", "ssliop://127.0.0.1:0"],
        &own,
    ]
    .concat();
    let operate = |command: &[&str]| {
        let command = [&["imr"], command, &["--imr", &url]].concat();
        let (succeeded, text) = armilla(&words(&command, &alice), "");
        assert!(succeeded, "{command:?}: {text}");
        text
    };
    let add = ["imr", "add", "types", "--imr", &url, "--objects", "poa:InterfaceRepository"];
    let (added, text) = armilla(&[&words(&add, &alice)[..], &server].concat(), "");
    assert!(added, "{text}");
    operate(&["start", "types", "--wait"]);
    assert!(operate(&["show", "types"]).contains("types: running"));
    let text = fs::read_to_string(&reference).unwrap();
    let ior: Ior = text.trim().parse().unwrap();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    assert_eq!(profile.port, 0, "the reference leads to the repository, over TLS alone");
    let initial = format!("InterfaceRepository={}", text.trim());
    let list = || {
        let command = ["-ORBInitRef", &initial, "-ORBTls", "required=1", "ifr", "list"];
        armilla(&words(&command, &alice), "")
    };
    assert!(operate(&["show", "types"]).contains("ssliop://127.0.0.1:"));
    let (succeeded, listed) = list();
    assert!(succeeded && listed.contains("::Bank"), "{listed}");
    // A call starts the server again, whatever its port is.
    operate(&["restart", "types"]);
    let (succeeded, listed) = list();
    assert!(succeeded && listed.contains("::Bank"), "{listed}");
    // The repository keeps its port, and knows the server that runs.
    let place = url.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    imr.stop();
    let imr = Running::at(&IMR, &format!("ssliop://{place}"), &options);
    assert_eq!(imr.url, url);
    let (succeeded, listed) = list();
    assert!(succeeded && listed.contains("::Bank"), "{listed}");
    operate(&["stop", "types"]);
    imr.stop();
}

#[test]
fn a_hangup_reads_all_files_again_and_a_wrong_one_is_told_and_harms_nothing() {
    let world = World::new("callers-hangup");
    let rules = world.file("names.toml");
    fs::write(&rules, "[[rule]]\nallow = \"authenticated\"\n").unwrap();
    let http = free_port();
    let running = world.start(
        &NAMING,
        &["--memory", "--rules", &rules, "--http", &http, "--limits", "user-calls=10000"]
            .into_iter()
            .chain(["--http-insecure", "--http-open-health"])
            .collect::<Vec<_>>(),
    );
    let ann = world.as_user("ann@bank", "horse");
    running.ok(&words(&["mkdir", "before"], &ann));
    assert!(
        page(&http, "/metrics").contains("armilla_limits_refused_total{what=\"user-calls\"} 0\n")
    );

    // Each of them is wrong now, and was right before.
    let [certificate, users] = ["server.pem", "users"].map(|name| world.file(name));
    let kept = [&certificate, &users, &rules].map(|file| fs::read(file).unwrap());
    for file in [&certificate, &users, &rules] {
        fs::write(file, "nonsense\n").unwrap();
    }
    running.signal("-HUP");
    until("three files are told of", || {
        page(&http, "/metrics").contains("armilla_reloads_total 1\n")
    });
    let health = page(&http, "/healthz");
    assert!(health.starts_with("HTTP/1.1 200"), "it does its work: {health}");
    for told in ["the files for TLS: ", "the passwords: ", "the rules about names: "] {
        assert!(health.contains(&format!("warning: {told}")), "{told}: {health}");
    }
    running.ok(&words(&["mkdir", "meanwhile"], &ann));

    // Right again, and with another meaning.
    for (file, text) in [&certificate, &users].into_iter().zip(kept) {
        fs::write(file, text).unwrap();
    }
    fs::write(&rules, "[[rule]]\nallow = \"authenticated\"\noperation = \"read\"\n").unwrap();
    running.signal("-HUP");
    until("the files are read", || page(&http, "/metrics").contains("armilla_reloads_total 2\n"));
    assert!(!page(&http, "/healthz").contains("warning"));
    let denied = running.fails(&words(&["mkdir", "after"], &ann));
    assert!(denied.contains("NO_PERMISSION"), "{denied}");
    assert_eq!(running.ok(&words(&["ls"], &ann)), "before/\nmeanwhile/\n");
    running.stop();
}

#[test]
fn a_code_of_a_second_factor_goes_with_the_password() {
    let world = World::new("callers-code");
    let (made, uri) = armilla(&["passwd", "totp", &world.file("users"), "ann@bank"], "");
    assert!(made, "{uri}");
    let secret = uri.split("secret=").nth(1).unwrap().split(['&', '\n']).next().unwrap();
    let secret: armilla_security::Totp = secret.parse().unwrap();
    let running = world.start(&NAMING, &["--memory"]);
    let denied = running.fails(&words(&["ls"], &world.as_user("ann@bank", "horse")));
    assert!(denied.contains("NO_PERMISSION"), "{denied}");
    let code = secret.code(std::time::SystemTime::now());
    let mut ann = world.as_user("ann@bank", &format!("horse\n{code}"));
    ann.push("--code".to_owned());
    running.ok(&words(&["ls"], &ann));
    running.stop();

    let again = world.start(&NAMING, &["--memory"]);
    let denied = again.fails(&words(&["ls"], &ann));
    assert!(denied.contains("NO_PERMISSION"), "it was used before: {denied}");
    again.stop();
    let used = fs::read_to_string(world.file("users.codes")).unwrap();
    assert!(used.contains(" naming ann@bank\n"), "{used}");
}
