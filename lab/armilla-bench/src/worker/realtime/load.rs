//! The load beside the high-priority client: low-priority clients, or something that disturbs.

use super::super::{Outcome, Worker};
use super::idl::real_time::{Task, TaskRef};
use super::{number, option, work};
use armilla::transport::IiopProfile;
use armilla::{Ior, Orb};
use armilla_ipc::real_time::{monotonic_now, sleep_until};
use armilla_ipc::{Address, StreamOptions, connect};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// The work of a call.
const WORK: Duration = Duration::from_millis(1);

pub(super) fn run(worker: &Worker) -> Outcome {
    let clients = number(worker, "clients")?;
    let kind = option(worker, "load").unwrap_or("calls").to_owned();
    // The time from call to call of a client; zero for as fast as it can.
    let period = match option(worker, "percent").and_then(|percent| percent.parse::<f64>().ok()) {
        Some(percent) if percent < 100.0 => WORK.mul_f64(clients as f64 * 100.0 / percent),
        _ => Duration::ZERO,
    };
    for _ in 0..clients {
        let (kind, place) = (kind.clone(), worker.place.clone());
        let sockets = option(worker, "variant") == Some("sockets");
        thread::spawn(move || {
            // A client that fails ends; the others go on.
            if let Err(error) = disturb(&kind, &place, sockets, period) {
                eprintln!("load: {error}");
            }
        });
    }
    println!("ready");
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn disturb(kind: &str, place: &str, sockets: bool, period: Duration) -> Outcome {
    match kind {
        "hog" => loop {
            work(Duration::from_secs(1));
        },
        "connections" => loop {
            drop(TcpStream::connect(address(place, sockets)?)?);
        },
        "malformed" => loop {
            let mut stream = TcpStream::connect(address(place, sockets)?)?;
            stream.write_all(b"GET / HTTP/1.1 this is no GIOP message at all\r\n\r\n")?;
            stream.set_read_timeout(Some(Duration::from_millis(100)))?;
            // Until the server closes, which it does at once.
            stream.read_to_end(&mut Vec::new()).ok();
        },
        _ if sockets => {
            let limit = Some(Duration::from_secs(10));
            let stream = connect(&place.parse::<Address>()?, limit, &StreamOptions::default())?;
            let request = (WORK.as_micros() as u32).to_le_bytes();
            repeat(period, || {
                stream.send_all(&request)?;
                Ok(stream.recv_all(&mut [0; 4])?)
            })
        }
        _ => {
            let task: TaskRef = Orb::new()?.resolve(place)?;
            let micros = WORK.as_micros() as u32;
            repeat(period, || match kind {
                "churn" => Ok(task.churn(micros)?),
                _ => Ok(task.work(micros)?),
            })
        }
    }
}

/// Calls for ever, once in each period.
fn repeat(period: Duration, mut call: impl FnMut() -> Outcome) -> Outcome {
    let mut release = monotonic_now();
    loop {
        call()?;
        release = (release + period).max(monotonic_now());
        if !period.is_zero() {
            sleep_until(release);
        }
    }
}

/// The TCP address of the low-priority object.
fn address(place: &str, sockets: bool) -> Outcome<(String, u16)> {
    if sockets {
        return match place.parse()? {
            Address::Tcp { host, port } => Ok((host, port)),
            other => Err(format!("{other} is no TCP address").into()),
        };
    }
    let ior: Ior = place.parse()?;
    let profile = ior.profiles.first().ok_or("the reference has no profile")?;
    let profile = IiopProfile::decode_data(&profile.data)?;
    Ok((profile.host, profile.port))
}
