//! Options of other ORBs, with what stands for each of them here: what an unknown `-ORB…` option is
//! answered with. The names are those of TAO's and omniORB's manuals.

use std::borrow::Cow;

/// An ORB whose option a program was given.
const TAO: &str = "TAO";
const OMNIORB: &str = "omniORB";

/// Options by name, the ORB that has it, and what to write instead.
const FOREIGN: &[(&str, &str, &str)] = &[
    // Implementation repository and initial references.
    ("-ORBUseIMR", TAO, "use -ORBImR HOST:PORT, and -ORBServerId NAME for the name of the server"),
    ("-ORBImplRepoServiceIOR", TAO, "use -ORBImR HOST:PORT or a corbaloc URL"),
    ("-ORBImplRepoServicePort", TAO, "use -ORBImR HOST:PORT"),
    ("-ORBNameServiceIOR", TAO, "use -ORBInitRef NameService=URL"),
    ("-ORBNameServicePort", TAO, "use -ORBInitRef NameService=corbaloc::HOST:PORT/NameService"),
    ("-ORBTradingServiceIOR", TAO, "use -ORBInitRef TradingService=URL"),
    ("-ORBTradingServicePort", TAO, "use -ORBInitRef TradingService=URL"),
    ("-ORBMulticastDiscoveryEndpoint", TAO, "no multicast is sent; use -ORBInitRef NAME=URL"),
    ("-ORBbootstrapAgentHostname", OMNIORB, "use -ORBInitRef NAME=URL"),
    ("-ORBbootstrapAgentPort", OMNIORB, "use -ORBInitRef NAME=URL"),
    // Endpoints and what references carry.
    ("-ORBHostnameInIOR", TAO, "use -ORBPublishHost HOST"),
    ("-ORBDottedDecimalAddresses", TAO, "use -ORBPublishAs address"),
    ("-ORBPreferredInterfaces", TAO, "use -ORBPublishNetwork ADDRESS/BITS"),
    ("-ORBUseSharedProfile", TAO, "use -ORBAlternateAddresses 1"),
    (
        "-ORBendPointPublish",
        OMNIORB,
        "use -ORBPublishAddress HOST:PORT, or ?publish= of -ORBEndpoint",
    ),
    ("-ORBendPointNoListen", OMNIORB, "use -ORBPublishAddress HOST:PORT"),
    ("-ORBendPointNoPublish", OMNIORB, "use -ORBEndpoint, and -ORBPublishAddress HOST:PORT"),
    ("-ORBendPointPublishAllIFs", OMNIORB, "use -ORBPublishAddress HOST:PORT for each address"),
    ("-ORBunixTransportDirectory", OMNIORB, "use -ORBEndpoint uiop:///PATH"),
    ("-ORBunixTransportPermission", OMNIORB, "use -ORBLocalAccess mode=OCTAL"),
    ("-ORBserverTransportRule", OMNIORB, "use -ORBEndpoint, and -ORBLocalAccess for local clients"),
    // Calls.
    ("-ORBclientCallTimeOutPeriod", OMNIORB, "use -ORBCallTimeout MILLISECONDS"),
    ("-ORBclientConnectTimeOutPeriod", OMNIORB, "use -ORBConnectTimeout MILLISECONDS"),
    ("-ORBserverCallTimeOutPeriod", OMNIORB, "use -ORBMessageDeadline MILLISECONDS"),
    ("-ORBCollocationStrategy", TAO, "use -ORBCollocation direct or poa"),
    ("-ORBimmediateAddressSwitch", OMNIORB, "leave it out: the next address is tried at once"),
    ("-ORBverifyObjectExistsAndType", OMNIORB, "leave it out: Object::narrow asks when it must"),
    // Connections.
    ("-ORBTransportMuxStrategy", TAO, "use -ORBConnectionPolicy exclusive or multiplexed"),
    ("-ORBConnectionCacheMax", TAO, "use -ORBMaxConnections COUNT"),
    ("-ORBoneCallPerConnection", OMNIORB, "use -ORBConnectionPolicy exclusive or multiplexed"),
    ("-ORBmaxGIOPConnectionPerServer", OMNIORB, "use -ORBConnectionsPerEndpoint COUNT"),
    ("-ORBmaxInterleavedCallsPerConnection", OMNIORB, "use -ORBRequestsInFlight COUNT"),
    ("-ORBoutConScanPeriod", OMNIORB, "use -ORBClientIdle MILLISECONDS"),
    ("-ORBinConScanPeriod", OMNIORB, "use -ORBServerIdle MILLISECONDS"),
    ("-ORBSndSock", TAO, "use -ORBTcpQueues SEND,RECEIVE"),
    ("-ORBRcvSock", TAO, "use -ORBTcpQueues SEND,RECEIVE"),
    ("-ORBsocketSendBuffer", OMNIORB, "use -ORBTcpQueues SEND,RECEIVE"),
    ("-ORBsocketRecvBuffer", OMNIORB, "use -ORBTcpQueues SEND,RECEIVE"),
    // Threads of a server.
    ("-ORBmaxServerThreadPerConnection", OMNIORB, "use -ORBRequestsPerConnection COUNT"),
    ("-ORBmaxServerThreadPoolSize", OMNIORB, "use -ORBConcurrency MODEL"),
    ("-ORBthreadPerConnectionPolicy", OMNIORB, "use -ORBConcurrency MODEL"),
    ("-ORBthreadPerConnectionLowerLimit", OMNIORB, "use -ORBConcurrency MODEL"),
    ("-ORBthreadPerConnectionUpperLimit", OMNIORB, "use -ORBConcurrency MODEL"),
    ("-ORBpoaHoldRequestTimeout", OMNIORB, "use -ORBStartupHold MILLISECONDS"),
    // Messages.
    ("-ORBgiopMaxMsgSize", OMNIORB, "use -ORBMaxMessage OCTETS"),
    ("-ORBMaxMessageSize", TAO, "use -ORBFragmentSize OCTETS, and -ORBMaxMessage for the limit"),
    ("-ORBNegotiateCodesets", TAO, "leave it out: code sets are negotiated; -ORBNativeCharCodeSet"),
    // Configuration and logs.
    ("-ORBSvcConf", TAO, "no file is read; give the options themselves"),
    ("-ORBSvcConfDirective", TAO, "no directives are read; give the options themselves"),
    ("-ORBconfigFile", OMNIORB, "no file is read; give the options themselves"),
    ("-ORBDebugLevel", TAO, LOGS),
    ("-ORBDebug", TAO, LOGS),
    ("-ORBVerboseLogging", TAO, LOGS),
    ("-ORBLogFile", TAO, LOGS),
    ("-ORBtraceLevel", OMNIORB, LOGS),
    ("-ORBtraceInvocations", OMNIORB, LOGS),
    ("-ORBtraceInvocationReturns", OMNIORB, LOGS),
    ("-ORBtraceExceptions", OMNIORB, LOGS),
    ("-ORBtraceThreadId", OMNIORB, LOGS),
    ("-ORBtraceTime", OMNIORB, LOGS),
    ("-ORBtraceFile", OMNIORB, LOGS),
    ("-ORBdumpConfiguration", OMNIORB, LIST),
    ("-ORBhelp", OMNIORB, LIST),
];

const LOGS: &str = "the log is that of the program (crate `tracing`); the commands and services of \
                    Armilla take -v, -vv, or ARMILLA_LOG=LEVEL, and write to standard error";
const LIST: &str = "`armilla help orb-options` lists the options";

/// What to do about an unknown option: what stands for it here, if it is known of another ORB.
pub(super) fn hint(name: &str) -> Cow<'static, str> {
    let known = FOREIGN.iter().find(|(foreign, ..)| foreign.eq_ignore_ascii_case(name));
    match known {
        Some((foreign, whose, instead)) => format!("{foreign} is {whose}'s: {instead}").into(),
        None => LIST.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orb::OrbBuilder;
    use std::collections::HashSet;

    /// The options that a text names.
    fn named(text: &str) -> impl Iterator<Item = &str> {
        let words = text.split(|it: char| !it.is_ascii_alphanumeric() && it != '-');
        words.filter(|word| word.starts_with("-ORB"))
    }

    #[test]
    fn each_stands_there_once_is_none_of_ours_and_names_only_options_that_there_are() {
        let own: Vec<_> = OrbBuilder::options().iter().map(|it| it.name.to_lowercase()).collect();
        let mut seen = HashSet::new();
        for (foreign, _, instead) in FOREIGN {
            let lower = foreign.to_lowercase();
            assert!(!own.contains(&lower), "{foreign} is an option here");
            assert!(seen.insert(lower), "{foreign} stands there twice");
            for option in named(instead) {
                assert!(own.contains(&option.to_lowercase()), "{foreign}: {option}");
            }
        }
    }

    #[test]
    fn a_hint_depends_on_no_capitals() {
        assert_eq!(
            hint("-ORBuseimr"),
            "-ORBUseIMR is TAO's: use -ORBImR HOST:PORT, and -ORBServerId NAME for the name of \
             the server"
        );
        assert_eq!(hint("-ORBSpeed"), LIST);
    }
}
