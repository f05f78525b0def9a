//! The connections that a server has, and which of them gives way when there are too many.

use crate::security::SecurityError;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    /// How many of one host may stay.
    most_of_host: usize,
    places: Mutex<Places>,
    /// Of those that were refused.
    refused: Seldom,
    /// Of clients that did not prove who they are.
    denied: Seldom,
    guesses: Mutex<Guesses>,
}

#[derive(Debug, Default)]
struct Places {
    last: u64,
    all: BTreeMap<u64, Taken>,
}

#[derive(Debug)]
struct Taken {
    stream: Arc<TcpStream>,
    host: IpAddr,
    state: State,
}

/// What is known of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its client has not proved who it is.
    Stranger,
    Proven,
    /// It gave way to another one, and its thread has not noticed yet.
    Ending,
}

/// The place of a connection, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    number: u64,
    pub(super) peer: SocketAddr,
    pub(super) stream: Arc<TcpStream>,
}

impl Connections {
    /// `guesses` is how many wrong passwords a host has in a minute.
    pub(super) fn new((most, most_of_host): (usize, usize), guesses: u32) -> Arc<Self> {
        let (places, refused, denied) = Default::default();
        let guesses = Mutex::new(Guesses::new(guesses));
        Arc::new(Self { most, most_of_host, places, refused, denied, guesses })
    }

    fn guesses(&self) -> MutexGuard<'_, Guesses> {
        // Each change is one.
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, peer: SocketAddr, why: &str) {
        self.refused.tell("a connection is refused", peer, &why);
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        // A place is taken or not, whoever panics.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection. If all are taken, a client gives way that has not proved who it is;
    /// `None` if there is none.
    pub(super) fn admit(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) -> Option<Place> {
        if self.guesses().refuses(peer.ip(), elapsed()) {
            self.refuse(
                peer,
                "the host has tried too many wrong passwords: it may again in a minute",
            );
            return None;
        }
        let stream = Arc::new(stream);
        let mut places = self.places();
        if !places.make_room(self.most) {
            drop(places);
            self.refuse(peer, "there are too many, and no stranger's gives way");
            return None;
        }
        places.last += 1;
        let number = places.last;
        let host = Guesses::host(peer.ip());
        let taken = Taken { stream: stream.clone(), host, state: State::Stranger };
        places.all.insert(number, taken);
        drop(places);
        Some(Place { connections: self.clone(), number, peer, stream })
    }

    /// Ends all, each when what its client has sent is answered.
    pub(super) fn end(&self) {
        for taken in self.places().all.values_mut() {
            taken.state = State::Ending;
            // One that has ended meanwhile is none any more.
            let _ = taken.stream.shutdown(Shutdown::Read);
        }
    }
}

impl Places {
    /// Whether there is room for one more, perhaps because another one ends.
    fn make_room(&mut self, most: usize) -> bool {
        let staying = self.all.values().filter(|it| it.state != State::Ending).count();
        if staying < most {
            // Threads that have not noticed that they end are threads, too.
            return self.all.len() < 2 * most;
        }
        let Some(victim) = self.victim().and_then(|number| self.all.get_mut(&number)) else {
            return false;
        };
        victim.state = State::Ending;
        // One that has ended meanwhile gives way, too.
        let _ = victim.stream.shutdown(Shutdown::Both);
        tracing::debug!(host = %victim.host, "a connection without a proof gives way to another one");
        self.all.len() < 2 * most
    }

    /// The oldest stranger of the host that has most of them: a host that has one loses its place to
    /// nobody who takes several.
    fn victim(&self) -> Option<u64> {
        let strangers = || self.all.iter().filter(|(_, it)| it.state == State::Stranger);
        let mut hosts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        strangers().for_each(|(_, it)| *hosts.entry(it.host).or_default() += 1);
        let most = hosts.values().max()?;
        strangers().find(|(_, it)| hosts.get(&it.host) == Some(most)).map(|(number, _)| *number)
    }
}

impl Place {
    /// Its client has proved who it is: it stays, unless its host has too many.
    pub(super) fn prove(&self) -> bool {
        let mut places = self.connections.places();
        let host = Guesses::host(self.peer.ip());
        let own = |(number, it): &(&u64, &Taken)| {
            let proven = it.state == State::Proven && **number != self.number;
            proven && it.host == host
        };
        let room = places.all.iter().filter(own).count() < self.connections.most_of_host;
        if let Some(taken) = places.all.get_mut(&self.number)
            && taken.state == State::Stranger
        {
            taken.state = if room { State::Proven } else { State::Ending };
        }
        drop(places);
        if !room {
            self.connections.refuse(self.peer, "its host has too many");
        }
        room
    }

    /// A client did not prove who it is: that is told to the operator, and a wrong password counts.
    pub(super) fn denied(&self, error: SecurityError) {
        if error == SecurityError::Denied {
            self.connections.guesses().count(self.peer.ip(), elapsed());
        }
        self.connections.denied.tell("a client did not prove who it is", self.peer, &error);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.places().all.remove(&self.number);
    }
}

/// How many hosts are remembered for wrong passwords.
const MOST_HOSTS: usize = 1024;

/// For how long wrong passwords of a host are counted together.
const MINUTE: Duration = Duration::from_secs(60);

/// The wrong passwords of hosts.
#[derive(Debug)]
struct Guesses {
    most: u32,
    /// When a host began, and how many it has had since.
    hosts: BTreeMap<IpAddr, (Duration, u32)>,
}

impl Guesses {
    fn new(most: u32) -> Self {
        Self { most, hosts: BTreeMap::new() }
    }

    /// A network of IPv6 counts as one host: whoever has one address has all of them.
    fn host(address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            address => address,
        }
    }

    fn count(&mut self, address: IpAddr, now: Duration) {
        let host = Self::host(address);
        self.hosts.retain(|_, (begun, _)| now < *begun + MINUTE);
        if self.hosts.len() >= MOST_HOSTS && !self.hosts.contains_key(&host) {
            let oldest = self.hosts.iter().min_by_key(|(_, (begun, _))| *begun);
            let oldest = oldest.map(|(host, _)| *host);
            oldest.map(|host| self.hosts.remove(&host));
        }
        let (_, count) = self.hosts.entry(host).or_insert((now, 0));
        *count = count.saturating_add(1);
    }

    fn refuses(&self, address: IpAddr, now: Duration) -> bool {
        let known = self.hosts.get(&Self::host(address));
        known.is_some_and(|(begun, count)| *count >= self.most && now < *begun + MINUTE)
    }
}

/// The time since something asked for it first.
fn elapsed() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Lines of one kind in the log: one in ten seconds, so that nobody fills it.
#[derive(Debug, Default)]
struct Seldom {
    /// When the next one may come, in milliseconds.
    next: AtomicU64,
    omitted: AtomicU64,
}

impl Seldom {
    /// Writes such a line: to standard error where nobody receives what is traced.
    fn tell(&self, what: &'static str, peer: SocketAddr, why: &dyn Display) {
        let Some(omitted) = self.admit() else { return };
        tracing::warn!(%peer, %why, omitted, "{what}");
        if !tracing::dispatcher::has_been_set() {
            // A program without standard error goes on.
            let line =
                format!("armilla: warn: {what} (peer {peer}, why {why}, omitted {omitted})\n");
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }

    /// How many were left out since the last one; `None` if this one is.
    fn admit(&self) -> Option<u64> {
        self.admit_at(elapsed())
    }

    fn admit_at(&self, now: Duration) -> Option<u64> {
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let next = self.next.load(Ordering::Relaxed);
        let own = now >= next
            && self
                .next
                .compare_exchange(next, now + 10_000, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if own {
            return Some(self.omitted.swap(0, Ordering::Relaxed));
        }
        self.omitted.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use std::io::Read;
    use std::net::TcpListener;

    /// The places of a server, and a connection of each of these hosts.
    fn places(most: usize, hosts: &[u8]) -> (Arc<Connections>, Vec<(TcpStream, Option<Place>)>) {
        let hosts: Vec<_> = hosts.iter().map(|host| IpAddr::from([192, 0, 2, *host])).collect();
        of_hosts(most, &hosts)
    }

    fn of_hosts(
        most: usize,
        hosts: &[IpAddr],
    ) -> (Arc<Connections>, Vec<(TcpStream, Option<Place>)>) {
        let (listener, connections) =
            (TcpListener::bind("127.0.0.1:0").unwrap(), Connections::new((most, 2), 1));
        let admit = |host: &IpAddr| {
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (stream, _) = listener.accept().unwrap();
            let place = connections.admit(stream, SocketAddr::from((*host, 1)));
            if let Some(place) = place.as_ref().filter(|_| *host == IpAddr::from([192, 0, 2, 9])) {
                place.prove();
            }
            (client, place)
        };
        let all = hosts.iter().map(admit).collect();
        (connections, all)
    }

    fn gave_way((client, _): &mut (TcpStream, Option<Place>)) -> bool {
        client.set_nonblocking(true).unwrap();
        matches!(client.read(&mut [0; 1]), Ok(0))
    }

    #[test]
    fn so_many_of_a_host_stay() {
        let (_connections, all) = places(8, &[9, 9, 9, 3]);
        let stays = |at: usize| all[at].1.as_ref().unwrap().prove();
        assert_eq!([0, 1, 2, 3].map(stays), [true, true, false, true]);
    }

    #[test]
    fn the_oldest_stranger_of_the_greediest_host_gives_way() {
        let (_connections, mut all) = places(4, &[1, 9, 2, 2, 3, 3]);
        let ended: Vec<_> = all.iter_mut().map(gave_way).collect();
        // The fifth comes when 2 has most, the sixth when each has one.
        assert_eq!(ended, [true, false, true, false, false, false]);
        assert!(all.iter().all(|(_, place)| place.is_some()));
    }

    #[test]
    fn a_network_of_ipv6_is_one_greedy_host() {
        let hosts = ["192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.3"];
        let (_connections, mut all) = of_hosts(3, &hosts.map(|host| host.parse().unwrap()));
        let ended: Vec<_> = all.iter_mut().map(gave_way).collect();
        assert_eq!(ended, [false, true, false, false]);
    }

    #[test]
    fn who_has_proved_who_it_is_stays() {
        let (connections, mut all) = places(2, &[9, 9, 1]);
        assert!(all[2].1.is_none());
        assert!(!gave_way(&mut all[0]) && !gave_way(&mut all[1]));
        all.clear();
        assert!(connections.places().all.is_empty());
    }

    #[test]
    fn threads_that_end_slowly_are_counted() {
        let (_connections, all) = places(2, &[1; 6]);
        let admitted: Vec<_> = all.iter().map(|(_, place)| place.is_some()).collect();
        assert_eq!(admitted, [true, true, true, true, false, false]);
    }

    #[test]
    fn a_host_guesses_so_often_in_a_minute() {
        let (mut guesses, at) = (Guesses::new(2), Duration::from_secs);
        let host = |text: &str| text.parse::<IpAddr>().unwrap();
        guesses.count(host("192.0.2.1"), at(10));
        assert!(!guesses.refuses(host("192.0.2.1"), at(11)));
        guesses.count(host("::ffff:192.0.2.1"), at(69));
        assert!(guesses.refuses(host("192.0.2.1"), at(69)));
        assert!(!guesses.refuses(host("192.0.2.2"), at(69)));
        assert!(!guesses.refuses(host("192.0.2.1"), at(70)));
        guesses.count(host("2001:db8::1"), at(70));
        guesses.count(host("2001:db8::2"), at(70));
        assert!(guesses.refuses(host("2001:db8::3"), at(70)));
        assert!(!guesses.refuses(host("2001:db8:0:1::1"), at(70)));
    }

    #[test]
    fn hosts_that_guess_are_remembered_in_part() {
        let (mut guesses, now) = (Guesses::new(1), Duration::from_secs(1));
        for number in 0..2 * MOST_HOSTS as u32 {
            guesses.count(IpAddr::from(number.to_be_bytes()), now);
        }
        assert_eq!(guesses.hosts.len(), MOST_HOSTS);
    }

    #[test]
    fn a_line_in_ten_seconds_tells_of_those_left_out() {
        let (seldom, at) = (Seldom::default(), Duration::from_secs);
        assert_eq!(seldom.admit_at(at(5)), Some(0));
        assert_eq!((seldom.admit_at(at(6)), seldom.admit_at(at(14))), (None, None));
        assert_eq!(seldom.admit_at(at(15)), Some(2));
    }
}
