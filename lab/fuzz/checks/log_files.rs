//! The files of a durable log: whatever they have, they are read in bounded time, damage is named, and
//! what is left is saved. The first octet chooses what the others are: records of a segment whose salt
//! is 0, the state, or what describes the segment.

use armilla_log::{Log, LogError, Options, check_files, inputs, recover_files};

fn options() -> Options {
    let (segment, record, buffer) = (64 << 10, 8 << 10, 16 << 10);
    Options { segment, record, buffer, reserve: 0, ..Options::default() }
}

pub(crate) fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let made = match kind % 3 {
        0 => inputs::with_records(rest),
        1 => inputs::with_state(rest),
        _ => inputs::with_description(rest),
    };
    let Some(disk) = made else { return };
    let damages = check_files(&disk.files());
    match Log::open_files(disk.copy().files(), options()) {
        Ok(log) => {
            // What is read is in order.
            let read: Result<Vec<_>, _> = log.read_from(log.first()).collect();
            if let Ok(read) = read {
                assert!(read.is_sorted_by_key(|record| record.position));
            }
            let next = log.append_committed(b"next").expect("it goes on");
            assert_eq!(log.read(next).expect("it was committed").data, b"next");
        }
        Err(error) => {
            let is_named = matches!(error, LogError::Damaged(_) | LogError::Full { .. });
            assert!(is_named, "{error}");
            let is_told = damages.is_ok_and(|damages| !damages.is_empty());
            assert!(is_told || matches!(error, LogError::Full { .. }), "{error}");
        }
    }
    if recover_files(&disk.files(), false).is_ok() {
        let left = check_files(&disk.files()).expect("it can be read");
        assert!(left.is_empty(), "{left:?}");
        let log = Log::open_files(disk.files(), options()).expect("it is recovered");
        assert_eq!(log.read_from(log.first()).filter(Result::is_err).count(), 0);
    }
}
