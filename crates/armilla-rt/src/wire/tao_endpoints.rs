//! The component in which TAO lists the endpoints of an object with the priorities of their lanes.
//! Real-time CORBA has no component of its own for this.

use crate::priority::Priority;
use armilla::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::Component;

/// The tag of the component.
pub const TAO_TAG_ENDPOINTS: u32 = 0x5441_4f02;

/// One endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaoEndpoint {
    /// The host.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The priority of the lane; `None` for an endpoint without a lane.
    pub priority: Option<Priority>,
}

/// All endpoints of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaoEndpoints(pub Vec<TaoEndpoint>);

impl Component for TaoEndpoints {
    const ID: u32 = TAO_TAG_ENDPOINTS;
}

impl<'a> Decode<'a> for TaoEndpoints {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let count = input.u32()?;
        // Each turn consumes octets or fails.
        let endpoints = (0..count).map(|_| {
            let host = input.string()?.into();
            let (port, priority) = (input.u16()?, input.u16()?.cast_signed());
            Ok(TaoEndpoint { host, port, priority: Priority::new(priority) })
        });
        endpoints.collect::<CdrResult<_>>().map(Self)
    }
}

impl Encode for TaoEndpoints {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.0.len() as u32);
        for endpoint in &self.0 {
            out.put_string(&endpoint.host)?;
            out.put_u16(endpoint.port);
            out.put_u16(endpoint.priority.map_or(-1, Priority::get).cast_unsigned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla::ByteOrder;
    use armilla_giop::ior::TaggedComponent;

    #[test]
    fn the_octets_of_tao_are_read() {
        // "h" at port 2809, once without a lane and once in that of priority 50.
        let data = [
            &[1, 0, 0, 0, 2, 0, 0, 0][..],
            &[2, 0, 0, 0, b'h', 0, 0xf9, 0x0a, 0xff, 0xff, 0, 0],
            &[2, 0, 0, 0, b'h', 0, 0xf9, 0x0a, 50, 0],
        ]
        .concat();
        let component = TaggedComponent { id: TAO_TAG_ENDPOINTS, data };
        let endpoints = TaoEndpoints::from_tagged(&component).unwrap().unwrap();
        let priorities = endpoints.0.iter().map(|endpoint| endpoint.priority).collect::<Vec<_>>();
        assert_eq!(priorities, [None, Priority::new(50)]);
        assert!(endpoints.0.iter().all(|endpoint| endpoint.port == 2809));
        let again = endpoints.to_tagged().unwrap();
        if ByteOrder::NATIVE == ByteOrder::Little {
            assert_eq!(again.data, component.data, "as TAO writes them");
        }
        assert_eq!(TaoEndpoints::from_tagged(&again).unwrap(), Some(endpoints));
        let big =
            [&[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2][..], &[b'h', 0, 0x0a, 0xf9, 0, 50]].concat();
        let component = TaggedComponent { id: TAO_TAG_ENDPOINTS, data: big };
        let endpoints = TaoEndpoints::from_tagged(&component).unwrap().unwrap();
        let priority = Priority::new(50);
        assert_eq!(endpoints.0, [TaoEndpoint { host: "h".to_owned(), port: 2809, priority }]);
    }

    #[test]
    fn a_count_beyond_the_octets_is_an_error() {
        let data = vec![1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let component = TaggedComponent { id: TAO_TAG_ENDPOINTS, data };
        assert!(TaoEndpoints::from_tagged(&component).is_err());
    }
}
