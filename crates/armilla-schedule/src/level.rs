//! How critical and how important a task is.

use crate::similar::closest;
use std::fmt;
use std::str::FromStr;

/// Declares an ordered scale of five levels with their names.
macro_rules! scale {
    ($(#[$docs:meta])* $name:ident, $what:literal) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum $name {
            /// The lowest level.
            VeryLow,
            /// Below the default.
            Low,
            /// The default.
            #[default]
            Medium,
            /// Above the default.
            High,
            /// The highest level.
            VeryHigh,
        }

        impl $name {
            /// All levels, from the lowest to the highest.
            pub const ALL: [Self; 5] =
                [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];

            /// The name of the level, as tables and annotations write it.
            pub const fn name(self) -> &'static str {
                NAMES[self as usize]
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $name {
            type Err = LevelError;

            fn from_str(text: &str) -> Result<Self, LevelError> {
                let at = NAMES.iter().position(|name| *name == text);
                at.map(|at| Self::ALL[at])
                    .ok_or_else(|| LevelError { what: $what, text: text.chars().take(40).collect() })
            }
        }
    };
}

const NAMES: [&str; 5] = ["very_low", "low", "medium", "high", "very_high"];

scale! {
    /// What it costs if a task misses its deadline.
    ///
    /// Maximum urgency first never lets a task delay one that is more critical. From
    /// [`High`](Self::High) upwards a task is *critical*: overload does not cancel it.
    Criticality, "criticality"
}

scale! {
    /// Which of two tasks goes first if nothing else decides.
    Importance, "importance"
}

impl Criticality {
    /// Whether late work of this level is done all the same instead of being cancelled.
    pub const fn is_critical(self) -> bool {
        matches!(self, Self::High | Self::VeryHigh)
    }
}

/// A text that names no level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelError {
    what: &'static str,
    text: String,
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, text } = self;
        write!(f, "`{text}` is no {what}; use very_low, low, medium, high or very_high")?;
        match closest(&text.to_lowercase().replace(['-', ' '], "_"), NAMES) {
            Some(name) => write!(f, " (meant `{name}`?)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for LevelError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_have_names() {
        for level in Criticality::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!(Criticality::VeryHigh > Criticality::High);
        assert!(!Criticality::Medium.is_critical());
        let error = "Hihg".parse::<Importance>().unwrap_err().to_string();
        assert!(error.contains("no importance") && error.contains("meant `high`"), "{error}");
    }
}
