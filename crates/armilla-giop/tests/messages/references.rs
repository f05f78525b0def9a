//! References that another ORB made, and how they are written down.

use armilla_giop::Version;
use armilla_giop::ior::{
    CodeSetComponentInfo, IiopProfile, Ior, OrbType, iiop_components, key_between, split_at_key,
};
use armilla_giop::url::ObjectUrl;

const ACCOUNT: &str = include_str!("../data/genior-account.ior");
const HEXADECIMAL_KEY: &str = include_str!("../data/genior-hexadecimal-key.ior");
const NAMES: &str = include_str!("../data/omninames-root.ior");

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
    for text in [ACCOUNT, HEXADECIMAL_KEY, NAMES] {
        let (ior, profile) = only_profile(text);
        let data = &ior.profiles[0].data;
        let [before, key, behind] = split_at_key(data).unwrap();
        assert_eq!(key, profile.object_key);
        // Not all of these octets are our own order.
        let own = profile.to_tagged().unwrap().data;
        let [before_own, _, behind_own] = split_at_key(&own).unwrap();
        for length in 0..40 {
            let object_key = vec![0xa5; length];
            let other = IiopProfile { object_key: object_key.clone(), ..profile.clone() };
            let other = other.to_tagged().unwrap().data;
            assert_eq!(split_at_key(&other), Ok([before_own, &object_key[..], behind_own]));
            assert_eq!(key_between(&other, [before_own, behind_own]), Some(&object_key[..]));
        }
        assert_eq!(key_between(data, [before, behind]), Some(key));
        let end_of_key = before.len().next_multiple_of(4) + 4 + key.len();
        for end in 0..data.len() {
            assert_eq!(key_between(&data[..end], [before, behind]), None, "cut at {end}");
            assert_eq!(split_at_key(&data[..end]).is_ok(), end >= end_of_key, "cut at {end}");
        }
    }
}

#[test]
fn what_compares_as_a_profile_of_the_same_server_reads_as_one() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        for text in [ACCOUNT, HEXADECIMAL_KEY, NAMES] {
            let (_, profile) = only_profile(text);
            let components = match version {
                Version::V1_0 => Vec::new(),
                _ => profile.components.clone(),
            };
            let profile = IiopProfile { version, components, ..profile };
            let data = profile.to_tagged().unwrap().data;
            let [before, _, behind] = split_at_key(&data).unwrap();
            for (at, bit) in (0..data.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut other = data.clone();
                other[at] ^= 1 << bit;
                let Some(key) = key_between(&other, [before, behind]) else { continue };
                let same = IiopProfile { object_key: key.to_vec(), ..profile.clone() };
                assert_eq!(IiopProfile::decode_data(&other), Ok(same), "octet {at}, bit {bit}");
            }
        }
    }
}

#[test]
fn components_are_the_same_borrowed() {
    for text in [ACCOUNT, HEXADECIMAL_KEY, NAMES] {
        let data = only_profile(text).1.to_tagged().unwrap().data;
        for (at, bit) in (0..data.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut other = data.clone();
            other[at] ^= 1 << bit;
            let Ok(profile) = IiopProfile::decode_data(&other) else { continue };
            let owned = profile.components.iter().map(|it| (it.id, &it.data[..])).collect();
            assert_eq!(iiop_components(&other), Ok(owned), "octet {at}, bit {bit}");
        }
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
