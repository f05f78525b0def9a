//! What an object has answered.

use crate::error_info::ErrorInfo;
use armilla_dcerpc::Status;

/// What an object has answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// The results; those of a failure say nothing, most often.
    pub results: T,
    /// The HRESULT.
    pub status: Status,
    /// What the object says of a failure besides.
    pub error_info: Option<ErrorInfo>,
}
