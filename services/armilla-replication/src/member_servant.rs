//! What other members and operators call.

use crate::corba::member::{
    ApplyRaises, BeatRaises, ConfirmRaises, FetchRaises, HandOverRaises, InstallRaises, JoinRaises,
    LeadRaises, LearnRaises, LeaveRaises, PartRaises, TransferRaises,
};
use crate::corba::{Admission, Behind, Member as Interface, Position, Refused, Status};
use crate::lessons::{joined, split};
use crate::model::{self, Clock, MemberInfo, Record, Refusal};
use crate::peers::{position, to_wire};
use crate::shared::{Rules, Shared, now};
use armilla::{Error, ExceptionKind, SystemException};
use std::sync::Arc;

pub(crate) struct MemberServant(pub(crate) Arc<Shared>);

impl MemberServant {
    fn rules(&self) -> Result<Rules<'_>, SystemException> {
        self.0.member().ok_or_else(|| ExceptionKind::Transient.because("the member starts"))
    }

    /// Passes on what the primary says, which is a sign of life if it is taken.
    fn heard<T, E: From<Refused>>(
        &self,
        said: Result<T, Refusal>,
        behind: impl FnOnce(Position) -> Error<E>,
    ) -> Result<T, Error<E>> {
        if !matches!(said, Err(Refusal::Refused(..))) {
            self.0.hear();
        }
        said.map_err(|refusal| match refusal {
            Refusal::Refused(view, why) => Error::User(Refused { view, why }.into()),
            Refusal::Behind(last) => behind(to_wire(last)),
            Refusal::Unreachable(why) => Error::User(Refused { view: 0, why }.into()),
        })
    }
}

/// What a newcomer hears that is not taken in.
fn refusal(of: Refusal) -> Refused {
    let (view, why) = match of {
        Refusal::Refused(view, why) => (view, why),
        Refusal::Behind(_) => (0, "it is behind".to_owned()),
        Refusal::Unreachable(why) => (0, why),
    };
    Refused { view, why }
}

/// What the primary hears whose parts are not all there.
fn not_all<E: From<Refused>>(view: u32) -> Error<E> {
    Error::User(Refused { view, why: "it lacks parts of what it is told".into() }.into())
}

/// For operations to which a member that is behind says nothing of it.
fn refused<E: From<Refused>>(_: Position) -> Error<E> {
    Error::User(Refused { view: 0, why: "the member is behind".into() }.into())
}

impl Interface for MemberServant {
    fn part(&self, view: u32, offset: u64, data: &[u8]) -> Result<(), Error<PartRaises>> {
        let latest = self.0.standing().map_or(0, |(_, view)| view.version);
        let fits = view >= latest && self.0.parts.add(view, offset, data);
        self.0.hear();
        fits.then_some(()).ok_or_else(|| not_all(latest))
    }

    fn apply(&self, view: u32, before: u64, records: &[u8]) -> Result<(), Error<ApplyRaises>> {
        let octets = self.0.parts.finish(view, before, records).ok_or_else(|| not_all(0))?;
        let records = split(&octets).ok_or_else(|| ExceptionKind::Marshal.because("no records"))?;
        let records: Result<_, _> = records.iter().map(|it| Record::from_octets(it)).collect();
        let records = records
            .map_err(|error| ExceptionKind::Marshal.because(format!("a record: {error}")))?;
        let applied = self.rules()?.apply(view, records);
        if let Err(Refusal::Refused(_, why)) = &applied {
            let group = &self.0.world.group;
            tracing::warn!(%group, view, why, "a member does not take what the primary has executed");
        }
        self.heard(applied, |last| Error::User(Behind { last }.into()))
    }

    fn beat(&self, view: u32, promise: u64) -> Result<bool, Error<BeatRaises>> {
        // One that is at work lives, and the next beat comes to it.
        let Some(mut rules) = self.0.idle_member() else {
            self.0.hear();
            return Ok(false);
        };
        rules.expire(now());
        let promised = rules.promise(view, promise, self.0.world.elapsed());
        drop(rules);
        self.heard(promised, refused)
    }

    fn confirm(&self, view: u32, promise: u64) -> Result<bool, Error<ConfirmRaises>> {
        let promised = self.rules()?.promise(view, promise, self.0.world.elapsed());
        self.heard(promised, refused)
    }

    fn install(&self, view: u32, last: &Position) -> Result<(), Error<InstallRaises>> {
        let installed = self.rules()?.install(view, position(last));
        self.heard(installed, |last| Error::User(Behind { last }.into()))
    }

    fn transfer(
        &self,
        view: u32,
        before: u64,
        welcome: &[u8],
    ) -> Result<(), Error<TransferRaises>> {
        let octets = self.0.parts.finish(view, before, welcome).ok_or_else(|| not_all(0))?;
        let welcome = model::Welcome::from_octets(&octets)
            .map_err(|error| ExceptionKind::Marshal.because(format!("a state: {error}")))?;
        let taken = self.rules()?.transfer(&welcome);
        self.heard(taken, refused)
    }

    fn learn(&self, name: &str) -> Result<u64, Error<LearnRaises>> {
        if !self.0.lessons.has_room(name) {
            return Err(ExceptionKind::Transient.because("too many newcomers learn").into());
        }
        let taught = self.rules()?.teach(&self.0.world, name);
        let welcome = taught.map_err(|it| Error::User(refusal(it).into()))?;
        let octets = welcome.to_octets();
        let octets = octets.map_err(|error| ExceptionKind::Marshal.because(error.to_string()))?;
        let length = octets.len() as u64;
        self.0.lessons.keep(name, octets);
        Ok(length)
    }

    fn fetch(&self, name: &str, offset: u64) -> Result<Vec<u8>, Error<FetchRaises>> {
        let found = self.0.lessons.fetch(name, offset, self.0.world.piece());
        found.ok_or_else(|| {
            let why = "there is no state for it from there on: it has to begin anew".to_owned();
            Error::User(Refused { view: 0, why }.into())
        })
    }

    fn join(
        &self,
        name: &str,
        object: &str,
        peer: &str,
        last: &Position,
    ) -> Result<Admission, Error<JoinRaises>> {
        let newcomer =
            MemberInfo { name: name.to_owned(), object: object.to_owned(), peer: peer.to_owned() };
        let admitted = self.rules()?.admit(&self.0.world, &newcomer, position(last));
        let model::Admission { view, records } = admitted.map_err(|it| match it {
            Refusal::Behind(last) => Error::User(Behind { last: to_wire(last) }.into()),
            other => Error::User(refusal(other).into()),
        })?;
        let records: Result<_, _> = records.iter().map(Record::to_octets).collect();
        let records: Vec<Vec<u8>> =
            records.map_err(|error| ExceptionKind::Marshal.because(error.to_string()))?;
        if records.iter().map(Vec::len).sum::<usize>() <= self.0.world.piece() {
            return Ok(Admission { view, records, length: 0 });
        }
        let octets = joined(&records);
        let length = octets.len() as u64;
        self.0.lessons.keep(name, octets);
        Ok(Admission { view, records: Vec::new(), length })
    }

    fn leave(&self, name: &str) -> Result<(), Error<LeaveRaises>> {
        let mut rules = self.rules()?;
        let view = rules.view().version;
        let dismissed = rules.dismiss(&self.0.world, name);
        dismissed.map_err(|model::Failure(why)| Error::User(Refused { view, why }.into()))
    }

    fn hand_over(&self, name: &str) -> Result<(), Error<HandOverRaises>> {
        let mut rules = self.rules()?;
        let view = rules.view().version;
        let done = rules.hand_over(&self.0.world, name);
        done.map_err(|model::Failure(why)| Error::User(Refused { view, why }.into()))
    }

    fn lead(&self) -> Result<(), Error<LeadRaises>> {
        let mut rules = self.rules()?;
        let view = rules.view().version;
        match rules.lead(&self.0.world) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let why = "it is not the primary of the latest view".to_owned();
                Err(Error::User(Refused { view, why }.into()))
            }
            Err(model::Failure(why)) => Err(Error::User(Refused { view, why }.into())),
        }
    }

    fn get_status(&self) -> Result<Status, SystemException> {
        let rules = self.rules()?;
        let (logged, replayed) = rules.logged();
        let (read_alone, read_asking) = rules.reads();
        Ok(Status {
            name: rules.me().name.clone(),
            role: rules.role().to_string(),
            view: rules.view().version,
            last: to_wire(rules.last()),
            logged,
            replayed,
            deviated: rules.deviated(),
            read_alone,
            read_asking,
        })
    }

    fn is_alive(&self) -> Result<bool, SystemException> {
        Ok(true)
    }
}
