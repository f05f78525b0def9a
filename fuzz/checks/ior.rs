//! Object references, as text and as octets.

use armilla_cdr::{ByteOrder, Decode, Decoder};
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponentInfo, IiopProfile, Ior, OrbType, key_between, split_at_key,
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
        profile.component::<OrbType>().ok();
        profile.component::<CodeSetComponentInfo>().ok();
        profile.components_of::<AlternateAddress>().flatten().count();
    }
}
