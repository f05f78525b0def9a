//! The endpoint mapper: at which port a server has an interface (C706 appendices I, L and O).

mod mapper;
mod table;
mod tower;

pub use mapper::{Endpoint, EndpointMapper};
pub use table::{
    ENDPOINT_MAPPER, Entry, EptLookup, EptLookupHandleFree, EptMap, Handle, HandleIn, HandleOut,
    LookupIn, LookupOut, MapIn, MapOut, TowerOctets,
};
pub use tower::Tower;
