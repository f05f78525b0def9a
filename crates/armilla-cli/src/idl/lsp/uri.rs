//! Files as URIs: `file:///idl/a%20b.idl`.

use lsp_types::Uri;
use std::path::{Component, Path, PathBuf};

/// The path that `uri` names, without `.` and `..`; `None` if it is no `file:` URI.
pub(super) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        let escaped = (*byte == b'%').then(|| behind.get(..2)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[2..];
            }
            None => bytes.push(*byte),
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // On Windows the path starts after the first slash: `/c:/idl`.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(normal(Path::new(if drive { &path[1..] } else { &path })))
}

/// The URI of the file at `path`.
pub(super) fn from_path(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let path = normal(&path).to_string_lossy().replace('\\', "/");
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text.parse().ok()
}

/// `path` without `.` and `..`, so that one file has one path.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_a_round_trip_through_a_uri() {
        let uri = from_path(Path::new("/idl/./x/../a b+é.idl")).unwrap();
        assert_eq!(uri.as_str(), "file:///idl/a%20b%2B%C3%A9.idl");
        assert_eq!(to_path(&uri).unwrap(), Path::new("/idl/a b+é.idl"));
        assert_eq!(to_path(&"untitled:one".parse().unwrap()), None);
        assert_eq!(to_path(&"file:///a%2".parse().unwrap_or(uri)), Some("/idl/a b+é.idl".into()));
    }
}
