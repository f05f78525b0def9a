//! The code sets of a connection: negotiation, and characters that a code set lacks.

use armilla::{CodeSet, Completion, ExceptionKind, Minor, Orb, SystemException, Version};
use armilla_cdr::{ByteOrder, Decode, Decoder, Encoder};
use armilla_giop::ior::{
    CodeSetComponent, CodeSetComponentInfo, Component, IiopProfile, Ior, OrbType,
};
use armilla_giop::{
    CodeSetContext, Message, MessageHeader, OutgoingRequest, ReplyStatus, ResponseFlags,
    SystemExceptionBody, TargetAddress, begin_request, decode_reply, put_body,
};
use armilla_tests::orbs;
use armilla_tests::peer::Wire;
use armilla_tests::speaker::Speaker;
use armilla_tests::texts::*;
use std::sync::Arc;

fn activate(orb: &Orb) -> SpeechRef {
    let speaker: Arc<dyn Speech> = Arc::new(Speaker);
    orb.root_poa().activate(speaker).unwrap()
}

/// A server with a speaker.
struct Server {
    orb: Orb,
    speaker: SpeechRef,
}

impl Server {
    fn start() -> Self {
        let orb = orbs::listening();
        let speaker = activate(&orb);
        Self { orb, speaker }
    }

    /// The profile of the speaker, in words of its own.
    fn profile(&self) -> IiopProfile {
        self.speaker.object().ior().iiop_profiles().next().unwrap().unwrap()
    }

    /// The speaker as `client` sees it when the server is of another make and says `sets`.
    fn foreign(&self, client: &Orb, sets: Option<&CodeSetComponentInfo>) -> SpeechRef {
        let mut profile = self.profile();
        profile
            .components
            .retain(|component| ![OrbType::ID, CodeSetComponentInfo::ID].contains(&component.id));
        profile.components.extend(sets.map(|sets| sets.to_tagged().unwrap()));
        let ior = Ior {
            type_id: "IDL:texts/Speech:1.0".into(),
            profiles: vec![profile.to_tagged().unwrap()],
        };
        client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

fn component(native: u32, conversion: &[CodeSet]) -> CodeSetComponent {
    CodeSetComponent { native, conversion: conversion.iter().map(|set| set.id()).collect() }
}

/// What a server says that has one set for each kind of character and converts nothing.
fn sets(char: CodeSet, wchar: CodeSet) -> CodeSetComponentInfo {
    CodeSetComponentInfo { char: component(char.id(), &[]), wchar: component(wchar.id(), &[]) }
}

fn what(error: &SystemException) -> (ExceptionKind, Completion) {
    (error.kind(), error.completed())
}

#[test]
fn texts_pass_in_every_code_set_that_a_server_may_have() {
    let server = Server::start();
    for set in CodeSet::ALL.iter().filter(|set| !set.is_wide()) {
        let client = orbs::client();
        let speaker = server.foreign(&client, Some(&sets(*set, CodeSet::Utf16)));
        let octets = [0, 0, 0, 2, 0xe1, 0];
        let mut input = Decoder::new(&octets, ByteOrder::Big).with_code_set(*set);
        let own = input.string().map_or("漢字".to_owned(), std::borrow::Cow::into_owned);
        match set {
            CodeSet::Ascii => assert_eq!(speaker.echo("plain").unwrap(), "plain"),
            CodeSet::EucJp | CodeSet::ShiftJis | CodeSet::Utf8 => {
                assert_eq!(speaker.echo("漢字").unwrap(), "漢字", "{set}");
            }
            _ => assert_eq!(speaker.echo(&own).unwrap(), own, "{set}"),
        }
        if *set != CodeSet::Utf8 {
            // The server's set is the one in use, so what it lacks is refused on either side.
            let error = speaker.echo("\u{1f980}").unwrap_err();
            assert_eq!(what(&error), (ExceptionKind::DataConversion, Completion::No));
            assert!(error.to_string().contains(set.name()), "{error}");
            let error = speaker.say(0x1_f980).unwrap_err();
            assert_eq!(what(&error), (ExceptionKind::DataConversion, Completion::Yes), "{set}");
        }
        assert_eq!(speaker.echo("still here").unwrap(), "still here");
    }
}

#[test]
fn wide_texts_pass_in_every_wide_set_and_version() {
    let server = Server::start();
    for set in [CodeSet::Utf16, CodeSet::Ucs2, CodeSet::Ucs4] {
        for version in [Version::V1_1, Version::V1_2] {
            let client = orbs::builder().max_giop(version).build().unwrap();
            let speaker = server.foreign(&client, Some(&sets(CodeSet::Utf8, set)));
            for text in ["", "Größe 漢字", "\u{feff}marked", "\u{fffe}"] {
                assert_eq!(&*speaker.echo_wide(text).unwrap(), text, "{set} in {version}");
            }
            assert_eq!(speaker.echo_letter('\u{feff}').unwrap(), '\u{feff}');
            match (speaker.echo_wide("\u{1f980}"), set) {
                (Err(error), CodeSet::Ucs2) => {
                    assert_eq!(what(&error), (ExceptionKind::DataConversion, Completion::No));
                    let error = speaker.say_wide(0x1_f980).unwrap_err();
                    let expected = (ExceptionKind::DataConversion, Completion::Yes);
                    assert_eq!(what(&error), expected);
                }
                (echo, _) => assert_eq!(&*echo.unwrap(), "\u{1f980}", "{set} in {version}"),
            }
        }
    }
}

#[test]
fn between_our_own_kind_every_text_passes_whatever_the_native_sets_are() {
    for (native, wide) in [(CodeSet::Iso8859_15, CodeSet::Ucs4), (CodeSet::EucJp, CodeSet::Utf16)] {
        let with_sets = || {
            orbs::builder().settings(|settings| {
                settings.native_char_code_set = native;
                settings.native_wchar_code_set = wide;
            })
        };
        let server = with_sets().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let near = activate(&server);
        for client in [with_sets().build().unwrap(), orbs::client()] {
            let far = orbs::travel(&near, &client);
            assert_eq!(far.echo("€ 漢字 \u{1f980}").unwrap(), "€ 漢字 \u{1f980}");
            assert_eq!(&*far.echo_wide("€ \u{1f980}").unwrap(), "€ \u{1f980}");
        }
        server.shutdown();
    }
}

#[test]
fn a_reference_says_the_native_sets_and_what_is_converted() {
    let orb = orbs::builder()
        .arguments(
            "-ORBNativeCharCodeSet iso8859_15 -ORBNativeWCharCodeSet UCS-4"
                .split(' ')
                .map(String::from),
        )
        .and_then(|builder| builder.listen("iiop://127.0.0.1:0"))
        .and_then(armilla::OrbBuilder::build)
        .unwrap();
    let speaker = activate(&orb);
    let profile = speaker.object().ior().iiop_profiles().next().unwrap().unwrap();
    let said: CodeSetComponentInfo = profile.component().unwrap().unwrap();
    let others = [CodeSet::Utf8, CodeSet::Iso8859_1];
    assert_eq!(said.char, component(CodeSet::Iso8859_15.id(), &others));
    assert_eq!(said.wchar, component(CodeSet::Ucs4.id(), &[CodeSet::Utf16, CodeSet::Ucs2]));
    orb.shutdown();
}

#[test]
fn sets_without_a_common_character_are_incompatible() {
    const KOREAN_IDEOGRAPHS: u32 = 0x0004_0001;
    let server = Server::start();
    let alone = CodeSetComponentInfo {
        char: component(KOREAN_IDEOGRAPHS, &[]),
        wchar: component(CodeSet::Utf16.id(), &[]),
    };
    let error = server.foreign(&orbs::client(), Some(&alone)).echo("a").unwrap_err();
    assert_eq!(what(&error), (ExceptionKind::CodesetIncompatible, Completion::No));
    assert_eq!(error.minor(), Minor::CODESET_INCOMPATIBLE_NEGOTIATION_FAILED);
    assert!(error.to_string().contains("0x00040001"), "{error}");
    let converts =
        CodeSetComponentInfo { char: component(KOREAN_IDEOGRAPHS, &[CodeSet::Utf8]), ..alone };
    let speaker = server.foreign(&orbs::client(), Some(&converts));
    assert_eq!(speaker.echo("€").unwrap(), "€");
}

#[test]
fn without_a_component_texts_are_latin_1_and_wide_ones_cannot_be_sent() {
    let server = Server::start();
    let client = orbs::client();
    let speaker = server.foreign(&client, None);
    assert_eq!(speaker.echo("Größe").unwrap(), "Größe");
    assert_eq!(what(&speaker.echo("€").unwrap_err()).0, ExceptionKind::DataConversion);
    for error in [speaker.echo_wide("a").unwrap_err(), speaker.echo_letter('a').unwrap_err()] {
        assert_eq!(what(&error), (ExceptionKind::InvObjref, Completion::No));
        assert_eq!(error.minor(), Minor::INV_OBJREF_NO_CODE_SET_COMPONENT);
        assert!(error.to_string().contains("hint:"), "{error}");
    }
    // Nor can the server answer with one, to a client that stated no code set for it.
    let error = speaker.say_wide(u32::from('a')).unwrap_err();
    assert_eq!(what(&error), (ExceptionKind::BadParam, Completion::Yes));
    assert_eq!(error.minor(), Minor::BAD_PARAM_NO_WCHAR_CODE_SET);
    assert_eq!(speaker.echo("still here").unwrap(), "still here");
}

#[test]
fn a_server_without_wide_characters_is_sent_none() {
    let server = Server::start();
    let narrow =
        CodeSetComponentInfo { char: component(CodeSet::Utf8.id(), &[]), wchar: component(0, &[]) };
    let speaker = server.foreign(&orbs::client(), Some(&narrow));
    assert_eq!(speaker.echo("漢字").unwrap(), "漢字");
    let error = speaker.echo_wide("a").unwrap_err();
    assert_eq!(what(&error), (ExceptionKind::InvObjref, Completion::No));
    assert_eq!(error.minor(), Minor::INV_OBJREF_NO_WCHAR_CODE_SET);
}

#[test]
fn giop_1_0_has_no_wide_characters_in_either_direction() {
    let server = Server::start();
    let client = orbs::builder().max_giop(Version::V1_0).build().unwrap();
    let speaker = orbs::travel(&server.speaker, &client);
    let error = speaker.echo_wide("a").unwrap_err();
    assert_eq!(what(&error), (ExceptionKind::Marshal, Completion::No));
    assert_eq!(error.minor(), Minor::MARSHAL_WCHAR_FROM_GIOP_1_0_CLIENT);
    let error = speaker.say_wide(u32::from('a')).unwrap_err();
    assert_eq!(what(&error), (ExceptionKind::Marshal, Completion::Yes));
    assert_eq!(error.minor(), Minor::MARSHAL_WCHAR_FROM_GIOP_1_0_SERVER);
    assert_eq!(speaker.echo("Größe").unwrap(), "Größe");
}

/// The status of a reply, or the minor code of a system exception.
type Answer = Result<ReplyStatus, Minor>;

/// What the server answers to `echo_wide`, or to `echo`, in a request that states `context`.
fn answer(server: &Server, operation: &str, context: Option<CodeSetContext>) -> Answer {
    let profile = server.profile();
    let data = context.map(CodeSetContext::encode);
    let context = data.as_ref().map(CodeSetContext::service_context);
    let request = OutgoingRequest {
        request_id: 1,
        response: ResponseFlags::Target,
        target: TargetAddress::Key(&profile.object_key),
        operation,
        contexts: context.as_slice(),
    };
    let mut out = Encoder::new(ByteOrder::Big);
    begin_request(&mut out, Version::V1_2, &request).unwrap();
    put_body(&mut out, Version::V1_2, |out| match operation {
        "echo" => out.put_string("a"),
        _ => out.put_wstring("a"),
    })
    .unwrap();
    MessageHeader::finish(&mut out).unwrap();
    let mut wire = Wire::connect((profile.host.as_str(), profile.port));
    wire.send(&out.to_vec());
    let octets = wire.message().unwrap();
    let message = Message::parse(&octets).unwrap().unwrap();
    let (header, mut body) = decode_reply(&message).unwrap();
    match header.status {
        ReplyStatus::SystemException => {
            let exception: SystemExceptionBody<'_> = Decode::decode(&mut body).unwrap();
            Err(Minor(exception.minor))
        }
        status => Ok(status),
    }
}

#[test]
fn a_server_refuses_a_code_set_that_it_does_not_know() {
    let server = Server::start();
    let unknown = CodeSetContext { char: 0x1002_0025, wchar: 0 };
    assert_eq!(
        answer(&server, "echo", Some(unknown)),
        Err(Minor::CODESET_INCOMPATIBLE_UNSUPPORTED_CODE_SET)
    );
    let wide = CodeSetContext { char: 0, wchar: CodeSet::Utf8.id() };
    assert_eq!(
        answer(&server, "echo", Some(wide)),
        Err(Minor::CODESET_INCOMPATIBLE_UNSUPPORTED_CODE_SET)
    );
    let known = CodeSetContext { char: CodeSet::EucJp.id(), wchar: 0 };
    assert_eq!(answer(&server, "echo", Some(known)), Ok(ReplyStatus::NoException));
}

#[test]
fn a_server_reads_wide_characters_that_were_not_announced_but_answers_with_none() {
    let server = Server::start();
    assert_eq!(answer(&server, "echo_wide", None), Err(Minor::BAD_PARAM_NO_WCHAR_CODE_SET));
    let announced = CodeSetContext { char: 0, wchar: CodeSet::Utf16.id() };
    assert_eq!(answer(&server, "echo_wide", Some(announced)), Ok(ReplyStatus::NoException));
}

#[test]
fn native_sets_of_the_wrong_kind_are_refused() {
    let wide = orbs::builder().settings(|s| s.native_char_code_set = CodeSet::Utf16).build();
    let narrow = orbs::builder().settings(|s| s.native_wchar_code_set = CodeSet::Utf8).build();
    for (result, named) in [(wide, "native_char_code_set"), (narrow, "native_wchar_code_set")] {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadParam, Minor::BAD_ARGUMENT));
        assert!(error.to_string().contains(named), "{error}");
    }
}
