//! A model of bidirectional offers: `accept_offer` and the end of a connection (`bidirectional.rs`)
//! and the claims of clients to an address (`reverse_connections.rs`), in every order. The search
//! must find an error when one of their rules is omitted.
//!
//! All claims are to one address. The list of claims has a lock of its own that no thread keeps, so
//! each of its changes is one step.

use armilla_model_checker::{Model, Outcome};

/// What a thread does with the connection of this number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    /// Receives offers for the address: the client repeats them with each request.
    Receives(usize),
    /// Ends it.
    Ends(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    /// Takes the lock of the addresses that the connection was offered for.
    Lock,
    /// Reads whether the connection ends, and whether the offer is a repetition.
    Check,
    Claim,
    Note,
    Close,
    /// Takes the offers away, under their lock.
    Take,
    Withdraw,
    Done,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    role: Role,
    next: Step,
    /// How many offers are still to come.
    offers: u32,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Connection {
    client: char,
    /// The thread that has the lock.
    lock: Option<usize>,
    offered: bool,
    /// Whether any offer was ever accepted.
    heard: bool,
    closing: bool,
    /// What the thread that ends it has taken.
    taken: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    threads: Vec<Thread>,
    connections: Vec<Connection>,
    /// The connections in the order in which they are tried.
    claims: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Rules {
    /// The lock is kept from the check to the note.
    locked: bool,
    /// No offer of a connection that ends counts.
    checked: bool,
    /// The claim of a second client waits; otherwise it is passed over.
    waits: bool,
}

const RULES: Rules = Rules { locked: true, checked: true, waits: true };

impl World {
    /// Connections of these clients; each gets two offers, and those in `ending` end.
    fn new(clients: &[char], ending: &[usize]) -> Self {
        let receives = (0..clients.len()).map(|number| Thread {
            role: Role::Receives(number),
            next: Step::Lock,
            offers: 2,
        });
        let ends = ending.iter().map(|number| Thread {
            role: Role::Ends(*number),
            next: Step::Close,
            offers: 0,
        });
        let connection = |client: &char| Connection { client: *client, ..Connection::default() };
        Self {
            threads: receives.chain(ends).collect(),
            connections: clients.iter().map(connection).collect(),
            claims: Vec::new(),
        }
    }

    /// Adds a claim as `Claims::add` does.
    fn claim(&mut self, number: usize, waits: bool) {
        let client = |number: &usize| self.connections[*number].client;
        let is_same = |claim: &usize| client(claim) == client(&number);
        let place = self.claims.iter().position(is_same).unwrap_or(self.claims.len());
        if place == 0 || waits {
            self.claims.insert(place, number);
        }
    }

    fn unlock(&mut self, me: usize, number: usize) {
        let lock = &mut self.connections[number].lock;
        *lock = lock.filter(|owner| *owner != me);
    }

    /// The end of an offer.
    fn received(&mut self, me: usize, number: usize) -> Step {
        self.unlock(me, number);
        self.threads[me].offers -= 1;
        if self.threads[me].offers > 0 { Step::Lock } else { Step::Done }
    }
}

impl Model for World {
    type Rules = Rules;

    fn threads(&self) -> usize {
        self.threads.len()
    }

    /// All is under locks.
    fn store(&mut self, _: usize) -> bool {
        false
    }

    fn step(&mut self, me: usize, rules: &Rules) -> Outcome<bool> {
        let (Role::Receives(number) | Role::Ends(number)) = self.threads[me].role;
        self.threads[me].next = match self.threads[me].next {
            Step::Done => return Ok(false),
            Step::Lock | Step::Take if self.connections[number].lock.is_some() => return Ok(false),
            Step::Lock => {
                self.connections[number].lock = Some(me);
                Step::Check
            }
            Step::Check => {
                let connection = &self.connections[number];
                let passed = rules.checked && connection.closing || connection.offered;
                if !rules.locked {
                    self.unlock(me, number);
                }
                if passed { self.received(me, number) } else { Step::Claim }
            }
            Step::Claim => {
                self.claim(number, rules.waits);
                Step::Note
            }
            Step::Note => {
                self.connections[number].offered = true;
                self.connections[number].heard = true;
                self.received(me, number)
            }
            Step::Close => {
                self.connections[number].closing = true;
                Step::Take
            }
            Step::Take => {
                let connection = &mut self.connections[number];
                connection.taken = std::mem::take(&mut connection.offered);
                Step::Withdraw
            }
            Step::Withdraw => {
                if self.connections[number].taken {
                    self.claims.retain(|claim| *claim != number);
                }
                Step::Done
            }
        };
        Ok(true)
    }

    fn settled(&self) -> Outcome<()> {
        if self.threads.iter().any(|thread| thread.next != Step::Done) {
            return Err("a thread waits for ever");
        }
        for (number, connection) in self.connections.iter().enumerate() {
            let claims = self.claims.iter().filter(|claim| **claim == number).count();
            match (connection.closing, connection.heard, claims) {
                (true, _, 0) | (false, true, 1) | (false, false, 0) => {}
                (true, ..) => return Err("a connection that has ended claims the address"),
                _ => return Err("the offer of a connection that is open does not count"),
            }
        }
        let mut clients: Vec<char> =
            self.claims.iter().map(|claim| self.connections[*claim].client).collect();
        clients.dedup();
        let changes = clients.len();
        clients.sort_unstable();
        clients.dedup();
        if changes == clients.len() { Ok(()) } else { Err("the claims of clients mix") }
    }
}

fn explore(clients: &[char], ending: &[usize], rules: Rules) -> Outcome<usize> {
    armilla_model_checker::explore(World::new(clients, ending), &rules)
}

#[test]
fn the_offer_of_a_second_client_counts_when_the_first_has_gone_in_every_order() {
    assert!(explore(&['a', 'b'], &[0], RULES).unwrap() > 100);
    assert!(explore(&['a', 'b'], &[0, 1], RULES).unwrap() > 500);
    assert!(explore(&['a', 'a', 'b'], &[0, 1], RULES).unwrap() > 1_000);
    assert!(explore(&['a', 'b', 'a'], &[0], RULES).unwrap() > 1_000);
}

#[test]
fn no_rule_of_offers_can_be_dropped() {
    for rules in [
        Rules { locked: false, ..RULES },
        Rules { checked: false, ..RULES },
        Rules { waits: false, ..RULES },
    ] {
        assert!(explore(&['a', 'b'], &[0], rules).is_err());
    }
}
