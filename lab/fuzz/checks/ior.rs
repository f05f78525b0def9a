//! Object references, as text and as octets.

use armilla_cdr::{ByteOrder, Decode, Decoder};
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponentInfo, Component, CsiSecMechList, FtGroup, FtHeartbeatEnabled,
    FtPrimary, IiopEndpoints, IiopProfile, Ior, OrbType, Policies, SslSecTrans, TaggedComponent,
    TlsSecTrans, UiopEndpoints, UiopProfile, key_between, split_at_key,
};

pub(crate) fn check(data: &[u8]) {
    if let Some(Ok(ior)) = core::str::from_utf8(data).ok().map(str::parse) {
        understood(&ior);
    }
    for order in [ByteOrder::Big, ByteOrder::Little] {
        if let Ok(ior) = Ior::decode(&mut Decoder::new(data, order)) {
            understood(&ior);
        }
    }
}

/// What was understood is written again, and must be understood the same.
fn understood(ior: &Ior) {
    assert_eq!(ior.to_text().unwrap().parse().as_ref(), Ok(ior));
    for profile in ior.iiop_profiles().flatten() {
        let tagged = profile.to_tagged().unwrap();
        assert_eq!(IiopProfile::decode_data(&tagged.data).as_ref(), Ok(&profile));
        let [before, key, behind] = split_at_key(&tagged.data).unwrap();
        assert_eq!(key, profile.object_key);
        assert_eq!(key_between(&tagged.data, [before, behind]), Some(key));
        profile.components.iter().for_each(component);
    }
    for profile in &ior.profiles {
        profile.multiple_components().iter().flatten().for_each(component);
        if let Ok(uiop) = UiopProfile::decode_data(&profile.data) {
            let tagged = uiop.to_tagged().unwrap();
            assert_eq!(UiopProfile::decode_data(&tagged.data), Ok(uiop));
        }
    }
}

fn component(tagged: &TaggedComponent) {
    again::<OrbType>(tagged);
    again::<CodeSetComponentInfo>(tagged);
    again::<AlternateAddress>(tagged);
    again::<Policies>(tagged);
    again::<SslSecTrans>(tagged);
    again::<TlsSecTrans>(tagged);
    again::<CsiSecMechList>(tagged);
    again::<IiopEndpoints>(tagged);
    again::<UiopEndpoints>(tagged);
    again::<FtGroup>(tagged);
    again::<FtPrimary>(tagged);
    again::<FtHeartbeatEnabled>(tagged);
}

fn again<C: Component + PartialEq + core::fmt::Debug>(tagged: &TaggedComponent) {
    if let Ok(Some(read)) = C::from_tagged(tagged) {
        assert_eq!(C::from_tagged(&read.to_tagged().unwrap()), Ok(Some(read)));
    }
}
