//! `armilla ior`: what is shown of a reference, and `make` and `change`.

use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, AttributeLayer, AuthenticationLayer, Component,
    CompoundSecMech, CsiSecMechList, IiopEndpoint, IiopEndpoints, IiopProfile, Ior, OrbType,
    Policies, PolicyValue, SslSecTrans, TAG_MULTIPLE_COMPONENTS, TaggedComponent, TaggedProfile,
    TlsSecTrans, UiopProfile,
};
use serde_json::{Value, json};
use std::process::{Command, Output};

fn armilla(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla")).arg("ior").args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = armilla(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn said(arguments: &[&str]) -> String {
    let output = armilla(arguments);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn as_json(ior: &Ior) -> Value {
    let text = ior.to_text().unwrap();
    serde_json::from_str(&printed(&[&text, "--json"])).unwrap()
}

fn profile(components: Vec<TaggedComponent>) -> IiopProfile {
    let (version, host, object_key) = (Version::V1_2, "a.example".into(), b"key".to_vec());
    IiopProfile { version, host, port: 2809, object_key, components }
}

fn ior(profiles: Vec<TaggedProfile>) -> Ior {
    Ior { type_id: "IDL:A:1.0".into(), profiles }
}

/// What is shown of a component.
fn shown(component: &TaggedComponent) -> Value {
    let json = as_json(&ior(vec![profile(vec![component.clone()]).to_tagged().unwrap()]));
    json["profiles"][0]["components"][0].clone()
}

#[test]
fn orbs_have_names_by_their_numbers() {
    for (number, name) in [
        (0x4154_5400, "omniORB"),
        (0x5441_4f00, "TAO"),
        (0x4a41_4300, "JacORB"),
        (0x4954_5f07, "Orbix (IONA)"),
        (0x5649_5300, "VisiBroker (Borland)"),
        (0x5355_4e00, "Sun (GlassFish, JDK)"),
        (0x5a5a_5a00, "ZZZ"),
        (0xff00_0001, "0xff000001"),
    ] {
        assert_eq!(shown(&OrbType(number).to_tagged().unwrap())["orb"], name);
    }
}

#[test]
fn policies_are_shown_by_name_with_their_values() {
    let policy = |policy_type, value: &[u8]| PolicyValue { policy_type, value: value.to_vec() };
    let policies = Policies(vec![
        policy(40, &[1, 0, 0, 0, 1, 0, 0, 0, 0x10, 0x27]),
        policy(45, &[0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 9]),
        policy(32, &[1, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x27, 0, 0, 0, 0, 0, 0]),
        policy(23, &[1, 0, 2, 0]),
        policy(64, &[1, 1]),
        policy(4711, &[1, 0xff]),
        policy(40, &[1, 0, 0, 0, 1, 0]),
    ]);
    let all = shown(&policies.to_tagged().unwrap())["policies"].clone();
    let expected = [
        json!({"name": "PRIORITY_MODEL_POLICY_TYPE", "model": "SERVER_DECLARED", "priority": 10000}),
        json!({"name": "PRIORITY_BANDED_CONNECTION_POLICY_TYPE", "bands": ["5 to 9"]}),
        json!({"name": "RELATIVE_RT_TIMEOUT_POLICY_TYPE", "milliseconds": 1.0}),
        json!({"name": "REBIND_POLICY_TYPE", "rebind": "NO_RECONNECT"}),
        json!({"name": "COMPRESSION_ENABLING_POLICY_ID", "compression": true}),
        json!({"name": "unknown", "data": "\\x01\\xff"}),
    ];
    for (index, expected) in expected.iter().enumerate() {
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(all[index][member], *value, "{index}: {}", all[index]);
        }
    }
    assert!(all[6]["malformed"].as_str().unwrap().contains("at octet 4"), "{}", all[6]);
}

#[test]
fn secured_addresses_are_shown_with_their_options() {
    let (supports, requires) = (AssociationOptions(0x66), AssociationOptions(2));
    let ssl = SslSecTrans { target_supports: supports, target_requires: requires, port: 2810 };
    let json = shown(&ssl.to_tagged().unwrap());
    assert_eq!((&json["name"], &json["port"]), (&json!("TAG_SSL_SEC_TRANS"), &json!(2810)));
    assert_eq!(json["requires"], json!(["Integrity"]));
    assert_eq!(json["supports"][3], "EstablishTrustInClient");
    let tls = TlsSecTrans {
        target_supports: supports,
        target_requires: requires,
        addresses: vec![AlternateAddress { host: "::1".into(), port: 2810 }],
    };
    let list = CsiSecMechList {
        stateful: false,
        mechanisms: vec![CompoundSecMech {
            target_requires: requires,
            transport: tls.to_tagged().unwrap(),
            authentication: AuthenticationLayer::default(),
            attributes: AttributeLayer { identity_types: 3, ..AttributeLayer::default() },
        }],
    };
    let json = shown(&list.to_tagged().unwrap());
    let mechanism = &json["mechanisms"][0];
    assert_eq!(mechanism["transport"], "TAG_TLS_SEC_TRANS");
    assert_eq!(mechanism["tls"]["addresses"], json!(["[::1]:2810"]));
    let types = &mechanism["attributes"]["identity_types"];
    assert_eq!(*types, json!(["ITTAnonymous", "ITTPrincipalName"]));
}

#[test]
fn what_references_say_of_transactions_is_shown() {
    let said = |id, data: &[u8]| shown(&TaggedComponent { id, data: data.to_vec() });
    assert_eq!(said(31, &[0, 0, 0, 3])["policy"], "ADAPTS");
    assert_eq!(said(32, &[1, 0, 1, 0])["policy"], "SHARED");
    assert_eq!(said(31, &[0, 0, 0, 9])["data"], "\\x00\\x00\\x00\\t", "none that is known");
}

#[test]
fn where_processes_of_the_same_host_connect_is_shown() {
    let mut data = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3];
    data.extend([[7; 16], [9; 16]].concat());
    let json = shown(&TaggedComponent { id: 0x4152_4d05, data });
    assert_eq!(json["address"], format!("unix://@armilla-{}", "09".repeat(16)));
    assert_eq!(json["boot"], "07".repeat(16));
    assert_eq!((&json["network_namespace"], &json["here"]), (&json!(2), &json!(false)));
}

#[test]
fn profiles_are_numbered_by_place_and_those_of_tao_are_read() {
    let endpoint = |host: &str, priority| IiopEndpoint { host: host.into(), port: 7, priority };
    let endpoints = IiopEndpoints(vec![endpoint("a", 0), endpoint("b", 99)]).to_tagged().unwrap();
    let uiop = UiopProfile {
        version: Version::V1_2,
        rendezvous_point: "/tmp/tao".into(),
        object_key: b"key".to_vec(),
        components: vec![OrbType(0x5441_4f00).to_tagged().unwrap()],
    };
    let several = TaggedProfile { id: TAG_MULTIPLE_COMPONENTS, data: vec![0; 8] };
    let unknown = TaggedProfile { id: 0x1234_5678, data: vec![1] };
    let profiles = vec![
        profile(vec![endpoints]).to_tagged().unwrap(),
        uiop.to_tagged().unwrap(),
        several,
        unknown,
    ];
    let text = ior(profiles).to_text().unwrap();
    let text = printed(&[&text]);
    for line in [
        "profile 1: IIOP\n",
        "    endpoints: a:7 priority 0, b:7 priority 99\n",
        "profile 2: TAO's UIOP (Unix-domain socket)\n  tag: 0x54414f00\n",
        "  rendezvous point: /tmp/tao\n",
        "  component 1: TAG_ORB_TYPE\n    tag: 0\n    orb: TAO\n",
        "profile 3: components only\n",
        "profile 4: unknown\n  tag: 0x12345678\n  data: \\x01\n",
    ] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
}

#[test]
fn a_malformed_part_is_shown_with_its_place_and_the_rest_all_the_same() {
    let cut = TaggedComponent { id: 1, data: vec![1, 0, 0, 0, 1] };
    let json = shown(&cut);
    assert!(json["malformed"].as_str().unwrap().contains("at octet 4"), "{json}");
    let error = said(&["IOR:010000000a00000049444c3a413a312e30000000010000000000000058"]);
    assert!(error.contains("at octet"), "{error}");
}

/// omniORB's `genior -x IDL:A:1.0 192.0.2.7 65535 0xff00fe01`.
const GENIOR: &str = include_str!("../../../armilla-giop/tests/data/genior-hexadecimal-key.ior");

#[test]
fn a_reference_is_made_from_its_parts_as_genior_makes_it() {
    let parts = ["make", "IDL:A:1.0", "192.0.2.7", "65535", "ff00fe01", "-x"];
    let omni = ["--orb", "omniORB", "--char-sets", "ISO-8859-1,UTF-8"];
    let wide = ["--wchar-sets", "UTF-16,UTF-16"];
    let made = printed(&[&parts[..], &omni, &wide].concat());
    assert_eq!(made.trim().parse::<Ior>().unwrap(), GENIOR.parse().unwrap());
    let more = ["--alternate", "[::1]:99", "--component", "0x54414f02=010000000000000000"];
    let made: Ior = printed(&[&parts[..], &more].concat()).trim().parse().unwrap();
    let profile = made.iiop_profiles().next().unwrap().unwrap();
    let alternate: AlternateAddress = profile.component().unwrap().unwrap();
    assert_eq!(alternate, AlternateAddress { host: "::1".into(), port: 99 });
    assert_eq!(profile.components[1].id, IiopEndpoints::ID);
    assert_eq!(profile.object_key, [0xff, 0, 0xfe, 1]);
}

#[test]
fn wrong_parts_are_named() {
    let make = |more: &[&str]| said(&[&["make", "IDL:A:1.0", "host", "1"], more].concat());
    assert!(make(&["f", "-x"]).contains("two digits"));
    assert!(make(&["fg", "-x"]).contains("behind 1 digits"));
    assert!(make(&["k", "--orb", "Nobody"]).contains("Nobody"));
    assert!(make(&["k", "--alternate", "host"]).contains("HOST:PORT"));
    assert!(make(&["k", "--component", "1"]).contains("TAG=DIGITS"));
    assert!(make(&["k", "--char-sets", "UTF-16"]).contains("no code set for strings"));
    assert!(make(&["k", "--version", "1.0", "--orb", "TAO"]).contains("IIOP 1.0"));
}

#[test]
fn the_host_of_each_profile_changes_and_all_else_stays() {
    let alternate = AlternateAddress { host: "a.example".into(), port: 2809 };
    let components = vec![alternate.to_tagged().unwrap(), TaggedComponent { id: 9, data: vec![1] }];
    let other = TaggedProfile { id: 0x1234_5678, data: vec![1] };
    let before = ior(vec![profile(components).to_tagged().unwrap(), other]);
    let text = before.to_text().unwrap();
    let change = |arguments: &[&str]| -> (Ior, IiopProfile) {
        let changed: Ior =
            printed(&[&["change", &text], arguments].concat()).trim().parse().unwrap();
        let profile = changed.iiop_profiles().next().unwrap().unwrap();
        (changed, profile)
    };
    let (changed, iiop) = change(&["b.example"]);
    assert_eq!((iiop.host.as_str(), iiop.port), ("b.example", 2809));
    assert_eq!(iiop.component(), Ok(Some(alternate)));
    assert_eq!(changed.profiles[1], before.profiles[1]);
    let (_, iiop) = change(&["--port", "1", "--from", "a.example:2809"]);
    let moved = AlternateAddress { host: "a.example".into(), port: 1 };
    assert_eq!((iiop.port, iiop.component()), (1, Ok(Some(moved))));
    let (changed, iiop) = change(&["--type-id", "IDL:B:1.0"]);
    assert_eq!((changed.type_id.as_str(), iiop.host.as_str()), ("IDL:B:1.0", "a.example"));
    assert!(said(&["change", &text, "x", "--from", "nobody"]).contains("no address"));
    assert!(said(&["change", &text, "x", "--profile", "3"]).contains("has 2"));
    assert!(said(&["change", &text, "x", "--profile", "2"]).contains("no address"));
}
