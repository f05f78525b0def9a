//! What the client checks: every operation of an `Interop::Echo` with the extreme values of every
//! type. The names of the checks are those of the omniORB client.

mod behaviour;
mod cases;
mod exceptions;
mod exotics;
mod graphs;
mod parameters;
mod references;
mod shapes;
mod values;

pub use shapes::Shapes;

use crate::fill::{Alphabet, Fill, Filler, Mode};
use crate::interop::EchoRef;
use crate::report::{Outcome, Report, expect};
use armilla::Orb;
use armilla_cdr::{ByteOrder, CodeSet, Encode, Encoder};

/// What the checks work with.
pub struct Checks<'r> {
    /// Where results go.
    pub report: &'r mut Report,
    /// The object under test.
    pub echo: EchoRef,
    /// What texts are made of.
    pub alphabet: Alphabet,
}

impl Checks<'_> {
    /// Runs the checks of `idl/interop_values.idl`.
    pub fn run_exotics(&mut self) {
        self.exotics();
        self.graphs();
    }

    /// Runs the checks of `idl/interop.idl`. The object that is called back is activated in `orb`.
    pub fn run(&mut self, orb: &Orb) {
        self.values();
        self.behaviour();
        self.parameters();
        self.exceptions();
        self.references(orb);
    }

    fn check(&mut self, operation: &str, case: &str, body: impl FnOnce(&EchoRef) -> Outcome) {
        let echo = &self.echo;
        self.report.check(operation, case, || body(echo));
    }

    fn random(&self, seed: usize) -> Filler {
        Filler::new(Mode::Random(seed as u64), self.alphabet)
    }

    /// A sequence of `count` pseudo-random elements.
    fn some<T: Fill>(&self, count: usize) -> Vec<T> {
        self.random(count).elements(count)
    }
}

/// The value's CDR encoding, in UTF-8 if it goes beyond Latin-1. Equal encodings are equal values,
/// for every type alike, and NaN and -0.0 compare by their bits as they should.
fn encoded<T: Encode + ?Sized>(value: &T) -> Result<Vec<u8>, armilla_cdr::CdrError> {
    let in_code_set = |code_set| {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, code_set);
        value.encode(&mut out).map(|()| out.to_vec())
    };
    in_code_set(CodeSet::Iso8859_1).or_else(|_| in_code_set(CodeSet::Utf8))
}

/// Fails, and says where the two encodings part, unless the values are the same.
fn expect_same<T: Encode + ?Sized>(what: &str, got: &T, wanted: &T) -> Outcome {
    let (got, wanted) = (encoded(got)?, encoded(wanted)?);
    if got == wanted {
        return Ok(());
    }
    let at = got.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
    let octet = |octets: &[u8]| octets.get(at).map_or("nothing".into(), |o| format!("{o:02x}"));
    expect(
        false,
        format!(
            "{what} differs: {} octets in CDR, wanted {}; at octet {at} {}, wanted {}",
            got.len(),
            wanted.len(),
            octet(&got),
            octet(&wanted)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_compare_by_their_bits() {
        assert!(expect_same("", &f64::NAN, &f64::NAN).is_ok());
        assert!(expect_same("", &0.0_f32, &-0.0).is_err());
        let error = expect_same("copy", "Vega", "Deneb").unwrap_err().to_string();
        assert!(error.contains("copy differs") && error.contains("at octet 3"), "{error}");
        assert!(expect_same("", "\u{20ac}", "\u{20ac}").is_ok());
    }
}
