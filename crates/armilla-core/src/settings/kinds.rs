//! How the value of an option is read and how a default is shown, for each kind of value.
//!
//! An error says what is wrong with the value; who applies the option puts its name before it.

use super::address::{parse_address, parse_ports};
use super::choices::{AcceptBidirectional, Collocation, SameHost};
use super::network::PublishAs;
use crate::policies::{ConnectionPolicy, OnewayBuffer, Rebind, Retries, SyncScope};
use armilla_cdr::CodeSet;
use armilla_giop::Version;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// A kind of value of options.
pub(super) struct Kind<T> {
    /// Reads the text into the setting.
    pub(super) set: fn(&mut T, &str) -> Result<(), String>,
    /// The setting as text for people.
    pub(super) show: fn(&T) -> String,
}

/// What is shown for a setting without a value.
const NONE: &str = "none";

/// A number of octets above zero.
pub(super) const OCTETS: Kind<usize> = Kind { set: set_above_zero, show: |it| octets(*it) };

/// A number above zero.
pub(super) const COUNT: Kind<usize> = Kind { set: set_above_zero, show: |it| grouped(*it as u64) };

/// A number of octets; 0 stands for `None`.
pub(super) const OPTIONAL_OCTETS: Kind<Option<usize>> =
    Kind { set: set_or_none, show: |it| it.map_or_else(|| NONE.into(), octets) };

/// A number; 0 stands for `None`.
pub(super) const OPTIONAL_COUNT: Kind<Option<usize>> =
    Kind { set: set_or_none, show: |it| it.map_or_else(|| NONE.into(), |it| grouped(it as u64)) };

/// A number, also zero.
pub(super) const NUMBER: Kind<u32> = Kind {
    set: |setting, text| {
        *setting = number(text)?.try_into().unwrap_or(u32::MAX);
        Ok(())
    },
    show: |it| grouped((*it).into()),
};

/// The count of retries.
pub(super) const RETRIES: Kind<Retries> = Kind {
    set: |retries, text| (NUMBER.set)(&mut retries.count, text),
    show: |retries| (NUMBER.show)(&retries.count),
};

/// A time in milliseconds.
pub(super) const MILLISECONDS: Kind<Duration> = Kind {
    set: |setting, text| {
        *setting = Duration::from_millis(number(text)?);
        Ok(())
    },
    show: |it| time(*it),
};

/// A time in milliseconds; 0 stands for `None`.
pub(super) const OPTIONAL_MILLISECONDS: Kind<Option<Duration>> = Kind {
    set: |setting, text| {
        let milliseconds = number(text)?;
        *setting = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        Ok(())
    },
    show: show_time,
};

/// A time in seconds; 0 stands for `None`.
pub(super) const OPTIONAL_SECONDS: Kind<Option<Duration>> = Kind {
    set: |setting, text| {
        let seconds = number(text)?;
        *setting = (seconds > 0).then(|| Duration::from_secs(seconds));
        Ok(())
    },
    show: show_time,
};

/// A time in microseconds, also zero.
pub(super) const OPTIONAL_MICROSECONDS: Kind<Option<Duration>> = Kind {
    set: |setting, text| {
        *setting = Some(Duration::from_micros(number(text)?));
        Ok(())
    },
    show: show_time,
};

/// Zero for no, another number for yes.
pub(super) const SWITCH: Kind<bool> = Kind {
    set: |setting, text| {
        *setting = number(text)? != 0;
        Ok(())
    },
    show: |it| u8::from(*it).to_string(),
};

/// Any text.
pub(super) const TEXT: Kind<String> = Kind {
    set: |setting, text| {
        *setting = text.to_owned();
        Ok(())
    },
    show: |it| if it.is_empty() { "empty".into() } else { it.clone() },
};

/// Any text, or nothing without the option.
pub(super) const OPTIONAL_TEXT: Kind<Option<String>> = Kind {
    set: |setting, text| {
        *setting = Some(text.to_owned());
        Ok(())
    },
    show: |it| it.clone().unwrap_or_else(|| NONE.into()),
};

/// One more address `HOST:PORT`.
pub(super) const ADDRESSES: Kind<Vec<(String, u16)>> = Kind {
    set: |setting, text| {
        setting.push(parse_address(text)?);
        Ok(())
    },
    show: |it| if it.is_empty() { NONE.into() } else { format!("{it:?}") },
};

/// A range of ports that can be bound.
pub(super) const PORTS: Kind<Option<RangeInclusive<u16>>> = Kind {
    set: |setting, text| {
        let ports = parse_ports(text).ok().filter(|ports| *ports.start() > 0);
        *setting = Some(ports.ok_or_else(|| format!("{text:?}: FIRST-LAST is needed"))?);
        Ok(())
    },
    show: show_debug,
};

/// A DiffServ code point.
pub(super) const CODE_POINT: Kind<Option<u8>> = Kind {
    set: |setting, text| {
        let point = text.parse().ok().filter(|number| *number < 64);
        *setting = Some(point.ok_or_else(|| format!("{text:?}: a number below 64 is needed"))?);
        Ok(())
    },
    show: show_debug,
};

/// A number of one octet.
pub(super) const OCTET: Kind<Option<u8>> = Kind {
    set: |setting, text| {
        let number = text.parse().ok();
        *setting = Some(number.ok_or_else(|| format!("{text:?}: a number below 256 is needed"))?);
        Ok(())
    },
    show: show_debug,
};

/// A version of GIOP that the ORB speaks.
pub(super) const GIOP: Kind<Version> = Kind {
    set: |setting, text| {
        let known = [Version::V1_0, Version::V1_1, Version::V1_2];
        let version = text.parse().ok().filter(|version| known.contains(version));
        *setting = version.ok_or_else(|| format!("{text:?}: one of 1.0, 1.1 and 1.2 is needed"))?;
        Ok(())
    },
    show: ToString::to_string,
};

/// A code set for `char` and `string`.
pub(super) const CHAR_CODE_SET: Kind<CodeSet> = Kind {
    set: |setting, text| match text.parse::<CodeSet>() {
        Ok(set) if set.is_wide() => Err(format!("{text:?}: this code set is for wide characters")),
        Ok(set) => {
            *setting = set;
            Ok(())
        }
        Err(error) => Err(format!("{text:?}: {error}")),
    },
    show: ToString::to_string,
};

/// A code set for `wchar` and `wstring`.
pub(super) const WCHAR_CODE_SET: Kind<CodeSet> = Kind {
    set: |setting, text| match text.parse::<CodeSet>() {
        Ok(set) if !set.is_wide() => {
            Err(format!("{text:?}: one of UTF-16, UCS-2, UCS-4 is needed"))
        }
        Ok(set) => {
            *setting = set;
            Ok(())
        }
        Err(error) => Err(format!("{text:?}: {error}")),
    },
    show: ToString::to_string,
};

/// The bounds of the buffer for oneway calls.
pub(super) const ONEWAY_BUFFER: Kind<OnewayBuffer> = Kind {
    set: |setting, text| {
        let numbers: Option<Vec<u32>> = text.split(',').map(|it| it.parse().ok()).collect();
        let Some([count, octets, delay]) = numbers.as_deref() else {
            return Err(format!("{text:?}: COUNT,OCTETS,MILLISECONDS is needed"));
        };
        *setting = OnewayBuffer {
            count: *count as usize,
            octets: *octets as usize,
            delay: Duration::from_millis((*delay).into()),
        };
        Ok(())
    },
    show: |it| format!("{},{},{}", it.count, it.octets, it.delay.as_millis()),
};

/// What reads itself from text. The table of options says how its default is shown.
pub(super) const fn parsed<T: FromStr<Err = String> + std::fmt::Debug>() -> Kind<T> {
    Kind {
        set: |setting, text| {
            *setting = text.parse()?;
            Ok(())
        },
        show: |it| format!("{it:?}"),
    }
}

/// The same for what need not be there.
pub(super) const fn parsed_option<T: FromStr<Err = String> + std::fmt::Debug>() -> Kind<Option<T>> {
    Kind {
        set: |setting, text| {
            *setting = Some(text.parse()?);
            Ok(())
        },
        show: show_debug,
    }
}

/// A choice of words.
pub(super) const fn word<T: Word>() -> Kind<T> {
    Kind {
        set: |setting, text| {
            *setting = find(text)?;
            Ok(())
        },
        show: |it| {
            let word = T::WORDS.iter().find(|(_, value)| value == it);
            word.map_or("?", |(word, _)| word).to_owned()
        },
    }
}

/// A type whose values are words of the command line.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// The words; the first one of a value is shown for it.
    const WORDS: &'static [(&'static str, Self)];
    /// What the error about another word asks for.
    const NEEDED: &'static str;
}

/// The value of a word.
fn find<T: Word>(text: &str) -> Result<T, String> {
    let found = T::WORDS.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or_else(|| format!("{text:?}: {} is needed", T::NEEDED))
}

impl Word for Rebind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("transparent", Self::Transparent),
        ("no-rebind", Self::NoRebind),
        ("no-reconnect", Self::NoReconnect),
    ];
    const NEEDED: &'static str = "one of transparent, no-rebind and no-reconnect";
}

impl Word for Collocation {
    const WORDS: &'static [(&'static str, Self)] =
        &[("direct", Self::Direct), ("poa", Self::ThroughPoa), ("remote", Self::Remote)];
    const NEEDED: &'static str = "one of direct, poa and remote";
}

impl Word for SameHost {
    const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("unix", Self::Unix), ("shm", Self::Shm)];
    const NEEDED: &'static str = "one of off, unix and shm";
}

impl Word for PublishAs {
    const WORDS: &'static [(&'static str, Self)] =
        &[("given", Self::Given), ("address", Self::Address), ("name", Self::Name)];
    const NEEDED: &'static str = "one of given, address and name";
}

impl Word for ConnectionPolicy {
    const WORDS: &'static [(&'static str, Self)] =
        &[("exclusive", Self::Exclusive), ("multiplexed", Self::Multiplexed)];
    const NEEDED: &'static str = "exclusive or multiplexed";
}

impl Word for SyncScope {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("transport", Self::WithTransport),
        ("server", Self::WithServer),
        ("target", Self::WithTarget),
    ];
    const NEEDED: &'static str = "none, transport, server or target";
}

impl Word for AcceptBidirectional {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("never", Self::Never),
        ("0", Self::Never),
        ("checked", Self::Checked),
        ("1", Self::Checked),
        ("trusted", Self::Trusted),
    ];
    const NEEDED: &'static str = "one of never, checked and trusted";
}

impl FromStr for AcceptBidirectional {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        find(text)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?}: a number is needed"))
}

fn set_above_zero(setting: &mut usize, text: &str) -> Result<(), String> {
    *setting = match text.parse() {
        Ok(number) if number > 0 => number,
        _ => return Err(format!("{text:?}: a number above 0 is needed")),
    };
    Ok(())
}

fn set_or_none(setting: &mut Option<usize>, text: &str) -> Result<(), String> {
    let number = usize::try_from(number(text)?).unwrap_or(usize::MAX);
    *setting = (number > 0).then_some(number);
    Ok(())
}

fn show_debug<T: std::fmt::Debug>(setting: &Option<T>) -> String {
    setting.as_ref().map_or_else(|| NONE.into(), |it| format!("{it:?}"))
}

fn show_time(setting: &Option<Duration>) -> String {
    setting.map_or_else(|| NONE.into(), time)
}

fn time(time: Duration) -> String {
    match time.subsec_nanos() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

fn octets(count: usize) -> String {
    match count {
        _ if count >= 1 << 20 && count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ if count >= 1 << 10 && count.is_multiple_of(1 << 10) => format!("{} KiB", count >> 10),
        _ => grouped(count as u64),
    }
}

/// The digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        assert_eq!(
            [1, 999, 1_000, 16_384, 1_000_000].map(grouped).join(" "),
            "1 999 1,000 16,384 1,000,000"
        );
        assert_eq!(
            [0, 100, 1 << 10, 1 << 20, (1 << 20) + 1].map(octets).join(" "),
            "0 100 1 KiB 1 MiB 1,048,577"
        );
        assert_eq!(
            [time(Duration::from_secs(2)), time(Duration::from_millis(1500))],
            ["2 s", "1500 ms"]
        );
    }
}
