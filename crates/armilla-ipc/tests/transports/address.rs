//! The text form of addresses.

use armilla_ipc::Address;
use std::net::SocketAddr;

#[test]
fn every_address_survives_the_round_trip_through_text() {
    for (text, address) in [
        ("tcp://localhost:2809", Address::tcp("localhost", 2809)),
        ("tcp://192.0.2.7:0", Address::tcp("192.0.2.7", 0)),
        ("tcp://[::1]:65535", Address::tcp("::1", 65535)),
        ("tcp://[fe80::1%eth0]:80", Address::tcp("fe80::1%eth0", 80)),
        ("unix:///run/bank.sock", Address::unix("/run/bank.sock")),
        ("unix://./bank:1", Address::unix("./bank:1")),
        ("unix://@bank", Address::abstract_name("bank")),
        (r"unix://@a\x00b\\c\xff\n", Address::abstract_name(b"a\0b\\c\xff\n")),
        ("unix://./@bank", Address::unix("./@bank")),
        ("fifo:///run/bank", Address::fifo("/run/bank")),
        ("pipe:///run/bank", Address::pipe("/run/bank")),
        ("pty:///run/bank", Address::pty("/run/bank")),
        ("shm:///run/bank", Address::shm("/run/bank")),
    ] {
        assert_eq!(text.parse::<Address>().unwrap(), address);
        assert_eq!(address.to_string(), text);
    }
}

#[test]
fn bad_text_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "tcp://"),
        ("localhost:80", "tcp://"),
        ("http://localhost:80", "tcp://"),
        ("TCP://localhost:80", "tcp://"),
        (r"unix://@a\", "backslash"),
        (r"unix://@\x0", "backslash"),
        (r"unix://@\xg0", "backslash"),
        (r"unix://@\q", "backslash"),
        ("tcp://", "port is missing"),
        ("tcp://localhost", "port is missing"),
        ("tcp://localhost:", "port is not a number"),
        ("tcp://localhost:+80", "port is not a number"),
        ("tcp://localhost:80/", "port is not a number"),
        ("tcp://localhost:65536", "65535"),
        ("tcp://:80", "host is missing"),
        ("tcp://::1:80", "brackets"),
        ("tcp://[::1:80", "closing bracket"),
        ("tcp://[]:80", "no IPv6 address"),
        ("tcp://[127.0.0.1]:80", "no IPv6 address"),
        ("tcp://a b:80", "no host name"),
        ("tcp://user@host:80", "no host name"),
        ("unix://", "path is missing"),
        ("unix:///a\0b", "zero byte"),
        ("unix://@", "abstract name is missing"),
        ("fifo://", "path is missing"),
        ("pipe://", "path is missing"),
        ("pty://a\0b", "zero byte"),
    ] {
        let error = text.parse::<Address>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?} gave: {error}");
        assert!(error.contains(&format!("{text:?}")), "the text is named: {error}");
    }
}

#[test]
fn a_path_is_never_taken_for_an_abstract_name() {
    assert_eq!(Address::unix("@bank").to_string(), "unix://./@bank");
    assert_eq!(Address::abstract_name([0, b'a']).to_string(), r"unix://@\x00a");
}

#[test]
fn numeric_addresses_show_what_they_are() {
    let shown = |text: &str| Address::from(text.parse::<SocketAddr>().unwrap()).to_string();
    assert_eq!(shown("127.0.0.1:80"), "tcp://127.0.0.1:80");
    assert_eq!(shown("[::1]:80"), "tcp://[::1]:80");
    assert_eq!(shown("[fe80::1%3]:80"), "tcp://[fe80::1%3]:80");
    assert_eq!(shown("[::ffff:127.0.0.1]:80"), "tcp://127.0.0.1:80");
}
