//! Which calls an interceptor sees.

/// Whether an interceptor sees the calls between processes, those within the process, or both:
/// `ProcessingModePolicy` (CORBA 3.4 Part 1, 16.10). An interceptor has the same one always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProcessingMode {
    /// All calls: `LOCAL_AND_REMOTE`. Those within the process are encoded for it.
    #[default]
    LocalAndRemote,
    /// Those between processes: `REMOTE_ONLY`.
    RemoteOnly,
    /// Those within the process: `LOCAL_ONLY`. They are encoded for it.
    LocalOnly,
    /// All that are encoded; those within the process where another interceptor, or
    /// [`Settings::collocation`](crate::Settings::collocation), has them encoded.
    Encoded,
}

impl ProcessingMode {
    /// Whether calls within the process must be encoded for it.
    pub(crate) const fn wants_local(self) -> bool {
        matches!(self, Self::LocalAndRemote | Self::LocalOnly)
    }

    /// Whether it sees a call, which is `local` within the process.
    pub(crate) const fn sees(self, local: bool) -> bool {
        match self {
            Self::LocalAndRemote | Self::Encoded => true,
            Self::RemoteOnly => !local,
            Self::LocalOnly => local,
        }
    }
}
