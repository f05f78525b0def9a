//! References as a person writes them, and names.

use armilla_giop::Version;
use armilla_giop::url::{ObjectUrl, parse_name, stringify_name};

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    if let Ok(name) = parse_name(text) {
        assert_eq!(parse_name(&stringify_name(&name)), Ok(name));
    }
    match ObjectUrl::parse(text) {
        Ok(url) => {
            if let ObjectUrl::Corbaloc(corbaloc) = &url {
                corbaloc.to_ior(Version::V1_0).unwrap();
            }
            assert_eq!(ObjectUrl::parse(&url.to_string()), Ok(url));
        }
        Err(error) => assert!(error.to_string().len() < 1000, "{error}"),
    }
}
