//! Dynamic properties: asks for values, never under a lock and never for long (Trading Object
//! Service 1.0, 2.3.3).

use super::Servant;
use super::activity::Counters;
use super::answer::{Answer, Compiled, Ranked, Told, Wanted};
use super::parallel::parallel;
use super::policies::OFFER_ID;
use crate::constraint::{Found, Properties, Undefined, Value};
use crate::model::{Candidate, Offer, dynamic, is_dynamic, value};
use armilla::Any;
use armilla_cos_trading::dynamic::DynamicPropEval;
use armilla_cos_trading::{Offer as Shown, OfferSeq, Property};
use std::sync::Arc;
use std::time::Instant;

impl Servant {
    /// Evaluates what is open of the candidates of a query, and drops those that do not match.
    pub(super) fn settle(
        &self,
        candidates: Vec<Candidate>,
        compiled: &Compiled,
        deadline: Instant,
    ) -> Vec<Ranked> {
        let open: Vec<&Candidate> = candidates.iter().filter(|c| c.is_open).collect();
        let threads = self.service.limits.parallel_calls;
        let settled = parallel(&self.service.call_threads, &open, threads, |candidate| {
            self.settle_one(&candidate.offer, compiled, deadline)
        });
        let mut settled = settled.into_iter();
        let ranked = candidates.into_iter().filter_map(|candidate| match candidate.is_open {
            true => settled.next().flatten(),
            false => {
                Some((candidate.rank, Answer::Local { offer: candidate.offer, told: Vec::new() }))
            }
        });
        ranked.collect()
    }

    fn settle_one(
        &self,
        offer: &Arc<Offer>,
        compiled: &Compiled,
        deadline: Instant,
    ) -> Option<Ranked> {
        let mut told = Told::new();
        let constraint = &compiled.constraint;
        if !compiled.matches_all(offer) {
            let names = constraint.property_names();
            let matches = self.with_values(offer, names, &mut told, deadline, |values| {
                constraint.matches(values)
            })?;
            if !matches {
                return None;
            }
        }
        let preference = &compiled.preference;
        let names = preference.property_names();
        let rank =
            self.with_values(offer, names, &mut told, deadline, |values| preference.rank(values))?;
        Some((rank, Answer::Local { offer: offer.clone(), told }))
    }

    /// Evaluates an expression, and asks for each dynamic property that it comes upon. `None` if
    /// there is no time left.
    fn with_values<T>(
        &self,
        offer: &Offer,
        names: &[Box<str>],
        told: &mut Told,
        deadline: Instant,
        evaluate: impl Fn(&Values) -> Result<T, Undefined>,
    ) -> Option<T> {
        let mut values = Values(names.iter().map(|name| Known::of(offer, name, told)).collect());
        loop {
            let property = match evaluate(&values) {
                Ok(result) => return Some(result),
                Err(Undefined::Dynamic(property)) => property,
                Err(_) => return None,
            };
            let (name, known) = (names.get(property)?, values.0.get_mut(property)?);
            let any = self.ask(offer, name, deadline);
            *known = any.as_ref().map_or(Known::Absent, |any| Known::Value(value(any)));
            told.push((name.to_string(), any));
            if Instant::now() >= deadline {
                return None;
            }
        }
    }

    /// Asks for the value of a dynamic property. `None` if there is none of the declared type
    /// within the time limit.
    fn ask(&self, offer: &Offer, name: &str, deadline: Instant) -> Option<Any> {
        let counters = &self.service.counters;
        Counters::add(&counters.evaluations, 1);
        let told = self.evaluate(offer, name, deadline);
        if told.is_none() {
            Counters::add(&counters.evaluation_failures, 1);
        }
        told
    }

    fn evaluate(&self, offer: &Offer, name: &str, deadline: Instant) -> Option<Any> {
        let property = dynamic(offer.property(name)?, self.orb()).ok()??;
        let left = deadline.saturating_duration_since(Instant::now());
        let evaluator = property.eval_if.with_timeout(left.min(self.service.limits.call_time));
        let any = evaluator.eval_dp(name, &property.returned_type, &property.extra_info).ok()?;
        any.type_code().is_equivalent(&property.returned_type).then_some(any)
    }

    /// The offers as a reply shows them. A dynamic property without a value is left out.
    pub(super) fn present(&self, answers: Vec<Answer>, wanted: &Wanted) -> OfferSeq {
        let deadline = self.query_end();
        let needs_calls = |answer: &Answer| match answer {
            Answer::Local { offer, told } => offer.properties.iter().any(|property| {
                wanted.has(&property.name)
                    && is_dynamic(&property.value)
                    && told.iter().all(|(name, _)| *name != property.name)
            }),
            Answer::Remote(_) => false,
        };
        // Threads pay only if somebody is asked.
        let threads = match answers.iter().any(needs_calls) {
            true => self.service.limits.parallel_calls,
            false => 1,
        };
        parallel(&self.service.call_threads, &answers, threads, |answer| match answer {
            Answer::Remote(offer) => offer.clone(),
            Answer::Local { offer, told } => Shown {
                reference: offer.reference().clone(),
                properties: self.shown_properties(offer, told, wanted, deadline),
            },
        })
    }

    fn shown_properties(
        &self,
        offer: &Offer,
        told: &Told,
        wanted: &Wanted,
        deadline: Instant,
    ) -> Vec<Property> {
        let properties = offer.properties.iter().filter(|property| wanted.has(&property.name));
        let shown = properties.filter_map(|property| {
            if !is_dynamic(&property.value) {
                return Some(property.clone());
            }
            let known = told.iter().find(|(name, _)| *name == property.name);
            let value = match known {
                Some((_, value)) => value.clone(),
                None => self.ask(offer, &property.name, deadline),
            };
            Some(Property { name: property.name.clone(), value: value? })
        });
        let id =
            || Some(Property { name: OFFER_ID.to_owned(), value: Any::new(&offer.id()).ok()? });
        shown.chain(wanted.ids.then(id).flatten()).collect()
    }
}

/// The values of the properties that an expression names.
struct Values(Vec<Known>);

enum Known {
    Absent,
    Dynamic,
    Value(Value),
}

impl Known {
    fn of(offer: &Offer, name: &str, told: &Told) -> Self {
        if let Some((_, any)) = told.iter().find(|(known, _)| known == name) {
            return any.as_ref().map_or(Self::Absent, |any| Self::Value(value(any)));
        }
        match offer.property(name) {
            None => Self::Absent,
            Some(any) if is_dynamic(any) => Self::Dynamic,
            Some(any) => Self::Value(value(any)),
        }
    }
}

impl Properties for Values {
    fn property(&self, index: usize) -> Found<'_> {
        match self.0.get(index) {
            Some(Known::Value(value)) => Found::Value(value),
            Some(Known::Dynamic) => Found::Dynamic,
            Some(Known::Absent) | None => Found::Absent,
        }
    }
}

/// The properties of an offer of another trader, as an expression with these names sees them.
pub(super) fn shown_values(offer: &Shown, names: &[Box<str>]) -> impl Properties + use<> {
    let known = names.iter().map(|name| {
        let property = offer.properties.iter().find(|property| *property.name == **name);
        property.map_or(Known::Absent, |property| Known::Value(value(&property.value)))
    });
    Values(known.collect())
}
