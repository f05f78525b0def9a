//! Markers: a colour and a shape for each program, the same on the whole page. The shape helps
//! readers who cannot distinguish the colours.

/// The programs and strategies with fixed markers, in the order of the markers.
const KNOWN: [&str; 35] = [
    "c",
    "armilla",
    "omniorb",
    "ace",
    "armilla-ipc",
    "armilla, sync none",
    "armilla, DII",
    "armilla, new DII",
    "armilla, DII and DSI",
    "ice",
    "grpc",
    "capnp",
    "jacorb",
    "active",
    "perfect hashing",
    "dynamic hashing",
    "linear",
    "exclusive",
    "multiplexed",
    "thread/connection",
    "leader/followers",
    "hybrid",
    "without",
    "with",
    "c, again",
    "armilla, flow",
    "armilla, flow over unix",
    "armilla, twoway",
    "armilla, oneway",
    "omniorb, twoway",
    "omniorb, oneway",
    "c, new connection",
    "timer",
    "one pool",
    "tao",
];

/// The number of colours of the page.
const COLOURS: usize = 13;

/// The number of shapes, coprime to that of the shared colours, so that pairs repeat late.
const SHAPES: usize = 5;

/// A program's colour and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker(usize);

impl Marker {
    /// The marker of one of several curves of a program.
    pub(super) const fn numbered(number: usize) -> Self {
        Self(number)
    }

    /// The marker of a program. A variant of an experiment looks like the program that it is.
    pub(super) fn of(name: &str) -> Self {
        let name = match name {
            "sockets" => "c",
            "lanes" => "armilla",
            "omniORB" => "omniorb",
            other => other,
        };
        Self(KNOWN.iter().position(|known| *known == name).unwrap_or(KNOWN.len()))
    }

    /// The CSS class of its colour.
    pub(super) fn colour(self) -> usize {
        match self.0 {
            // Plain sockets, the baseline, have a colour of their own.
            0 => 0,
            place => 1 + (place - 1) % (COLOURS - 1),
        }
    }

    /// Its shape around a point, as SVG path data.
    pub(super) fn shape(self, x: f64, y: f64) -> String {
        match self.0 % SHAPES {
            0 => format!("M{:.1} {y:.1}a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z", x - 3.2),
            1 => format!("M{:.1} {:.1}h5.8v5.8h-5.8z", x - 2.9, y - 2.9),
            2 => format!("M{x:.1} {:.1}l3.8 6.6h-7.6z", y - 4.2),
            3 => format!("M{x:.1} {:.1}l4 4l-4 4l-4 -4z", y - 4.0),
            _ => format!("M{x:.1} {:.1}l3.8 -6.6h-7.6z", y + 4.2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_known_programs_look_alike() {
        let looks = |name: &str| (Marker::of(name).colour(), Marker::of(name).shape(9.0, 9.0));
        for (index, name) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..index].iter().all(|other| looks(other) != looks(name)), "{name}");
        }
    }

    #[test]
    fn variants_of_the_real_time_experiment_have_colours_of_their_own() {
        let variants = ["timer", "sockets", "lanes", "one pool", "omniORB"];
        let colours: HashSet<_> = variants.map(|name| Marker::of(name).colour()).into();
        assert_eq!(colours.len(), variants.len());
    }

    #[test]
    fn programs_that_are_compared_have_colours_of_their_own() {
        let colours = |names: &[&str]| -> HashSet<usize> {
            names.iter().map(|name| Marker::of(name).colour()).collect()
        };
        let programs = KNOWN.iter().position(|name| *name == "active").unwrap();
        assert_eq!(colours(&KNOWN[..programs]).len(), programs);
        assert!(!colours(&KNOWN[programs..]).contains(&Marker::of("c").colour()));
    }
}
