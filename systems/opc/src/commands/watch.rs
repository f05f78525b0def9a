//! `watch`

use super::Remote;
use super::output::show;
use armilla_opc::client::{self, GroupOptions, Sinks, Told};
use armilla_opc::status::text;
use armilla_terminal::{Failure, Outcome, complain, on_interrupt};
use clap::Args;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug, Args)]
pub(super) struct Watch {
    #[command(flatten)]
    remote: Remote,
    /// The items, by their whole names
    #[arg(required = true)]
    items: Vec<String>,
    /// How often the server looks for changes, in milliseconds
    #[arg(
        long,
        value_name = "MILLISECONDS",
        default_value_t = 1000,
        allow_negative_numbers = true
    )]
    rate: u32,
    /// How many percent of its range a value has to change by, if it has one
    #[arg(long, default_value_t = 0.0, value_parser = percent, allow_negative_numbers = true)]
    dead_band: f32,
    /// Print lines of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sinking: Sinking,
    /// End after so many values
    #[arg(long)]
    count: Option<u64>,
    /// Give up when the server could not be reached for so many seconds
    #[arg(long, value_name = "SECONDS")]
    give_up: Option<u64>,
    /// After how many seconds of silence to ask whether the server is there
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    silence: u64,
}

/// How this host is told of changes.
#[derive(Debug, Args)]
pub(super) struct Sinking {
    /// Ask the server again and again, instead of having it call: for servers that cannot reach this host
    #[arg(long, conflicts_with = "sink")]
    poll: bool,
    /// Where the server calls: an address of this host, with a port if a firewall has to know it
    #[arg(long, value_name = "ADDRESS[:PORT]")]
    sink: Option<String>,
    /// What the server calls this host, if addresses are translated in between
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
}

impl Sinking {
    /// Where the server calls; `None` if it is asked.
    pub(super) fn sinks(&self, remote: &Remote) -> Outcome<Option<Sinks>> {
        if self.poll {
            return Ok(None);
        }
        let at = match &self.sink {
            Some(at) => with_port(at),
            None => with_port(&Sinks::address_towards(remote.target.plain_host())?.to_string()),
        };
        let (account, names) = (remote.account.credentials()?, self.name.clone());
        Ok(Some(Sinks::listen(&*at, names, &account, remote.account.allow_low_level)?))
    }
}

/// An address with a port: any, if none is given.
fn with_port(at: &str) -> String {
    match at.trim_start_matches('[').trim_end_matches(']').parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]:0"),
        Err(_) if at.contains(':') => at.to_owned(),
        Err(_) => format!("{at}:0"),
    }
}

fn percent(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "it is a number between 0 and 100".to_owned())
}

/// Why a watch ends: something failed, or enough was seen.
enum End {
    Failed(Failure),
    Enough,
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<client::Error> for End {
    fn from(error: client::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Watch {
    pub(super) fn run(self) -> Outcome {
        let account = &self.remote.account;
        let client = account.client()?;
        let sinks = self.sinking.sinks(&self.remote)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        on_interrupt("the server is told", move || stopped.store(true, Ordering::SeqCst))?;
        let rate = Duration::from_millis(self.rate.into());
        let watch = client::Watch {
            client: &client,
            target: &self.remote.target,
            items: &self.items,
            group: GroupOptions { rate, dead_band: self.dead_band, ..GroupOptions::default() },
            sinks: sinks.as_ref(),
            silence: Duration::from_secs(self.silence.max(1)),
            pause: Duration::from_secs(30),
            patience: self.give_up.map(Duration::from_secs),
        };
        let seen = AtomicU64::new(0);
        let ended = watch.run::<End>(&stop, |told| self.tell(told, &seen));
        // References to the groups are given back before the program ends.
        client.flush(Duration::from_secs(2));
        match ended {
            Ok(()) | Err(End::Enough) => Ok(()),
            Err(End::Failed(failure)) => Err(failure),
        }
    }

    fn tell(&self, told: Told<'_>, seen: &AtomicU64) -> Result<(), End> {
        match told {
            Told::Connected(rate) if rate != Duration::from_millis(self.rate.into()) => {
                complain(format_args!("the server looks for changes every {rate:?}\n"));
            }
            Told::Connected(_) => {}
            Told::Refused(id, status) => complain(format_args!("{id}: {}\n", text(status))),
            Told::Lost(error, _) if seen.load(Ordering::SeqCst) == 0 && error.is_mistake() => {
                return Err(End::Failed(Failure::because(error)));
            }
            Told::Lost(error, pause) => {
                complain(format_args!("{error}; again in {} s\n", pause.as_secs()));
            }
            Told::Value(id, sample) => {
                show(id, sample, self.json)?;
                let seen = seen.fetch_add(1, Ordering::SeqCst) + 1;
                if self.count.is_some_and(|count| seen >= count) {
                    return Err(End::Enough);
                }
            }
        }
        Ok(())
    }
}
