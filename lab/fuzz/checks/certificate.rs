//! Certificates of strangers, as errors show them.

use armilla_tls::Certificate;

pub(crate) fn check(data: &[u8]) {
    let Some(certificate) = Certificate::parse(data) else { return };
    // Whatever it holds, nothing of it reaches a terminal or a log unescaped.
    let text =
        format!("{certificate} {} {} {:?}", certificate.issuer, certificate.key, certificate.names);
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(certificate.serial.len() <= 2 * data.len() && certificate.key_info.len() <= data.len());
}
