//! The calls of the demonstration: one for each kind of IDL declaration, printed with its result.

use crate::generated::observatory::telescope::PointRaises;
use crate::generated::observatory::{self, *};
use armilla::{Error, Orb, SystemException};
use armilla_terminal::{Failure, Outcome, say};
use std::fmt::Display;

/// Calls an operation and prints the kind of declaration, the call and its result.
macro_rules! show {
    ($kind:literal, $object:ident.$operation:ident($($argument:expr),*)) => {{
        let result = $object.$operation($($argument),*)?;
        let arguments: Vec<String> = vec![$(format!("{:?}", $argument)),*];
        let call = format!(
            concat!(stringify!($object), ".", stringify!($operation), "({})"),
            arguments.join(", ")
        );
        line($kind, &call, &format_args!("{result:?}"))?;
        result
    }};
}

/// Calls every operation of the telescope.
pub(crate) fn run(orb: &Orb, telescope: &TelescopeRef) -> Outcome {
    show!("string, readonly", telescope.name());
    show!("enum, attribute", telescope.glass());
    show!("", telescope.set_glass(Filter::Red));
    show!("", telescope.glass());
    point(telescope)?;
    refract(telescope)?;

    let plan = [
        Exposure { glass: Filter::Red, seconds: 2.5 },
        Exposure { glass: Filter::Blue, seconds: 4.0 },
    ];
    show!("sequence of structs", telescope.expose(&plan));

    let eye = orb.root_poa().activate(observatory::observer::tie(Eye { enough: 3 }))?;
    let frames = telescope.watch(&eye, 10)?;
    line("reference, called back", "telescope.watch(eye, 10)", &frames)?;

    show!("oneway", telescope.remark("clouds from the west"));
    show!("sequence of strings", telescope.logbook());
    Ok(())
}

/// Passes a union; gets a struct and an out parameter back, or one of two exceptions.
fn point(telescope: &TelescopeRef) -> Outcome {
    show!("union, struct, out", telescope.point(&Target::Name("Vega".into())));
    let place = Direction { right_ascension: 10.68, declination: 41.27 };
    show!("", telescope.point(&Target::Position(place)));
    for name in ["Canopus", "Nibiru"] {
        let call = format!("telescope.point(Name({name:?}))");
        match telescope.point(&Target::Name(name.into())) {
            Err(Error::User(PointRaises::BelowHorizon(exception))) => {
                line("user exception", &call, &format_args!("raised {exception:?}"))?;
            }
            Err(Error::User(PointRaises::UnknownTarget(exception))) => {
                line("another exception", &call, &format_args!("raised {exception:?}"))?;
            }
            Err(Error::System(exception)) => return Err(exception.into()),
            Ok(_) => return Err(Failure::because(format!("{call} raised no exception"))),
        }
    }
    Ok(())
}

fn refract(telescope: &TelescopeRef) -> Outcome {
    let mut place = Direction { right_ascension: 88.79, declination: -30.0 };
    let call = format!("telescope.refract(&mut {place:?})");
    telescope.refract(&mut place)?;
    line("inout", &call, &format_args!("{place:?}"))
}

/// The servant of the observer: it is in the client, and the server calls it.
struct Eye {
    enough: u32,
}

impl Observer for Eye {
    fn frame(&self, number: u32, magnitude: f64) -> Result<bool, SystemException> {
        let go_on = number < self.enough;
        let call = format!("  eye.frame({number}, {magnitude})");
        let printed = line("  from the server", &call, &go_on).is_ok();
        // If the reader closed standard output, stop.
        Ok(go_on && printed)
    }
}

/// Prints one call. The result of a long call goes on a line of its own.
fn line(kind: &str, call: &str, result: &dyn Display) -> Outcome {
    const WIDTH: usize = 42;
    if call.len() <= WIDTH {
        say!("  {kind:<23} {call:<WIDTH$} -> {result}")
    } else {
        say!("  {kind:<23} {call}\n  {:<23} {:<WIDTH$} -> {result}", "", "")
    }
}
