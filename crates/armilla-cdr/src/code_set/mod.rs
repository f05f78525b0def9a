//! The transmission code sets: their names and registry numbers. `convert.rs` converts text;
//! `armilla-giop` negotiates.

mod convert;

pub(crate) use convert::{decode, encode};

use core::fmt;
use core::str::FromStr;

macro_rules! code_sets {
    ($($(#[$doc:meta])* $name:ident $text:literal $id:literal $(| $also:literal)*;)*) => {
        /// A transmission code set (CORBA 3.4 Part 2, 7.10), with its number in the OSF character
        /// and code set registry.
        ///
        /// Strings are converted: a Rust string is UTF-8 in memory and has the code set on the
        /// wire. A character that the code set lacks is an error, never replaced. An IDL `char` is
        /// one octet of the code set, without conversion.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[non_exhaustive]
        pub enum CodeSet {
            $($(#[$doc])* $name,)*
        }

        impl CodeSet {
            /// All code sets.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The number of the code set in the registry.
            pub const fn id(self) -> u32 {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// The code set with this registry number, if a conversion exists. Some code sets have
            /// several numbers.
            #[allow(clippy::manual_range_patterns, reason = "the table lists numbers")]
            pub const fn from_id(id: u32) -> Option<Self> {
                let found = match id {
                    $($id $(| $also)* => Self::$name,)*
                    _ => return None,
                };
                if cfg!(feature = "legacy-code-sets") || !found.is_legacy() {
                    return Some(found);
                }
                None
            }

            /// The name: the one in the IANA registry, if there is one. `"ISO-8859-1"`, `"UTF-8"`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

code_sets! {
    /// ISO 8859-1 (Latin 1), the default of GIOP.
    #[default]
    Iso8859_1 "ISO-8859-1" 0x0001_0001;
    /// ISO 8859-2 (Latin 2, Central European).
    Iso8859_2 "ISO-8859-2" 0x0001_0002;
    /// ISO 8859-3 (Latin 3, South European).
    Iso8859_3 "ISO-8859-3" 0x0001_0003;
    /// ISO 8859-4 (Latin 4, North European).
    Iso8859_4 "ISO-8859-4" 0x0001_0004;
    /// ISO 8859-5 (Cyrillic).
    Iso8859_5 "ISO-8859-5" 0x0001_0005;
    /// ISO 8859-6 (Arabic).
    Iso8859_6 "ISO-8859-6" 0x0001_0006;
    /// ISO 8859-7 (Greek).
    Iso8859_7 "ISO-8859-7" 0x0001_0007;
    /// ISO 8859-8 (Hebrew, in logical order).
    Iso8859_8 "ISO-8859-8" 0x0001_0008;
    /// ISO 8859-9 (Latin 5, Turkish).
    Iso8859_9 "ISO-8859-9" 0x0001_0009;
    /// ISO 8859-10 (Latin 6, Nordic).
    Iso8859_10 "ISO-8859-10" 0x0001_000a;
    /// ISO 8859-11 (Thai). The registry calls it TIS 620; some ORBs use the number that follows ISO
    /// 8859-10. There is no ISO 8859-12.
    Iso8859_11 "ISO-8859-11" 0x0001_000b | 0x000b_0001;
    /// ISO 8859-13 (Latin 7, Baltic). Not in the registry; the number is that of other ORBs.
    Iso8859_13 "ISO-8859-13" 0x0001_000d;
    /// ISO 8859-14 (Latin 8, Celtic). Not in the registry; the number is that of other ORBs.
    Iso8859_14 "ISO-8859-14" 0x0001_000e;
    /// ISO 8859-15 (Latin 9, with the euro sign).
    Iso8859_15 "ISO-8859-15" 0x0001_000f;
    /// ISO 8859-16 (Latin 10). Not in the registry; the number is that of other ORBs.
    Iso8859_16 "ISO-8859-16" 0x0001_0010;
    /// ISO 646, the international reference version: ASCII.
    Ascii "US-ASCII" 0x0001_0020;
    /// Windows code page 1250 (Central European).
    Windows1250 "windows-1250" 0x1002_04e2;
    /// Windows code page 1251 (Cyrillic).
    Windows1251 "windows-1251" 0x1002_04e3;
    /// Windows code page 1252 (Western).
    Windows1252 "windows-1252" 0x1002_04e4;
    /// Windows code page 1253 (Greek).
    Windows1253 "windows-1253" 0x1002_04e5;
    /// Windows code page 1254 (Turkish).
    Windows1254 "windows-1254" 0x1002_04e6;
    /// Windows code page 1255 (Hebrew).
    Windows1255 "windows-1255" 0x1002_04e7;
    /// Windows code page 1256 (Arabic).
    Windows1256 "windows-1256" 0x1002_04e8;
    /// Windows code page 1257 (Baltic).
    Windows1257 "windows-1257" 0x1002_04e9;
    /// Windows code page 1258 (Vietnamese). Not in the registry; the number is that of other ORBs.
    Windows1258 "windows-1258" 0x1002_04ea;
    /// EUC-JP (Japanese).
    EucJp "EUC-JP" 0x0003_0010 | 0x0500_0010 | 0x0502_0001;
    /// Shift-JIS (Japanese), with the extensions of Windows.
    ShiftJis "Shift_JIS" 0x0500_0011 | 0x0500_0012 | 0x0502_0002 | 0x1002_03a4 | 0x1002_03af;
    /// UTF-8.
    Utf8 "UTF-8" 0x0501_0001;
    /// UTF-16, for wide characters.
    Utf16 "UTF-16" 0x0001_0109;
    /// UCS-2, for wide characters: the characters that are one unit of UTF-16.
    Ucs2 "UCS-2" 0x0001_0100 | 0x0001_0101 | 0x0001_0102;
    /// UCS-4, for wide characters: four octets for each.
    Ucs4 "UCS-4" 0x0001_0104 | 0x0001_0105 | 0x0001_0106;
}

impl CodeSet {
    /// Whether its units are larger than an octet, so that it is a code set for wide characters
    /// only.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::Utf16 | Self::Ucs2 | Self::Ucs4)
    }

    /// Whether it needs the tables of the feature `legacy-code-sets`.
    const fn is_legacy(self) -> bool {
        let built_in = matches!(
            self,
            Self::Iso8859_1 | Self::Iso8859_9 | Self::Iso8859_11 | Self::Ascii | Self::Utf8
        );
        !built_in && !self.is_wide()
    }
}

impl fmt::Display for CodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name of a code set.
///
/// ```
/// use armilla_cdr::CodeSet;
///
/// assert_eq!("iso 8859-1".parse(), Ok(CodeSet::Iso8859_1));
/// assert!("EBCDIC".parse::<CodeSet>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCodeSet;

impl fmt::Display for UnknownCodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no code set that is known has this name; known are")?;
        let known = CodeSet::ALL.iter().filter(|set| CodeSet::from_id(set.id()).is_some());
        known
            .enumerate()
            .try_for_each(|(index, set)| write!(f, "{} {set}", if index == 0 { "" } else { "," }))
    }
}

impl core::error::Error for UnknownCodeSet {}

impl FromStr for CodeSet {
    type Err = UnknownCodeSet;

    /// Finds the code set with this name. Case, hyphens, underscores and spaces are ignored.
    fn from_str(text: &str) -> Result<Self, UnknownCodeSet> {
        let letters = |text: &'static str| significant(text);
        let found = Self::ALL.iter().find(|set| significant(text).eq(letters(set.name())));
        found.and_then(|set| Self::from_id(set.id())).ok_or(UnknownCodeSet)
    }
}

fn significant(text: &str) -> impl Iterator<Item = char> {
    let letters = text.chars().filter(|letter| !matches!(letter, '-' | '_' | ' '));
    letters.map(|letter| letter.to_ascii_lowercase())
}

/// The transmission code sets of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeSets {
    /// For `char` and `string`.
    pub char: CodeSet,
    /// For `wchar` and `wstring`. If `None`, wide characters cannot be sent, and received ones are
    /// decoded as UTF-16.
    pub wchar: Option<CodeSet>,
    /// Whether wide texts carry surrogates without their partners ([`LoneSurrogate`]); otherwise
    /// they are refused. Only one side needs to agree, so it is not negotiated.
    ///
    /// [`LoneSurrogate`]: crate::LoneSurrogate
    pub lone_surrogates: bool,
}

impl CodeSets {
    /// The default without negotiation: ISO 8859-1, and no wide characters.
    pub const UNAGREED: Self =
        Self { char: CodeSet::Iso8859_1, wchar: None, lone_surrogates: false };

    /// This code set for `char` and `string`, and UTF-16 for wide characters.
    pub const fn with_utf_16(char: CodeSet) -> Self {
        Self { char, wchar: Some(CodeSet::Utf16), lone_surrogates: false }
    }
}
