//! Components and profiles of other vendors and of the services, to the octet.

use armilla_cdr::{ByteOrder, Encode, Encoder};
use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, AttributeLayer, AuthenticationLayer, Component,
    CompoundSecMech, CsiSecMechList, FtGroup, FtHeartbeatEnabled, FtPrimary, IiopEndpoint,
    IiopEndpoints, Policies, PolicyValue, SslSecTrans, TAG_MULTIPLE_COMPONENTS, TAG_UIOP,
    TaggedComponent, TaggedProfile, TlsSecTrans, UiopEndpoint, UiopEndpoints, UiopProfile,
};

/// The component reads back, and each of its beginnings is an error.
fn check<C: Component + PartialEq + std::fmt::Debug>(component: &C) {
    let tagged = component.to_tagged().unwrap();
    assert_eq!(C::from_tagged(&tagged).unwrap().as_ref(), Some(component));
    for length in 0..tagged.data.len() {
        let cut = TaggedComponent { id: tagged.id, data: tagged.data[..length].to_vec() };
        assert!(C::from_tagged(&cut).is_err(), "{length} of {:x?}", tagged.data);
    }
}

const TLS: AssociationOptions = AssociationOptions(0x66);

fn addresses() -> Vec<AlternateAddress> {
    ["a.example", "::1"].map(|host| AlternateAddress { host: host.into(), port: 2810 }).into()
}

#[test]
fn components_of_services_read_back_and_are_errors_when_cut() {
    let value = vec![1, 0, 0, 0, 1, 0, 0, 0, 7, 0];
    check(&Policies(vec![PolicyValue { policy_type: 40, value }]));
    check(&SslSecTrans { target_supports: TLS, target_requires: TLS, port: 2810 });
    check(&TlsSecTrans { target_supports: TLS, target_requires: TLS, addresses: addresses() });
    let tls = TlsSecTrans { target_supports: TLS, target_requires: TLS, addresses: addresses() };
    check(&CsiSecMechList {
        stateful: true,
        mechanisms: vec![CompoundSecMech {
            target_requires: TLS,
            transport: tls.to_tagged().unwrap(),
            authentication: AuthenticationLayer { mechanism: vec![6, 1], ..Default::default() },
            attributes: AttributeLayer {
                privilege_authorities: vec![(7, b"ca".to_vec())],
                naming_mechanisms: vec![vec![6, 2], vec![]],
                identity_types: 15,
                ..AttributeLayer::default()
            },
        }],
    });
    let endpoint = IiopEndpoint { host: "a.example".into(), port: 65535, priority: -7 };
    check(&IiopEndpoints(vec![endpoint.clone(), endpoint]));
    check(&UiopEndpoints(vec![UiopEndpoint { rendezvous_point: "/run/a".into(), priority: 9 }]));
    check(&FtGroup { domain: "bank".into(), group: u64::MAX, version: 7 });
    check(&FtPrimary(true));
    check(&FtHeartbeatEnabled(true));
}

/// As the specification lays it out, big-endian: byte order, version, domain, group, version.
#[test]
fn a_group_component_is_laid_out_as_specified() {
    let data =
        [&[0, 1, 0, 0, 0, 0, 0, 5][..], b"bank\0\0\0\0", &[0, 0, 0, 0, 0, 0, 0, 9], &[0, 0, 0, 3]];
    let tagged = TaggedComponent { id: 27, data: data.concat() };
    let expected = FtGroup { domain: "bank".into(), group: 9, version: 3 };
    assert_eq!(FtGroup::from_tagged(&tagged), Ok(Some(expected)));
    let mut other = tagged;
    other.data[1] = 2;
    assert!(FtGroup::from_tagged(&other).is_err(), "another major version");
}

#[test]
fn options_of_associations_have_the_names_of_the_idl() {
    let names: Vec<_> = TLS.names().collect();
    let expected = ["Integrity", "Confidentiality", "EstablishTrustInTarget"];
    assert_eq!(names, [&expected[..], &["EstablishTrustInClient"]].concat());
    assert_eq!((TLS.unnamed(), AssociationOptions(0xf001).unnamed()), (0, 0xf000));
}

#[test]
fn visibroker_writes_options_of_32_bits() {
    let data = [0, 0, 0, 0, 0, 0, 0, 0x66, 0, 0, 0, 0x26, 0x0a, 0xfa].to_vec();
    let read = SslSecTrans::from_tagged(&TaggedComponent { id: 20, data }).unwrap().unwrap();
    let target_requires = AssociationOptions(0x26);
    assert_eq!(read, SslSecTrans { target_supports: TLS, target_requires, port: 2810 });
}

/// As `TAO_UIOP_Profile` writes it: version, path, key, components.
#[test]
fn a_uiop_profile_of_tao_is_an_iiop_profile_without_a_port() {
    let data = [
        &[1, 1, 2, 0][..],
        &[7, 0, 0, 0, b'/', b't', b'm', b'p', b'/', b'a', 0, 0],
        &[2, 0, 0, 0, 0x14, 1, 0, 0],
        &[1, 0, 0, 0, 2, 0x4f, 0x41, 0x54, 8, 0, 0, 0, 1, 0x9c, 0x9c, 0x9c, 0, 0, 0, 0],
    ]
    .concat();
    let read = UiopProfile::decode_data(&data).unwrap();
    assert_eq!((read.version, read.rendezvous_point.as_str()), (Version::V1_2, "/tmp/a"));
    assert_eq!(read.object_key, [0x14, 1]);
    assert_eq!(UiopEndpoints::from_tagged(&read.components[0]), Ok(Some(UiopEndpoints(vec![]))));
    let written = read.to_tagged().unwrap();
    assert_eq!((written.id, UiopProfile::decode_data(&written.data)), (TAG_UIOP, Ok(read)));
    for length in 0..data.len() {
        assert!(UiopProfile::decode_data(&data[..length]).is_err(), "{length}");
    }
    assert!(UiopProfile::decode_data(&[1, 2, 0]).is_err(), "another major version");
}

#[test]
fn a_profile_may_only_carry_components() {
    let components = vec![
        AlternateAddress { host: "a".into(), port: 1 }.to_tagged().unwrap(),
        TaggedComponent { id: 5, data: vec![1, 2, 3] },
    ];
    let mut out = Encoder::new(ByteOrder::Big);
    out.put_u8(0);
    components.encode(&mut out).unwrap();
    let profile = TaggedProfile { id: TAG_MULTIPLE_COMPONENTS, data: out.to_vec() };
    assert_eq!(profile.multiple_components(), Ok(components));
    let cut = TaggedProfile { data: profile.data[..9].to_vec(), ..profile };
    assert_eq!(cut.multiple_components().unwrap_err().position, Some(8));
}
