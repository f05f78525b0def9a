//! Checks of operations that mix parameters of many types.

use super::{Checks, expect_same};
use crate::fill::{Filler, Mode};
use crate::interop::*;
use crate::report::{Outcome, expect};

impl Checks<'_> {
    pub(super) fn parameters(&mut self) {
        let alphabet = self.alphabet;
        let filler = |mode| Filler::new(mode, alphabet);
        self.check("wide", "zero", |echo| wide(echo, filler(Mode::Zero), 0));
        self.check("wide", "lowest", |echo| wide(echo, filler(Mode::Lowest), 1));
        self.check("wide", "highest", |echo| wide(echo, filler(Mode::Highest), 2));
        self.check("wide", "random", |echo| {
            (1..=20).try_for_each(|seed| wide(echo, filler(Mode::Random(seed)), 3))
        });
        self.check("outputs_only", "documented_values", |echo| {
            let (result, o, ll, c, d, text, numbers) = echo.outputs_only()?;
            expect((result, o, ll, c, d) == (true, 1, 2, b'3', 4.5), "another value")?;
            expect_same("text", text.as_str(), "five")?;
            expect_same("numbers", &numbers, &vec![6, 7])
        });
        let fillers = [0, 1, 2, 3, 4, 5, 6, 7].map(|offset| self.some::<u8>(offset));
        let items = [0, 1, 5].map(|count| self.some::<BinStruct>(count));
        self.check("echo_at_offset", "every_alignment", |echo| {
            for (filler, items) in fillers.iter().flat_map(|f| items.iter().map(move |i| (f, i))) {
                let (result, filler_copy) = echo.echo_at_offset(filler, items)?;
                expect_same("filler_copy", &filler_copy, filler)?;
                expect_same("result", &result, items)?;
            }
            Ok(())
        });
        self.check("arithmetic", "signs", |echo| {
            expect_same("result", &echo.arithmetic(1, 2, 3, 4)?, &11)?;
            let result = echo.arithmetic(i16::MIN, i32::MIN, 1 << 62, 255)?;
            expect_same("result", &result, &((1 << 62) - 2_147_483_648 - 327_680 - 255))
        });
    }
}

fn wide(echo: &EchoRef, mut filler: Filler, count: usize) -> Outcome {
    let (o, d, c): (u8, f64, u8) = (filler.make(), filler.make(), filler.make());
    let (ll, b, text): (i64, bool, String) = (filler.make(), filler.make(), filler.make());
    let (s, colour, f): (i16, Colour, f32) = (filler.make(), filler.make(), filler.make());
    let (bin, numbers): (BinStruct, LongSeq) = (filler.make(), filler.elements(count));
    let mut tally = 5;
    let mut note = "note ".to_owned();

    let answer =
        echo.wide(o, d, c, ll, b, &text, s, colour, f, &bin, &numbers, &mut tally, &mut note)?;
    let (
        result,
        out_numbers,
        out_bin,
        out_f,
        out_colour,
        out_s,
        out_b,
        out_ll,
        out_c,
        out_d,
        out_o,
    ) = answer;
    expect_same("result", &result, &text)?;
    expect_same("tally", &tally, &(5 + count as i32))?;
    expect_same("note", &note, &format!("note {text}"))?;
    expect_same("out_numbers", &out_numbers, &numbers)?;
    expect_same("out_bin", &out_bin, &bin)?;
    expect_same("out_f", &out_f, &f)?;
    expect_same("out_colour", &out_colour, &colour)?;
    expect_same("out_s", &out_s, &s)?;
    expect_same("out_b", &out_b, &b)?;
    expect_same("out_ll", &out_ll, &ll)?;
    expect_same("out_c", &out_c, &c)?;
    expect_same("out_d", &out_d, &d)?;
    expect_same("out_o", &out_o, &o)
}
