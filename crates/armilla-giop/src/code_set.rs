//! Code sets: the context that states them and how a client chooses (CORBA 3.4 Part 2, 7.10).

use crate::ServiceContext;
use crate::ior::{CodeSetComponent, CodeSetComponentInfo};
use crate::service_context::CODE_SETS_CONTEXT;
use armilla_cdr::{ByteOrder, CdrResult, CodeSet, CodeSets, Decoder};
use core::fmt;

/// The transmission code sets of a connection, by their registry numbers, as the client states them
/// with its requests (`CodeSetContext`). 0 stands for none.
///
/// ```
/// use armilla_cdr::{CodeSet, CodeSets};
/// use armilla_giop::CodeSetContext;
/// use armilla_giop::ior::{CodeSetComponent, CodeSetComponentInfo};
///
/// let native = |set: CodeSet| CodeSetComponent { native: set.id(), conversion: vec![] };
/// let (char, wchar) = (native(CodeSet::Iso8859_1), native(CodeSet::Utf16));
/// let server = CodeSetComponentInfo { char, wchar };
/// let chosen = CodeSetContext::choose(&server, CodeSets::with_utf_16(CodeSet::Utf8))?;
/// assert_eq!(chosen.char, CodeSet::Iso8859_1.id(), "the client converts");
/// # Ok::<(), armilla_giop::IncompatibleCodeSets>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeSetContext {
    /// For `char` and `string`.
    pub char: u32,
    /// For `wchar` and `wstring`.
    pub wchar: u32,
}

impl CodeSetContext {
    /// The data of the service context.
    pub fn encode(self) -> [u8; 12] {
        let mut data = [ByteOrder::NATIVE.flag(); 12];
        data[1..4].fill(0);
        data[4..8].copy_from_slice(&self.char.to_ne_bytes());
        data[8..].copy_from_slice(&self.wchar.to_ne_bytes());
        data
    }

    /// A service context with `data`, which [`encode`](Self::encode) made.
    pub const fn service_context(data: &[u8; 12]) -> ServiceContext<'_> {
        ServiceContext { id: CODE_SETS_CONTEXT, data }
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early.
    #[inline]
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut input = Decoder::new(data, ByteOrder::Big);
        let order = ByteOrder::from_flag(input.u8()?);
        let mut input = Decoder::at(data, 1, order);
        Ok(Self { char: input.u32()?, wchar: input.u32()? })
    }
}

/// The code sets cannot be brought together (CORBA 3.4 Part 1, the exception
/// `CODESET_INCOMPATIBLE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompatibleCodeSets {
    /// The native code set of the client, or its choice for wide characters.
    pub client: u32,
    /// The native code set of the server.
    pub server: u32,
}

impl fmt::Display for IncompatibleCodeSets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, server } = *self;
        f.write_str("the code sets ")?;
        name(client, f)?;
        f.write_str(" of the client and ")?;
        name(server, f)?;
        f.write_str(" of the server have no character in common")
    }
}

fn name(id: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match CodeSet::from_id(id) {
        Some(set) => write!(f, "{set}"),
        None => write!(f, "{id:#010x}"),
    }
}

impl core::error::Error for IncompatibleCodeSets {}

impl CodeSetContext {
    /// What a client whose native code sets are `native` agrees on with a server whose reference
    /// carries the component `server` (CORBA 3.4 Part 2, 7.10.2.6). The client converts to and from
    /// every other [`CodeSet`]. Without a component nothing is agreed on: ISO 8859-1 holds, and
    /// there are no wide characters.
    ///
    /// # Errors
    /// When the two have nothing in common.
    pub fn choose(
        server: &CodeSetComponentInfo,
        native: CodeSets,
    ) -> Result<Self, IncompatibleCodeSets> {
        let char = choose(&server.char, native.char, CodeSet::Utf8)?;
        let wchar = match native.wchar {
            Some(native) => choose(&server.wchar, native, CodeSet::Utf16)?,
            None => None,
        };
        // A server that names nothing for characters has those of ISO 8859-1.
        Ok(Self { char: char.unwrap_or(CodeSet::Iso8859_1.id()), wchar: wchar.unwrap_or(0) })
    }

    /// The code sets of this context, when they are known.
    ///
    /// # Errors
    /// The number of the code set that is unknown, or invalid for this kind of character.
    pub fn code_sets(self) -> Result<CodeSets, u32> {
        let known = |id, wide| match CodeSet::from_id(id) {
            Some(set) if set.is_wide() == wide => Ok(set),
            _ => Err(id),
        };
        Ok(CodeSets {
            char: if self.char == 0 { CodeSet::Iso8859_1 } else { known(self.char, false)? },
            wchar: if self.wchar == 0 { None } else { Some(known(self.wchar, true)?) },
            ..CodeSets::UNAGREED
        })
    }
}

/// Chooses a transmission code set so that as little as possible is converted: the native one of
/// both; else the server's, to which the client converts; else the client's, to which the server
/// does; else one to which both do; else `fallback`, when the native ones share any characters.
/// `None` if the server has no characters of the kind.
fn choose(
    server: &CodeSetComponent,
    native: CodeSet,
    fallback: CodeSet,
) -> Result<Option<u32>, IncompatibleCodeSets> {
    if server.native == 0 && server.conversion.is_empty() {
        return Ok(None);
    }
    // Keeps the number of the server, if a code set has several.
    let is = |id: u32, set: CodeSet| CodeSet::from_id(id) == Some(set);
    let convertible =
        |id: u32| CodeSet::from_id(id).is_some_and(|set| set.is_wide() == fallback.is_wide());
    let conversion = || server.conversion.iter().copied();
    if is(server.native, native) || convertible(server.native) {
        return Ok(Some(server.native));
    }
    let common = conversion()
        .find(|id| is(*id, native))
        .or_else(|| conversion().find(|id| convertible(*id)));
    if let Some(common) = common {
        return Ok(Some(common));
    }
    match share_characters(native, server.native) {
        true => Ok(Some(fallback.id())),
        false => Err(IncompatibleCodeSets { client: native.id(), server: server.native }),
    }
}

/// Whether a code set that we have shares characters with a foreign one, by the character sets of
/// which the OSF registry says that they consist. Only those of ideographs or Kana alone lack the
/// letters that all others have.
fn share_characters(ours: CodeSet, foreign: u32) -> bool {
    let japanese = matches!(ours, CodeSet::EucJp | CodeSet::ShiftJis);
    match foreign {
        0x0003_0001 | 0x0003_0004..=0x0003_0006 | 0x0003_000a => japanese,
        0x0004_0001 | 0x0004_0002 | 0x0005_0001 | 0x0005_0002 | 0x000d_0001 => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CodeSet::{Iso8859_1, Iso8859_9, ShiftJis, Ucs2, Utf8, Utf16};
    use alloc::vec::Vec;

    const EBCDIC: u32 = 0x1002_0025;
    const KOREAN: u32 = 0x0004_0001;

    fn chosen(native: u32, conversion: &[CodeSet], ours: CodeSet) -> Option<u32> {
        let conversion: Vec<u32> = conversion.iter().map(|set| set.id()).collect();
        let fallback = if ours.is_wide() { Utf16 } else { Utf8 };
        choose(&CodeSetComponent { native, conversion }, ours, fallback).ok().flatten()
    }

    #[test]
    fn the_choice_needs_as_little_conversion_as_possible() {
        let id = |set: CodeSet| Some(set.id());
        for ours in [Iso8859_1, Utf8, Iso8859_9] {
            assert_eq!(chosen(ours.id(), &[Iso8859_1, Utf8], ours), id(ours), "both have it");
        }
        assert_eq!(chosen(Iso8859_1.id(), &[Utf8], Utf8), id(Iso8859_1), "the client converts");
        assert_eq!(chosen(EBCDIC, &[Iso8859_1, Utf8], Utf8), id(Utf8), "the server converts");
        assert_eq!(chosen(EBCDIC, &[Iso8859_1], Utf8), id(Iso8859_1), "both convert");
        assert_eq!(chosen(EBCDIC, &[], Iso8859_1), id(Utf8), "letters in common");
        assert_eq!(chosen(0, &[], Utf8), None, "no characters");
    }

    #[test]
    fn wide_characters_are_chosen_among_wide_sets_only() {
        let id = |set: CodeSet| Some(set.id());
        assert_eq!(chosen(Utf16.id(), &[], Utf16), id(Utf16));
        assert_eq!(chosen(0x0001_0102, &[Utf16], Utf16), Some(0x0001_0102), "by its number");
        assert_eq!(chosen(0x0001_0102, &[], Ucs2), Some(0x0001_0102));
        assert_eq!(chosen(Utf8.id(), &[Utf16], Utf16), id(Utf16));
        assert_eq!(chosen(Utf16.id(), &[Iso8859_1], Iso8859_1), id(Iso8859_1), "nor the reverse");
    }

    #[test]
    fn code_sets_without_common_characters_are_incompatible() {
        assert_eq!(chosen(KOREAN, &[], Iso8859_1), None);
        assert_eq!(chosen(KOREAN, &[Utf8], Iso8859_1), Some(Utf8.id()));
        let component = CodeSetComponent { native: KOREAN, conversion: Vec::new() };
        let error = choose(&component, Iso8859_1, Utf8).unwrap_err();
        assert_eq!(error.server, KOREAN);
        assert_eq!(chosen(0x0003_0004, &[], ShiftJis), Some(Utf8.id()), "Kanji in common");
        assert_eq!(chosen(0x0003_0004, &[], Iso8859_1), None);
    }

    #[test]
    fn a_context_with_a_set_that_is_not_known_or_of_the_wrong_kind_is_refused() {
        let sets = |char, wchar| CodeSetContext { char, wchar }.code_sets();
        let agreed = CodeSets::with_utf_16(Utf8);
        assert_eq!(sets(Utf8.id(), Utf16.id()), Ok(agreed));
        assert_eq!(sets(0, 0), Ok(CodeSets::UNAGREED));
        assert_eq!(sets(EBCDIC, 0), Err(EBCDIC));
        assert_eq!(sets(Utf16.id(), 0), Err(Utf16.id()));
        assert_eq!(sets(Utf8.id(), Utf8.id()), Err(Utf8.id()));
    }

    #[test]
    fn the_context_reads_back_and_in_the_other_order_too() {
        let context = CodeSetContext { char: Utf8.id(), wchar: 0x0001_0109 };
        assert_eq!(CodeSetContext::decode(&context.encode()), Ok(context));
        let big = b"\0\0\0\0\x05\x01\0\x01\0\x01\x01\x09";
        let little = b"\x01\0\0\0\x01\0\x01\x05\x09\x01\x01\0";
        assert_eq!(CodeSetContext::decode(big), Ok(context));
        assert_eq!(CodeSetContext::decode(little), Ok(context));
        for length in 0..12 {
            assert!(CodeSetContext::decode(&big[..length]).is_err());
        }
    }
}
