//! Checks of the echo operations of `Values` and `Containers`: every type, at its extremes.

use super::cases::{Case, Cases, bounded_sequences, nicknames, sequences};
use super::{Checks, expect_same};
use crate::fill::Filler;
use crate::interop::*;
use crate::operations::{arrays, scalars, sequences as all_sequences, structs_and_unions};
use armilla::SystemException;
use armilla_cdr::Encode;

impl Checks<'_> {
    pub(super) fn values(&mut self) {
        self.basic_types();
        self.structs_and_unions();
        self.arrays();
        self.sequences();
    }

    fn basic_types(&mut self) {
        macro_rules! check {
            ($($operation:ident: $ty:ty,)*) => {$(
                let cases = <$ty>::cases(self.alphabet);
                self.exchange(stringify!($operation), &cases, |echo, given, kept| {
                    echo.$operation(*given, kept)
                });
            )*};
        }
        scalars!(check);
        let strings = String::cases(self.alphabet);
        self.exchange("echo_string", &strings, |echo, given, kept| echo.echo_string(given, kept));
        self.exchange("echo_nickname", &nicknames(self.alphabet), |echo, given, kept| {
            echo.echo_nickname(given, kept)
        });
    }

    fn structs_and_unions(&mut self) {
        macro_rules! check {
            ($($operation:ident: $ty:ty,)*) => {$(
                let cases = <$ty>::cases(self.alphabet);
                self.exchange(stringify!($operation), &cases, |echo, given, kept| {
                    echo.$operation(given, kept)
                });
            )*};
        }
        structs_and_unions!(check);
    }

    fn arrays(&mut self) {
        macro_rules! check {
            ($($operation:ident: $ty:ty,)*) => {$(
                let cases = <$ty>::cases(self.alphabet);
                self.exchange(stringify!($operation), &cases, |echo, given, kept| {
                    echo.$operation(given, kept)
                });
            )*};
        }
        arrays!(check);
    }

    fn sequences(&mut self) {
        macro_rules! check {
            ($($operation:ident: $ty:ty,)*) => {$(
                let cases = sequences(self.alphabet, Filler::make::<$ty>);
                self.exchange(stringify!($operation), &cases, |echo, given, kept| {
                    echo.$operation(given, kept)
                });
            )*};
        }
        all_sequences!(check);
        let limit = NAME_LIMIT as usize;
        let nicknames = sequences(self.alphabet, |filler| filler.text(limit));
        self.exchange("echo_nickname_seq", &nicknames, |echo, given, kept| {
            echo.echo_nickname_seq(given, kept)
        });
        let lists = bounded_sequences(self.alphabet, 8, Filler::make::<i32>);
        self.exchange("echo_short_list", &lists, |echo, given, kept| {
            echo.echo_short_list(given, kept)
        });
        let codes = bounded_sequences(self.alphabet, limit / 4, |filler| filler.text(4));
        self.exchange("echo_codes", &codes, |echo, given, kept| echo.echo_codes(given, kept));
    }

    /// Sends each value with another one in `kept`: the case's next, or the next case's first if it
    /// has but one.
    fn exchange<T: Encode + Clone>(
        &mut self,
        operation: &str,
        cases: &[Case<T>],
        call: impl Fn(&EchoRef, &T, &mut T) -> Result<(T, T), SystemException>,
    ) {
        for (case, next) in cases.iter().zip(cases.iter().cycle().skip(1)) {
            self.check(operation, case.name, |echo| {
                let values = &case.values;
                for (index, given) in values.iter().enumerate() {
                    let before = match values.len() {
                        1 => &next.values[0], // No case is without values.
                        count => &values[(index + 1) % count],
                    };
                    let mut kept = before.clone();
                    let (result, copy) = call(echo, given, &mut kept)?;
                    expect_same("result", &result, before)?;
                    expect_same("copy", &copy, given)?;
                    expect_same("kept", &kept, given)?;
                }
                Ok(())
            });
        }
    }
}
