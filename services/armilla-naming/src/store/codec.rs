//! A binding as octets: a checksum, the kind of target, the time, the target. Behind the time stands
//! whose it is, if the kind says so.

use crate::model::{
    Balance, Bound, Change, ContextId, Group, Member, Owner, ReferenceOctets, Step, Target,
};
use armilla_store::checksum;
use std::sync::Arc;

const OBJECT: u8 = 1;
const CONTEXT: u8 = 2;
const FOREIGN: u8 = 3;
const GROUP: u8 = 4;

/// Added to the kind of a binding that is somebody's.
const OWNED: u8 = 0x80;

const CREATE: u8 = 1;
const DESTROY: u8 = 2;
const BIND: u8 = 3;
const UNBIND: u8 = 4;

const BALANCES: [Balance; 3] = [Balance::RoundRobin, Balance::LeastLoad, Balance::Nearest];

/// The octets of a binding under a key; the checksum covers the key, too.
pub(super) fn encode(key: &str, bound: &Bound) -> Vec<u8> {
    let mut out = vec![0; 4];
    let kind = match bound.target {
        Target::Object(_) => OBJECT,
        Target::Context(_) => CONTEXT,
        Target::ForeignContext(_) => FOREIGN,
        Target::Group(_) => GROUP,
    };
    out.push(if bound.owner.is_some() { kind | OWNED } else { kind });
    out.extend(bound.since.to_be_bytes());
    if let Some(owner) = &bound.owner {
        text(&mut out, owner.host.as_bytes());
        text(&mut out, owner.user.as_bytes());
    }
    match &bound.target {
        Target::Object(reference) | Target::ForeignContext(reference) => {
            out.extend(reference.as_bytes());
        }
        Target::Context(context) => out.extend(context.0.to_be_bytes()),
        Target::Group(group) => {
            let balance = BALANCES.iter().position(|one| *one == group.balance);
            out.push(balance.unwrap_or_default() as u8);
            for member in &group.members {
                out.extend(member.since.to_be_bytes());
                text(&mut out, member.reference.as_bytes());
            }
        }
    }
    let sum = checksum(&[key.as_bytes(), &out[4..]]);
    out[..4].copy_from_slice(&sum.to_be_bytes());
    out
}

/// The binding in octets; `None` if they are not those that were encoded under this key.
pub(super) fn decode(key: &str, octets: &[u8]) -> Option<Bound> {
    let (sum, rest) = octets.split_first_chunk::<4>()?;
    if u32::from_be_bytes(*sum) != checksum(&[key.as_bytes(), rest]) {
        return None;
    }
    let ([kind, since @ ..], mut rest) = rest.split_first_chunk::<5>()?;
    let owner = match kind & OWNED {
        0 => None,
        _ => Some(Arc::new(owner(&mut rest)?)),
    };
    let target = match kind & !OWNED {
        OBJECT => Target::Object(rest.into()),
        CONTEXT => Target::Context(ContextId(u64::from_be_bytes(rest.try_into().ok()?))),
        FOREIGN => Target::ForeignContext(rest.into()),
        GROUP => Target::Group(Arc::new(group(rest)?)),
        _ => return None,
    };
    Some(Bound { target, since: u32::from_be_bytes(*since), owner })
}

/// The octets of what a transaction will change; the checksum covers what names the transaction, too.
pub(super) fn encode_changes(token: &str, changes: &[Change]) -> Vec<u8> {
    let mut out = vec![0; 4];
    for change in changes {
        let (kind, context) = match change {
            Change::Create { context, .. } => (CREATE, context),
            Change::Destroy { context } => (DESTROY, context),
            Change::Bind { context, .. } => (BIND, context),
            Change::Unbind { context, .. } => (UNBIND, context),
            // A transaction changes names alone.
            Change::Reserve { .. } | Change::Prepare { .. } | Change::Settle { .. } => continue,
        };
        out.push(kind);
        out.extend(context.0.to_be_bytes());
        match change {
            Change::Create { created, .. } => out.extend(created.to_be_bytes()),
            Change::Bind { step, bound, .. } => {
                text(&mut out, step.as_str().as_bytes());
                text(&mut out, &encode(step.as_str(), bound));
            }
            Change::Unbind { step, .. } => text(&mut out, step.as_str().as_bytes()),
            _ => {}
        }
    }
    let sum = checksum(&[token.as_bytes(), &out[4..]]);
    out[..4].copy_from_slice(&sum.to_be_bytes());
    out
}

/// The changes in octets; `None` if they are not those that were encoded for this transaction.
pub(super) fn decode_changes(token: &str, octets: &[u8]) -> Option<Vec<Change>> {
    let (sum, mut rest) = octets.split_first_chunk::<4>()?;
    if u32::from_be_bytes(*sum) != checksum(&[token.as_bytes(), rest]) {
        return None;
    }
    let mut changes = Vec::new();
    while let Some((kind, behind)) = rest.split_first() {
        let (context, behind) = behind.split_first_chunk()?;
        let context = ContextId(u64::from_be_bytes(*context));
        rest = behind;
        changes.push(match *kind {
            CREATE => {
                let (created, behind) = rest.split_first_chunk()?;
                rest = behind;
                Change::Create { context, created: u32::from_be_bytes(*created) }
            }
            DESTROY => Change::Destroy { context },
            BIND => {
                let step = step(&mut rest)?;
                let bound = decode(step.as_str(), sized(&mut rest)?)?;
                Change::Bind { context, step, bound }
            }
            UNBIND => Change::Unbind { context, step: step(&mut rest)? },
            _ => return None,
        });
    }
    Some(changes)
}

/// Octets behind their length. Limits of the tree and of names of users keep them far shorter.
fn text(out: &mut Vec<u8>, octets: &[u8]) {
    out.extend((octets.len() as u32).to_be_bytes());
    out.extend(octets);
}

fn owner(rest: &mut &[u8]) -> Option<Owner> {
    let mut part = || Some(std::str::from_utf8(sized(rest)?).ok()?.into());
    let owner = Owner { host: part()?, user: part()? };
    (owner != Owner::default()).then_some(owner)
}

fn step(rest: &mut &[u8]) -> Option<Step> {
    Step::from_text(std::str::from_utf8(sized(rest)?).ok()?)
}

/// The octets behind their length.
fn sized<'o>(rest: &mut &'o [u8]) -> Option<&'o [u8]> {
    let (length, behind) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (octets, behind) = behind.split_at_checked(length)?;
    *rest = behind;
    Some(octets)
}

/// Decodes a record whatever its checksum is, and checks that what is read encodes to it again. This
/// is for fuzzing: no stranger finds checksums by chance.
#[doc(hidden)]
pub fn check_record(key: &str, octets: &[u8]) {
    let sum = checksum(&[key.as_bytes(), octets]).to_be_bytes();
    let record = [&sum, octets].concat();
    if let Some(bound) = decode(key, &record) {
        assert_eq!(encode(key, &bound), record, "{bound:?}");
    }
    if let Some(changes) = decode_changes(key, &record) {
        assert_eq!(encode_changes(key, &changes), record, "{changes:?}");
    }
}

fn group(octets: &[u8]) -> Option<Group> {
    let (balance, mut rest) = octets.split_first()?;
    let balance = *BALANCES.get(usize::from(*balance))?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (since, behind) = rest.split_first_chunk::<4>()?;
        let (length, behind) = behind.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (reference, behind) = behind.split_at_checked(length)?;
        let reference = ReferenceOctets::from(reference);
        members.push(Member { reference, since: u32::from_be_bytes(*since) });
        rest = behind;
    }
    (!members.is_empty()).then_some(Group { balance, members })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Bound> {
        let reference = ReferenceOctets::from(&b"reference"[..]);
        let member = |since| Member { reference: reference.clone(), since };
        let members = vec![member(1), member(2)];
        let group = Group { balance: Balance::Nearest, members };
        [
            Target::Object(reference.clone()),
            Target::Context(ContextId(7)),
            Target::ForeignContext(reference.clone()),
            Target::Group(Arc::new(group)),
        ]
        .into_iter()
        .flat_map(|target| {
            let bound = Bound::new(target, 1_800_000_000);
            let owner = |host: &str, user: &str| Owner { host: host.into(), user: user.into() };
            let owners = [owner("192.0.2.1", "ann@bank"), owner("", "uid:7"), owner("h", "")];
            let owned = owners.map(|it| Bound { owner: Some(Arc::new(it)), ..bound.clone() });
            [bound].into_iter().chain(owned)
        })
        .collect()
    }

    #[test]
    fn bindings_survive() {
        for bound in samples() {
            assert_eq!(decode("a\0b", &encode("a\0b", &bound)), Some(bound));
        }
    }

    #[test]
    fn bindings_of_the_layout_without_owners_are_read() {
        let key = "a\0b";
        let rest = [&[OBJECT, 0, 0, 0, 7], &b"reference"[..]].concat();
        let sum = checksum(&[key.as_bytes(), &rest]).to_be_bytes();
        let target = Target::Object(b"reference".as_slice().into());
        let bound = Bound::new(target, 7);
        assert_eq!(decode(key, &[&sum, &rest[..]].concat()), Some(bound.clone()));
        assert_eq!(encode(key, &bound), [&sum, &rest[..]].concat(), "and written");
    }

    #[test]
    fn changes_of_transactions_survive() {
        let step = Step::from_text("dome\0device").unwrap();
        let context = ContextId(3);
        let bind = |bound| Change::Bind { context, step: step.clone(), bound };
        let mut changes = vec![Change::Create { context, created: 7 }];
        changes.extend(samples().into_iter().map(bind));
        changes.push(Change::Unbind { context, step: step.clone() });
        changes.push(Change::Destroy { context });
        let octets = encode_changes("token", &changes);
        assert_eq!(decode_changes("token", &octets), Some(changes));
        assert_eq!(decode_changes("other", &octets), None);
        for end in 0..octets.len() {
            assert_eq!(decode_changes("token", &octets[..end]), None, "cut to {end}");
        }
    }

    #[test]
    fn damage_is_seen() {
        for bound in samples() {
            let octets = encode("a\0b", &bound);
            assert_eq!(decode("a\0c", &octets), None, "under another key");
            for end in 0..octets.len() {
                assert_eq!(decode("a\0b", &octets[..end]), None, "cut to {end}");
            }
            for bit in 0..octets.len() * 8 {
                let mut damaged = octets.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(decode("a\0b", &damaged), None, "bit {bit}");
            }
        }
    }
}
