//! `links serve [-ORB…]` serves and prints a reference.
//! `links twoway THREADS SECONDS REF [-ORB…]` calls it from several threads over one connection,
//! `links oneway SECONDS REF [-ORB…]` sends oneway calls from one thread. Both print the number
//! of calls per second; the script `links` compares them with those of omniORB.
//! `links futures COUNT REF [-ORB…]` makes COUNT concurrent asynchronous calls from one thread,
//! and prints the number of replies per second and the memory for each call.

use armilla::{ConnectionPolicy, Orb, ReplyFuture, SyncScope, SystemException};
use armilla_bench::{Sink, TtcpSequence, TtcpSequenceRef, exit_code, ttcp_sequence};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["serve", ..] => serve(&arguments),
        ["twoway", threads, seconds, url, ..] => match (threads.parse(), time(seconds)) {
            (Ok(threads), Some(time)) => twoway(threads, time, url, &arguments),
            _ => return usage(),
        },
        ["oneway", seconds, url, ..] => match time(seconds) {
            Some(time) => oneway(time, url, &arguments),
            None => return usage(),
        },
        ["futures", count, url, ..] => match count.parse() {
            Ok(count) => futures(count, url, &arguments),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    exit_code(outcome)
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: links serve | twoway THREADS SECONDS REF | oneway SECONDS REF | futures COUNT REF \
         [-ORB…]"
    );
    ExitCode::from(2)
}

fn time(seconds: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

fn serve(arguments: &[String]) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let sink = orb.root_poa().activate(ttcp_sequence::tie(Sink))?;
    println!("{}", orb.object_to_string(&sink)?);
    orb.run()
}

fn twoway(
    threads: usize,
    time: Duration,
    url: &str,
    arguments: &[String],
) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let sink =
        orb.resolve::<dyn TtcpSequence>(url)?.with_connection_policy(ConnectionPolicy::Multiplexed);
    let calls = AtomicU64::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        let call = || {
            let mut mine = 0_u64;
            while !mine.is_multiple_of(64) || started.elapsed() < time {
                sink.send_no_params_2way()?;
                mine += 1;
            }
            calls.fetch_add(mine, Ordering::Relaxed);
            Ok::<(), SystemException>(())
        };
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(call)).collect();
        all.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    println!("{:.0}", calls.into_inner() as f64 / started.elapsed().as_secs_f64());
    Ok(())
}

/// The last call has a reply, behind which all others have arrived.
fn oneway(time: Duration, url: &str, arguments: &[String]) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let sink: TtcpSequenceRef = orb.resolve(url)?;
    let sink =
        sink.with_connection_policy(ConnectionPolicy::Multiplexed).with_sync_scope(SyncScope::None);
    let started = Instant::now();
    let mut calls = 0_u64;
    while !calls.is_multiple_of(256) || started.elapsed() < time {
        sink.send_no_params_1way()?;
        calls += 1;
    }
    sink.send_no_params_2way()?;
    println!("{:.0}", calls as f64 / started.elapsed().as_secs_f64());
    Ok(())
}

/// Rounds of calls of which none is waited for before all are under way.
fn futures(count: usize, url: &str, arguments: &[String]) -> Result<(), SystemException> {
    const ROUNDS: u32 = 20;
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let sink: TtcpSequenceRef = orb.resolve(url)?;
    let call =
        || -> ReplyFuture<()> { sink.invoke_async("sendNoParams_2way", |_| Ok(()), |_| Ok(())) };
    call().wait()?;
    let before = resident();
    let started = Instant::now();
    for _ in 0..ROUNDS {
        let all: Vec<_> = (0..count).map(|_| call()).collect();
        all.into_iter().try_for_each(ReplyFuture::wait)?;
    }
    let rate = f64::from(ROUNDS) * count as f64 / started.elapsed().as_secs_f64();
    let octets = resident().saturating_sub(before) / count.max(1);
    println!("{rate:.0} calls a second, {count} at a time, {octets} octets each");
    Ok(())
}

/// How much memory the process has ever had at once, in octets.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kib.unwrap_or_default() * 1024
}
