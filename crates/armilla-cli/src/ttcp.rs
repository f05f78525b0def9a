//! `armilla ttcp`: tests the network between two machines.

use crate::failure::{Failure, Outcome};
use crate::output::print;
use armilla_bench::ttcp::{Carrier, Summary, Tester};
use clap::Args;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

/// The port of the classic tool.
const PORT: u16 = 5001;

/// What a datagram holds so that it fits into a frame of Ethernet.
const DATAGRAM: usize = 1472;

/// Test the network between two machines: one receives (-r), the other transmits (-t HOST)
///
/// Both sides say how fast it went, and what did not let it go faster: a rate that was asked for, a
/// processor that was busy for 85 % of the time or more, or else the largest part of the time as the
/// kernel divides it for TCP: nothing to send, the receiver's window, the send queue, the path (a full
/// link, losses if they allow no more, a congestion window that still grew). The options of one side
/// need not be those of the other, but for -u, --unix and -p. Over TCP the other side may be the classic
/// tool.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("side").required(true).args(["transmit", "receive"])))]
pub(crate) struct Ttcp {
    /// Transmit to HOST
    #[arg(short, long)]
    transmit: bool,
    /// Receive, and count
    #[arg(short, long)]
    receive: bool,
    /// The machine that receives; this one when not given
    #[arg(value_name = "HOST", conflicts_with_all = ["receive", "unix"])]
    host: Option<String>,
    /// Octets of a call, and of a datagram: 8192, over UDP 1472. K and M may follow
    #[arg(short, long, value_parser = size)]
    length: Option<usize>,
    /// How many calls are made
    #[arg(short = 'n', long, default_value_t = 16_384)]
    count: u64,
    /// Transmit for so many seconds instead of --count
    #[arg(short = 'T', long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Octets of the socket queues; the system's when not given
    #[arg(short = 'b', long, value_name = "OCTETS", value_parser = size)]
    queue: Option<usize>,
    /// The port of the receiver
    #[arg(short, long, default_value_t = PORT)]
    port: u16,
    /// Use UDP
    #[arg(short, long, conflicts_with = "unix")]
    udp: bool,
    /// Use a Unix-domain socket
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    /// Send at most so many Mbit/s
    #[arg(short = 'R', long, value_name = "MBIT/S", value_parser = rate)]
    rate: Option<f64>,
    /// The congestion control of TCP, such as cubic or reno
    #[arg(long, value_name = "NAME")]
    congestion: Option<String>,
}

/// A number of octets.
fn size(text: &str) -> Result<usize, String> {
    let bad = || format!("{text:?}: a number from 1 to 16M is needed");
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(factor));
    size.filter(|size| (1..=16 << 20).contains(size)).ok_or_else(bad)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| format!("{text:?} is no time in seconds"))
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
    rate.map(|megabits| megabits * 1e6).ok_or_else(|| format!("{text:?} is no rate in Mbit/s"))
}

/// Tests, and tells what came out.
pub(crate) fn run(ttcp: &Ttcp) -> Outcome {
    let carrier = match &ttcp.unix {
        Some(path) => Carrier::Unix(path.clone()),
        None if ttcp.udp => Carrier::Udp,
        None => Carrier::Tcp,
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
        carrier,
    };
    if tester.carrier == Carrier::Udp && !(16..=65_507).contains(&tester.length) {
        return Err(Failure::usage("a datagram has 16 to 65507 octets (-l)"));
    }
    let summary = match ttcp.transmit {
        true => transmit(&tester, ttcp.host.as_deref().unwrap_or("localhost"))?,
        false => {
            let receiving = tester.receive(|place| eprintln!("ttcp-r: listening at {place}"));
            receiving.map_err(|error| {
                let taken = error.kind() == ErrorKind::AddrInUse && !tester.carrier.is_unix();
                let hint = if taken { " (-p chooses another port, here and there)" } else { "" };
                Failure::because(format_args!("cannot receive: {error}{hint}"))
            })?
        }
    };
    print(format_args!("{summary}"))
}

fn transmit(tester: &Tester, host: &str) -> Outcome<Summary> {
    let place = match &tester.carrier {
        Carrier::Unix(path) => path.display().to_string(),
        _ => host.to_owned(),
    };
    tester.transmit(host).map_err(|error| {
        let no_socket = error.kind() == ErrorKind::NotFound && tester.carrier.is_unix();
        let absent = error.kind() == ErrorKind::ConnectionRefused || no_socket;
        let hint = if absent { " (start the receiver first: armilla ttcp -r)" } else { "" };
        Failure::because(format_args!("cannot transmit to {place}: {error}{hint}"))
    })
}
