//! The server process of the demonstration: the servants of `idl/demo.idl`, and a port for plain
//! sockets.

use crate::allocations;
use crate::generated::measuring::{self, Probe};
use crate::generated::observatory::telescope::PointRaises;
use crate::generated::observatory::{self, *};
use crate::generated::{BinStruct, TtcpSequence, TtcpSequenceRef, ttcp_sequence};
use crate::{facts, plain};
use armilla::{Error, Orb, SystemException};
use armilla_terminal::{Context, Outcome, say};
use std::net::TcpListener;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Prints the URLs of the telescope and of the probe, and serves until standard input closes.
pub(crate) fn run(cpu: Option<usize>) -> Outcome {
    let cpu = crate::bind(cpu);
    let orb = Orb::builder()
        .listen("iiop://127.0.0.1:0")?
        .settings(|settings| {
            settings.congestion_control = facts::congestion_control();
            settings.drain_timeout = Duration::from_secs(2);
        })
        .build()?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no port for plain sockets")?;
    let plain_port = listener.local_addr()?.port();
    thread::spawn(move || plain::serve(&listener));

    let poa = orb.root_poa();
    let telescope = poa.activate(observatory::telescope::tie(Meridian::default()))?;
    let sink = poa.activate(ttcp_sequence::tie(Sink))?;
    let probe = poa.activate(measuring::probe::tie(ProbeServant { sink, plain_port, cpu }))?;
    say!("{}", orb.publish("Telescope", telescope.object())?)?;
    say!("{}", orb.publish("Probe", probe.object())?)?;

    let ending = orb.clone();
    crate::on_parent_exit(move || ending.shutdown());
    Ok(orb.run()?)
}

/// A telescope at the latitude of Potsdam.
#[derive(Default)]
struct Meridian {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    glass: Filter,
    logbook: Vec<String>,
}

const LATITUDE: f64 = 52.4;

/// Name, right ascension and declination of the stars in the catalogue.
const CATALOGUE: [(&str, f64, f64); 4] = [
    ("Vega", 279.23, 38.78),
    ("Polaris", 37.95, 89.26),
    ("Betelgeuse", 88.79, 7.41),
    ("Canopus", 95.99, -52.70),
];

impl Meridian {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The altitude of a direction when it crosses the meridian.
    fn altitude(place: &Direction) -> f64 {
        two_digits(90.0 - (LATITUDE - place.declination).abs())
    }
}

impl Telescope for Meridian {
    fn name(&self) -> Result<String, SystemException> {
        Ok("Meridian telescope of Potsdam".into())
    }

    fn glass(&self) -> Result<Filter, SystemException> {
        Ok(self.state().glass)
    }

    fn set_glass(&self, glass: Filter) -> Result<(), SystemException> {
        self.state().glass = glass;
        Ok(())
    }

    fn point(&self, target: &Target) -> Result<(Direction, f64), Error<PointRaises>> {
        let place = match target {
            Target::Position(place) => *place,
            Target::Name(name) => match CATALOGUE.iter().find(|star| star.0 == name) {
                Some(&(_, right_ascension, declination)) => {
                    Direction { right_ascension, declination }
                }
                None => return Err(UnknownTarget { name: name.clone() }.into()),
            },
        };
        match Self::altitude(&place) {
            altitude if altitude > 0.0 => Ok((place, altitude)),
            altitude => Err(BelowHorizon { altitude }.into()),
        }
    }

    fn refract(&self, place: &mut Direction) -> Result<(), SystemException> {
        // Bennett's formula yields minutes of arc.
        let altitude = Self::altitude(place);
        let lift = 1.0 / (altitude + 7.31 / (altitude + 4.4)).to_radians().tan();
        place.declination = two_digits(place.declination + lift / 60.0);
        Ok(())
    }

    fn expose(&self, plan: &[Exposure]) -> Result<Vec<Measurement>, SystemException> {
        let take = |&taken: &Exposure| {
            let per_second = match taken.glass {
                Filter::Clear => 9000.0,
                Filter::Red => 3100.0,
                Filter::Green => 3500.0,
                Filter::Blue => 2400.0,
            };
            Measurement { taken, photons: (taken.seconds * per_second) as u32 }
        };
        Ok(plan.iter().map(take).collect())
    }

    fn watch(&self, eye: &ObserverRef, frames: u32) -> Result<u32, SystemException> {
        for number in 1..=frames {
            let magnitude = two_digits(0.5 + 0.3 * f64::from(number).sin());
            if !eye.frame(number, magnitude)? {
                return Ok(number);
            }
        }
        Ok(frames)
    }

    fn remark(&self, text: &str) -> Result<(), SystemException> {
        self.state().logbook.push(text.to_owned());
        Ok(())
    }

    fn logbook(&self) -> Result<Vec<String>, SystemException> {
        Ok(self.state().logbook.clone())
    }
}

fn two_digits(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The servant of the probe, which the client queries for its measurements.
struct ProbeServant {
    sink: TtcpSequenceRef,
    plain_port: u16,
    cpu: Option<usize>,
}

impl Probe for ProbeServant {
    fn sink(&self) -> Result<TtcpSequenceRef, SystemException> {
        Ok(self.sink.clone())
    }

    fn allocations(&self) -> Result<u64, SystemException> {
        Ok(allocations::count())
    }

    fn plain_port(&self) -> Result<u16, SystemException> {
        Ok(self.plain_port)
    }

    fn cpu(&self) -> Result<i32, SystemException> {
        Ok(self.cpu.and_then(|cpu| i32::try_from(cpu).ok()).unwrap_or(-1))
    }
}

/// A servant that discards its arguments.
pub(crate) struct Sink;

/// Methods that take a sequence, or nothing, and do nothing.
macro_rules! drop_all {
    ($($operation:ident($($item:ty)?);)*) => {
        $(
            fn $operation(&self $(, _items: &[$item])?) -> Result<(), SystemException> {
                Ok(())
            }
        )*
    };
}

impl TtcpSequence for Sink {
    drop_all! {
        send_struct_seq_2way(BinStruct);
        send_short_seq_2way(i16);
        send_char_seq_2way(u8);
        send_long_seq_2way(i32);
        send_octet_seq_2way(u8);
        send_double_seq_2way(f64);
        send_no_params_2way();
        send_struct_seq_1way(BinStruct);
        send_short_seq_1way(i16);
        send_char_seq_1way(u8);
        send_long_seq_1way(i32);
        send_octet_seq_1way(u8);
        send_double_seq_1way(f64);
        send_no_params_1way();
    }
}
