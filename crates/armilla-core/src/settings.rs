//! The settings of an ORB, their defaults and the `-ORB…` options that set them.
//!
//! `table` declares each setting once. The types of the policies are in `policies`.

mod address;
mod choices;
mod declare;
mod kinds;
mod local;
mod network;
mod option;
mod queues;
mod table;
mod user_timeout;

#[doc(hidden)]
pub use address::{parse_address, parse_ports, parse_published};
pub use choices::{AcceptBidirectional, Collocation, SameHost};
pub use local::LocalAccess;
pub use network::{Network, PublishAs};
pub use option::OrbOption;
#[doc(hidden)]
pub use option::SettingOption;
pub use queues::Queues;
pub use table::Settings;
pub use user_timeout::TcpUserTimeout;

pub(crate) use address::split_port;

use crate::exception::{Minor, SystemException};
use crate::policies::Rebind;
use armilla_cdr::{CodeSet, CodeSets};
use armilla_giop::CodeSetContext;
use armilla_giop::url::{Corbaloc, CorbalocAddress, ObjectUrl};
use armilla_ipc::StreamOptions;
use armilla_ipc::option::CodePoint;

/// The object key of an implementation repository in `corbaloc:` URLs.
const IMR_KEY: &str = "ImplementationRepository";

impl Settings {
    /// The option whose name is `name` in capitals or small letters.
    #[doc(hidden)]
    pub fn option(name: &str) -> Option<&'static SettingOption<Self>> {
        Self::OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether a call needs no policy beyond the time limits of the call and of connecting.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        let unlimited = self.request_timeout.is_none();
        unlimited && self.retries.count == 0 && self.rebind == Rebind::Transparent
    }

    /// The options with which a transport of this ORB opens its streams.
    pub fn stream_options(&self) -> StreamOptions {
        self.stream_options_with(Queues::default())
    }

    /// The same for a transport whose connections have queues of these sizes.
    pub fn stream_options_with(&self, queues: Queues) -> StreamOptions {
        StreamOptions {
            send_buffer: queues.send.or(self.socket_queue),
            recv_buffer: queues.receive.or(self.socket_queue),
            congestion: self.congestion_control.clone(),
            keep_alive: self.keep_alive,
            user_timeout: self.tcp_user_timeout.limit(self.call_timeout),
            busy_poll: self.busy_poll,
            local_ports: self.client_ports.clone(),
            dscp: self.dscp.and_then(CodePoint::new),
            priority: self.socket_priority,
            no_delay: self.no_delay,
            file_access: self.local_access.file(),
            ..StreamOptions::default()
        }
    }

    /// The native code sets.
    #[doc(hidden)]
    pub const fn native_code_sets(&self) -> CodeSets {
        CodeSets {
            char: self.native_char_code_set,
            wchar: Some(self.native_wchar_code_set),
            lone_surrogates: self.lone_surrogates,
        }
    }

    /// The code sets of a connection whose client stated `agreed`, or nothing.
    #[doc(hidden)]
    pub fn code_sets(&self, agreed: Option<CodeSetContext>) -> CodeSets {
        let agreed = agreed.and_then(|stated| stated.code_sets().ok());
        CodeSets { lone_surrogates: self.lone_surrogates, ..agreed.unwrap_or(CodeSets::UNAGREED) }
    }

    /// Where the implementation repository is; `None` without one, or if its URL is malformed.
    #[doc(hidden)]
    pub fn imr_location(&self) -> Option<Corbaloc> {
        let text = self.imr.as_deref()?;
        let text = match text.contains("corbaloc:") {
            true => text.to_owned(),
            false => {
                text.rsplit_once(':').filter(|(host, _)| !host.is_empty())?;
                format!("corbaloc::{text}")
            }
        };
        let Ok(ObjectUrl::Corbaloc(mut location)) = ObjectUrl::parse(&text) else { return None };
        if location.key.is_empty() {
            location.key = IMR_KEY.into();
        }
        (!location.addresses.contains(&CorbalocAddress::Rir)).then_some(location)
    }

    /// The addresses of the implementation repository; none without one.
    #[doc(hidden)]
    pub fn imr_addresses(&self) -> Vec<(String, u16)> {
        let addresses = self.imr_location().map(|location| location.addresses);
        let addresses = addresses.unwrap_or_default().into_iter();
        let iiop = addresses.filter_map(|address| match address {
            CorbalocAddress::Iiop { host, port, .. } => Some((host, port)),
            _ => None,
        });
        iiop.collect()
    }

    /// The addresses of the implementation repository over TLS; none without one.
    #[doc(hidden)]
    pub fn imr_tls_addresses(&self) -> Vec<(String, u16)> {
        let addresses = self.imr_location().map(|location| location.addresses);
        let addresses = addresses.unwrap_or_default().into_iter();
        let protected = addresses.filter_map(|address| match address {
            CorbalocAddress::Ssliop { host, port, .. } => Some((host, port)),
            _ => None,
        });
        protected.collect()
    }

    /// Checks the settings that the ORB may be unable to meet.
    ///
    /// # Errors
    /// `BAD_PARAM`, which names the setting.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), SystemException> {
        let (char, wchar) = (self.native_char_code_set, self.native_wchar_code_set);
        let wrong = if char.is_wide() {
            format!("native_char_code_set: {char} is not a code set for `char` and `string`")
        } else if CodeSet::from_id(char.id()).is_none() {
            format!("native_char_code_set: {char} needs the feature `legacy-code-sets` of armilla")
        } else if !wchar.is_wide() {
            format!("native_wchar_code_set: {wchar} is not a code set for `wchar` and `wstring`")
        } else if self.dscp.is_some_and(|number| CodePoint::new(number).is_none()) {
            "dscp: a code point is a number from 0 to 63".to_owned()
        } else if let Some(url) = self.imr.as_ref().filter(|_| self.imr_location().is_none()) {
            format!("imr: {url:?} is neither HOST:PORT nor a corbaloc: URL with an IIOP address")
        } else {
            return Ok(());
        };
        Err(SystemException::bad_param(Minor::BAD_ARGUMENT, wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_option_shows_says_what_it_sets() {
        let option = Settings::option("-orbMAXMessage").unwrap().describe(&Settings::default());
        assert_eq!(option.usage(), "-ORBMaxMessage OCTETS");
        assert_eq!((option.setting, &*option.default), (Some("max_message"), "16 MiB"));
        assert_eq!(
            option.summary(),
            "The largest message that the ORB sends or accepts, in octets"
        );
    }
}
