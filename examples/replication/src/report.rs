//! A run: members, tellers, kills, and what came of it.

use crate::idl::lasting::{Ledger as _, LedgerRef};
use crate::killer::Members;
use crate::options::Options;
use crate::tellers::{ACCOUNTS, Seen, work};
use armilla::{Heartbeat, Orb, Policies};
use armilla_replication::{EtcdRegistry, ViewRegistry, group_reference};
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What each account has in the beginning.
const MONEY: i32 = 1000;

/// Runs the bank. Whether each transfer was made once, and no money was lost.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let registry = EtcdRegistry::connect(&options.etcd, None)?;
    let orb = Orb::new()?;
    let mut members = Members::start(options, &registry, &orb)?;
    let view = members.wait()?;
    let group = group_reference(&options.group(), &view)?.to_text()?;
    let half = Duration::from_millis(200);
    let ledger: LedgerRef = orb.string_to_object(&group)?.assume().with_policies(Policies {
        heartbeat: Some(Heartbeat { interval: half, timeout: half }),
        ..Policies::default()
    });
    for number in 0..ACCOUNTS {
        ledger.pay_in(&format!("account {number}"), MONEY)?;
    }
    let (seen, ends, begun) = (Seen::default(), AtomicBool::new(false), Instant::now());
    let killed = thread::scope(|scope| {
        let killing = scope.spawn(|| kill_until(&mut members, options.kill, &ends));
        work(&ledger, options.tellers, options.calls, &seen);
        ends.store(true, Ordering::Relaxed);
        killing.join().unwrap_or_else(|_| Err("the killer has panicked".to_owned()))
    })?;
    let took = begun.elapsed();
    let executed = ledger.transfers()?;
    let sum = (0..ACCOUNTS).try_fold(0, |sum, number| {
        Ok::<_, armilla::SystemException>(sum + ledger.balance(&format!("account {number}"))?)
    })?;
    let made = seen.made.load(Ordering::Relaxed);
    let failed = seen.failed.load(Ordering::Relaxed);
    println!("calls       {} in {:.1} s", seen.calls(), took.as_secs_f64());
    println!("killed      {} primaries, {} backups", killed.primaries, killed.backups);
    println!("stopped     {} primaries for a while", killed.stopped);
    println!("made        {made}, and {} refused", seen.refused.load(Ordering::Relaxed));
    println!("failed      {failed}");
    println!("executed    {executed}");
    println!("money       {sum} of {}", ACCOUNTS as i32 * MONEY);
    let (reads, old) = (seen.reads.load(Ordering::Relaxed), seen.old.load(Ordering::Relaxed));
    println!("reads       {reads}, {old} of what was no longer true");
    println!("longest     {:.0} ms", seen.longest().as_secs_f64() * 1000.0);
    registry.read(&options.group())?.map(|view| registry.forget(&options.group(), view.version));
    Ok(executed == made && failed == 0 && old == 0 && sum == ACCOUNTS as i32 * MONEY)
}

/// What was done to members.
#[derive(Default)]
struct Killed {
    primaries: u64,
    backups: u64,
    stopped: u64,
}

/// Kills members until it is told to end, and stops one now and then.
fn kill_until(
    members: &mut Members<'_>,
    every: Duration,
    ends: &AtomicBool,
) -> Result<Killed, String> {
    let mut killed = Killed::default();
    for round in 1.. {
        let begun = Instant::now();
        while begun.elapsed() < every {
            if ends.load(Ordering::Relaxed) {
                return Ok(killed);
            }
            thread::sleep(Duration::from_millis(20));
        }
        match round % 5 {
            4 => members.stop().map(|()| killed.stopped += 1)?,
            _ if members.kill(round)? => killed.primaries += 1,
            _ => killed.backups += 1,
        }
    }
    Ok(killed)
}
