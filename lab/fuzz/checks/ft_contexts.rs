//! The service contexts of requests to object groups.

use armilla_giop::{FtGroupVersion, FtRequest};

pub(crate) fn check(data: &[u8]) {
    if let Ok(request) = FtRequest::decode_data(data) {
        assert_eq!(FtRequest::decode_data(&request.to_data().unwrap()), Ok(request));
    }
    if let Ok(version) = FtGroupVersion::decode_data(data) {
        assert_eq!(FtGroupVersion::decode_data(&version.to_data().unwrap()), Ok(version));
    }
}
