//! A client of objects: it activates them, calls them, and gives them back. (Feature `driver`.)
//!
//! Every wait is finite ([`ClientOptions::timeout`]). A thread of the client pings the objects that
//! it has references to, and gives back the references of [`Proxy`] that were dropped.

mod activation;
mod answer;
mod dispatch;
mod endpoint;
mod error;
mod handle;
mod housekeeping;
mod options;
mod proxy;
mod remote_exporter;
mod shared;
mod together;
mod type_info;
mod unmarshaller;
mod wake;

pub use answer::Answer;
pub use error::{Cause, Error, Step};
pub use handle::Client;
pub use options::{ClientOptions, Mechanism};
pub use proxy::Proxy;
pub(crate) use together::each;
pub use unmarshaller::Unmarshaller;
