//! Files of users with the hashes of their passwords.

pub(crate) fn check(data: &[u8]) {
    if let Ok(text) = core::str::from_utf8(data) {
        armilla_security::check_password_file(text);
    }
}
