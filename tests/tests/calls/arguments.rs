//! The `-ORB…` options: each option, and each kind of error.

use armilla::{
    ExceptionKind, Minor, Orb, OrbBuilder, OrbOption, Settings, SystemException, Version,
};
use armilla_tests::orbs;
use std::collections::BTreeSet;
use std::time::Duration;

fn parse(line: &str) -> Result<OrbBuilder, SystemException> {
    Orb::builder().arguments(line.split_whitespace().map(str::to_owned))
}

fn orb(line: &str) -> Orb {
    parse(line).and_then(OrbBuilder::build).unwrap()
}

#[test]
fn other_arguments_are_left_to_the_program() {
    let orb = orb("program --verbose -x file ORBEndpoint");
    assert_eq!(orb.settings().max_message, 16 << 20);
}

#[test]
fn the_orb_takes_its_options_out_of_the_arguments_of_a_program() {
    let line = "program -v -ORBid taker -ORBNoProprietaryActivation file -ORBCallTimeout 250 -n 3";
    let given: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let mut arguments = given.clone();
    let orb = Orb::init(&mut arguments).unwrap();
    assert_eq!(arguments, ["program", "-v", "file", "-n", "3"]);
    assert_eq!(orb.settings().call_timeout, Some(Duration::from_millis(250)));
    assert_eq!(Orb::init(&mut given.clone()).unwrap().root_poa(), orb.root_poa());
    let mut malformed = vec!["program".to_owned(), "-ORBid".to_owned()];
    Orb::init(&mut malformed).unwrap_err();
    assert_eq!(malformed.len(), 2, "what cannot be taken stays");
}

#[test]
fn options_are_known_in_capitals_and_small_letters() {
    let orb = orb("-ORBID Capital -ORBcalltimeout 250");
    assert_eq!(orb.settings().orb_id, "Capital");
    assert_eq!(orb.settings().call_timeout, Some(Duration::from_millis(250)));
    // What does not begin so is the program's.
    assert!(parse("-orbSpeed fast").is_ok());
}

#[test]
fn every_option_is_known_by_one_name() {
    let options = OrbBuilder::options();
    assert!(options.len() > 60, "{}", options.len());
    let names: BTreeSet<String> =
        options.iter().map(|option| option.name.to_ascii_lowercase()).collect();
    assert_eq!(names.len(), options.len(), "{names:?}");
    for option in options {
        assert!(option.name.starts_with("-ORB"), "{option:?}");
        // A known option takes the value, or its error is about the value.
        if let Err(error) = parse(&format!("{} ?", option.name)) {
            assert!(!error.to_string().contains("is not an option"), "{error}");
        }
    }
}

/// What a program states itself, and cannot state on the command line.
const WITHOUT_OPTION: [&str; 1] = ["custom_policies"];

#[test]
fn every_setting_has_an_option() {
    let settings = format!("{:#?}", Settings::default());
    let fields = settings.lines().filter_map(|line| line.strip_prefix("    "));
    let fields = fields.filter_map(|line| line.split_once(": ").map(|(field, _)| field));
    let fields: BTreeSet<&str> = fields.filter(|field| !field.starts_with(' ')).collect();
    assert!(fields.len() > 50, "{fields:?}");
    let options = OrbBuilder::options();
    let set: Vec<&str> = options.iter().filter_map(|option| option.setting).collect();
    let without: Vec<&str> = fields.iter().filter(|field| !set.contains(field)).copied().collect();
    assert_eq!(without, WITHOUT_OPTION);
    assert!(set.iter().all(|setting| fields.contains(setting)), "{set:?}");
}

/// What `docs/options.md` says above its tables.
const ABOUT_THE_PAGE: &str = "\
# Options of the ORB

Every program that hands its arguments to the ORB (`Orb::init`, `Orb::from_args`,
`OrbBuilder::arguments`) takes these options, and so do the commands and services of Armilla. The
value is the next argument. The part of a name after `-ORB` is not case-sensitive. `armilla help
orb-options` prints the options, `OrbBuilder::options` gives them to a program. A setting is a field
of [`Settings`](../crates/armilla-core/src/settings/table.rs), which a program sets with
`OrbBuilder::settings`; a service adds no options of its own, a transport of the program may. Those
in the group *TLS* are of the transport of `armilla-tls`; a program without it refuses them. An
option of TAO or omniORB that means something here by another name is refused with that name.

The tables come from the declarations of the options:
`UPDATE_GOLDEN=1 cargo test -p armilla-tests --test calls` writes them.
";

fn page(options: &[OrbOption]) -> String {
    let mut page = ABOUT_THE_PAGE.to_owned();
    let mut group = "";
    for option in options {
        if option.group != group {
            group = option.group;
            page += &format!(
                "\n## {group}\n\n| option | default | setting | what |\n|---|---|---|---|\n"
            );
        }
        let (usage, help) = (option.usage().replace('|', "\\|"), option.help.replace('|', "\\|"));
        let setting = option.setting.map(|setting| format!("`{setting}`")).unwrap_or_default();
        page += &format!("| `{usage}` | {} | {setting} | {help} |\n", option.default);
    }
    page
}

fn limits(options: &[OrbOption]) -> String {
    let rows = options.iter().filter_map(|option| {
        let (what, setting) = (option.limit?, option.setting?);
        Some(format!("| {what} | `{setting}` | {} | `{}` |\n", option.default, option.name))
    });
    rows.collect()
}

/// Compares the text with what it must be, or writes it with `UPDATE_GOLDEN=1`.
fn check(path: &str, is: &str, must: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, must).unwrap();
    } else {
        assert!(is == must, "{path} differs; UPDATE_GOLDEN=1 accepts this:\n{must}");
    }
}

#[test]
fn the_page_of_options_and_the_table_of_limits_follow_the_declarations() {
    let options = Orb::builder().transport(armilla_tls::Tls::new()).options_with_transports();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/options.md");
    check(path, &std::fs::read_to_string(path).unwrap_or_default(), &page(&options));

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../SECURITY.md");
    let security = std::fs::read_to_string(path).unwrap();
    let head = "| what | setting | default | option |\n|---|---|---|---|\n";
    let (before, table) = security.split_once(head).unwrap();
    let (_, after) = table.split_once("\n\n").unwrap();
    let limits = limits(&options);
    assert!(limits.lines().count() > 15, "{limits}");
    check(path, &security, &format!("{before}{head}{limits}\n{after}"));
}

#[test]
fn limits_are_set_by_their_options() {
    let orb = orb("-ORBServerIdle 1500 -ORBRequestsPerConnection 7 -ORBSocketQueue 0 \
                   -ORBMaxForwards 0");
    assert_eq!(orb.settings().server_idle.as_millis(), 1500);
    assert_eq!(orb.settings().requests_per_connection, 7);
    assert_eq!((orb.settings().socket_queue, orb.settings().max_forwards), (None, 0));
    assert!(parse("-ORBRequestsPerConnection 0").is_err());
}

#[test]
fn limits_and_times_are_set() {
    let orb = orb("-ORBCallTimeout 250 -ORBConnectTimeout 70 -ORBMaxGIOPVersion 1.1 \
                   -ORBMaxMessage 4096 -ORBMaxConnections 3 -ORBStartupHold 1500");
    let settings = orb.settings();
    assert_eq!(settings.call_timeout, Some(Duration::from_millis(250)));
    assert_eq!(settings.connect_timeout, Duration::from_millis(70));
    assert_eq!(settings.startup_hold, Duration::from_millis(1500));
    assert_eq!(settings.max_giop, Version::V1_1);
    assert_eq!((settings.max_message, settings.max_connections), (4096, 3));
}

#[test]
fn streams_are_made_as_it_was_asked_for() {
    let orb = orb("-ORBDscp 46 -ORBClientPorts 20000-29999 -ORBSocketPriority 5 -ORBNoDelay 0");
    let options = orb.settings().stream_options();
    assert_eq!((options.priority, options.no_delay), (Some(5), false));
    assert_eq!(options.dscp.map(|point| point.number()), Some(46));
    assert_eq!(options.local_ports, Some(20_000..=29_999));
    let wrong = Orb::builder().settings(|settings| settings.dscp = Some(64)).build().unwrap_err();
    assert!(wrong.to_string().contains("dscp"), "{wrong}");
}

#[test]
fn a_call_timeout_of_0_waits_for_ever() {
    assert_eq!(orb("-ORBCallTimeout 0").settings().call_timeout, None);
}

#[test]
fn an_id_names_one_orb_of_the_process_until_that_is_shut_down() {
    let arguments = "-ORBid only -ORBCallTimeout 250 -ORBEndpoint iiop://127.0.0.1:0";
    let init = |line: &str| Orb::from_args(line.split_whitespace().map(str::to_owned)).unwrap();
    let first = init(arguments);
    // Other arguments count for the first only: its endpoint is open once.
    let again = init("-ORBid only -ORBCallTimeout 9");
    assert_eq!(again.root_poa(), first.root_poa());
    assert_eq!(Orb::with_id("only").unwrap().root_poa(), first.root_poa());
    let error = parse(arguments).and_then(OrbBuilder::build).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Initialize);
    assert!(error.to_string().contains("\"only\""), "{error}");
    assert_ne!(init("-ORBid other").root_poa(), first.root_poa());
    assert_ne!(init("program").root_poa(), init("program").root_poa());
    first.shutdown();
    assert!(Orb::with_id("only").is_none());
    let second = init(arguments);
    assert_ne!(second.root_poa(), first.root_poa());
    // An ORB that was dropped, or could not be created, does not keep its id.
    drop((init("-ORBid dropped"), parse("-ORBid failed -ORBEndpoint iiop://127.0.0.1:0").unwrap()));
    assert!(Orb::with_id("dropped").is_none() && Orb::with_id("failed").is_none());
    let port = second.published_addresses().unwrap()[0].1;
    let line = format!("-ORBid failed -ORBEndpoint iiop://127.0.0.1:{port}");
    assert!(parse(&line).and_then(OrbBuilder::build).is_err());
    init("-ORBid failed");
    second.shutdown();
}

#[test]
fn threads_that_ask_for_an_id_at_once_get_one_orb() {
    let init = || Orb::from_args(["-ORBid", "shared"].map(str::to_owned)).unwrap();
    let orbs = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(init));
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(orbs.iter().all(|orb| orb.root_poa() == orbs[0].root_poa()));
}

#[test]
fn endpoints_are_opened_and_published() {
    let orb = orb("-ORBEndpoint iiop://127.0.0.1:0 -ORBEndpoint iiop://localhost: \
                   -ORBendPoint giop:tcp:127.0.0.1:0 \
                   -ORBListenEndpoints iiop://localhost:0;iiop://127.0.0.1:0;");
    let addresses = orb.published_addresses().unwrap();
    let hosts: Vec<&str> = addresses.iter().map(|(host, _)| host.as_str()).collect();
    assert_eq!(hosts, ["127.0.0.1", "localhost", "127.0.0.1", "localhost", "127.0.0.1"]);
    assert!(addresses.iter().all(|(_, port)| *port != 0));
    orb.shutdown();
}

#[test]
fn the_published_host_may_differ_from_the_one_listened_at() {
    let orb = orb("-ORBEndpoint iiop://127.0.0.1:0 -ORBPublishHost telescope.example.org");
    assert_eq!(orb.published_addresses().unwrap()[0].0, "telescope.example.org");
    orb.shutdown();
}

#[test]
fn an_endpoint_without_a_host_publishes_one_that_clients_can_use() {
    let orb = orb("-ORBEndpoint iiop://:0");
    let host = &orb.published_addresses().unwrap()[0].0;
    assert!(!["", "0.0.0.0", "::"].contains(&host.as_str()), "{host:?}");
    orb.shutdown();
}

#[test]
fn a_port_that_is_taken_is_an_error_with_advice() {
    let first = orb("-ORBEndpoint iiop://127.0.0.1:0");
    let port = first.published_addresses().unwrap()[0].1;
    let line = format!("-ORBEndpoint iiop://127.0.0.1:{port}");
    let error = parse(&line).and_then(OrbBuilder::build).unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::Initialize, Minor::LISTEN_FAILED));
    let text = error.to_string();
    assert!(text.contains(&port.to_string()) && text.contains("hint:"), "{text}");
    first.shutdown();
}

#[test]
fn queues_have_sizes_for_each_transport_and_direction() {
    let orb = orb("-ORBTcpQueues 65536,131072 -ORBUnixQueues 0,4096 -ORBShmQueues 8192,0");
    let Settings { tcp_queues, unix_queues, shm_queues, .. } = orb.settings();
    let sizes = [tcp_queues, unix_queues, shm_queues].map(|it| (it.send, it.receive));
    assert_eq!(sizes, [(Some(65536), Some(131072)), (None, Some(4096)), (Some(8192), None)]);
    orb.shutdown();
}

#[test]
fn what_is_malformed_is_named() {
    let table = [
        ("-ORBTcpQueues 65536", "SEND,RECEIVE in octets is needed"),
        ("-ORBShmQueues 1,many", "SEND,RECEIVE in octets is needed"),
        ("-ORBEndpoint", "-ORBEndpoint needs a value"),
        ("-ORBEndpoint tcp://h:1", "an endpoint is iiop://HOST:PORT"),
        ("-ORBEndpoint iiop://h:65536", "\"65536\" is no TCP port"),
        ("-ORBEndpoint iiop://h:x", "\"x\" is no TCP port"),
        ("-ORBEndpoint iiop://h:-1", "\"-1\" is no TCP port"),
        ("-ORBEndpoint iiop://h:9-7", "\"9-7\" is no range of TCP ports"),
        ("-ORBEndpoint iiop://h:1?name=a", "publish=HOST:PORT"),
        ("-ORBEndpoint uiop://path", "the path is missing"),
        ("-ORBPublishHost", "-ORBPublishHost needs a value"),
        ("-ORBPublishAddress host", "\"host\": the port is missing"),
        ("-ORBPublishAs number", "one of given, address and name is needed"),
        ("-ORBPublishNetwork 10.0.0.0", "a network is ADDRESS/BITS"),
        ("-ORBPublishNetwork 10.0.0.0/33", "a network is ADDRESS/BITS"),
        ("-ORBInitRef NameService", "the form is NAME=URL"),
        ("-ORBInitRef", "-ORBInitRef needs a value"),
        ("-ORBDefaultInitRef", "-ORBDefaultInitRef needs a value"),
        ("-ORBCallTimeout soon", "a number is needed"),
        ("-ORBCallTimeout -1", "a number is needed"),
        ("-ORBConnectTimeout 1.5", "a number is needed"),
        ("-ORBMaxGIOPVersion 1.3", "one of 1.0, 1.1 and 1.2 is needed"),
        ("-ORBMaxGIOPVersion 2.0", "one of 1.0, 1.1 and 1.2 is needed"),
        ("-ORBMaxGIOPVersion new", "one of 1.0, 1.1 and 1.2 is needed"),
        ("-ORBNativeCharCodeSet EBCDIC", "no code set that is known has this name"),
        ("-ORBNativeCharCodeSet UTF-16", "this code set is for wide characters"),
        ("-ORBNativeWCharCodeSet UTF-8", "one of UTF-16, UCS-2, UCS-4 is needed"),
        ("-ORBMaxMessage 0", "a number above 0 is needed"),
        ("-ORBMaxMessage 1M", "a number above 0 is needed"),
        ("-ORBMaxConnections none", "a number above 0 is needed"),
        ("-ORBClientPorts all", "FIRST-LAST is needed"),
        ("-ORBClientPorts 0-9", "FIRST-LAST is needed"),
        ("-ORBClientPorts 9-8", "FIRST-LAST is needed"),
        ("-ORBDscp 64", "a number below 64 is needed"),
        ("-ORBSpeed fast", "-ORBSpeed is not an option of this ORB"),
        ("-ORBSpeed", "-ORBSpeed is not an option of this ORB"),
        ("-ORBSpeed fast", "`armilla help orb-options` lists the options"),
        // Those of other ORBs: what stands for them here.
        ("-ORBUseIMR 1", "use -ORBImR HOST:PORT"),
        ("-ORBUseIMR", "-ORBUseIMR is TAO's"),
        ("-ORBdebuglevel 5", "crate `tracing`"),
        ("-ORBDottedDecimalAddresses 1", "-ORBPublishAs address"),
        ("-ORBclientCallTimeOutPeriod 500", "omniORB's: use -ORBCallTimeout MILLISECONDS"),
        ("-ORBgiopMaxMsgSize 4000000", "-ORBMaxMessage OCTETS"),
    ];
    for (line, expected) in table {
        let error = parse(line).unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadParam, Minor::BAD_ARGUMENT));
        let text = error.to_string();
        let option = line.split(' ').next().unwrap();
        assert!(text.contains(expected), "{line}: {text}");
        assert!(text.contains(option) || option == "-ORBEndpoint", "{line}: {text}");
    }
}

#[test]
fn the_url_of_an_initial_reference_is_read_when_the_orb_is_made() {
    let table = [
        ("-ORBInitRef Bank=", Minor::BAD_PARAM_INVALID_URL_SCHEME),
        ("-ORBInitRef Bank=IOR:0", Minor::BAD_PARAM_INVALID_URL),
        ("-ORBInitRef Bank=corbaloc:nowhere", Minor::BAD_PARAM_INVALID_URL_ADDRESS),
        ("-ORBInitRef Bank=corbaname::host#a/", Minor::BAD_PARAM_INVALID_URL_SCHEME_PART),
        ("-ORBDefaultInitRef localhost", Minor::BAD_PARAM_INVALID_URL_SCHEME),
    ];
    for (line, reason) in table {
        let error = parse(line).and_then(OrbBuilder::build).unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadParam, reason));
        let name = if line.contains("Bank") { "\"Bank\"" } else { "\"NameService\"" };
        assert!(error.to_string().contains(name), "{line}: {error}");
    }
    // Nobody need be there, and no file yet.
    orb("-ORBInitRef Bank=file:///nowhere/bank.ior -ORBDefaultInitRef corbaloc::nowhere.invalid:1");
}

/// What is said of an endpoint that cannot be opened.
fn refused(endpoints: &[&str]) -> String {
    let builder = endpoints.iter().try_fold(Orb::builder(), |it, endpoint| it.listen(endpoint));
    builder.unwrap().build().unwrap_err().to_string()
}

#[test]
fn an_endpoint_that_cannot_be_opened_is_answered_with_what_to_do() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("iiop://127.0.0.1:{}", held.local_addr().unwrap().port());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let own = format!("iiop://127.0.0.1:{free}");
    let directory = std::env::temp_dir().join(orbs::unique("endpoints"));
    std::fs::create_dir(&directory).unwrap();
    let local = format!("uiop://{}/socket", directory.display());
    for (endpoints, expected) in [
        (&[&*taken][..], "another process listens there, or another endpoint of this one"),
        (&[&own, &own], "another process listens there, or another endpoint of this one"),
        (&["iiop://no.such.host.invalid:2809"], "iiop://:2809 listens on all of its interfaces"),
        (&["iiop://192.0.2.7:2809"], "no interface of this host has the address"),
        (&["iiop://*:2809"], "every interface is an empty host: -ORBEndpoint iiop://:2809"),
        (&["uiop:///no/such/directory/socket"], "its directory has to be there"),
        (&[&local, &local], "this process listens there already"),
    ] {
        let text = refused(endpoints);
        assert!(text.contains(expected), "{endpoints:?}: {text}");
        assert!(text.starts_with("INITIALIZE: ") && text.contains("(not executed)"), "{text}");
    }
    drop(held);
    std::fs::remove_dir_all(directory).unwrap();
}
