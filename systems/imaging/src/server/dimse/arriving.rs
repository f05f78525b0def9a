//! An image that a modality is sending. One that is broken off leaves a line in the log.

use crate::idl::Image;
use crate::store::{Incoming, StoreError};
use std::io::{self, Write};
use std::sync::Arc;

/// A file that has not come as a whole yet.
pub(super) struct Arriving {
    incoming: Option<Incoming>,
    /// SOP Instance UID, as the command has it.
    uid: String,
}

impl Arriving {
    pub(super) const fn new(incoming: Incoming, uid: String) -> Self {
        Self { incoming: Some(incoming), uid }
    }

    /// Keeps what has come as a whole.
    pub(super) fn keep(mut self) -> Result<Arc<Image>, StoreError> {
        match self.incoming.take() {
            Some(incoming) => incoming.keep(),
            None => Err(StoreError::Index("the file could not be written".to_owned())),
        }
    }
}

impl Write for Arriving {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let Some(incoming) = &mut self.incoming else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let written = incoming.write(octets);
        if written.is_err() {
            // The reply tells of it.
            self.incoming = None;
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if let Some(incoming) = &self.incoming {
            let (uid, octets) = (&self.uid, incoming.size());
            tracing::warn!(uid, octets, "the peer has broken off a C-STORE; nothing of it is kept");
        }
    }
}
