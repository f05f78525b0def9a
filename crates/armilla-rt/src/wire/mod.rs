//! What real-time CORBA adds to messages and references.

mod local_endpoints;
mod policies;
mod priority_context;
mod priority_range;
mod tao_endpoints;

pub use local_endpoints::{LaneLocalEndpoint, TAG_LANE_LOCAL_ENDPOINT};
pub(crate) use local_endpoints::{TAG_LOCAL_ENDPOINT, TAG_SAME_HOST_ENDPOINT, local_address};
pub use policies::{ExposedPolicies, PriorityModel, TAG_POLICIES};
pub use priority_context::{RT_CORBA_PRIORITY_CONTEXT, decode_priority, encode_priority};
pub use priority_range::{
    BIND_PRIORITY_BAND, RT_CORBA_PRIORITY_RANGE_CONTEXT, decode_priority_range,
    encode_priority_range,
};
pub use tao_endpoints::{TAO_TAG_ENDPOINTS, TaoEndpoint, TaoEndpoints};
