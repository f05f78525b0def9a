//! References that another ORB made, and how they are written down.

use armilla_giop::Version;
use armilla_giop::ior::{CodeSetComponentInfo, IiopProfile, Ior, OrbType, split_at_key};
use armilla_giop::url::ObjectUrl;

const ACCOUNT: &str = include_str!("data/genior-account.ior");
const HEXADECIMAL_KEY: &str = include_str!("data/genior-hexadecimal-key.ior");
const NAMES: &str = include_str!("data/omninames-root.ior");

/// "ATT" and a zero, by which omniORB is registered with the OMG.
const OMNIORB: OrbType = OrbType(0x4154_5400);

fn only_profile(text: &str) -> (Ior, IiopProfile) {
    let ior: Ior = text.parse().unwrap();
    let profile = ior.iiop_profiles().next().expect("an IIOP profile").unwrap();
    assert_eq!(ior.profiles.len(), 1);
    (ior, profile)
}

#[test]
fn references_of_omniorb_say_where_their_objects_are() {
    let (ior, profile) = only_profile(ACCOUNT);
    assert_eq!(ior.type_id, "IDL:Bank/Account:1.0");
    assert_eq!((profile.version, profile.port), (Version::V1_2, 2809));
    assert_eq!(
        (profile.host.as_str(), &profile.object_key[..]),
        ("bank.example.org", &b"account"[..])
    );

    let (ior, profile) = only_profile(HEXADECIMAL_KEY);
    assert_eq!(ior.type_id, "IDL:A:1.0");
    assert_eq!((profile.host.as_str(), profile.port), ("192.0.2.7", 65535));
    assert_eq!(profile.object_key, [0xff, 0x00, 0xfe, 0x01]);

    let (ior, profile) = only_profile(NAMES);
    assert_eq!(ior.type_id, "IDL:omg.org/CosNaming/NamingContextExt:1.0");
    assert_eq!(profile.object_key, b"NameService");
}

#[test]
fn profiles_of_one_server_differ_in_the_key_alone() {
    let (ior, profile) = only_profile(ACCOUNT);
    let data = &ior.profiles[0].data;
    let [before, key, behind] = split_at_key(data).unwrap();
    assert_eq!((key, [before, key, behind].concat()), (&b"account"[..], data.clone()));

    let other = IiopProfile { object_key: b"ACCOUNT".to_vec(), ..profile.clone() };
    let others = other.to_tagged().unwrap().data;
    let own = profile.to_tagged().unwrap().data;
    let [own, others] = [&own, &others].map(|data| split_at_key(data).unwrap());
    assert_eq!((own[0], own[2]), (others[0], others[2]));
    assert_ne!(own[1], others[1]);

    let longer = IiopProfile { object_key: b"accounts".to_vec(), ..profile.clone() };
    let longer = longer.to_tagged().unwrap().data;
    assert_ne!(split_at_key(&longer).unwrap()[0], own[0], "the length stands before the key");
    for end in 0..before.len() + key.len() {
        assert!(split_at_key(&data[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn their_components_are_understood_or_kept() {
    for text in [ACCOUNT, HEXADECIMAL_KEY, NAMES] {
        let (_, profile) = only_profile(text);
        assert_eq!(profile.component(), Ok(Some(OMNIORB)));
        let code_sets: CodeSetComponentInfo = profile.component().unwrap().unwrap();
        assert_eq!(
            (code_sets.char.native, &code_sets.char.conversion[..]),
            (0x10001, &[0x5010001][..])
        );
        assert_eq!(
            (code_sets.wchar.native, &code_sets.wchar.conversion[..]),
            (0x10109, &[0x10109][..])
        );
    }
    let (_, profile) = only_profile(NAMES);
    let unknown = profile.components.last().unwrap();
    assert_eq!((unknown.id, unknown.data.len()), (0x4154_5403, 8));
}

#[test]
fn they_are_written_back_octet_by_octet() {
    for text in [ACCOUNT, HEXADECIMAL_KEY, NAMES] {
        let (ior, profile) = only_profile(text);
        if cfg!(target_endian = "little") {
            assert_eq!(ior.to_text().unwrap(), text.trim());
            assert_eq!(profile.to_tagged().unwrap(), ior.profiles[0]);
        }
        assert_eq!(ObjectUrl::parse(text), Ok(ObjectUrl::Ior(ior)));
    }
}

#[test]
fn every_truncation_and_every_flipped_digit_of_a_reference_is_survived() {
    let digits = NAMES.trim();
    for length in 0..digits.len() {
        assert!(digits[..length].parse::<Ior>().is_err(), "{length} characters");
    }
    for at in 4..digits.len() {
        for digit in ["0", "1", "8", "f"] {
            let mut text = digits.to_owned();
            text.replace_range(at..=at, digit);
            let Ok(ior) = text.parse::<Ior>() else { continue };
            ior.iiop_profiles().flatten().for_each(|profile| {
                profile.component::<CodeSetComponentInfo>().ok();
            });
        }
    }
}
