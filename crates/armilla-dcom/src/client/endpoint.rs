//! The connections to a server, which calls take turns to use.

use super::error::{Cause, Error, Step};
use super::options::ClientOptions;
use crate::string_array::{DualStringArray, StringBinding};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use armilla_dcerpc::client::{Call, RemoteFault};
use armilla_dcerpc::driver::{Connection, DriverError};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::{ByteOrder, Status, SyntaxId, Uuid};
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How many connections to a server are kept that no call uses.
const MOST_KEPT: usize = 8;

/// How many connections all clients of the process keep that no call uses: each has a descriptor, and
/// how many servers there are is said by whoever hands out references.
const MOST_KEPT_BY_ALL: usize = 512;

/// How many all clients keep.
static KEPT_BY_ALL: AtomicUsize = AtomicUsize::new(0);

/// A place among the connections that are kept.
#[derive(Debug)]
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let more = |kept| (kept < MOST_KEPT_BY_ALL).then_some(kept + 1);
        let (done, failed) = (Ordering::Relaxed, Ordering::Relaxed);
        KEPT_BY_ALL.fetch_update(done, failed, more).is_ok().then_some(Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        KEPT_BY_ALL.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many interfaces a connection is bound to before another one is made.
const MOST_INTERFACES: usize = 100;

/// A server's addresses, in the order in which they are tried, and connections to it.
#[derive(Debug)]
pub(super) struct Endpoint {
    addresses: Vec<(String, u16)>,
    kept: Mutex<Vec<(Kept, Place)>>,
}

#[derive(Debug)]
struct Kept {
    connection: Connection,
    interfaces: usize,
    level: AuthLevel,
    /// When a call used it last.
    used: Instant,
}

/// Which operation of what is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) step: Step,
    /// What an error names.
    pub(super) what: &'a str,
    pub(super) level: AuthLevel,
    pub(super) interface: SyntaxId,
    pub(super) opnum: u16,
    pub(super) object: Option<Uuid>,
}

impl Target<'_> {
    pub(super) fn error(&self, step: Step, cause: Cause) -> Error {
        Error::new(step, self.what, self.level, cause)
    }
}

impl Endpoint {
    /// The server at one address.
    pub(super) fn new(host: &str, port: u16) -> Self {
        Self { addresses: alloc::vec![(host.to_string(), port)], kept: Mutex::default() }
    }

    /// The server that bindings name. Behind them comes the host by which the reference came: with
    /// address translation only that may lead there.
    pub(super) fn of(
        bindings: &DualStringArray,
        options: &ClientOptions,
        (host, assumed): (Option<&str>, u16),
    ) -> Self {
        let mut addresses: Vec<(String, u16)> = Vec::new();
        let mut add = |host: &str, port: u16| {
            if !addresses.iter().any(|(known, at)| known == host && *at == port) {
                addresses.push((host.to_string(), port));
            }
        };
        let tcp = || bindings.strings.iter().filter(|it| it.tower == StringBinding::TCP);
        for binding in tcp() {
            let (host, port) = binding.host_and_port();
            let port = port.unwrap_or(assumed);
            match options.addresses.get(host) {
                Some(other) => {
                    let other = StringBinding::tcp(other);
                    let (host, at) = other.host_and_port();
                    add(host, at.unwrap_or(port));
                }
                None => add(host, port),
            }
        }
        if let Some(host) = host {
            tcp().for_each(|binding| add(host, binding.host_and_port().1.unwrap_or(assumed)));
        }
        Self { addresses, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(Kept, Place)>> {
        // A connection is either in the list or not.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connections that no call uses.
    pub(super) fn close(&self) {
        self.kept().clear();
    }

    /// Closes those that no call has used for that long.
    pub(super) fn close_unused(&self, limit: Duration) {
        self.kept().retain(|(kept, _)| kept.used.elapsed() < limit);
    }

    /// Makes a call. Whatever happens, it ends within the client's timeout.
    pub(super) fn call(
        &self,
        options: &ClientOptions,
        target: Target<'_>,
        stub: &[u8],
    ) -> Result<(ByteOrder, Vec<u8>), Error> {
        let deadline = Instant::now() + options.timeout.min(LONGEST);
        let left = || deadline.saturating_duration_since(Instant::now()).max(SHORTEST);
        let mut used = self.bound(options, &target, &left)?;
        let call =
            Call { object: target.object, ..Call::new(target.interface, target.opnum, stub) };
        let timed = used.connection.set_timeout(left());
        let done = timed.and_then(|()| used.connection.call_stub(&call));
        // After any other failure nobody knows what comes next on the connection. Whoever is sent more than
        // it takes says so, and closes.
        let refused = |fault: &RemoteFault| fault.status == Status::OUT_OF_RESOURCES;
        let stands = match &done {
            Ok(_) => true,
            Err(DriverError::Fault(fault)) => !refused(fault),
            Err(_) => false,
        };
        if stands {
            used.used = Instant::now();
            let mut kept = self.kept();
            if kept.len() < MOST_KEPT
                && let Some(place) = Place::take()
            {
                kept.push((used, place));
            }
        }
        done.map_err(|error| target.error(target.step, Cause::Connection(error)))
    }

    /// A connection that is bound to the interface.
    fn bound(
        &self,
        options: &ClientOptions,
        target: &Target<'_>,
        left: &dyn Fn() -> Duration,
    ) -> Result<Kept, Error> {
        while let Some(mut kept) = self.take(target) {
            if kept.connection.is_bound(target.interface) {
                return Ok(kept);
            }
            if kept.interfaces >= MOST_INTERFACES {
                continue;
            }
            kept.interfaces += 1;
            let timed = kept.connection.set_timeout(left());
            let altered = timed.and_then(|()| kept.connection.alter(target.interface));
            altered.map_err(|error| target.error(Step::Bind, Cause::Connection(error)))?;
            return Ok(kept);
        }
        let mut connection = self.connect(options, target, left)?;
        let level = target.level;
        let security = (level > AuthLevel::None).then(|| (options.context(), level));
        let bound = connection.bind(&[target.interface], security);
        bound.map_err(|error| target.error(Step::Bind, Cause::Connection(error)))?;
        Ok(Kept { connection, interfaces: 1, level, used: Instant::now() })
    }

    /// A kept connection that still stands: one that is bound to the interface before another one.
    fn take(&self, target: &Target<'_>) -> Option<Kept> {
        loop {
            let kept = {
                let mut kept = self.kept();
                let fits = |it: &Kept| it.level == target.level;
                let bound = |it: &Kept| fits(it) && it.connection.is_bound(target.interface);
                let of = |which: &dyn Fn(&Kept) -> bool| kept.iter().rposition(|(it, _)| which(it));
                let place = of(&bound).or_else(|| of(&fits))?;
                kept.swap_remove(place).0
            };
            if kept.connection.is_quiet() {
                return Some(kept);
            }
        }
    }

    fn connect(
        &self,
        options: &ClientOptions,
        target: &Target<'_>,
        left: &dyn Fn() -> Duration,
    ) -> Result<Connection, Error> {
        let (mut tried, mut known) = (String::new(), false);
        for (host, port) in &self.addresses {
            if left() <= SHORTEST && !tried.is_empty() {
                break;
            }
            let timeout = options.connect_timeout.min(left());
            match Connection::connect_with((&**host, *port), timeout, options.rpc()) {
                Ok(mut connection) => {
                    let timed = connection.set_timeout(left());
                    timed.map_err(|error| target.error(Step::Bind, Cause::Connection(error)))?;
                    return Ok(connection);
                }
                Err(error) => {
                    let separator = if tried.is_empty() { "" } else { "; " };
                    tried += &format!("{separator}{host}[{port}]: {error}");
                    known |= !matches!(error, DriverError::UnknownHost(_));
                }
            }
        }
        if tried.is_empty() {
            tried += "the reference names no address of TCP";
            known = true;
        }
        let cause = if known { Cause::Unreachable } else { Cause::UnknownHost };
        Err(target.error(Step::Bind, cause(tried)))
    }
}

/// What is left at the end of a time: the operating system takes no wait of nothing.
const SHORTEST: Duration = Duration::from_millis(1);

/// The longest that an operation may take, whatever a program sets.
pub(super) const LONGEST: Duration = Duration::from_secs(24 * 3600);
