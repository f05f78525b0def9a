//! Which value of a call could not be encoded or decoded.
//!
//! Stubs and skeletons marshal the values of a call one after the other and keep no account of
//! them, because that would cost every call. When one of them fails, the values are gone through
//! once more, by the signature of the operation.

use super::Signature;
use crate::exception::SystemException;
use armilla_cdr::{Any, ByteOrder, CdrResult, CodeSets, Decoder, Encoder, TypeCode, WideFormat};

/// The values of a call that travel together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What a request carries: the `in` and `inout` parameters.
    Arguments,
    /// What a reply carries: the result, then the `inout` and `out` parameters.
    Results,
    /// A user exception.
    Exception,
}

/// A call, whose values could not be encoded or decoded.
#[derive(Debug, Clone)]
pub struct Call<'c> {
    /// The name of the operation.
    pub operation: &'c str,
    /// Its signature, if it is known.
    pub signature: Option<Signature>,
    /// Which of its values.
    pub part: Part,
}

impl Call<'_> {
    /// `exception` with the operation and the value that `input`, at the first of them, ends in or
    /// that is malformed.
    #[cold]
    #[must_use]
    pub fn explain_decoding(
        &self,
        exception: SystemException,
        input: Decoder<'_>,
    ) -> SystemException {
        let place = match self.part {
            Part::Exception => None,
            Part::Arguments | Part::Results => self.first_unreadable(input),
        };
        let what = match (place, self.part) {
            (Some(place), _) => place,
            (None, Part::Arguments) => "an argument".to_owned(),
            (None, Part::Results) => "a result".to_owned(),
            (None, Part::Exception) => "the exception".to_owned(),
        };
        let operation = self.operation;
        let reason = exception.reason().unwrap_or_default();
        let reason = format!("{what} of `{operation}`: {reason}");
        exception.with_reason(reason)
    }

    /// `exception` with the operation and the value at which `write` fails, with these code sets
    /// and this format of wide characters.
    #[cold]
    #[must_use]
    pub fn explain_encoding<'p>(
        &self,
        exception: SystemException,
        (code_sets, wide): (CodeSets, WideFormat),
        write: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> SystemException {
        let mut out = Encoder::with_code_sets(Vec::new(), ByteOrder::NATIVE, code_sets);
        out.set_wide_format(wide);
        let octets = match write(&mut out) {
            Err(_) => out.to_vec(),
            // It fails in another byte order or GIOP version only.
            Ok(()) => Vec::new(),
        };
        let input = Decoder::new(&octets, ByteOrder::NATIVE).with_code_sets(code_sets);
        let input = input.with_wide_format(wide);
        self.explain_decoding(exception, input)
    }

    /// The first value that cannot be read by its type.
    fn first_unreadable(&self, mut input: Decoder<'_>) -> Option<String> {
        let signature = self.signature.as_ref()?;
        let mut fails = |code: &TypeCode| Any::read(code.clone(), &mut input).is_err();
        let is_sent = self.part == Part::Arguments;
        if !is_sent && signature.result != TypeCode::Void && fails(&signature.result) {
            return Some("the result".to_owned());
        }
        let mut parameters = signature.parameters.iter().filter(|parameter| match is_sent {
            true => parameter.is_sent(),
            false => parameter.is_returned(),
        });
        let found = parameters.find(|parameter| fails(parameter.type_code()))?;
        Some(format!("the parameter `{}`", found.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::{Completion, ExceptionKind, Minor};
    use armilla_cdr::CodeSet;

    const CODE_SETS: CodeSets = CodeSets::with_utf_16(CodeSet::Utf8);

    fn signature() -> Signature {
        Signature::new()
            .with_in("first", TypeCode::ULong)
            .with_out("made", TypeCode::Boolean)
            .with_inout("label", TypeCode::String(3))
            .with_result(TypeCode::Octet)
    }

    fn reason(part: Part, octets: &[u8], signature: Option<Signature>) -> String {
        let call = Call { operation: "put", signature, part };
        let (kind, minor) = (ExceptionKind::Marshal, Minor::DECODING_FAILED);
        let exception = SystemException::new(kind, minor, Completion::No).with_reason("why");
        let input = Decoder::new(octets, ByteOrder::Big);
        call.explain_decoding(exception, input).reason().unwrap_or_default().to_owned()
    }

    #[test]
    fn the_first_value_that_cannot_be_read_is_named() {
        let arguments = |octets: &[u8]| reason(Part::Arguments, octets, Some(signature()));
        assert_eq!(arguments(&[0, 0]), "the parameter `first` of `put`: why");
        let too_long = [0, 0, 0, 1, 0, 0, 0, 5, b'l', b'o', b'n', b'g', 0];
        assert_eq!(arguments(&too_long), "the parameter `label` of `put`: why");
        let results = |octets: &[u8]| reason(Part::Results, octets, Some(signature()));
        assert_eq!(results(&[]), "the result of `put`: why");
        assert_eq!(results(&[1, 7]), "the parameter `made` of `put`: why");
        assert_eq!(results(&[1, 1, 0, 0]), "the parameter `label` of `put`: why");
    }

    #[test]
    fn without_a_signature_the_operation_is_named() {
        assert_eq!(reason(Part::Arguments, &[], None), "an argument of `put`: why");
        assert_eq!(reason(Part::Results, &[], None), "a result of `put`: why");
        assert_eq!(reason(Part::Exception, &[], Some(signature())), "the exception of `put`: why");
    }

    #[test]
    fn the_value_at_which_encoding_stops_is_named() {
        let call = Call { operation: "put", signature: Some(signature()), part: Part::Arguments };
        let (kind, minor) = (ExceptionKind::BadParam, Minor::ENCODING_FAILED);
        let exception = SystemException::new(kind, minor, Completion::No).with_reason("why");
        let explained = call.explain_encoding(exception, (CODE_SETS, WideFormat::Octets), &|out| {
            out.put_u32(1);
            out.put_bounded_string("long", 3)
        });
        assert_eq!(explained.reason(), Some("the parameter `label` of `put`: why"));
    }
}
