//! One suite that every stream transport must pass. A transport says where its test endpoints are,
//! see [`TestTransport`], and gets its tests by one line of [`conformance!`].

#![allow(dead_code)] // no transport but the sockets runs every test

pub(crate) mod bytes;
pub(crate) mod ends;
pub(crate) mod making;
pub(crate) mod waiting;

use crate::signals;
use armilla_ipc::{Address, Stream, StreamOptions, Transport};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// More than any step of a test may take on a loaded machine; only a failing test waits so long.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Where a transport under test can meet.
pub(crate) trait TestTransport: Transport {
    /// An address at which no process listens yet.
    fn fresh() -> Address;

    /// Lets the queue of waiting peers fill soon, if there is one.
    fn shorten_queue(acceptor: &Self::Acceptor);
}

/// A path at which there is no file.
pub(crate) fn fresh_path() -> std::path::PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("armilla-ipc-{}-{number}", std::process::id()))
}

/// An acceptor and one connection through it. No side waits longer than [`LONG`].
pub(crate) struct Pair<T: Transport> {
    pub(crate) client: T::Stream,
    pub(crate) server: T::Stream,
    pub(crate) acceptor: T::Acceptor,
}

impl<T: TestTransport> Pair<T> {
    pub(crate) fn new() -> Self {
        Self::with(&StreamOptions::default())
    }

    pub(crate) fn with(options: &StreamOptions) -> Self {
        let acceptor = T::listen(&T::fresh(), options).unwrap();
        // At the same time, because some transports connect only when the other side accepts.
        let (client, server) = thread::scope(|scope| {
            let client = scope.spawn(|| connect_with::<T>(&acceptor, options));
            let server = T::accept(&acceptor).unwrap().expect("the acceptor is open");
            (client.join().unwrap(), server)
        });
        for stream in [&client, &server] {
            stream.set_recv_timeout(Some(LONG)).unwrap();
            stream.set_send_timeout(Some(LONG)).unwrap();
        }
        Self { client, server, acceptor }
    }
}

pub(crate) fn connect_with<T: TestTransport>(
    acceptor: &T::Acceptor,
    options: &StreamOptions,
) -> T::Stream {
    use armilla_ipc::Acceptor;
    T::connect(acceptor.local(), Some(LONG), options).unwrap()
}

/// Receives exactly as many bytes as `buffer` holds.
pub(crate) fn recv_exact(stream: &impl Stream, buffer: &mut [u8]) {
    stream.recv_all(buffer).unwrap();
}

/// Bytes in which a lost, doubled or displaced piece shows.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Runs the suite over one transport: `conformance!(Tcp: sockets, queues, …)`.
///
/// What every stream does is always tested. The groups behind the colon are what a transport does
/// beyond that; one that is missing there is a property that its mechanism does not have: `sockets`
/// is the options and resets of sockets, `direct` that the kernel moves the bytes, `queues` that
/// connecting does not wait for the acceptor, `halves` that one direction ends alone, `keeps` that
/// bytes sent before the end arrive.
macro_rules! conformance {
    ($transport:ty $(: $($group:ident),*)?) => {
        conformance!(@ every $transport);
        $($(conformance!(@ $group $transport);)*)?
    };
    (@ every $transport:ty) => {
        conformance!($transport => bytes {
            every_size_is_echoed,
            every_size_is_echoed_in_parts,
            many_parts_arrive_in_order,
            bytes_are_received_behind_others,
            parts_are_filled_in_order,
            a_sender_outruns_tiny_buffers,
            single_sends_and_receptions_add_up,
            nothing_to_send_sends_nothing,
            bytes_that_come_one_by_one_are_put_together,
            an_early_end_tells_how_much_had_arrived,
            standard_readers_and_writers_work_on_streams_and_on_references_to_them,
        } waiting {
            a_recv_timeout_is_a_timeout_and_bounded,
            a_timeout_can_be_changed_and_removed,
            the_shortest_timeout_does_not_wait_forever,
            readiness_tells_quiet_from_data,
            an_attempt_to_receive_does_not_wait,
            an_attempt_to_send_into_a_full_stream_does_not_wait,
            a_limit_holds_for_a_whole_call,
            a_limit_of_no_time_is_one,
            a_peer_that_drips_does_not_prolong_a_reception,
            a_signal_interrupts_nothing,
        } ends {
            sending_to_a_closed_peer_fails_without_a_signal,
            shutdown_wakes_a_blocked_reader,
            shutdown_wakes_a_blocked_writer,
            shutdown_after_the_peer_has_gone_is_no_error,
            shutdown_is_noticed_by_the_peer,
        } making {
            both_ends_know_each_other,
            a_signal_interrupts_no_meeting,
            close_wakes_a_blocked_accept,
            connecting_where_nobody_listens_names_the_address,
            listening_twice_names_the_address,
            an_address_of_another_transport_is_refused,
            the_roles_work_boxed,
            an_acceptor_that_does_not_accept_is_waited_for_in_bounded_time,
        });
    };
    (@ sockets $transport:ty) => {
        conformance!($transport => waiting {
            a_timeout_that_stays_the_same_costs_no_system_call,
        } ends {
            a_peer_that_leaves_bytes_unread_resets_the_stream,
        } making {
            buffer_sizes_reach_the_socket,
        });
    };
    (@ direct $transport:ty) => {
        conformance!($transport => bytes {
            the_kernel_moves_bytes_of_a_file_and_of_another_stream,
        });
    };
    (@ queues $transport:ty) => {
        conformance!($transport => making {
            an_acceptor_accepts_one_after_the_other,
            a_closed_acceptor_refuses_and_returns_none,
        });
    };
    (@ halves $transport:ty) => {
        conformance!($transport => ends {
            a_half_closed_stream_still_sends_the_other_way,
        });
    };
    (@ keeps $transport:ty) => {
        conformance!($transport => bytes {
            a_full_stream_reports_how_much_had_left,
        } waiting {
            readiness_tells_data_from_closed,
        } ends {
            a_closing_peer_ends_the_stream,
        });
    };
    ($transport:ty => $($module:ident { $($test:ident),* $(,)? })*) => {
        $($(
            #[test]
            fn $test() {
                conformance::$module::$test::<$transport>();
            }
        )*)*
    };
}
pub(crate) use conformance;
