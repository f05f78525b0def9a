//! The directory of the sockets of a listener.

use crate::Token;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A directory that only this user can enter; removed with what is in it when it is dropped.
#[derive(Debug)]
pub(super) struct PrivateDirectory(PathBuf);

impl PrivateDirectory {
    pub(super) fn new() -> io::Result<Self> {
        let mut name = "armilla-flows-".to_owned();
        for octet in &Token::random()?.octets()[..8] {
            // Writing to a string does not fail.
            write!(name, "{octet:02x}").ok();
        }
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path).map_err(|error| {
            let what = format!("cannot make the directory {} of sockets: {error}", path.display());
            io::Error::new(error.kind(), what)
        })?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // Someone may have removed it.
        fs::remove_dir_all(&self.0).ok();
    }
}
