//! Code sets: the context that states them and how a client chooses (CORBA 3.4 Part 2, 7.10).

use crate::ServiceContext;
use crate::ior::CodeSetComponent;
use crate::service_context::CODE_SETS_CONTEXT;
use armilla_cdr::{ByteOrder, CdrResult, CodeSet, Decoder};

/// The registry number of UTF-16, in which wide characters travel.
pub const UTF_16: u32 = 0x0001_0109;

/// The code sets of a connection, by their registry numbers, as the client states them with its
/// requests. 0 stands for none.
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

/// Chooses in which code set the strings to a server travel, for a client that has `native` and
/// converts to and from every other [`CodeSet`].
///
/// A server whose profile says nothing (IIOP 1.0, or no component) is taken to want ISO 8859-1.
/// When nothing fits the answer is UTF-8, which every server since CORBA 2.1 understands.
pub fn choose_char_code_set(server: Option<&CodeSetComponent>, native: CodeSet) -> CodeSet {
    let Some(server) = server else { return CodeSet::Iso8859_1 };
    if server.native == native.id() {
        return native;
    }
    let both = [server.native].into_iter().chain(server.conversion.iter().copied());
    CodeSet::from_id(server.native)
        .or_else(|| both.clone().any(|id| id == native.id()).then_some(native))
        .or_else(|| both.clone().find_map(CodeSet::from_id))
        .unwrap_or(CodeSet::Utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use CodeSet::{Iso8859_1, Utf8};
    use alloc::vec::Vec;

    const EBCDIC: u32 = 0x1002_0025;

    fn chosen(native: u32, conversion: &[CodeSet], ours: CodeSet) -> CodeSet {
        let conversion: Vec<u32> = conversion.iter().map(|set| set.id()).collect();
        choose_char_code_set(Some(&CodeSetComponent { native, conversion }), ours)
    }

    #[test]
    fn the_choice_needs_as_little_conversion_as_possible() {
        for ours in [Iso8859_1, Utf8] {
            assert_eq!(chosen(ours.id(), &[Iso8859_1, Utf8], ours), ours, "both have it");
        }
        assert_eq!(chosen(Iso8859_1.id(), &[Utf8], Utf8), Iso8859_1, "the client converts");
        assert_eq!(chosen(EBCDIC, &[Iso8859_1, Utf8], Utf8), Utf8, "the server converts");
        assert_eq!(chosen(EBCDIC, &[Iso8859_1], Utf8), Iso8859_1, "both convert");
        assert_eq!(chosen(EBCDIC, &[], Iso8859_1), Utf8, "nothing in common");
        assert_eq!(choose_char_code_set(None, Utf8), Iso8859_1, "an old server");
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
