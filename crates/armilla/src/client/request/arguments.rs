//! The encoded arguments of an asynchronous call, kept until the request is sent.
//!
//! The encoding depends on the code sets, on the GIOP version and on the length of the header. A
//! reference with little information, such as a `corbaloc` URL, is usually forwarded at once to a
//! server with a later version and negotiated code sets. The caller's values are gone by then. The
//! arguments are therefore encoded in advance in each form that the call may need.

use super::operation::OwnedOperation;
use crate::exception::{Completion, SystemException};
use crate::interception::Read;
use crate::signature::Part;
use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, CodeSets, Decoder, Encoder,
};
use armilla_giop::{CodeSetContext, Version, put_body};

/// Encoded arguments in all forms that may be needed.
pub(in crate::client) struct EncodedArguments(Vec<Variant>);

/// The arguments in one encoding.
struct Variant {
    octets: Vec<u8>,
    version: Version,
    code_sets: CodeSets,
    /// The offset modulo 8 at which the octets begin, for alignment.
    phase: usize,
    order: ByteOrder,
    /// Whether they contain no wide text, so that the wide code set does not matter.
    narrow: bool,
}

impl EncodedArguments {
    /// Encodes arguments for a call of `operation` in this version, over a connection with these
    /// code sets, which are `agreed` on or the usual ones.
    pub(in crate::client) fn encode<'p>(
        version: Version,
        (agreed, code_sets): (Option<CodeSetContext>, CodeSets),
        operation: &OwnedOperation,
        arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Result<Self, SystemException> {
        let first = Variant::encode(version, code_sets, 0, arguments).map_err(|error| {
            let exception = SystemException::encoding_request(&error, agreed.is_some());
            let call = operation.get().at_fault(Part::Arguments);
            call.explain_encoding(exception, (code_sets, version.wide_format()), arguments)
        })?;
        let mut variants = vec![first];
        if version < Version::V1_2 || agreed.is_none() {
            let later = [CodeSet::Utf8, CodeSet::Iso8859_1].map(|char| {
                let code_sets = CodeSets { char, wchar: Some(CodeSet::Utf16), ..code_sets };
                Variant::encode(Version::V1_2, code_sets, 0, arguments)
            });
            // A form in which the arguments cannot be encoded is left out.
            variants.extend(later.into_iter().flatten());
        }
        if version < Version::V1_2 {
            // Headers of GIOP 1.0 and 1.1 end at any multiple of four.
            variants.extend(Variant::encode(version, code_sets, 4, arguments));
        }
        let narrow = agreed.is_none();
        variants.iter_mut().for_each(|variant| variant.narrow = narrow);
        Ok(Self(variants))
    }

    /// Passes the arguments to `read`, for interceptors.
    pub(in crate::client) fn read(&self, read: Read<'_>) -> Result<(), SystemException> {
        // There is at least one variant, and the first begins at offset 0.
        let Some(Variant { octets, version, code_sets, order, .. }) = self.0.first() else {
            return Ok(());
        };
        let input = Decoder::new(octets, *order).with_code_sets(*code_sets);
        read(&mut input.with_wide_format(version.wide_format()))
            .map_err(|error| SystemException::decoding(&error, Completion::No))
    }

    /// Writes the arguments after a request header.
    pub(in crate::client) fn put(
        &self,
        out: &mut Encoder<'_>,
        version: Version,
        code_sets: CodeSets,
    ) -> CdrResult {
        let phase = out.len() % 8;
        match self.0.iter().find(|variant| variant.fits(version, code_sets, phase)) {
            Some(variant) if variant.order != out.order() => {
                Err(CdrError::new(CdrErrorKind::OtherByteOrder))
            }
            Some(variant) => {
                out.copy_raw(&variant.octets);
                Ok(())
            }
            None => Err(CdrError::new(CdrErrorKind::Invalid(
                "the object has moved to a server with another GIOP version or code sets; the \
                 arguments of an asynchronous call cannot be encoded again for it",
            ))),
        }
    }
}

impl Variant {
    fn encode<'p>(
        version: Version,
        code_sets: CodeSets,
        phase: usize,
        arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> CdrResult<Self> {
        let mut out = Encoder::with_code_sets(Vec::new(), ByteOrder::NATIVE, code_sets);
        let body = |out: &mut Encoder<'p>| {
            out.truncate(0);
            out.copy_raw(&[0; 8][..phase]);
            put_body(out, version, |out| arguments(out))
        };
        body(&mut out).or_else(|error| out.with_other_order(error, body))?;
        let (mut octets, order) = (out.to_vec(), out.order());
        octets.drain(..phase);
        Ok(Self { octets, version, code_sets, order, phase, narrow: false })
    }

    fn fits(&self, version: Version, code_sets: CodeSets, phase: usize) -> bool {
        let same_text = match self.narrow {
            true => self.code_sets.char == code_sets.char,
            false => self.code_sets == code_sets,
        };
        self.octets.is_empty() || (self.version == version && self.phase == phase && same_text)
    }
}
