//! `armilla ttcp`: tests the network between two machines.

use armilla_bench::ttcp::{Protocol, Stop, Summary, Tester};
use armilla_terminal::{Failure, Outcome, on_interrupt, print, unless_interrupted};
use clap::Args;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

/// The port of the classic tool.
const PORT: u16 = 5001;

/// The payload of a datagram that fits into an Ethernet frame.
const DATAGRAM: usize = 1472;

/// Test the network between two machines: one receives (-r), the other transmits (-t HOST)
///
/// Both sides print the throughput and the bottleneck. The bottleneck is the requested rate (-R), a
/// processor that was busy for 85 % of the time or more, or else the largest share of the time in
/// the kernel's TCP statistics: nothing to send, the receiver's window, the send queue, or the path
/// (a saturated link, losses, a growing congestion window). -u, --unix and -p have to agree on both
/// sides; the other options need not. Over TCP either side may be the classic ttcp. Ctrl-C ends a
/// side, which prints its results so report and exits with status 130. A second Ctrl-C ends it at
/// once.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("side").required(true).args(["transmit", "receive"])))]
pub(crate) struct Ttcp {
    /// Transmit to HOST
    #[arg(short, long)]
    transmit: bool,
    /// Receive and count
    #[arg(short, long)]
    receive: bool,
    /// The receiving machine [default: localhost]
    #[arg(value_name = "HOST", conflicts_with_all = ["receive", "unix"])]
    host: Option<String>,
    /// Octets in a call or datagram, with an optional suffix K or M [default: 8192, over UDP 1472]
    #[arg(short, long, value_parser = size)]
    length: Option<usize>,
    /// Number of calls to send
    #[arg(short = 'n', long, default_value_t = 16_384, conflicts_with = "receive",
        value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Transmit for this time instead of --count
    #[arg(short = 'T', long, value_name = "SECONDS", value_parser = seconds,
        conflicts_with_all = ["receive", "count"])]
    time: Option<Duration>,
    /// Size of the socket queues in octets, with an optional suffix K or M [default: the system's]
    #[arg(short = 'b', long, value_name = "OCTETS", value_parser = size)]
    queue: Option<usize>,
    /// The port of the receiver; with 0 the receiver picks a free port and prints it
    #[arg(short, long, default_value_t = PORT, conflicts_with = "unix")]
    port: u16,
    /// Use UDP
    #[arg(short, long, conflicts_with = "unix")]
    udp: bool,
    /// Use a Unix-domain socket
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    /// Limit the rate of transmission
    #[arg(short = 'R', long, value_name = "MBIT/S", value_parser = rate,
        conflicts_with = "receive")]
    rate: Option<f64>,
    /// TCP congestion control, such as cubic or reno [default: the system's]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["udp", "unix"])]
    congestion: Option<String>,
}

/// A number of octets.
fn size(text: &str) -> Result<usize, String> {
    let bad = || format!("{text:?}: expected a number from 1 to 16M");
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(factor));
    size.filter(|size| (1..=16 << 20).contains(size)).ok_or_else(bad)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let bad = || format!("{text:?}: expected a number of seconds greater than 0");
    seconds.filter(|time| !time.is_zero()).ok_or_else(bad)
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
    let bad = || format!("{text:?}: expected a rate in Mbit/s greater than 0");
    rate.map(|megabits| megabits * 1e6).ok_or_else(bad)
}

/// Runs a test and prints its summary.
pub(crate) fn run(ttcp: &Ttcp) -> Outcome {
    let protocol = match &ttcp.unix {
        Some(path) => Protocol::Unix(path.clone()),
        None if ttcp.udp => Protocol::Udp,
        None => Protocol::Tcp,
    };
    let usual = if ttcp.udp { DATAGRAM } else { 8192 };
    let tester = Tester {
        port: ttcp.port,
        length: ttcp.length.unwrap_or(usual),
        count: ttcp.count,
        duration: ttcp.time,
        queue: ttcp.queue,
        rate: ttcp.rate,
        congestion: ttcp.congestion.clone(),
        protocol,
    };
    check(&tester)?;
    if ttcp.transmit && tester.port == 0 {
        return Err(Failure::usage("-p 0 is valid with -r only"));
    }
    if let Some(told) = tester.queue.and_then(armilla_bench::queue_cut_short) {
        eprintln!("ttcp: {told}");
    }
    let stop = Stop::default();
    let stopping = stop.clone();
    on_interrupt("a second Ctrl-C ends at once", move || stopping.request())?;
    let summary = match ttcp.transmit {
        true => transmit(&tester, ttcp.host.as_deref().unwrap_or("localhost"), &stop)?,
        false => receive(&tester, &stop)?,
    };
    print(format_args!("{summary}"))?;
    unless_interrupted(stop.is_requested())?;
    // Without an answer nothing shows that any datagram arrived.
    match ttcp.udp && summary.transmitted && summary.report.is_none() {
        true => {
            let how = receiving(&tester);
            Err(Failure::because(format_args!("no receiver answered (start it first: {how})")))
        }
        false => Ok(()),
    }
}

/// The command that receives what this tester transmits.
fn receiving(tester: &Tester) -> String {
    let how = match &tester.protocol {
        Protocol::Unix(path) => return format!("armilla ttcp -r --unix {}", path.display()),
        Protocol::Udp => " -u",
        Protocol::Tcp => "",
    };
    match tester.port {
        PORT => format!("armilla ttcp -r{how}"),
        port => format!("armilla ttcp -r{how} -p {port}"),
    }
}

/// Rejects options that no network can satisfy.
fn check(tester: &Tester) -> Outcome {
    if tester.protocol == Protocol::Udp && !(16..=65_507).contains(&tester.length) {
        return Err(Failure::usage("a datagram has 16 to 65507 octets (-l)"));
    }
    let each = tester.due(tester.length as u64);
    match tester.duration {
        Some(duration) if each > duration => Err(Failure::usage(format_args!(
            "a call of {} octets (-l) takes {each:.3?} at this rate (-R), longer than {duration:?} \
             (-T)",
            tester.length
        ))),
        _ => Ok(()),
    }
}

fn receive(tester: &Tester, stop: &Stop) -> Outcome<Summary> {
    let listening = |place: &str| eprintln!("ttcp-r: listening at {place}");
    tester.receive(stop, listening).map_err(|error| {
        if error.kind() == ErrorKind::Interrupted {
            return Failure::Interrupted;
        }
        let taken = error.kind() == ErrorKind::AddrInUse && !tester.protocol.is_unix();
        let hint = match taken {
            true => " (choose another port with -p, on both sides)".to_owned(),
            false => unknown_congestion(tester, &error),
        };
        Failure::because(format_args!("cannot receive: {error}{hint}"))
    })
}

fn transmit(tester: &Tester, host: &str, stop: &Stop) -> Outcome<Summary> {
    let place = match &tester.protocol {
        Protocol::Unix(path) => path.display().to_string(),
        Protocol::Udp | Protocol::Tcp => host.to_owned(),
    };
    tester.transmit(host, stop).map_err(|error| {
        let no_socket = error.kind() == ErrorKind::NotFound && tester.protocol.is_unix();
        let absent = error.kind() == ErrorKind::ConnectionRefused || no_socket;
        let hint = match absent {
            true => format!(" (start the receiver first: {})", receiving(tester)),
            false => unknown_congestion(tester, &error),
        };
        Failure::because(format_args!("cannot transmit to {place}: {error}{hint}"))
    })
}

/// Lists the available congestion controls if `error` came from an unknown one.
fn unknown_congestion(tester: &Tester, error: &io::Error) -> String {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    match (known, &tester.congestion) {
        (Ok(known), Some(_)) if error.kind() == ErrorKind::NotFound => {
            format!(" (this kernel has {})", known.trim())
        }
        _ => String::new(),
    }
}
