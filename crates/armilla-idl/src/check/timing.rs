//! The timing of operations: annotations such as `@period(10 ms)`.

use super::Checker;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::literal;
use crate::lex::similar::nearest;
use crate::model::{DeclId, DeclKind, Export, Hold, Level, Model, TimedCall, Timing};
use crate::parse::annotation::ROLES;
use crate::parse::ast::{Argument, Operation, TimingAnnotation};
use crate::source::Span;
use std::collections::HashMap;

/// The units of times with their lengths in nanoseconds.
const UNITS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

/// The units of rates with their periods.
const RATES: &[(&str, u64)] = &[("Hz", 1_000_000_000), ("kHz", 1_000_000)];

/// What is wrong with an argument: where, what, and how to mend it.
struct Wrong {
    span: Span,
    message: String,
    help: String,
}

fn wrong<T>(span: Span, message: String, help: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { span, message, help: help.into() })
}

impl Checker<'_, '_> {
    /// The timing of an operation, if it has annotations of it.
    pub(super) fn timing(&mut self, operation: &Operation) -> Option<Box<Timing>> {
        let mut annotations = operation.timing.iter().filter(|it| it.name != ROLES).peekable();
        annotations.peek()?;
        let mut timing = Timing::default();
        let mut spans = HashMap::new();
        for annotation in annotations {
            let name = annotation.name.as_str();
            let first = *spans.entry(name).or_insert(annotation.span);
            let repeats = !matches!(name, "calls" | "holds") && first != annotation.span;
            let read = match repeats {
                true => wrong(
                    annotation.span,
                    format!("`@{name}` stands twice before one operation"),
                    "keep one of them",
                ),
                false => read(annotation, &mut timing),
            };
            if let Err(problem) = read {
                self.report_timing(problem);
            }
        }
        self.check_times(&timing, &spans, operation.name.span);
        Some(Box::new(timing))
    }

    fn report_timing(&mut self, problem: Wrong) {
        let error = Diagnostic::error(Code::BadTiming, problem.span, problem.message);
        self.session.report(error.help(problem.help));
    }

    /// Checks that the times do not contradict each other.
    fn check_times(&mut self, timing: &Timing, spans: &HashMap<&str, Span>, operation: Span) {
        let bound = match (timing.deadline, timing.period) {
            (Some(deadline), _) => Some(("deadline", deadline)),
            (None, Some(period)) => Some(("period", period)),
            (None, None) => None,
        };
        let span = |name: &str| spans.get(name).copied().unwrap_or(operation);
        if let (Some(wcet), Some((name, time))) = (timing.wcet, bound)
            && wcet > time
        {
            let message =
                format!("the execution time, {}, exceeds the {name}, {}", show(wcet), show(time));
            let error = Diagnostic::error(Code::BadTiming, span("wcet"), message)
                .secondary(span(name), "the time that it has")
                .help("shorten the operation, or give it more time");
            self.session.report(error);
        }
        if let (Some(jitter), Some((name, time))) = (timing.jitter, bound)
            && jitter >= time
        {
            let message =
                format!("the jitter, {}, reaches the {name}, {}", show(jitter), show(time));
            let error = Diagnostic::error(Code::BadTiming, span("jitter"), message)
                .secondary(span(name), "the time that it has")
                .help("a deadline counts from the nominal release: reduce the jitter");
            self.session.report(error);
        } else if timing.jitter.is_some() && timing.period.is_none() {
            let message = "`@jitter` needs a `@period`".to_owned();
            let help = "the jitter of an operation that others call follows from them";
            self.report_timing(Wrong { span: span("jitter"), message, help: help.to_owned() });
        }
        let held = timing.holds.iter().fold(0_u64, |sum, hold| sum.saturating_add(hold.length));
        if let Some(wcet) = timing.wcet.filter(|wcet| held > *wcet) {
            let (held, wcet) = (show(held), show(wcet));
            let message = format!("it holds resources for {held} of an execution time of {wcet}");
            let help = "the time of `@holds` is part of `@wcet`, and holds do not nest".to_owned();
            self.report_timing(Wrong { span: span("holds"), message, help });
        }
    }

    /// Checks the calls of all operations, after everything is declared.
    pub(super) fn check_timed_calls(&mut self) {
        let mut calls = Vec::new();
        for (_, declaration) in self.model.iter() {
            let DeclKind::Interface(interface) = &declaration.kind else { continue };
            let timed = interface.exports.iter().filter_map(|export| match export {
                Export::Operation(operation) => operation.timing.as_deref(),
                Export::Attribute(_) => None,
            });
            calls.extend(timed.flat_map(|timing| &timing.calls));
        }
        if calls.is_empty() {
            return;
        }
        let interfaces = interfaces(&self.model);
        let problems: Vec<Wrong> =
            calls.into_iter().filter_map(|call| unknown(&self.model, call, &interfaces)).collect();
        problems.into_iter().for_each(|problem| self.report_timing(problem));
    }
}

/// The interfaces that are defined, by their scoped names.
fn interfaces(model: &Model) -> HashMap<String, DeclId> {
    let defined = model.iter().filter(
        |(_, declaration)| matches!(&declaration.kind, DeclKind::Interface(one) if one.defined),
    );
    defined.map(|(id, _)| (model.scoped_name(id), id)).collect()
}

/// What is wrong with a call of an operation that its interface does not have. An interface that
/// is not declared here may be declared in another file.
fn unknown(model: &Model, call: &TimedCall, interfaces: &HashMap<String, DeclId>) -> Option<Wrong> {
    let (interface, operation) = call.operation.rsplit_once("::")?;
    let id = *interfaces.get(interface)?;
    let own_and_inherited = std::iter::once(id).chain(model.all_bases(id));
    let exports = own_and_inherited.flat_map(|id| match &model.get(id).kind {
        DeclKind::Interface(interface) => interface.exports.as_slice(),
        _ => &[],
    });
    let names: Vec<&str> = exports
        .filter_map(|export| match export {
            Export::Operation(operation) => Some(operation.name.as_str()),
            Export::Attribute(_) => None,
        })
        .collect();
    if names.contains(&operation) {
        return None;
    }
    let help = match nearest(operation, &names) {
        Some(meant) => format!("did you mean `{interface}::{meant}`?"),
        None if names.is_empty() => format!("`{interface}` has no operations"),
        None => format!("name one of its operations, such as `{interface}::{}`", names[0]),
    };
    let message = format!("`{interface}` has no operation `{operation}`");
    Some(Wrong { span: call.span, message, help })
}

/// Reads one annotation into `timing`.
fn read(annotation: &TimingAnnotation, timing: &mut Timing) -> Result<(), Wrong> {
    match annotation.name.as_str() {
        "period" => timing.period = Some(time(single(annotation, "10 ms")?, true)?),
        "deadline" => timing.deadline = Some(time(single(annotation, "8 ms")?, false)?),
        "wcet" => timing.wcet = Some(time(single(annotation, "300 us")?, false)?),
        "jitter" => timing.jitter = Some(time(single(annotation, "50 us")?, false)?),
        "criticality" => timing.criticality = Some(level(single(annotation, "high")?)?),
        "importance" => timing.importance = Some(level(single(annotation, "high")?)?),
        "threads" => timing.threads = Some(threads(single(annotation, "2")?)?),
        "calls" => timing.calls.extend(calls(annotation)?),
        _ => timing.holds.push(hold(annotation)?),
    }
    Ok(())
}

/// The only argument, which has no name or `value`.
fn single<'a>(annotation: &'a TimingAnnotation, example: &str) -> Result<&'a Argument, Wrong> {
    let name = &annotation.name;
    match annotation.arguments.as_slice() {
        [argument] if argument.name.as_deref().is_none_or(|name| name == "value") => Ok(argument),
        _ => wrong(
            annotation.span,
            format!("`@{name}` takes one value"),
            format!("write `@{name}({example})`"),
        ),
    }
}

/// A positive time in nanoseconds.
fn time(argument: &Argument, rate: bool) -> Result<u64, Wrong> {
    let Argument { text, span, .. } = argument;
    let fail = |message: String, help: &str| wrong(*span, message, help);
    if text.starts_with('-') {
        return fail(format!("`{text}` is negative"), "a time is positive");
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let Some((digits, scale)) = decimal(number) else {
        return fail(format!("`{text}` is no time"), "write a number and a unit, as in `10 ms`");
    };
    if unit.is_empty() {
        return fail(
            format!("`{text}` has no unit"),
            &format!("write `{text} ms`, or another of ns, us, ms, s and min"),
        );
    }
    if let Some((_, length)) = RATES.iter().find(|(name, _)| *name == unit) {
        if !rate {
            return fail(format!("`{text}` is a rate, not a time"), "only a period can be a rate");
        }
        let period = u128::from(*length) * scale;
        return match digits {
            0 => fail(format!("`{text}` has no period"), "a rate is above 0"),
            _ if period % digits != 0 => {
                fail(format!("`{text}` is no whole number of nanoseconds"), "write the period")
            }
            _ => whole(period / digits, text, *span),
        };
    }
    let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        let known: Vec<&str> = UNITS.iter().chain(RATES).map(|(name, _)| *name).collect();
        let small = unit.to_lowercase();
        let short = small.trim_end_matches("ec").trim_end_matches("econds");
        let meant = known.iter().find(|name| name.to_lowercase() == small || **name == short);
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "the units are ns, us, ms, s and min".to_owned(),
        };
        return fail(format!("`{unit}` is no unit of time"), &help);
    };
    let product = digits * u128::from(*length);
    if product % scale != 0 {
        return fail(format!("`{text}` is no whole number of nanoseconds"), "round it up");
    }
    whole(product / scale, text, *span)
}

fn whole(nanos: u128, text: &str, span: Span) -> Result<u64, Wrong> {
    match u64::try_from(nanos) {
        Ok(0) => wrong(span, format!("`{text}` is 0"), "give a time above 0"),
        Ok(nanos) => Ok(nanos),
        Err(_) => {
            wrong(span, format!("`{text}` is too long"), "times of up to 584 years are possible")
        }
    }
}

/// A decimal number as its digits and the power of ten that they are to be divided by.
fn decimal(text: &str) -> Option<(u128, u128)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let fits = whole.len() <= 22 && fraction.len() <= 12 && !whole.is_empty();
    let digits = fits.then(|| format!("{whole}{fraction}"))?;
    let value: u128 = digits.parse().ok()?;
    // With a minute as unit that stays below 128 bits: 24 digits and 11 more.
    let value = (value < 10_u128.pow(24)).then_some(value)?;
    Some((value, 10_u128.pow(fraction.len() as u32)))
}

fn level(argument: &Argument) -> Result<Level, Wrong> {
    let text = argument.text.as_str();
    if let Some((level, _)) = Level::ALL.into_iter().find(|(_, name)| *name == text) {
        return Ok(level);
    }
    let names = Level::ALL.map(|(_, name)| name);
    let help = match nearest(text, &names) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the levels are {}", names.join(", ")),
    };
    wrong(argument.span, format!("`{text}` is no level"), help)
}

fn threads(argument: &Argument) -> Result<u32, Wrong> {
    let text = argument.text.as_str();
    match literal::number(text) {
        Ok(literal::Number::Integer(count @ 1..=1024)) => Ok(count as u32),
        _ => wrong(
            argument.span,
            format!("`{text}` is no number of threads"),
            "write a whole number from 1 to 1024",
        ),
    }
}

/// The operations of `@calls("A::f", "B::g", delay = 200 us)`.
fn calls(annotation: &TimingAnnotation) -> Result<Vec<TimedCall>, Wrong> {
    let mut delay = 0;
    let mut calls = Vec::new();
    for argument in &annotation.arguments {
        match argument.name.as_deref() {
            Some("delay") => delay = time(argument, false)?,
            Some(other) => {
                return wrong(
                    argument.span,
                    format!("`@calls` has no argument `{other}`"),
                    "name operations, and `delay` if a message takes time",
                );
            }
            None => {
                let operation = name(argument, "the operation", "Iface::op")?;
                let operation = operation.trim_start_matches("::").to_owned();
                calls.push(TimedCall { operation, delay: 0, span: argument.span });
            }
        }
    }
    if calls.is_empty() {
        let help = "write `@calls(\"Iface::op\")`";
        return wrong(annotation.span, "`@calls` names no operation".to_owned(), help);
    }
    calls.iter_mut().for_each(|call| call.delay = delay);
    Ok(calls)
}

/// The resource and the length of `@holds("track", 20 us)`.
fn hold(annotation: &TimingAnnotation) -> Result<Hold, Wrong> {
    let [resource, length] = annotation.arguments.as_slice() else {
        let help = "write `@holds(\"track\", 20 us)`";
        return wrong(annotation.span, "`@holds` takes a resource and a time".to_owned(), help);
    };
    let resource = name(resource, "the resource", "track")?;
    Ok(Hold { resource, length: time(length, false)? })
}

/// A name in quotes, or a scoped name without.
fn name(argument: &Argument, what: &str, example: &str) -> Result<String, Wrong> {
    let text = argument.text.as_str();
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let inner = quoted.unwrap_or(text);
    let word = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    if !inner.is_empty() && inner.trim_start_matches("::").split("::").all(word) {
        return Ok(inner.to_owned());
    }
    wrong(
        argument.span,
        format!("`{text}` does not name {what}"),
        format!("write a name in quotes, as in `\"{example}\"`"),
    )
}

/// A time as a person writes it.
fn show(nanos: u64) -> String {
    let fits =
        |unit: &&(&str, u64)| nanos.is_multiple_of(unit.1) && nanos >= unit.1 && unit.0 != "min";
    let (unit, length) = UNITS.iter().rev().find(fits).copied().unwrap_or(("ns", 1));
    format!("{} {unit}", nanos / length)
}
