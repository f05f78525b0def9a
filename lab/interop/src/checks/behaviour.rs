//! Checks of constants, attributes, oneway operations, names that are reserved words, and calls in
//! parallel.

use super::{Checks, expect_same};
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::SystemException;
use std::thread;
use std::time::{Duration, Instant};

impl Checks<'_> {
    pub(super) fn behaviour(&mut self) {
        self.constants();
        self.attributes();
        self.oneway();
        self.reserved_names();
        self.time();
    }

    fn constants(&mut self) {
        let mut all = None;
        self.check("all_constants", "call", |echo| {
            all = Some(echo.all_constants()?);
            Ok(())
        });
        let Some(all) = all else { return };
        macro_rules! check {
            ($($member:ident $constant:ident)*) => {$(
                self.check("all_constants", stringify!($constant), |_| {
                    expect(all.$member == $constant, format!("{:?}", all.$member))
                });
            )*};
        }
        check! {
            name_limit NAME_LIMIT
            negative_short NEGATIVE_SHORT
            top_short TOP_SHORT
            shifted SHIFTED
            masked MASKED
            high_bits HIGH_BITS
            far_below FAR_BELOW
            far_above FAR_ABOVE
            all_ones ALL_ONES
            agreed AGREED
            quote QUOTE
            hex_char HEX_CHAR
            half HALF
            scaled SCALED
            favourite FAVOURITE
            greeting GREETING
        }
    }

    fn attributes(&mut self) {
        self.check("description", "present", |echo| {
            expect(!echo.description()?.is_empty(), "empty")
        });
        self.check("level", "set_and_get", |echo| {
            for value in [i32::MIN, i32::MAX, 0] {
                echo.set_level(value)?;
                expect_same("level", &echo.level()?, &value)?;
            }
            Ok(())
        });
        let texts = [self.alphabet.everything(), "l".repeat(100_000), String::new()];
        self.check("label", "set_and_get", |echo| {
            for value in &texts {
                echo.set_label(value)?;
                expect_same("label", &echo.label()?, value)?;
            }
            Ok(())
        });
        let record: BinStruct = self.random(5).make();
        self.check("record", "set_and_get", |echo| {
            echo.set_record(&record)?;
            expect_same("record", &echo.record()?, &record)
        });
        self.check("foreground", "two_attributes", |echo| {
            echo.set_foreground(Colour::Ultraviolet)?;
            echo.set_background(Colour::Green)?;
            expect_same("foreground", &echo.foreground()?, &Colour::Ultraviolet)?;
            expect_same("background", &echo.background()?, &Colour::Green)
        });
        let histories = [0, 1, 10_000].map(|count| self.some::<i32>(count));
        self.check("history", "set_and_get", |echo| {
            for value in &histories {
                echo.set_history(value)?;
                expect_same("history", &echo.history()?, value)?;
            }
            Ok(())
        });
    }

    fn oneway(&mut self) {
        self.check("ping", "returns", |echo| Ok(echo.ping()?));
        self.check("notify", "hundred_in_a_row", |echo| {
            let (sum, count) = (echo.notified()?, echo.notifications()?);
            for n in 1..=100 {
                echo.notify(n)?;
            }
            wait_until("the last of 100 notifications", || {
                Ok(echo.notifications()?.wrapping_sub(count) >= 100)
            })?;
            expect_same("notified", &(echo.notified()? - sum), &5050_i64)
        });
        self.check("notify", "extremes", |echo| {
            expect_added(echo, 2_147_483_646, || {
                [i32::MAX, i32::MAX, i32::MIN].into_iter().try_for_each(|n| echo.notify(n))
            })
        });
        self.check("notify_mixed", "padded_arguments", |echo| {
            expect_added(echo, 1004, || echo.notify_mixed(255, 1000.5, "four"))
        });
        self.check("notify_mixed", "100_kb", |echo| {
            expect_added(echo, 99_999, || echo.notify_mixed(0, -1.0, &"n".repeat(100_000)))
        });
    }

    fn reserved_names(&mut self) {
        self.check("type", "argument", |echo| expect_same("result", &echo.r#type(-1)?, &-1));
        self.check("move", "argument", |echo| expect_same("result", &echo.r#move(2)?, &2));
        self.check("class", "argument", |echo| expect_same("result", &echo.class(3)?, &3));
        self.check("interface", "argument", |echo| expect_same("result", &echo.interface(4)?, &4));
        self.check("loop", "argument", |echo| {
            expect_same("result", echo.r#loop("fn")?.as_str(), "fn")
        });
        self.check("await", "set_and_get", |echo| {
            echo.set_await(7)?;
            expect_same("await", &echo.r#await()?, &7)
        });
    }

    fn time(&mut self) {
        self.check("pause", "50_ms", |echo| {
            let start = Instant::now();
            echo.pause(50)?;
            expect(start.elapsed() >= Duration::from_millis(50), "returned too early")
        });
        self.check("parallel", "8_threads", |echo| {
            let wrong: u32 = thread::scope(|scope| {
                let callers = [1, 2, 3, 4, 5, 6, 7, 8]
                    .map(|caller| scope.spawn(move || wrong_of_repeated_calls(echo, caller)));
                // A caller that panicked did no call right.
                callers.into_iter().map(|caller| caller.join().unwrap_or(CALLS)).sum()
            });
            expect(wrong == 0, format!("{wrong} calls went wrong"))
        });
    }
}

/// A oneway call is not answered, so its effect is waited for.
fn wait_until(what: &str, holds: impl Fn() -> Result<bool, SystemException>) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds()? {
        expect(Instant::now() < deadline, format!("{what} did not arrive within 10 s"))?;
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Waits until `notify` has added `amount` to the sum of all notifications.
fn expect_added(
    echo: &EchoRef,
    amount: i64,
    notify: impl FnOnce() -> Result<(), SystemException>,
) -> Outcome {
    let sum = echo.notified()?;
    notify()?;
    wait_until("the sum", || Ok(echo.notified()? - sum == amount))
}

/// How often each of the parallel callers calls.
const CALLS: u32 = 50;

fn wrong_of_repeated_calls(echo: &EchoRef, caller: i32) -> u32 {
    let right = |i: i32| {
        let given = caller * 1000 + i;
        let mut kept = -given;
        let answer = echo.echo_long(given, &mut kept);
        answer.is_ok_and(|answer| answer == (-given, given)) && kept == given
    };
    (0..CALLS as i32).map(|i| u32::from(!right(i))).sum()
}
