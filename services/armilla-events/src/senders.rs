//! The senders of a multicast group, as far as their numbers tell of losses: bounded, whatever
//! strangers send.

use armilla_ipc::host::site;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

/// The most senders whose numbers are known.
const MOST: usize = 1_024;
/// The most of one host.
const MOST_OF_HOST: usize = 64;

/// A sender: its host, so that another host cannot use up its numbers, and its own number.
type Sender = (IpAddr, u64);

/// The last number of each sender that was heard lately. When there are too many, the one is
/// forgotten that was silent longest; those of a host that has its share make room for its own
/// alone.
#[derive(Debug, Default)]
pub(crate) struct Senders {
    /// The last number of each, and when it was heard.
    known: HashMap<Sender, (u64, u64)>,
    /// Each by when it was heard.
    heard: BTreeMap<u64, Sender>,
    /// How many each host has, a network of IPv6 with 64 bits being one.
    hosts: HashMap<IpAddr, usize>,
    clock: u64,
}

impl Senders {
    /// Notes a datagram. Returns how many of its sender were lost before it; `None` if it has come
    /// already, or behind later ones.
    pub(crate) fn advance(&mut self, host: IpAddr, sender: u64, number: u64) -> Option<u64> {
        let sender = (host, sender);
        let lost = match self.known.get(&sender).copied() {
            Some((last, heard)) => {
                let lost = number.checked_sub(last)?.checked_sub(1)?;
                self.heard.remove(&heard);
                lost
            }
            None => {
                self.make_room(host);
                *self.hosts.entry(site(host)).or_default() += 1;
                0
            }
        };
        self.clock += 1;
        self.heard.insert(self.clock, sender);
        self.known.insert(sender, (number, self.clock));
        Some(lost)
    }

    /// Makes room for one more sender of a host.
    fn make_room(&mut self, host: IpAddr) {
        let has_share = self.hosts.get(&site(host)).is_some_and(|count| *count >= MOST_OF_HOST);
        if !has_share && self.known.len() < MOST {
            return;
        }
        let mut silent = self.heard.iter();
        let oldest = silent.find(|(_, sender)| !has_share || site(sender.0) == site(host));
        let Some((heard, sender)) = oldest.map(|(heard, sender)| (*heard, *sender)) else { return };
        self.heard.remove(&heard);
        self.known.remove(&sender);
        let site = site(sender.0);
        if let Some(count) = self.hosts.get_mut(&site) {
            *count -= 1;
            if *count == 0 {
                self.hosts.remove(&site);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(last: u32) -> IpAddr {
        IpAddr::from((0x0a00_0000_u32 + last).to_be_bytes())
    }

    #[test]
    fn what_was_lost_or_came_again_shows_in_the_numbers() {
        let mut senders = Senders::default();
        let mut hear = |number| senders.advance(host(1), 7, number);
        assert_eq!([3, 4, 9].map(&mut hear), [Some(0), Some(0), Some(4)]);
        assert_eq!([9, 5, 0].map(&mut hear), [None; 3]);
        assert_eq!(hear(u64::MAX), Some(u64::MAX - 10));
        assert_eq!(hear(u64::MAX), None);
    }

    #[test]
    fn another_host_cannot_silence_a_sender() {
        let mut senders = Senders::default();
        assert_eq!(senders.advance(host(1), 7, 1), Some(0));
        // The number of the sender is no secret: it stands in each datagram.
        assert_eq!(senders.advance(host(2), 7, u64::MAX), Some(0));
        assert_eq!(senders.advance(host(1), 7, 2), Some(0));
    }

    #[test]
    fn a_host_that_invents_senders_makes_nobody_else_forgotten() {
        let mut senders = Senders::default();
        senders.advance(host(1), 7, 5);
        for sender in 0..10_000 {
            senders.advance(host(2), sender, 1);
        }
        assert_eq!(senders.known.len(), 1 + MOST_OF_HOST);
        assert_eq!(senders.advance(host(1), 7, 5), None, "known still");
        for at in 10..10_000 {
            senders.advance(host(at), 1, 1);
        }
        let Senders { known, heard, hosts, .. } = &senders;
        assert_eq!((known.len(), heard.len(), hosts.len()), (MOST, MOST, MOST));
    }

    #[test]
    fn a_network_of_ipv6_is_one_host() {
        let mut senders = Senders::default();
        let host = |network: u128, last: u128| {
            IpAddr::from(((0x2001_0db8 << 96) + (network << 64) + last).to_be_bytes())
        };
        senders.advance(host(1, 1), 7, 5);
        for last in 0..1_000 {
            senders.advance(host(2, last), 7, 1);
        }
        assert_eq!(senders.known.len(), 1 + MOST_OF_HOST);
        assert_eq!(senders.advance(host(2, 999), 7, 5), Some(3), "told apart all the same");
        assert_eq!(senders.hosts.len(), 2);
    }
}
