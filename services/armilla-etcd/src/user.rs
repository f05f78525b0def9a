//! The user of an etcd cluster as which a service asks.

use armilla_store::StoreError;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A user of an etcd cluster, and the password.
#[derive(Clone)]
pub struct ClusterUser {
    pub(crate) name: String,
    pub(crate) password: String,
}

impl ClusterUser {
    /// A user with a password.
    pub fn new(name: impl Into<String>, password: impl Into<String>) -> Self {
        Self { name: name.into(), password: password.into() }
    }

    /// Reads a file whose first line is `NAME:PASSWORD`.
    ///
    /// # Errors
    /// The file cannot be read, every user of this host can read it, or it has no such line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let failed = |why: String| StoreError::new(path.display().to_string(), why);
        let open = |error| failed(format!("cannot be read: {error}"));
        let mode = fs::metadata(path).map_err(open)?.permissions().mode();
        if mode & 0o004 != 0 {
            return Err(failed("has a password that every user can read: chmod o-r".to_owned()));
        }
        let text = fs::read_to_string(path).map_err(open)?;
        let user = text.lines().next().and_then(|line| line.split_once(':'));
        let (name, password) = user.filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            failed("does not begin with NAME:PASSWORD, a user of the etcd cluster".to_owned())
        })?;
        Ok(Self::new(name, password))
    }
}

impl fmt::Debug for ClusterUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterUser").field("name", &self.name).finish_non_exhaustive()
    }
}
