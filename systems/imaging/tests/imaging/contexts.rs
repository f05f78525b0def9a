//! Which services a modality is told of, and what it gets for a command that its service has not.

use crate::common::Scratch;
use crate::modalities::{EXPLICIT, FIND, GET, MR, Peer, level, serve, short, text, write};
use dicom_core::VR;
use dicom_dictionary_std::{tags, uids};
use dicom_ul::association::client::ClientAssociationOptions;
use dicom_ul::pdu::PresentationContextResultReason as Reason;
use std::io::Write as _;

const ECHO: &str = uids::VERIFICATION;

#[test]
fn only_contexts_of_services_that_there_are_are_accepted() {
    let scratch = Scratch::new();
    let (_store, at) = serve(&scratch.file("store"), "", &[]);
    let none = [
        "1.2.840.10008.1.20.2",
        uids::INSTANCE_AVAILABILITY_NOTIFICATION,
        uids::BASIC_FILM_SESSION,
        "1.2.840.10008.5.1.4.1.1.201.2",
        "1.2.3.4.5.6.7",
    ];
    let some = [ECHO, FIND, GET, MR, uids::ENHANCED_CT_IMAGE_STORAGE, uids::BASIC_TEXT_SR_STORAGE];
    let options = ClientAssociationOptions::new().called_ae_title("ARMILLA");
    let options = none
        .iter()
        .chain(&some)
        .fold(options, |options, class| options.with_presentation_context(*class, vec![EXPLICIT]));
    let association = options.establish(at).unwrap();
    let contexts = association.presentation_contexts();
    // Those that are rejected are not there; lab/interop/imaging sees the reason.
    let reason = |class| {
        let found = contexts.iter().find(|context| context.abstract_syntax == class);
        found.map(|context| context.reason.clone())
    };
    for class in none {
        assert_eq!(reason(class), None, "{class}");
    }
    for class in some {
        assert_eq!(reason(class), Some(Reason::Acceptance), "{class}");
    }
    association.release().unwrap();
}

#[test]
fn an_unknown_command_has_its_answer_and_the_association_goes_on() {
    let scratch = Scratch::new();
    let (_store, at) = serve(&scratch.file("store"), "", &[]);
    let mut peer = Peer::with(at, "DESK", &[ECHO, FIND, MR]);
    let data = [level("STUDY"), text(tags::PATIENT_ID, VR::LO, "*")];
    // N-ACTION, an operation that is none, and known ones in the context of another service.
    for (kind, field) in [(ECHO, 0x0130), (FIND, 0x0777), (FIND, 0x0001), (MR, 0x0020)] {
        for data in [None, Some(&data[..])] {
            assert_eq!(peer.request(kind, field, &[], data).status(), 0x0211, "{field:04x}");
        }
        assert_eq!(peer.request(ECHO, 0x0030, &[], None).status(), 0);
    }
    assert_eq!(peer.request(FIND, 0x0020, &[], None).status(), 0x0212, "its keys are missing");
    // A reply to what was never asked, with a data set: passed over.
    let context = peer.context(FIND);
    let odd = [short(tags::MESSAGE_ID_BEING_RESPONDED_TO, 7), short(tags::STATUS, 0)];
    peer.send(context, FIND, 0x8100, &odd, true);
    let mut octets = peer.association.send_pdata(context);
    octets.write_all(&write(&data)).unwrap();
    octets.finish().unwrap();
    assert_eq!(peer.ask(FIND, &data).last().unwrap().status(), 0);
    peer.association.release().unwrap();
}
