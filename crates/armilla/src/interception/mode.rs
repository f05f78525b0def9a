//! The processing mode: which calls an interceptor sees.

/// Whether an interceptor sees calls between processes, calls within the process, or both:
/// `ProcessingModePolicy` (CORBA 3.4 Part 1, 16.10). An interceptor must always return the same
/// mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[doc(alias = "ProcessingModePolicy")]
pub enum ProcessingMode {
    /// All calls: `LOCAL_AND_REMOTE`. Calls within the process are encoded.
    #[default]
    #[doc(alias = "LOCAL_AND_REMOTE")]
    LocalAndRemote,
    /// Calls between processes: `REMOTE_ONLY`.
    #[doc(alias = "REMOTE_ONLY")]
    RemoteOnly,
    /// Calls within the process: `LOCAL_ONLY`. They are encoded.
    #[doc(alias = "LOCAL_ONLY")]
    LocalOnly,
    /// All calls that are encoded. Those within the process are included if another interceptor or
    /// [`Settings::collocation`](crate::Settings::collocation) requires encoding.
    Encoded,
}

impl ProcessingMode {
    /// Whether calls within the process must be encoded for the interceptor.
    pub(crate) const fn wants_local(self) -> bool {
        matches!(self, Self::LocalAndRemote | Self::LocalOnly)
    }

    /// Whether the interceptor sees a call; `local` means within the process.
    pub(crate) const fn sees(self, local: bool) -> bool {
        match self {
            Self::LocalAndRemote | Self::Encoded => true,
            Self::RemoteOnly => !local,
            Self::LocalOnly => local,
        }
    }
}
