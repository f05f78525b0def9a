//! `armilla ior change`: another host or port in a reference, as omniORB's `convertior` and JacORB's
//! `fixior` write it. All else stays.

use super::address;
use armilla_giop::ior::{
    AlternateAddress, Component, IiopEndpoints, IiopProfile, Ior, TAG_INTERNET_IOP,
    TaggedComponent, TaggedProfile,
};
use armilla_terminal::{Failure, Outcome, say};

/// The arguments of `armilla ior change`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Without --from, the address of each IIOP profile changes, and those in \
                        components stay. With --from, all that are HOST change, or HOST:PORT, \
                        alternate addresses and TAO's endpoints too.")]
pub(super) struct Change {
    /// The reference
    #[arg(value_name = "REF")]
    pub(super) reference: String,
    /// The new host: a name or an address
    #[arg(required_unless_present_any = ["port", "type_id"])]
    host: Option<String>,
    /// The new port
    #[arg(long)]
    port: Option<u16>,
    /// Change only addresses with this host, or with this host and port
    #[arg(long, value_name = "HOST[:PORT]")]
    from: Option<String>,
    /// Change only this profile, counted from 1
    #[arg(long, value_name = "NUMBER")]
    profile: Option<usize>,
    /// The new repository id of the interface
    #[arg(long, value_name = "ID")]
    type_id: Option<String>,
}

/// What changes in an address, and in which addresses.
struct Rule {
    host: Option<String>,
    port: Option<u16>,
    from: Option<(String, Option<u16>)>,
}

pub(super) fn run(change: &Change, mut ior: Ior) -> Outcome {
    let rule = Rule {
        host: change.host.as_deref().map(address::host).transpose()?.map(str::to_owned),
        port: change.port,
        from: change.from.as_deref().map(address::optional_port).transpose()?,
    };
    if let Some(id) = &change.type_id {
        ior.type_id.clone_from(id);
    }
    if let Some(number) = change.profile
        && !(1..=ior.profiles.len()).contains(&number)
    {
        let count = ior.profiles.len();
        return Err(Failure::usage(format!(
            "there is no profile {number}: the reference has {count}, numbered from 1"
        )));
    }
    let mut changed = 0;
    for (index, profile) in ior.profiles.iter_mut().enumerate() {
        let chosen = change.profile.is_none_or(|number| number == index + 1);
        if chosen && profile.id == TAG_INTERNET_IOP {
            changed += rule.apply(profile, index + 1)?;
        }
    }
    if changed == 0 && (rule.host.is_some() || rule.port.is_some()) {
        let what = "no address of the reference is to be changed";
        let hint = "armilla ior REF shows its addresses; a port of 0 is no address";
        return Err(Failure::because(format!("{what}\n  hint: {hint}")));
    }
    say!("{}", ior.to_text()?)
}

impl Rule {
    /// Changes the addresses in a profile, and returns how many there were to change.
    fn apply(&self, tagged: &mut TaggedProfile, number: usize) -> Outcome<usize> {
        let mut profile = IiopProfile::decode_data(&tagged.data)
            .map_err(|error| Failure::because(format!("profile {number} is malformed: {error}")))?;
        let mut changed = self.address(&mut profile.host, &mut profile.port);
        if self.from.is_some() {
            for (index, component) in profile.components.iter_mut().enumerate() {
                changed += self.component(component).map_err(|error| {
                    let place = format!("component {} of profile {number}", index + 1);
                    Failure::because(format!("{place} is malformed: {error}"))
                })?;
            }
        }
        if changed > 0 {
            *tagged = profile.to_tagged()?;
        }
        Ok(changed)
    }

    fn component(&self, tagged: &mut TaggedComponent) -> armilla_cdr::CdrResult<usize> {
        let mut changed = 0;
        if let Some(mut address) = AlternateAddress::from_tagged(tagged)? {
            changed = self.address(&mut address.host, &mut address.port);
            if changed > 0 {
                *tagged = address.to_tagged()?;
            }
        } else if let Some(IiopEndpoints(mut all)) = IiopEndpoints::from_tagged(tagged)? {
            changed = all.iter_mut().map(|it| self.address(&mut it.host, &mut it.port)).sum();
            if changed > 0 {
                *tagged = IiopEndpoints(all).to_tagged()?;
            }
        }
        Ok(changed)
    }

    /// Changes an address, if it is one of those to change: 1 if it is, 0 if not.
    fn address(&self, host: &mut String, port: &mut u16) -> usize {
        if let Some((from_host, from_port)) = &self.from
            && (!host.eq_ignore_ascii_case(from_host)
                || from_port.is_some_and(|from| from != *port))
        {
            return 0;
        }
        if let Some(new) = &self.host {
            host.clone_from(new);
        }
        // Port 0 says that TCP is not to be used without TLS.
        if let Some(new) = self.port
            && *port != 0
        {
            *port = new;
        }
        1
    }
}
