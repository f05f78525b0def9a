//! An image that a modality is sending. One that is broken off leaves a line in the log.

use crate::idl::Image;
use crate::shares::Admitted;
use crate::store::{Incoming, StoreError};
use std::io::{self, Write};
use std::sync::Arc;

/// A file that has not come as a whole yet.
pub(super) struct Arriving {
    incoming: Option<Incoming>,
    /// SOP Instance UID, as the command has it.
    uid: String,
    /// What it takes of the share of the peer.
    pub(super) held: Option<Admitted>,
}

impl Arriving {
    pub(super) const fn new(incoming: Incoming, uid: String, held: Option<Admitted>) -> Self {
        Self { incoming: Some(incoming), uid, held }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use std::sync::Mutex;

    /// The lines of a log.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(octets);
            Ok(octets.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_image_that_is_broken_off_leaves_a_line_and_one_that_is_refused_does_not() {
        let name = format!("armilla-imaging-arriving-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let store = Store::open(&directory, 0).unwrap();
        let arriving =
            || Arriving::new(store.receive_unsized().unwrap(), "1.2.3.4".to_owned(), None);
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt().with_ansi(false);
        let log = log.with_writer(move || writer.clone()).finish();
        let logged = |work: &mut dyn FnMut()| {
            work();
            String::from_utf8(std::mem::take(&mut *lines.0.lock().unwrap())).unwrap()
        };
        tracing::subscriber::with_default(log, || {
            let broken = logged(&mut || arriving().write_all(&[0; 100]).unwrap());
            assert!(broken.contains("1.2.3.4") && broken.contains("octets=100"), "{broken}");
            // What has come as a whole has its own line, and its own reply.
            let whole = logged(&mut || assert!(arriving().keep().is_err()));
            assert!(!whole.contains("broken off"), "{whole}");
        });
        drop(store);
        std::fs::remove_dir_all(directory).ok();
    }
}
