//! What a manager does again and again: it says that it is there, looks who of the others is, and, if
//! it is the first of them, looks after members.

use super::calls::Question;
use super::detector::Detector;
use super::domain::{Domain, GROUPS_OF_MANAGERS};
use crate::error::Said;
use crate::ft::{FaultNotifier as _, FaultNotifierRef};
use crate::model::{Failure, MemberInfo, View};
use crate::notification::{FilterRef, StructuredPushConsumerRef};
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use armilla::SystemException;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a notifier may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many questions in a row another manager may leave without an answer.
const MISSES: u32 = 2;

pub(super) struct Rounds {
    domain: Arc<Domain>,
    /// The references to the manager and to the notifier, as text.
    own: [String; 2],
    interval: Duration,
    detector: Detector,
    misses: BTreeMap<String, u32>,
    /// What this manager is to the notifier that is registered.
    reports: StructuredPushConsumerRef,
    /// The notifier that reports to it, as text, and its number there.
    subscription: Option<(String, u64)>,
    /// The notifier of which it was said that it does not answer.
    silent: Said,
}

/// Says whether the manager can do its work.
fn tell(failure: Option<&Failure>) {
    match failure {
        Some(failure) => tracing::warn!(%failure, "the manager of groups cannot look after them"),
        None => tracing::warn!("the manager of groups looks after them again"),
    }
}

impl Rounds {
    /// Starts the thread. It ends with `ends` of the domain.
    pub(super) fn start(
        domain: Arc<Domain>,
        own: [String; 2],
        reports: StructuredPushConsumerRef,
        interval: Duration,
    ) -> io::Result<JoinHandle<()>> {
        let (detector, misses, subscription, silent) = Default::default();
        let mut rounds =
            Self { domain, own, interval, detector, misses, reports, subscription, silent };
        thread::Builder::new().name("manager".into()).spawn(move || {
            // A registry that is away for an hour is one thing to say, not one each turn.
            let mut said = Said::default();
            while !rounds.domain.ends.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let failure = rounds.turn().err();
                if said.is_news(failure.as_ref()) {
                    tell(failure.as_ref());
                }
                thread::sleep(rounds.interval.saturating_sub(begun.elapsed()));
            }
            rounds.unsubscribe();
        })
    }

    fn turn(&mut self) -> Result<(), Failure> {
        self.meet()?;
        if !self.domain.leads() {
            self.detector = Detector::default();
            self.domain.forget_the_gone();
            self.unsubscribe();
            return Ok(());
        }
        self.subscribe()?;
        let domain = self.domain.clone();
        self.detector.look(&domain)
    }

    /// Sees to it that the notifier that is registered reports to this manager.
    fn subscribe(&mut self) -> Result<(), Failure> {
        let (wanted, _) = self.domain.shelf().read::<String>("notifier")?;
        if self.subscription.as_ref().map(|(notifier, _)| notifier) == wanted.as_ref() {
            return Ok(());
        }
        self.unsubscribe();
        let Some(wanted) = wanted else { return Ok(()) };
        let connect = || -> Result<u64, SystemException> {
            let notifier: FaultNotifierRef = self.domain.orb.string_to_object(&wanted)?.assume();
            let notifier = notifier.with_timeout(PATIENCE);
            notifier.connect_structured_fault_consumer(&self.reports, &FilterRef::nil())
        };
        match connect() {
            Ok(number) => {
                self.silent.is_news(None);
                self.subscription = Some((wanted, number));
            }
            // It is asked again each turn.
            Err(exception) if self.silent.is_news(Some(&Failure(wanted))) => {
                tracing::warn!(%exception, "the fault notifier does not answer");
            }
            Err(_) => {}
        }
        Ok(())
    }

    fn unsubscribe(&mut self) {
        let Some((notifier, number)) = self.subscription.take() else { return };
        if let Ok(notifier) = self.domain.orb.string_to_object(&notifier) {
            let notifier: FaultNotifierRef = notifier.assume();
            notifier.with_timeout(PATIENCE).disconnect_consumer(number).ok();
        }
    }

    /// Reads who the managers are, is one of them, and lets those go that are gone.
    fn meet(&mut self) -> Result<(), Failure> {
        let managers = self.view(0)?;
        let questions: Vec<_> = managers
            .members
            .iter()
            .filter(|it| it.name != self.domain.me)
            .map(|it| (it.name.clone(), Question::ask(&self.domain.orb, it, self.interval * 2)))
            .collect();
        let mut gone = Vec::new();
        for (name, question) in questions {
            if question.says_yes() {
                self.misses.remove(&name);
                continue;
            }
            let misses = self.misses.entry(name.clone()).or_default();
            *misses += 1;
            if *misses >= MISSES {
                self.misses.remove(&name);
                gone.push(name);
            }
        }
        let own = self.own.clone();
        for (at, own) in own.iter().enumerate() {
            let me = MemberInfo {
                name: self.domain.me.clone(),
                object: own.clone(),
                peer: String::new(),
            };
            let view = self.change(at, &gone, &me)?;
            self.domain.known().views[at] = view;
        }
        Ok(())
    }

    fn name(&self, at: usize) -> GroupName {
        GroupName::new(&*self.domain.name, GROUPS_OF_MANAGERS[at])
    }

    fn view(&self, at: usize) -> Result<View, Failure> {
        Ok(self.domain.documents.read(&self.name(at))?.unwrap_or_default())
    }

    /// Brings a group of the managers up to date: this one is in it, and those that are gone are not.
    fn change(&self, at: usize, gone: &[String], me: &MemberInfo) -> Result<View, Failure> {
        loop {
            let view = self.view(at)?;
            let mut next = view.clone();
            for name in gone.iter().filter(|name| view.member(name).is_some()) {
                tracing::warn!(manager = name, "another manager does not answer");
                next = next.without(name);
            }
            if next.member(&me.name) != Some(me) {
                next = next.with(me.clone());
            }
            next.version = view.version + u32::from(next.members != view.members);
            if next.version == view.version
                || self.domain.documents.replace(&self.name(at), view.version, &next)?
            {
                return Ok(next);
            }
        }
    }
}
