//! One suite that every stream transport must pass. A transport says where its test endpoints are,
//! see [`Place`], and gets all tests by one line of [`conformance!`].

pub(crate) mod bytes;
pub(crate) mod ends;
pub(crate) mod making;
pub(crate) mod waiting;

use armilla_ipc::{Address, Stream, StreamOptions, Transport};
use std::os::fd::AsFd;
use std::time::Duration;

/// More than any step of a test may take on a loaded machine; only a failing test waits so long.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Where a transport under test can meet.
pub(crate) trait Place: Transport<Stream: AsFd, Acceptor: AsFd> {
    /// An address at which nobody listens and anybody may.
    fn fresh() -> Address;
}

/// An acceptor and one connection through it. No side waits longer than [`LONG`].
pub(crate) struct Pair<T: Transport> {
    pub(crate) client: T::Stream,
    pub(crate) server: T::Stream,
    pub(crate) acceptor: T::Acceptor,
}

impl<T: Place> Pair<T> {
    pub(crate) fn new() -> Self {
        Self::with(&StreamOptions::default())
    }

    pub(crate) fn with(options: &StreamOptions) -> Self {
        let acceptor = T::listen(&T::fresh(), options).unwrap();
        let client = connect_with::<T>(&acceptor, options);
        let server = T::accept(&acceptor).unwrap().expect("the acceptor is open");
        for stream in [&client, &server] {
            stream.set_recv_timeout(Some(LONG)).unwrap();
            stream.set_send_timeout(Some(LONG)).unwrap();
        }
        Self { client, server, acceptor }
    }
}

pub(crate) fn connect_with<T: Place>(acceptor: &T::Acceptor, options: &StreamOptions) -> T::Stream {
    use armilla_ipc::Acceptor;
    T::connect(acceptor.local(), Some(LONG), options).unwrap()
}

/// Receives exactly as many bytes as `buffer` holds.
pub(crate) fn recv_exact(stream: &impl Stream, buffer: &mut [u8]) {
    let mut filled = 0;
    while filled < buffer.len() {
        let count = stream.recv(&mut buffer[filled..]).unwrap();
        assert_ne!(count, 0, "the stream ended after {filled} of {} bytes", buffer.len());
        filled += count;
    }
}

/// Bytes in which a lost, doubled or displaced piece shows.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Runs every test of the suite over one transport.
macro_rules! conformance {
    ($transport:ty) => {
        conformance!($transport: bytes {
            every_size_is_echoed,
            many_parts_arrive_in_order,
            a_sender_outruns_tiny_buffers,
            a_full_stream_reports_how_much_had_left,
        } waiting {
            a_recv_timeout_is_a_timeout_and_bounded,
            a_timeout_can_be_changed_and_removed,
            a_timeout_that_stays_the_same_costs_no_system_call,
            the_shortest_timeout_does_not_wait_forever,
            readiness_tells_quiet_from_data_from_closed,
        } ends {
            a_closing_peer_ends_the_stream,
            a_half_closed_stream_still_sends_the_other_way,
            a_peer_that_leaves_bytes_unread_resets_the_stream,
            sending_to_a_closed_peer_fails_without_a_signal,
            shutdown_wakes_a_blocked_reader,
            shutdown_wakes_a_blocked_writer,
            shutdown_after_the_peer_has_gone_is_no_error,
        } making {
            both_ends_know_each_other,
            an_acceptor_accepts_one_after_the_other,
            close_wakes_a_blocked_accept,
            a_closed_acceptor_refuses_and_returns_none,
            connecting_where_nobody_listens_names_the_address,
            listening_twice_names_the_address,
            connecting_to_a_clogged_acceptor_times_out,
            an_address_of_another_transport_is_refused,
            the_roles_work_boxed,
            buffer_sizes_reach_the_socket,
        });
    };
    ($transport:ty: $($module:ident { $($test:ident),* $(,)? })*) => {
        $($(
            #[test]
            fn $test() {
                conformance::$module::$test::<$transport>();
            }
        )*)*
    };
}
pub(crate) use conformance;
