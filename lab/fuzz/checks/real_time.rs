//! The priority of a request, the band of a connection, and the components of references that real-time CORBA adds.

use armilla_giop::ior::{Component, TaggedComponent};
use armilla_rt::{
    ExposedPolicies, LaneLocalEndpoint, TAG_LANE_LOCAL_ENDPOINT, TAG_POLICIES, TAO_TAG_ENDPOINTS,
    TaoEndpoints, decode_priority, decode_priority_range, encode_priority, encode_priority_range,
};

pub(crate) fn check(data: &[u8]) {
    if let Ok(priority) = decode_priority(data) {
        assert_eq!(decode_priority(&encode_priority(priority)), Ok(priority));
    }
    if let Ok(range) = decode_priority_range(data) {
        assert_eq!(decode_priority_range(&encode_priority_range(range)), Ok(range));
    }
    survives::<ExposedPolicies>(TAG_POLICIES, data);
    survives::<TaoEndpoints>(TAO_TAG_ENDPOINTS, data);
    survives::<LaneLocalEndpoint>(TAG_LANE_LOCAL_ENDPOINT, data);
}

/// What was decoded decodes to the same again.
fn survives<C: Component + PartialEq + std::fmt::Debug>(id: u32, data: &[u8]) {
    let component = TaggedComponent { id, data: data.to_vec() };
    if let Ok(Some(decoded)) = C::from_tagged(&component) {
        // A host with an embedded NUL cannot be written.
        let Ok(again) = decoded.to_tagged() else { return };
        assert_eq!(C::from_tagged(&again), Ok(Some(decoded)));
    }
}
