//! The thread of a member that keeps watch: the primary tells its backups that it lives, a backup
//! takes over from a primary that is silent, and a newcomer asks for the state.

use crate::error::Said;
use crate::model::{Clock, MemberInfo, Position, Refusal, Role, View};
use crate::peers::{Beaten, Presence};
use crate::shared::{Rules, Shared, now};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How many heartbeats in a row a backup may miss before it leaves the view.
const MISSES: u32 = 3;

/// How often in a row a backup must fail to reach the primary before it takes over although it hears
/// the primary: nobody else can reach it then, either.
const DEAF: u32 = 3;

/// The same if nobody refuses and nothing comes: a slow primary is better than another one.
const MUTE: u32 = 10;

/// How often a primary looks what the registry has, in heartbeats.
const LOOKS: u32 = 25;

/// Why a member with a state founds no group.
const UNKNOWN: &str = "the registry knows no such group, and only it could tell whether this is the latest state: \
                       restore the registry, or move the directory of the member away and begin anew";

pub(crate) struct Keeper {
    shared: Arc<Shared>,
    interval: Duration,
    misses: HashMap<String, u32>,
    beats: u32,
    /// When a backup asked the primary last, and how often in a row nobody was there, or nothing came.
    asked: Instant,
    unreached: u32,
    unanswered: u32,
    /// Why it does not take over, as far as that was said.
    said: Said,
}

impl Keeper {
    /// Starts the thread. It ends with `ends` of what is shared.
    pub(crate) fn start(shared: Arc<Shared>, interval: Duration) -> io::Result<JoinHandle<()>> {
        let (misses, beats, unreached, unanswered, said) = Default::default();
        let asked = Instant::now();
        let mut keeper =
            Self { shared, interval, misses, beats, asked, unreached, unanswered, said };
        thread::Builder::new().name("group".into()).spawn(move || {
            while !keeper.shared.ends.load(Ordering::Relaxed) {
                let pause = keeper.turn();
                thread::sleep(pause);
            }
        })
    }

    /// Does what is to be done now. Returns how long to wait for the next turn.
    fn turn(&mut self) -> Duration {
        let Some((role, view)) = self.shared.standing() else { return self.interval };
        match role {
            Role::Primary => {
                self.beat(&view);
                self.interval
            }
            Role::Backup => {
                self.watch();
                self.interval / 4
            }
            Role::Newcomer => {
                self.join();
                self.interval / 2
            }
        }
    }

    /// Tells the backups that the primary lives, also while it serves a request.
    fn beat(&mut self, view: &View) {
        let asked = self.shared.world.elapsed();
        let asks_for = self.shared.asks_for();
        let Beaten { silent, promising, is_deposed } = self.shared.world.beat(view, asks_for);
        self.misses.retain(|name, _| silent.contains(name));
        for name in silent {
            *self.misses.entry(name).or_default() += 1;
        }
        self.beats = self.beats.wrapping_add(1);
        // Otherwise the next beat comes to it.
        let Some(mut member) = self.shared.idle_member() else { return };
        member.note_promises(view.version, asked, &promising);
        for (name, _) in self.misses.extract_if(|_, misses| *misses >= MISSES) {
            tracing::warn!(group = %self.shared.world.group, backup = name, "is silent");
            member.dismiss(&self.shared.world, &name).ok();
        }
        member.expire(now());
        if is_deposed || self.beats.is_multiple_of(LOOKS) {
            member.look(&self.shared.world).ok();
        }
    }

    fn watch(&mut self) {
        self.ask();
        let Some(mut member) = self.shared.member() else { return };
        if member.known_view().is_none() {
            member.look(&self.shared.world).ok();
        }
        // The backup behind this one waits longer, so that one takes over and not all try.
        let place = member.view().place(&member.me().name).unwrap_or(1).clamp(1, 8) - 1;
        let patience = match self.unreached {
            _ if self.unanswered >= MUTE => Duration::ZERO,
            0 => self.interval * 5 / 2,
            1..DEAF => self.interval * 5 / 4,
            DEAF.. => Duration::ZERO,
        };
        let is_impatient = self.shared.silence() >= patience + self.interval * (place as u32) / 2;
        member.withhold(is_impatient);
        if !is_impatient || member.is_bound(self.shared.world.elapsed()) {
            return;
        }
        let done = member.take_over(&self.shared.world);
        let is_news = self.said.is_news(done.as_ref().err());
        let (group, member) = (&self.shared.world.group, &member.me().name);
        match done {
            Ok(false) => self.shared.hear(),
            Ok(true) => tracing::warn!(%group, member, "takes over"),
            // It tries again in a moment.
            Err(failure) if is_news => tracing::warn!(%group, member, %failure, "cannot take over"),
            Err(_) => {}
        }
        (self.unreached, self.unanswered) = (0, 0);
    }

    /// Asks the primary whether it is alive, once in each interval. A process that is gone is found so
    /// before its silence is long; and one that still speaks, but hears nobody, is found at all.
    fn ask(&mut self) {
        if self.asked.elapsed() < self.interval {
            return;
        }
        let known = self.shared.member().and_then(|member| member.known_view().cloned());
        let Some(primary) = known.as_ref().and_then(View::primary) else { return };
        self.asked = Instant::now();
        match self.shared.world.ask(primary, self.interval) {
            Presence::There => (self.unreached, self.unanswered) = (0, 0),
            Presence::Gone => self.unreached += 1,
            Presence::Silent => self.unanswered += 1,
        }
    }

    fn join(&mut self) {
        let (shared, said) = (&self.shared, &mut self.said);
        let world = &shared.world;
        let (view, me) = {
            let Some(mut member) = shared.member() else { return };
            let me = member.me().clone();
            if let Err(failure) = member.look(world) {
                return said.waits(&world.group, &me.name, "cannot read the registry", &failure);
            }
            (member.view().clone(), me)
        };
        let Some(primary) = view.primary().filter(|primary| **primary != me) else {
            let Some(mut member) = shared.member() else { return };
            match member.take_over(world) {
                Ok(true) => drop(said.is_news(None)),
                Ok(false) if view.members.is_empty() && member.has_history() => {
                    said.waits(&world.group, &me.name, "cannot come back from its disk", &UNKNOWN);
                }
                Ok(false) => {}
                Err(why) => said.waits(&world.group, &me.name, "cannot found the group", &why),
            }
            return;
        };
        if let Some(mut member) = shared.member()
            && member.has_history()
            && !world.may_lead(primary, self.interval)
        {
            let done = member.take_over(world);
            let is_news = self.said.is_news(done.as_ref().err());
            let (group, member) = (&world.group, me.name);
            match done {
                Ok(true) => tracing::warn!(%group, member, "comes back from its disk"),
                Err(failure) if is_news => {
                    tracing::warn!(%group, member, %failure, "cannot come back from its disk");
                }
                _ => {}
            }
            return;
        }
        match self.learn_and_join(primary, &me) {
            Ok(()) => drop(self.said.is_news(None)),
            Err(refusal) => {
                let group = &self.shared.world.group;
                tracing::debug!(%group, member = me.name, ?refusal, "cannot join yet");
                self.said.waits(group, &me.name, "cannot join yet", &refusal);
            }
        }
    }

    /// Takes the state of the primary, if it has not done that, and asks to be a backup.
    fn learn_and_join(&self, primary: &MemberInfo, me: &MemberInfo) -> Result<(), Refusal> {
        let Shared { world, .. } = &*self.shared;
        let gone = || Refusal::Unreachable("the member ends".to_owned());
        if self.shared.member().ok_or_else(gone)?.learned().is_none() {
            // The group goes on meanwhile: it takes as long as it takes.
            let welcome = world.learn(primary, me).map_err(Refusal::Unreachable)?;
            self.shared.member().ok_or_else(gone)?.learn(&welcome)?;
        }
        // What the primary says next waits until the answer is taken.
        let mut member = self.shared.member().ok_or_else(gone)?;
        while let Some(last) = member.learned() {
            self.join_as(&mut member, primary, last)?;
        }
        Ok(())
    }

    fn join_as(
        &self,
        member: &mut Rules<'_>,
        primary: &MemberInfo,
        last: Position,
    ) -> Result<(), Refusal> {
        let (world, me) = (&self.shared.world, member.me().clone());
        let admission = world.join(primary, &me, last).inspect_err(|refusal| {
            if matches!(refusal, Refusal::Behind(_)) {
                member.unlearn();
            }
        })?;
        self.shared.hear();
        member.join(admission)?;
        if member.role() == Role::Backup {
            // Who else is in the view; if the registry does not say it now, it does later.
            member.look(world).ok();
            tracing::info!(group = %world.group, member = me.name, view = member.view().version, "joins");
        }
        Ok(())
    }
}
