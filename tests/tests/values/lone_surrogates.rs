//! Units of UTF-16 that are half a character: refused by default, carried by ORBs that say so.

use armilla::{
    Any, Completion, ExceptionKind, LoneSurrogate, Orb, SystemException, Version, WString,
};
use armilla_tests::orbs;
use armilla_tests::speaker::Speaker;
use armilla_tests::texts::*;
use std::sync::Arc;

/// Half of U+1F980, between characters.
const UNITS: [u16; 3] = [0x61, 0xd83e, 0x2605];

fn orb(carries: &str, version: Version) -> Orb {
    let options = ["test", "-ORBLoneSurrogates", carries].map(String::from);
    let builder = orbs::builder().arguments(options).unwrap().max_giop(version);
    builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// What a call gives from an ORB to another, by the option of each.
fn call<T>(
    [client, server]: [&str; 2],
    version: Version,
    operation: impl Fn(&SpeechRef) -> Result<T, SystemException>,
) -> Result<T, SystemException> {
    let (client, server) = (orb(client, version), orb(server, version));
    let speaker: Arc<dyn Speech> = Arc::new(Speaker);
    let local = server.root_poa().activate(speaker).unwrap();
    let given = operation(&orbs::travel(&local, &client));
    client.shutdown();
    server.shutdown();
    given
}

fn text() -> WString {
    WString::from_units(UNITS).unwrap()
}

#[test]
fn two_orbs_that_carry_them_exchange_texts_characters_and_anys() {
    let letter = LoneSurrogate::new(0xdd80).unwrap().as_char();
    for version in [Version::V1_1, Version::V1_2] {
        let both = ["1", "1"];
        let echoed = call(both, version, |speaker| speaker.echo_wide(&text())).unwrap();
        assert_eq!(echoed.units().collect::<Vec<_>>(), UNITS, "GIOP {version}");
        let echoed = call(both, version, |speaker| speaker.echo_letter(letter)).unwrap();
        assert_eq!(LoneSurrogate::of(echoed).map(LoneSurrogate::unit), Some(0xdd80));
        let echoed = call(both, version, |speaker| speaker.echo_any(&Any::new(&text())?)).unwrap();
        assert_eq!(echoed.get::<WString>().unwrap(), Some(text()), "GIOP {version}");
    }
}

#[test]
fn a_server_refuses_them_by_default_and_names_the_unit() {
    for version in [Version::V1_1, Version::V1_2] {
        let refused = call(["1", "0"], version, |speaker| speaker.echo_wide(&text())).unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::DataConversion);
        assert_eq!(refused.completed(), Completion::No);
        let words = refused.to_string();
        assert!(words.contains("0xd83e") && words.contains("unit 1"), "{words}");
        assert!(words.contains("lone_surrogates"), "{words}");
    }
}

#[test]
fn without_the_option_the_characters_that_stand_for_them_travel_for_themselves() {
    let off = ["0", "0"];
    let echoed = call(off, Version::V1_2, |speaker| speaker.echo_wide("\u{10d83e}")).unwrap();
    assert_eq!(echoed, "\u{10d83e}".into());
    let refused = call(["0", "1"], Version::V1_2, |speaker| speaker.echo_wide("\u{10d83e}"));
    assert!(refused.unwrap_err().to_string().contains("U+10D83E"));
}
