//! Rules about who may do what, and the record of who has.

use crate::world::{Client, Server, tells_nothing};
use armilla::dynamic::{self, DynamicServant, ServerRequest};
use armilla::{Any, Error, ExceptionKind, Object, ObjectId, Orb, SameHost, SystemException, Typed};
use armilla_ipc::Address;
use armilla_security::{
    AccessFile, AccessRules, Audit, AuditOptions, Authentication, Caller, ClientSecurity, Decision,
    Identity, Principal, Proof, Question, Roles,
};
use bank::bank::Account;
use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

const RULES: &str = r#"
[groups]
tellers = ["ann@bank"]

[roles]
operator = ["group:tellers", "gateway@bank"]

[[rule]]
deny = "*"
operation = "withdraw"

[[rule]]
allow = ["role:operator"]
poa = "RootPOA"
interface = "IDL:Bank/Account:1.0"
operation = "deposit"
proof = "password"

[[rule]]
allow = "authenticated"
attribute = { read = "balance" }
network = ["local"]

[[assertion]]
by = "gateway@bank"
for = "*@bank"
"#;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn denied(result: Result<impl std::fmt::Debug, SystemException>) {
    let denied = result.unwrap_err();
    assert_eq!(denied.kind(), ExceptionKind::NoPermission);
    assert!(tells_nothing(&denied), "{denied}");
}

#[test]
fn what_no_rule_allows_is_denied_and_all_of_it_is_recorded() {
    let folder = folder("access");
    let rules: AccessRules = RULES.parse().unwrap();
    let audit = Audit::open(folder.join("audit"), AuditOptions::default()).unwrap();
    let server = Server::new(|it| it.access(rules).audit(audit));
    let ann = Client::user(&server, "ann", "secret");
    assert_eq!(ann.call(), Ok(1.0));
    assert_eq!(ann.account.deposit(1.0), Ok(()));
    let withdrawn = ann.account.withdraw(1.0).unwrap_err();
    assert!(withdrawn.to_string().starts_with("NO_PERMISSION"), "{withdrawn}");
    assert!(!ann.account.object().non_existent().unwrap(), "who may call may ask");
    let stranger = Client::of(&server, Orb::builder());
    denied(stranger.call());
    denied(stranger.account.object().non_existent());
    // An assertion is no password, so it lets nobody deposit.
    let security = ClientSecurity::builder().user("gateway".parse().unwrap(), "gate").build();
    let gateway = Client::with(&server, &security);
    assert_eq!(gateway.account.deposit(1.0), Ok(()));
    let zoe = Identity::User("zoe@bank".parse().unwrap());
    let acting = security.acting_for(&zoe).unwrap();
    assert_eq!(gateway.call(), Ok(1.0));
    denied(gateway.account.deposit(1.0));
    drop(acting);
    assert!(Client::user(&server, "ann", "wrong").call().is_err());
    for client in [&ann, &stranger, &gateway] {
        client.orb.shutdown();
    }
    server.orb.shutdown();
    let lines = fs::read_to_string(folder.join("audit")).unwrap();
    let own = fs::metadata("/proc/self").unwrap();
    let (process, user, group) = (std::process::id(), own.uid(), own.gid());
    let vouched = format!(
        r#""caller":"ann@bank","proof":"password","process":{process},"uid":{user},"gid":{group},"#
    );
    for expected in [
        &*vouched,
        r#""address":"same-host","poa":"RootPOA""#,
        r#""operation":"withdraw","outcome":"denied","rule":8,"us":"#,
        r#""caller":"anonymous","proof":"none""#,
        r#""operation":"_get_balance","outcome":"denied","rule":null"#,
        r#""caller":"zoe@bank","proof":"assertion","through":"gateway@bank","through_proof":"password""#,
        r#""outcome":"refused","why":"ann@bank: the user, the password or the code is wrong""#,
    ] {
        assert!(lines.contains(expected), "{expected}\n{lines}");
    }
    assert!(!lines.contains("secret") && !lines.contains("gate\""), "no password is recorded");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_changed_file_takes_effect_and_a_wrong_one_does_not() {
    let folder = folder("rules");
    let path = folder.join("access.toml");
    let write = |text: &str| {
        let new = folder.join("new");
        fs::write(&new, text).unwrap();
        fs::rename(&new, &path).unwrap();
    };
    write("[[rule]]\nallow = \"*\"\n");
    let file = AccessFile::open(&path).unwrap();
    let rules = file.clone();
    let server = Server::new(|it| it.authentication(Authentication::Off).access(rules));
    let client = Client::of(&server, Orb::builder());
    assert_eq!(client.call(), Ok(1.0));
    write("[[rule]]\ndeny = \"*\"\n");
    file.reload().unwrap();
    denied(client.call());
    write("[[rule]]\nallow = 7\n");
    let error = file.reload().unwrap_err().to_string();
    assert!(error.ends_with("access.toml:2:9: a text in quotes is needed here"), "{error}");
    denied(client.call());
    assert_eq!(server.security.reload().unwrap_err(), [error]);
    write("[[rule]]\nallow = \"*\"\n");
    assert_eq!(server.security.reload(), Ok(()));
    assert_eq!(client.call(), Ok(1.0));
    write("[[rule]]\ndeny = \"*\"\n");
    file.reload().unwrap();
    write("[[rule]]\nallow = \"*\"\n");
    // A server looks at the file by itself.
    while client.call().is_err() {
        std::thread::yield_now();
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_wrong_rule_is_named_with_line_and_column() {
    for (text, line, column, what) in [
        ("[[rule]]\nallow = \"*\"\nobjekt = \"a\"\n", 3, 1, "`objekt` is unknown"),
        ("[[rule]]\nobject = \"a\"\n", 1, 1, "needs `allow"),
        ("[[rule]]\nallow = [\"a\", \"group:x\"]\n", 2, 15, "group:x is not defined"),
        ("[[rule]]\nallow = \"a\"\nnetwork = \"10.0.0.0/40\"\n", 3, 11, "so many bits"),
        ("[[rule]]\nallow = \"a\"\nhours = \"8-17\"\n", 3, 9, "08:00-18:30"),
        ("[[rule]]\nallow = []\n", 2, 9, "an empty list"),
        ("[[rule]]\nallow = \"a\"\ndeny = \"b\"\n", 3, 1, "not both"),
        ("[rule]\nallow = \"a\"\n", 1, 1, "[[rule]]"),
        ("[[rule]]\nallow = \n", 2, 9, "no TOML"),
        ("[[assertion]]\nby = \"a\"\n", 1, 1, "needs `by"),
        ("[[rule]]\nallow = \"uid:x\"\n", 2, 9, "a number"),
        (
            "[groups]\na = \"group:b\"\nb = [\"group:c\", \"x\"]\nc = \"group:a\"\n",
            4,
            5,
            "group:a is among its own members",
        ),
        ("[roles]\nr = \"group:none\"\n", 2, 5, "group:none is not defined"),
        ("[[rule]]\nallow = \"*\"\noperation = \"\"\n", 3, 13, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\noperation = [\"a\", \"\"]\n", 3, 19, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\noperation = []\n", 3, 13, "an empty list"),
        ("[[rule]]\nallow = \"*\"\nattribute = \"\"\n", 3, 13, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\nattribute = { read = \"\" }\n", 3, 22, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\ninterface = \"\"\n", 3, 13, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\npoa = \"\"\n", 3, 7, "stands for nothing"),
        ("[[rule]]\nallow = \"*\"\nnetwork = \"\"\n", 3, 11, "a network is"),
        ("[[rule]]\nallow = \"*\"\nproof = \"\"\n", 3, 9, "a proof is"),
        ("[[rule]]\nallow = \"*\"\ndays = []\n", 3, 8, "an empty list"),
        ("[[rule]]\nallow = \"*\"\nhours = \"24:00-00:00\"\n", 3, 9, "08:00-18:30"),
        ("[[rule]]\nallow = \"\"\n", 2, 9, "a name is empty"),
        ("[[rule]]\nallow = \"dn:\"\n", 2, 9, "needs a distinguished name"),
        ("[groups]\na = [\"\"]\n", 2, 6, "a name is empty"),
        ("[roles]\na = []\n", 2, 5, "an empty list"),
        ("[[assertion]]\nby = \"*\"\nfor = \"\"\n", 3, 7, "a name is empty"),
    ] {
        let error = text.parse::<AccessRules>().unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.what.contains(what), "{error}");
    }
}

#[test]
fn groups_stand_in_groups_wherever_they_are_defined() {
    let rules = "[roles]\noperator = [\"group:all\", \"role:night\"]\nnight = \"nia@bank\"\n\
                 [groups]\nall = [\"group:tellers\", \"uid:0\"]\ntellers = [\"zoë@bank\"]\n\
                 [[rule]]\nallow = \"role:operator\"\n";
    let rules: AccessRules = rules.parse().unwrap();
    let allowed = |who: &str| {
        let caller = Caller::new(who.parse().unwrap(), Proof::Password, Address::tcp("h", 1));
        let question = Question {
            caller: &caller,
            adapter: "RootPOA",
            object: "a",
            interface: "IDL:Bank/Account:1.0",
            operation: "deposit",
            at: std::time::SystemTime::now(),
        };
        rules.decide(&question).allowed
    };
    assert!(["zoë@bank", "uid:0", "nia@bank"].into_iter().all(allowed));
    assert!(!["zoe@bank", "uid:1", "zoë@home"].into_iter().any(allowed));
    // As deep as nobody writes by hand, and no deeper.
    let nested = |depth: usize| {
        let mut text = "[groups]\ng0 = \"ann\"\n".to_owned();
        (1..depth).for_each(|at| text += &format!("g{at} = \"group:g{}\"\n", at - 1));
        text.parse::<AccessRules>()
    };
    assert!(nested(20).is_ok());
    let error = nested(100_000).unwrap_err();
    assert!(error.what.contains("deep"), "{error}");
}

#[test]
fn the_first_rule_that_fits_decides_whatever_it_is_about() {
    let mut text = String::new();
    for user in 0..1000 {
        text += &format!("[[rule]]\nallow = \"user{user}@bank\"\noperation = \"deposit\"\n");
    }
    text += "[[rule]]\nallow = [\"*@bank\", \"uid:7\"]\noperation = \"dep*\"\nobject = \"open\"\n\
             [[rule]]\ndeny = \"user3@bank\"\n\
             [[rule]]\nallow = \"uid:7\"\noperation = \"deposit\"\n";
    let rules: AccessRules = text.parse().unwrap();
    let decide = |who: &str, operation: &str, object: &str| {
        let principal = match who.strip_prefix("uid:") {
            Some(number) => Principal::LocalUser(number.parse().unwrap()),
            None => Principal::User(who.parse().unwrap()),
        };
        let address = Address::tcp("192.0.2.1", 1);
        let caller = Caller::new(principal, Proof::Password, address);
        let question = Question {
            caller: &caller,
            adapter: "RootPOA",
            object,
            interface: "IDL:Bank/Account:1.0",
            operation,
            at: std::time::SystemTime::now(),
        };
        let Decision { allowed, line } = rules.decide(&question);
        (allowed, line)
    };
    assert_eq!(decide("user0@bank", "deposit", "a"), (true, Some(1)));
    assert_eq!(decide("user999@bank", "deposit", "a"), (true, Some(2998)));
    assert_eq!(decide("user999@bank", "depart", "open"), (true, Some(3001)));
    assert_eq!(decide("user3@bank", "withdraw", "a"), (false, Some(3005)));
    assert_eq!(decide("user3@bank", "depart", "open"), (true, Some(3001)), "it stands before");
    assert_eq!(decide("uid:7", "deposit", "open"), (true, Some(3001)));
    assert_eq!(decide("uid:7", "deposit", "a"), (true, Some(3007)));
    assert_eq!(decide("uid:8", "deposit", "open"), (false, None));
}

#[test]
fn roles_in_idl_let_their_members_in_where_no_rule_decides() {
    /// As the IDL compiler writes it for `@roles("operator") void deposit(in double amount)`.
    const ROLES: Roles = &[
        ("IDL:Bank/Account:1.0", "deposit", &["auditor", "operator"]),
        ("IDL:Bank/Account:1.0", "_get_balance", &["reader"]),
    ];
    let server = |rules: &str| {
        let rules: AccessRules = rules.parse().unwrap();
        Server::new(|it| it.access(rules).roles(ROLES))
    };
    let open = server("[roles]\noperator = \"ann@bank\"\n");
    let ann = Client::user(&open, "ann", "secret");
    assert_eq!(ann.account.deposit(1.0), Ok(()));
    assert!(!ann.account.object().non_existent().unwrap(), "who may call may ask");
    denied(ann.call());
    let gateway = Client::user(&open, "gateway", "gate");
    denied(gateway.account.deposit(1.0));
    denied(gateway.account.object().non_existent());
    // `@roles("reader") readonly attribute double balance` is about reading it.
    let read = server("[roles]\nreader = \"gateway@bank\"\n");
    assert_eq!(Client::user(&read, "gateway", "gate").call(), Ok(1.0));
    denied(Client::user(&read, "ann", "secret").call());
    // A rule decides before.
    let strict = server("[roles]\noperator = \"ann@bank\"\n[[rule]]\ndeny = \"role:operator\"\n");
    denied(Client::user(&strict, "ann", "secret").account.deposit(1.0));
    // Nobody has a role without rules that say so.
    let error = armilla_security::ServerSecurity::builder().roles(ROLES).build().unwrap_err();
    assert!(error.to_string().contains("`[roles]`"), "{error}");
}

/// Its interface has an attribute `component`.
struct Part;

impl DynamicServant for Part {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Part:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments([])?;
        request.set_result(Any::new(&7_i32).unwrap())
    }
}

#[test]
fn an_operation_of_every_object_is_the_same_by_each_of_its_names() {
    let ask = |object: &Object, operation: &str| {
        let mut request = object.request(operation);
        request.set_return_type(Object::type_code());
        request.invoke().map_err(|error| match error {
            Error::System(error) => error.kind(),
            Error::User(other) => panic!("{other:?}"),
        })
    };
    let no = Err(ExceptionKind::NoPermission);
    let some = "[[rule]]\nallow = \"*\"\noperation = \"deposit\"\n";
    for (first, rules) in [
        (Ok(()), some.to_owned()),
        (no, format!("[[rule]]\ndeny = \"*\"\noperation = \"_component\"\n{some}")),
    ] {
        let server = Server::new(|it| it.access(rules.parse::<AccessRules>().unwrap()));
        let client = Client::of(&server, Orb::builder());
        for operation in ["_component", "_get_component"] {
            assert_eq!(ask(client.account.object(), operation), first, "{operation}: {rules}");
        }
        // Where it reads an attribute, it is no operation of every object.
        let part = server.orb.root_poa().activate(dynamic::serve(Part)).unwrap();
        let part = client.orb.string_to_object(&server.orb.object_to_string(&part).unwrap());
        assert_eq!(ask(&part.unwrap(), "_get_component"), no);
        client.orb.shutdown();
    }
    for named in ["_non_existent", "_not_existent"] {
        let rules = format!("[[rule]]\ndeny = \"*\"\noperation = {named:?}\n{some}");
        let server = Server::new(|it| it.access(rules.parse::<AccessRules>().unwrap()));
        let client = Client::of(&server, Orb::builder());
        for operation in ["_non_existent", "_not_existent"] {
            assert_eq!(ask(client.account.object(), operation), no, "{operation}: {rules}");
        }
        client.orb.shutdown();
    }
}

#[test]
fn rules_that_never_apply_are_found() {
    let text = r#"
[groups]
idle = ["zoe"]

[[rule]]
allow = "*@bank"
operation = ["a*"]

[[rule]]
deny = ["ann@bank", "zoe@bank"]
operation = ["ab", "ac"]
network = "10.0.0.0/8"

[[rule]]
deny = "ann@bank"

[[rule]]
allow = ["*"]

[[rule]]
deny = "uid:0"
"#;
    let rules: AccessRules = text.parse().unwrap();
    let found: Vec<_> = rules.check().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "line 3: no rule names group:idle",
            "line 9: it never applies: the rule in line 5 decides before",
            "line 20: it never applies: the rule in line 17 decides before",
        ]
    );
}

/// A client by the same-host endpoint may what it may over TCP: it has shown nothing, and might have
/// come from any address of the host. Only a rule that names its user gives it more.
#[test]
fn the_same_host_endpoint_gives_what_tcp_gives() {
    let own = fs::metadata("/proc/self").unwrap().uid();
    let address = armilla_ipc::host::primary_address();
    for (rules, by_memory, over_tcp) in [
        (r#"allow = "authenticated""#.to_owned(), false, false),
        (
            r#"allow = "*"
            proof = "operating-system""#
                .to_owned(),
            false,
            false,
        ),
        (r#"allow = "anonymous""#.to_owned(), true, true),
        (
            r#"allow = "*"
            network = "127.0.0.0/8""#
                .to_owned(),
            true,
            true,
        ),
        (
            r#"allow = "*"
            network = "local""#
                .to_owned(),
            true,
            true,
        ),
        (format!("allow = \"*\"\nnetwork = \"{address}\""), true, address.is_loopback()),
        (
            r#"allow = "*"
            network = "198.51.100.0/24""#
                .to_owned(),
            false,
            false,
        ),
        (format!("allow = \"uid:{own}\""), true, false),
        (r#"allow = "uid:*""#.to_owned(), true, false),
        (format!("allow = \"uid:{}\"", own + 1), false, false),
        (format!("deny = \"uid:{own}\"\n[[rule]]\nallow = \"*\""), false, true),
    ] {
        let parsed: AccessRules = format!("[[rule]]\n{rules}\n").parse().unwrap();
        let server = Server::new(|it| it.authentication(Authentication::Off).access(parsed));
        let tcp = Orb::builder().settings(|settings| settings.same_host = SameHost::Off);
        for (builder, may) in [(Orb::builder(), by_memory), (tcp, over_tcp)] {
            let client = Client::of(&server, builder);
            match may {
                true => assert_eq!(client.call(), Ok(1.0), "{rules}"),
                false => denied(client.call()),
            }
        }
    }
    let server = Server::new(|it| it.authentication(Authentication::Required));
    let stranger = Client::of(&server, Orb::builder());
    assert_eq!(stranger.call().unwrap_err().kind(), ExceptionKind::NoPermission);
    assert_eq!(stranger.account.object().way(), Some(armilla::transport::Way::SharedMemory));
}
