//! Clients whose passwords, codes, identities or rights are wrong, over TLS. A server tells them no
//! reason: that stands in its log and in its record.

use super::{Came, Case};
use crate::certificates::Authority;
use crate::references::tls_port;
use armilla::{Orb, OrbBuilder};
use armilla_giop::ior::{Component, CsiSecMechList, Ior};
use armilla_security::{
    AccessRules, Audit, AuditOptions, Authentication, ClientSecurity, ContextLimits, GuessLimits,
    Identity, LimitOptions, Limits, OnFailure, PasswordFile, ScopedName, ServerSecurity,
    ServerSecurityBuilder, Totp,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// What the client gets: a wrong proof, and nothing that says more.
const EVIDENCE: &str = "`NO_PERMISSION`, CSIv2 1, 1";
const NOTHING: &str = "`NO_PERMISSION`";
/// The part of its advice that names what may be wrong.
const ADVICE: &[&str] = &["the user, the domain, the password", "the server's log says"];
const LOG: &[&str] = &["the log and the audit record of the server say why"];

fn verify(user: &ScopedName, password: &[u8]) -> bool {
    matches!(
        (user.to_string().as_str(), password),
        ("ann@bank", b"secret") | ("gateway@bank", b"gate")
    )
}

/// A folder that is removed with this.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = orbs::unique(&format!("armilla-wrong-{}-", std::process::id()));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A server that asks for passwords and records what it is asked, and its clients.
struct World {
    root: Authority,
    server: Server,
    folder: Folder,
    /// That of the file of users, if there is one.
    _users: Option<Folder>,
}

impl World {
    fn new(change: impl FnOnce(ServerSecurityBuilder) -> ServerSecurityBuilder) -> Self {
        let (root, folder) = (Authority::new("root"), Folder::new());
        let audit = Audit::open(folder.0.join("audit"), AuditOptions::default()).unwrap();
        let security = ServerSecurity::builder()
            .realm("bank")
            .passwords(verify)
            .authentication(Authentication::Required)
            .audit(audit);
        let tls = root.tls().certificate(root.issue(&["127.0.0.1"]).pem());
        let builder = orbs::builder().transport(tls).initializer(change(security).build().unwrap());
        let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
        Self { root, server, folder, _users: None }
    }

    /// One whose users are in a file; `ann@bank` has a second factor.
    fn with_codes() -> (Self, Totp) {
        let folder = Folder::new();
        let mut users = PasswordFile::create(folder.0.join("users")).unwrap();
        let (ann, codes) = ("ann@bank".parse().unwrap(), Totp::generate().unwrap());
        users.set(&ann, b"secret").unwrap();
        assert!(users.set_second_factor(&ann, Some(codes.clone())).unwrap());
        // Nothing is remembered, so that a code counts once.
        let world = Self::new(|it| it.passwords(users).remember(0, Duration::ZERO));
        (Self { _users: Some(folder), ..world }, codes)
    }

    fn builder(&self) -> OrbBuilder {
        orbs::builder().transport(self.root.tls())
    }

    fn client(&self, security: ClientSecurity) -> Orb {
        self.builder().initializer(security).build().unwrap()
    }

    fn user(&self, user: &str, password: &str) -> Orb {
        let builder = ClientSecurity::builder().user(user.parse().unwrap(), password);
        self.client(builder.build())
    }

    /// What a call of this client ends with.
    fn call(&self, client: &Orb) -> Vec<Came> {
        let error = self.server.remote(client).increment().unwrap_err();
        client.shutdown();
        self.came(error)
    }

    fn came(&self, error: armilla::SystemException) -> Vec<Came> {
        let text = fs::read_to_string(self.folder.0.join("audit")).unwrap();
        let records = text.lines().map(str::to_owned).collect();
        vec![Came { records, ..Came::of(error, self.server.local.count().unwrap()) }]
    }
}

pub(super) fn cases() -> Vec<Case> {
    [passwords(), codes(), contexts(), assertions(), rights(), shares()]
        .into_iter()
        .flatten()
        .collect()
}

fn passwords() -> Vec<Case> {
    let wrong = "the user, the password or the code is wrong";
    let case = |what, user, password| {
        Case::new(what, EVIDENCE, ADVICE, move || {
            let world = World::new(|it| it);
            world.call(&world.user(user, password))
        })
        .recorded(1, wrong)
    };
    vec![
        case("a wrong password", "ann", "wrong"),
        case("an unknown user", "nobody", "secret"),
        case("a user of another domain", "ann@elsewhere", "secret"),
        Case::new(
            "a password for another server",
            EVIDENCE,
            &["they are for another server", "the reference is that of another server"],
            || {
                let (world, other) = (World::new(|it| it), World::new(|it| it.realm("shop")));
                // Its reference, as one has it who serves at this port now.
                let client = world.user("ann@bank", "secret");
                let object = with_mechanisms_of(&world, &other, &client);
                let error = object.increment().unwrap_err();
                client.shutdown();
                world.came(error)
            },
        )
        .recorded(1, "the token is for"),
        Case::new(
            "a password is required, and the client has none",
            NOTHING,
            &["-ORBCertificate"],
            || {
                let world = World::new(|it| it);
                world.call(&world.builder().build().unwrap())
            },
        )
        .recorded(1, "it has not shown who it is"),
        Case::new("too many wrong passwords of late", EVIDENCE, ADVICE, || {
            let limits = GuessLimits { per_host: 1, ..GuessLimits::default() };
            let world = World::new(|it| it.guesses(limits));
            world.call(&world.user("ann", "wrong"));
            world.call(&world.user("ann", "secret"))
        })
        .recorded(2, "too many wrong passwords of late"),
    ]
}

/// The reference of a server with the mechanisms that another one names.
fn with_mechanisms_of(world: &World, other: &World, client: &Orb) -> EverythingRef {
    let ior = |world: &World| -> Ior {
        let text = world.server.orb.object_to_string(&world.server.local).unwrap();
        text.parse().unwrap()
    };
    let (mut own, theirs) = (ior(world), ior(other));
    let mut profile = own.iiop_profiles().next().unwrap().unwrap();
    let theirs = theirs.iiop_profiles().next().unwrap().unwrap();
    let mut list: CsiSecMechList = profile.component().unwrap().unwrap();
    let mechanisms = theirs.component::<CsiSecMechList>().unwrap().unwrap().mechanisms;
    list.mechanisms[0].authentication = mechanisms[0].authentication.clone();
    profile.components.retain(|it| it.id != CsiSecMechList::ID);
    profile.components.push(list.to_tagged().unwrap());
    own.profiles = vec![profile.to_tagged().unwrap()];
    client.resolve(&own.to_text().unwrap()).unwrap()
}

fn codes() -> Vec<Case> {
    let wrong = "the user, the password or the code is wrong";
    let case = |what, shown: fn(&Totp) -> String| {
        Case::new(what, EVIDENCE, &["the code of a second factor"], move || {
            let (world, codes) = World::with_codes();
            world.call(&world.user("ann", &format!("secret{}", shown(&codes))))
        })
        .recorded(1, wrong)
    };
    vec![
        case("the code of a second factor is missing", |_| String::new()),
        case("a wrong code", |codes| {
            let now = SystemTime::now();
            // None of the codes that are right now, or soon.
            let right: Vec<_> = (0..8).map(|step| codes.code(now + step * HALF_MINUTE)).collect();
            let mut tried = (0..1_000_000).map(|code| format!("{code:06}"));
            tried.find(|code| codes.step_of(code, now).is_none() && !right.contains(code)).unwrap()
        }),
        case("a code of another time, as when a clock is wrong", |codes| {
            codes.code(SystemTime::now() - 10 * HALF_MINUTE)
        }),
        Case::new("a code that was used", EVIDENCE, &["the code of a second factor"], || {
            let (world, codes) = World::with_codes();
            let shown = format!("secret{}", codes.code(SystemTime::now()));
            let first = world.user("ann", &shown);
            world.server.remote(&first).increment().unwrap();
            first.shutdown();
            world.call(&world.user("ann", &shown))
        })
        .recorded(2, wrong)
        .ran(1),
    ]
}

const HALF_MINUTE: Duration = Duration::from_secs(30);

fn contexts() -> Vec<Case> {
    vec![
        Case::new(
            "a context that the server has forgotten, and another password since",
            EVIDENCE,
            ADVICE,
            || {
                let changed = Arc::new(AtomicBool::new(false));
                let now = changed.clone();
                let passwords = move |user: &ScopedName, password: &[u8]| {
                    verify(user, password) && !now.load(Ordering::SeqCst)
                };
                let limits = ContextLimits { idle: Duration::ZERO, ..ContextLimits::default() };
                let world = World::new(|it| {
                    it.passwords(passwords).remember(0, Duration::ZERO).contexts(limits)
                });
                let security = ClientSecurity::builder().user("ann".parse().unwrap(), "secret");
                let client = world.client(security.stateful(true).build());
                world.server.remote(&client).increment().unwrap();
                changed.store(true, Ordering::SeqCst);
                world.call(&client)
            },
        )
        // The call that was right, the context that is gone, and the password that is wrong.
        .recorded(3, "the user, the password or the code is wrong")
        .ran(1),
    ]
}

fn assertions() -> Vec<Case> {
    fn acting(world: &World, user: &str, password: &str) -> Vec<Came> {
        let zoe = Identity::User("zoe@bank".parse().unwrap());
        let security = ClientSecurity::builder().user(user.parse().unwrap(), password);
        world.call(&world.client(security.asserting(zoe).build()))
    }
    vec![
        Case::new("to act for whom no rule names", EVIDENCE, &["may it act for that one"], || {
            let world = World::new(|it| it.may_assert("gateway@bank", "*@bank"));
            acting(&world, "ann", "secret")
        })
        .recorded(1, "ann@bank may not act for zoe@bank"),
        Case::new(
            "to act for somebody at a server that takes no such word",
            NOTHING,
            &["takes no assertion"],
            || acting(&World::new(|it| it), "gateway", "gate"),
        ),
    ]
}

fn rights() -> Vec<Case> {
    let case = |what, rules: &'static str, record| {
        Case::new(what, NOTHING, LOG, move || {
            let rules: AccessRules = rules.parse().unwrap();
            let world = World::new(|it| it.access(rules));
            world.call(&world.user("ann", "secret"))
        })
        .recorded(1, record)
    };
    vec![
        case(
            "a rule that denies",
            "[[rule]]\ndeny = \"ann@bank\"\noperation = \"increment\"\n[[rule]]\nallow = \"*\"\n",
            "\"outcome\":\"denied\",\"rule\":1",
        ),
        case(
            "no rule that allows",
            "[[rule]]\nallow = \"zoe@bank\"\n",
            "\"outcome\":\"denied\",\"rule\":null",
        ),
    ]
}

fn shares() -> Vec<Case> {
    let limits = |text: &str| Limits::new(text.parse::<LimitOptions>().unwrap());
    vec![
        Case::new(
            "more calls than the share of the user",
            "`TRANSIENT`, `SHARE_USED_UP`",
            &["used up its share", "call again later"],
            move || {
                let world = World::new(|it| it.limits(limits("user-calls=1,burst=0")));
                let client = world.user("ann", "secret");
                world.server.remote(&client).increment().unwrap();
                // However slow this machine is: one of them comes within the same second.
                let error = loop {
                    if let Err(error) = world.server.remote(&client).ping() {
                        break error;
                    }
                };
                client.shutdown();
                let mut came = world.came(error);
                came[0].records.drain(..1);
                came[0].records.retain(|record| !record.contains("\"outcome\":\"ok\""));
                came
            },
        )
        .recorded(1, "the caller makes too many calls")
        .ran(1),
        Case::new(
            "a host that is banned for a while",
            "`NO_PERMISSION`, `TLS_HANDSHAKE_FAILED`",
            &["The log of the server may say why"],
            move || {
                let limits = limits("breaches=1,ban=3600");
                let counted = limits.clone();
                let world = World::new(|it| it.limits(counted));
                let port = tls_port(&world.server);
                let mut peer = TcpStream::connect(("127.0.0.1", port)).unwrap();
                peer.write_all(b"GIOP\x01\x02\0\0\0\0\0\0").unwrap();
                peer.read_to_end(&mut Vec::new()).ok();
                eventually("the host is banned", || !limits.banned().is_empty());
                world.call(&world.user("ann", "secret"))
            },
        ),
        Case::new(
            "a record that cannot be written, where calls are refused then",
            "`TRANSIENT`",
            &["cannot record calls now"],
            || {
                let mut options = AuditOptions::default();
                options.on_failure = OnFailure::Refuse;
                let audit = Audit::open("/dev/full", options).unwrap();
                let world = World::new(|it| it.audit(audit));
                let client = world.user("ann", "secret");
                // Nothing was written before.
                world.server.remote(&client).increment().unwrap();
                world.call(&client)
            },
        )
        .ran(1),
    ]
}
