//! The `-ORB…` options of a program's command line (CORBA 3.4 Part 1, 8.5.3).

use super::OrbBuilder;
use super::numbers::{self, bad, number};
use crate::exception::SystemException;
use crate::policies::Rebind;
use crate::policies::{ConnectionPolicy, OnewayBuffer, SyncScope};
use crate::settings::{Collocation, PublishAs};
use crate::transport::parse_ports;
use armilla_cdr::CodeSet;
use armilla_giop::Version;
use std::str::FromStr;
use std::time::Duration;

impl OrbBuilder {
    /// Reads the `-ORB…` options among `arguments` and ignores all other arguments. The value of
    /// an option is the next argument. The part of a name after `-ORB` is not case-sensitive.
    ///
    /// | option | meaning |
    /// |---|---|
    /// | `-ORBid NAME` | [`Settings::orb_id`](crate::Settings::orb_id) |
    /// | `-ORBServerId NAME` | [`Settings::server_id`](crate::Settings::server_id) |
    /// | `-ORBEndpoint iiop://HOST:PORT` | [`listen`](Self::listen); may be repeated |
    /// | `-ORBListenEndpoints ENDPOINT;ENDPOINT…` | [`listen`](Self::listen) at each endpoint |
    /// | `-ORBEndpoint uiop:///PATH`, `shmiop:///PATH` | [`listen`](Self::listen) on this host |
    /// | `-ORBBusyPoll MICROSECONDS` | [`Settings::busy_poll`](crate::Settings::busy_poll) |
    /// | `-ORBLocalEndpoints 0\|1` | [`Settings::local_endpoints`] |
    /// | `-ORBPublishHost HOST` | [`publish_host`](Self::publish_host) |
    /// | `-ORBPublishAddress HOST:PORT` | [`publish_address`]; may be repeated |
    /// | `-ORBPublishAs given\|address\|name` | [`Settings::publish_as`] |
    /// | `-ORBPublishNetwork ADDRESS/BITS` | [`Settings::publish_network`] |
    /// | `-ORBAlternateAddresses 0\|1` | [`Settings::alternate_addresses`] |
    /// | `-ORBImR HOST:PORT\|URL` | [`Settings::imr`](crate::Settings::imr) |
    /// | `-ORBInitRef NAME=URL` | [`initial_reference`](Self::initial_reference) |
    /// | `-ORBDefaultInitRef URL` | [`default_initial_reference`] |
    /// | `-ORBCallTimeout MILLISECONDS` | [`call_timeout`](Self::call_timeout); 0 sets no limit |
    /// | `-ORBConnectTimeout MILLISECONDS` | [`connect_timeout`](Self::connect_timeout) |
    /// | `-ORBRequestTimeout MILLISECONDS` | [`Settings::request_timeout`]; 0 sets no limit |
    /// | `-ORBRetries COUNT` | [`Retries::count`](crate::Retries::count) of the ORB |
    /// | `-ORBRebind transparent\|no-rebind\|no-reconnect` | [`Settings::rebind`] |
    /// | `-ORBMaxGIOPVersion 1.0\|1.1\|1.2` | [`max_giop`](Self::max_giop) |
    /// | `-ORBNativeCharCodeSet NAME` | [`Settings::native_char_code_set`]: `ISO-8859-15` |
    /// | `-ORBNativeWCharCodeSet UTF-16\|UCS-2\|UCS-4` | [`Settings::native_wchar_code_set`] |
    /// | `-ORBLoneSurrogates 0\|1` | [`Settings::lone_surrogates`] |
    /// | `-ORBMaxMessage OCTETS` | [`Settings::max_message`](crate::Settings::max_message) |
    /// | `-ORBValueDepth COUNT` | [`Settings::value_depth`](crate::Settings::value_depth) |
    /// | `-ORBConnectionPolicy exclusive\|multiplexed` | [`Settings::connection_policy`] |
    /// | `-ORBConnectionsPerEndpoint COUNT` | [`Settings::connections_per_endpoint`] |
    /// | `-ORBSyncScope none\|transport\|server\|target` | [`Settings::sync_scope`] |
    /// | `-ORBOfferBiDirectionalGIOP 0\|1` | [`Settings::offer_bidirectional`] |
    /// | `-ORBAcceptBiDirectionalGIOP MODE` | [`Settings::accept_bidirectional`] as text |
    /// | `-ORBKeepAlive SECONDS` | [`Settings::keep_alive`]; 0 does not probe |
    /// | `-ORBClientPorts FIRST-LAST` | [`Settings::client_ports`](crate::Settings::client_ports) |
    /// | `-ORBLocalAccess mode=OCTAL,user=UID,group=GID,peers=UID+UID` | [`Settings::local_access`] |
    /// | `-ORBDscp NUMBER` | [`Settings::dscp`](crate::Settings::dscp) |
    /// | `-ORBSocketPriority NUMBER` | [`Settings::socket_priority`] |
    /// | `-ORBNoDelay 0\|1` | [`Settings::no_delay`] |
    /// | `-ORBFragmentSize OCTETS` | [`Settings::fragment_size`]; 0 does not fragment |
    /// | `-ORBExceptionDetails 0\|1` | [`Settings::exception_details`] |
    /// | `-ORBMessageMemory OCTETS` | [`Settings::message_memory`]; 0 leaves it to the machine |
    /// | `-ORBMaxConnections COUNT` | [`Settings::max_connections`] |
    /// | `-ORBConnectionsPerPeer COUNT` | [`Settings::connections_per_peer`]; 0 sets no limit |
    /// | `-ORBNoProprietaryActivation` | no effect; takes no value |
    /// | `-ORBHoldRequests 0\|1` | [`Settings::hold_requests`](crate::Settings::hold_requests) |
    /// | `-ORBStartupHold MILLISECONDS` | [`Settings::startup_hold`]; 0 lets no request wait |
    /// | `-ORBConcurrency MODEL` | [`Settings::concurrency`], a [`Concurrency`] as text |
    /// | `-ORBClientIdle MILLISECONDS` | [`Settings::client_idle`](crate::Settings::client_idle) |
    /// | `-ORBServerIdle MILLISECONDS` | [`Settings::server_idle`](crate::Settings::server_idle) |
    /// | `-ORBHeaderDeadline MILLISECONDS` | [`Settings::header_deadline`] |
    /// | `-ORBMessageDeadline MILLISECONDS` | [`Settings::message_deadline`] |
    /// | `-ORBDrainTimeout MILLISECONDS` | [`Settings::drain_timeout`] |
    /// | `-ORBRequestsPerConnection COUNT` | [`Settings::requests_per_connection`] |
    /// | `-ORBRequestsInProgress COUNT` | [`Settings::requests_in_progress`] |
    /// | `-ORBRequestsInFlight COUNT` | [`Settings::requests_in_flight`] |
    /// | `-ORBQueuedReplies OCTETS` | [`Settings::queued_replies`] |
    /// | `-ORBQueuedRequests OCTETS` | [`Settings::queued_requests`] |
    /// | `-ORBMaxHeldRequests COUNT` | [`Settings::max_held_requests`] |
    /// | `-ORBMaxForwards COUNT` | [`Settings::max_forwards`](crate::Settings::max_forwards) |
    /// | `-ORBSocketQueue OCTETS` | [`Settings::socket_queue`]; 0 leaves it to the system |
    /// | `-ORBTcpQueues SEND,RECEIVE` | [`Settings::tcp_queues`]; 0 is as `-ORBSocketQueue` says |
    /// | `-ORBUnixQueues SEND,RECEIVE` | [`Settings::unix_queues`] |
    /// | `-ORBShmQueues SEND,RECEIVE` | [`Settings::shm_queues`] |
    /// | `-ORBCongestionControl NAME` | [`Settings::congestion_control`] |
    /// | `-ORBCollocation direct\|poa\|remote` | [`Settings::collocation`] |
    /// | `-ORBOnewayBuffer COUNT,OCTETS,MILLISECONDS` | [`Settings::oneway_buffer`] |
    ///
    /// [`publish_address`]: Self::publish_address
    /// [`default_initial_reference`]: Self::default_initial_reference
    /// [`Settings::local_endpoints`]: crate::Settings::local_endpoints
    /// [`Settings::publish_as`]: crate::Settings::publish_as
    /// [`Settings::publish_network`]: crate::Settings::publish_network
    /// [`Settings::alternate_addresses`]: crate::Settings::alternate_addresses
    /// [`Settings::request_timeout`]: crate::Settings::request_timeout
    /// [`Settings::rebind`]: crate::Settings::rebind
    /// [`Settings::native_char_code_set`]: crate::Settings::native_char_code_set
    /// [`Settings::native_wchar_code_set`]: crate::Settings::native_wchar_code_set
    /// [`Settings::lone_surrogates`]: crate::Settings::lone_surrogates
    /// [`Settings::connection_policy`]: crate::Settings::connection_policy
    /// [`Settings::connections_per_endpoint`]: crate::Settings::connections_per_endpoint
    /// [`Settings::sync_scope`]: crate::Settings::sync_scope
    /// [`Settings::offer_bidirectional`]: crate::Settings::offer_bidirectional
    /// [`Settings::accept_bidirectional`]: crate::Settings::accept_bidirectional
    /// [`Settings::local_access`]: crate::Settings::local_access
    /// [`Settings::keep_alive`]: crate::Settings::keep_alive
    /// [`Settings::fragment_size`]: crate::Settings::fragment_size
    /// [`Settings::exception_details`]: crate::Settings::exception_details
    /// [`Settings::message_memory`]: crate::Settings::message_memory
    /// [`Settings::connections_per_peer`]: crate::Settings::connections_per_peer
    /// [`Settings::max_connections`]: crate::Settings::max_connections
    /// [`Settings::startup_hold`]: crate::Settings::startup_hold
    /// [`Settings::concurrency`]: crate::Settings::concurrency
    /// [`Concurrency`]: crate::Concurrency
    /// [`Settings::header_deadline`]: crate::Settings::header_deadline
    /// [`Settings::message_deadline`]: crate::Settings::message_deadline
    /// [`Settings::drain_timeout`]: crate::Settings::drain_timeout
    /// [`Settings::requests_per_connection`]: crate::Settings::requests_per_connection
    /// [`Settings::requests_in_progress`]: crate::Settings::requests_in_progress
    /// [`Settings::requests_in_flight`]: crate::Settings::requests_in_flight
    /// [`Settings::queued_replies`]: crate::Settings::queued_replies
    /// [`Settings::queued_requests`]: crate::Settings::queued_requests
    /// [`Settings::max_held_requests`]: crate::Settings::max_held_requests
    /// [`Settings::socket_priority`]: crate::Settings::socket_priority
    /// [`Settings::no_delay`]: crate::Settings::no_delay
    /// [`Settings::socket_queue`]: crate::Settings::socket_queue
    /// [`Settings::tcp_queues`]: crate::Settings::tcp_queues
    /// [`Settings::unix_queues`]: crate::Settings::unix_queues
    /// [`Settings::shm_queues`]: crate::Settings::shm_queues
    /// [`Settings::congestion_control`]: crate::Settings::congestion_control
    /// [`Settings::collocation`]: crate::Settings::collocation
    /// [`Settings::oneway_buffer`]: crate::Settings::oneway_buffer
    ///
    /// ```
    /// use armilla::Orb;
    ///
    /// let arguments = ["server", "-ORBMaxConnections", "100", "--verbose"];
    /// let orb = Orb::builder().arguments(arguments.map(String::from))?.build()?;
    /// assert_eq!(orb.settings().max_connections, 100);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` for an `-ORB…` option that is not in the table or whose value is malformed.
    pub fn arguments(
        self,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Self, SystemException> {
        Ok(self.split(arguments.into_iter().collect())?.0)
    }

    /// Reads the `-ORB…` options as [`arguments`](Self::arguments) does, and removes them from
    /// `arguments`. The other arguments keep their order, for a program that parses its command
    /// line itself.
    ///
    /// # Errors
    /// Those of [`arguments`](Self::arguments). After an error `arguments` is unchanged.
    pub fn take_arguments(self, arguments: &mut Vec<String>) -> Result<Self, SystemException> {
        let (builder, others) = self.split(arguments.clone())?;
        *arguments = others;
        Ok(builder)
    }

    /// Applies the options and returns the other arguments.
    fn split(mut self, arguments: Vec<String>) -> Result<(Self, Vec<String>), SystemException> {
        self.registration.arguments.extend_from_slice(&arguments);
        let mut others = Vec::new();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let Some(suffix) = argument.strip_prefix("-ORB").map(str::to_ascii_lowercase) else {
                others.push(argument);
                continue;
            };
            if suffix == "noproprietaryactivation" {
                continue;
            }
            let Some(value) = arguments.next() else {
                return Err(bad(format!("{argument} needs a value")));
            };
            self = self.option(&argument, &suffix, value)?;
        }
        Ok((self, others))
    }

    /// Applies the option `name`. `suffix` is the part of its name after `-ORB`, in lower case.
    fn option(mut self, name: &str, suffix: &str, value: String) -> Result<Self, SystemException> {
        match suffix {
            "endpoint" => return self.listen(&value),
            "listenendpoints" => return self.listen_at_all(&value),
            "publishhost" => self.settings.publish_host = Some(value),
            "publishaddress" => return self.publish_address(&value),
            "publishas" => self.settings.publish_as = publish_as(name, &value)?,
            "publishnetwork" => self.settings.publish_network = Some(parse(name, &value)?),
            "imr" => self.settings.imr = Some(value),
            "initref" => match value.split_once('=') {
                Some((name, url)) => self = self.initial_reference(name, url),
                None => return Err(bad(format!("-ORBInitRef {value:?}: the form is NAME=URL"))),
            },
            "defaultinitref" => self.default_initial = Some(value),
            "id" => self.settings.orb_id = value,
            "serverid" => self.settings.server_id = value,
            "retries" => {
                self.settings.retries.count = number(name, &value)?.try_into().unwrap_or(u32::MAX);
            }
            "rebind" => self.settings.rebind = rebind(name, &value)?,
            "maxgiopversion" => self.settings.max_giop = version(name, &value)?,
            "nativecharcodeset" => {
                self.settings.native_char_code_set = code_set(name, &value, false)?;
            }
            "nativewcharcodeset" => {
                self.settings.native_wchar_code_set = code_set(name, &value, true)?;
            }
            "busypoll" => {
                let limit = number(name, &value)?;
                self.settings.busy_poll = Some(std::time::Duration::from_micros(limit));
            }
            "connectionpolicy" => {
                self.settings.connection_policy = connection_policy(name, &value)?
            }
            "syncscope" => self.settings.sync_scope = sync_scope(name, &value)?,
            "acceptbidirectionalgiop" => {
                self.settings.accept_bidirectional = parse(name, &value)?;
            }
            "keepalive" => {
                let idle = number(name, &value)?;
                self.settings.keep_alive = (idle > 0).then(|| std::time::Duration::from_secs(idle));
            }
            "localaccess" => self.settings.local_access = parse(name, &value)?,
            "tcpqueues" => self.settings.tcp_queues = parse(name, &value)?,
            "unixqueues" => self.settings.unix_queues = parse(name, &value)?,
            "shmqueues" => self.settings.shm_queues = parse(name, &value)?,
            "clientports" => {
                let ports = parse_ports(&value).ok().filter(|ports| *ports.start() > 0);
                let wrong = || bad(format!("{name} {value:?}: FIRST-LAST is needed"));
                self.settings.client_ports = Some(ports.ok_or_else(wrong)?);
            }
            "dscp" => {
                let point = value.parse().ok().filter(|number| *number < 64);
                let wrong = || bad(format!("{name} {value:?}: a number below 64 is needed"));
                self.settings.dscp = Some(point.ok_or_else(wrong)?);
            }
            "socketpriority" => {
                let priority = value.parse().ok();
                let wrong = || bad(format!("{name} {value:?}: a number below 256 is needed"));
                self.settings.socket_priority = Some(priority.ok_or_else(wrong)?);
            }
            "concurrency" => {
                let parsed = value.parse().map_err(|what| bad(format!("{name} {what}")));
                self.settings.concurrency = parsed?;
            }
            "collocation" => self.settings.collocation = collocation(name, &value)?,
            "onewaybuffer" => self.settings.oneway_buffer = oneway_buffer(name, &value)?,
            "congestioncontrol" => self.settings.congestion_control = Some(value),
            _ => numbers::set(&mut self.settings, (name, suffix), &value)?,
        }
        Ok(self)
    }

    /// Listens at each endpoint of a list that `;` separates.
    fn listen_at_all(self, endpoints: &str) -> Result<Self, SystemException> {
        let endpoints = endpoints.split(';').map(str::trim).filter(|endpoint| !endpoint.is_empty());
        endpoints.into_iter().try_fold(self, |builder, endpoint| builder.listen(endpoint))
    }
}

fn rebind(name: &str, value: &str) -> Result<Rebind, SystemException> {
    match value {
        "transparent" => Ok(Rebind::Transparent),
        "no-rebind" => Ok(Rebind::NoRebind),
        "no-reconnect" => Ok(Rebind::NoReconnect),
        _ => Err(bad(format!(
            "{name} {value:?}: one of transparent, no-rebind and no-reconnect is needed"
        ))),
    }
}

fn collocation(name: &str, value: &str) -> Result<Collocation, SystemException> {
    match value {
        "direct" => Ok(Collocation::Direct),
        "poa" => Ok(Collocation::ThroughPoa),
        "remote" => Ok(Collocation::Remote),
        _ => Err(bad(format!("{name} {value:?}: one of direct, poa and remote is needed"))),
    }
}

fn oneway_buffer(name: &str, value: &str) -> Result<OnewayBuffer, SystemException> {
    let numbers: Option<Vec<u32>> = value.split(',').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([count, octets, delay]) => Ok(OnewayBuffer {
            count: *count as usize,
            octets: *octets as usize,
            delay: Duration::from_millis((*delay).into()),
        }),
        _ => Err(bad(format!("{name} {value:?}: COUNT,OCTETS,MILLISECONDS is needed"))),
    }
}

fn publish_as(name: &str, value: &str) -> Result<PublishAs, SystemException> {
    match value {
        "given" => Ok(PublishAs::Given),
        "address" => Ok(PublishAs::Address),
        "name" => Ok(PublishAs::Name),
        _ => Err(bad(format!("{name} {value:?}: one of given, address and name is needed"))),
    }
}

fn parse<T: FromStr<Err = String>>(name: &str, value: &str) -> Result<T, SystemException> {
    value.parse().map_err(|what| bad(format!("{name} {what}")))
}

fn connection_policy(name: &str, value: &str) -> Result<ConnectionPolicy, SystemException> {
    match value {
        "exclusive" => Ok(ConnectionPolicy::Exclusive),
        "multiplexed" => Ok(ConnectionPolicy::Multiplexed),
        _ => Err(bad(format!("{name} {value:?}: exclusive or multiplexed is needed"))),
    }
}

fn sync_scope(name: &str, value: &str) -> Result<SyncScope, SystemException> {
    match value {
        "none" => Ok(SyncScope::None),
        "transport" => Ok(SyncScope::WithTransport),
        "server" => Ok(SyncScope::WithServer),
        "target" => Ok(SyncScope::WithTarget),
        _ => Err(bad(format!("{name} {value:?}: none, transport, server or target is needed"))),
    }
}

fn version(name: &str, value: &str) -> Result<Version, SystemException> {
    let known = [Version::V1_0, Version::V1_1, Version::V1_2];
    let parsed = value.parse().ok().filter(|version| known.contains(version));
    parsed.ok_or_else(|| bad(format!("{name} {value:?}: one of 1.0, 1.1 and 1.2 is needed")))
}

fn code_set(name: &str, value: &str, wide: bool) -> Result<CodeSet, SystemException> {
    match value.parse::<CodeSet>() {
        Ok(set) if set.is_wide() == wide => Ok(set),
        Ok(_) if wide => {
            Err(bad(format!("{name} {value:?}: one of UTF-16, UCS-2, UCS-4 is needed")))
        }
        Ok(_) => Err(bad(format!("{name} {value:?}: this code set is for wide characters"))),
        Err(error) => Err(bad(format!("{name} {value:?}: {error}"))),
    }
}
