//! Endpoints for processes of the same host: what tells their transports apart, and the component
//! that lists those of lanes. The first is the ORB's, the second is of this crate.

use crate::priority::Priority;
use armilla::{ByteOrder, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::{Component, TaggedComponent};
use armilla_ipc::Address;

/// The tag of the ORB's component for an endpoint on the same host.
pub(crate) const TAG_LOCAL_ENDPOINT: u32 = 0x4152_4d01;

/// The component that names the endpoint for processes of the same host beside a TCP endpoint.
pub(crate) const TAG_SAME_HOST_ENDPOINT: u32 = 0x4152_4d05;

/// The tag of the component for such an endpoint of a lane.
pub const TAG_LANE_LOCAL_ENDPOINT: u32 = 0x4152_4d04;

/// The address in the ORB's component for an endpoint on the same host; `None` if it is another
/// component, or malformed.
pub(crate) fn local_address(component: &TaggedComponent) -> Option<Address> {
    if component.id != TAG_LOCAL_ENDPOINT {
        return None;
    }
    let order = ByteOrder::from_flag(*component.data.first()?);
    let mut input = Decoder::at(&component.data, 1, order);
    // The host matters to the ORB only.
    let (_host, address) = (input.string().ok()?, input.string().ok()?);
    address.parse().ok()
}

/// An endpoint of a lane for processes of the same host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneLocalEndpoint {
    /// The priority of the lane.
    pub priority: Priority,
    /// The data of the ORB's component for the endpoint.
    pub data: Vec<u8>,
}

impl Component for LaneLocalEndpoint {
    const ID: u32 = TAG_LANE_LOCAL_ENDPOINT;
}

impl<'a> Decode<'a> for LaneLocalEndpoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let number = input.u16()?.cast_signed();
        let priority = Priority::new(number).ok_or_else(|| {
            input.error(CdrErrorKind::Invalid("a CORBA priority is not negative"))
        })?;
        Ok(Self { priority, data: input.octets()?.to_vec() })
    }
}

impl Encode for LaneLocalEndpoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u16(self.priority.get().cast_unsigned());
        out.put_u32(self.data.len() as u32);
        self.data.iter().for_each(|octet| out.put_u8(*octet));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_of_a_lane_survives_the_wire() {
        let priority = Priority::new(7).unwrap();
        for data in [Vec::new(), vec![1, 2, 3]] {
            let endpoint = LaneLocalEndpoint { priority, data };
            let component = endpoint.to_tagged().unwrap();
            assert_eq!(LaneLocalEndpoint::from_tagged(&component).unwrap(), Some(endpoint));
        }
        let data = vec![0, 0, 0xff, 0xff, 0, 0, 0, 0];
        let negative = TaggedComponent { id: TAG_LANE_LOCAL_ENDPOINT, data };
        assert!(LaneLocalEndpoint::from_tagged(&negative).is_err());
    }

    #[test]
    fn what_is_no_local_endpoint_has_no_address() {
        for (id, data) in [(TAG_LOCAL_ENDPOINT, vec![1, 0]), (3, Vec::new())] {
            assert_eq!(local_address(&TaggedComponent { id, data }), None);
        }
    }
}
