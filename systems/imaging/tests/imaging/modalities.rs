//! Modalities and workstations: C-FIND, C-GET and C-MOVE, by a peer of the DICOM protocol.

use crate::common::{Scratch, write_image};
use armilla_imaging::audit::Guard;
use armilla_imaging::procedures::{Procedures, Retry};
use armilla_imaging::server::dimse::{self, Entity, Titles};
use armilla_imaging::store::Store;
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::{FileMetaTableBuilder, InMemDicomObject};
use dicom_transfer_syntax_registry::entries::{
    EXPLICIT_VR_LITTLE_ENDIAN, IMPLICIT_VR_LITTLE_ENDIAN,
};
use dicom_ul::Pdu;
use dicom_ul::association::ClientAssociation;
use dicom_ul::association::client::ClientAssociationOptions;
use dicom_ul::association::server::ServerAssociationOptions;
use dicom_ul::pdu::{PDataValue, PDataValueType};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

pub(crate) const FIND: &str = uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_FIND;
pub(crate) const GET: &str = uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_GET;
pub(crate) const MOVE: &str = uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_MOVE;
pub(crate) const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;
pub(crate) const MR: &str = uids::MR_IMAGE_STORAGE;

pub(crate) type Object = InMemDicomObject;

pub(crate) fn text(tag: Tag, vr: VR, value: &str) -> DataElement<Object> {
    DataElement::new(tag, vr, PrimitiveValue::from(value))
}

pub(crate) fn short(tag: Tag, value: u16) -> DataElement<Object> {
    DataElement::new(tag, VR::US, PrimitiveValue::from(value))
}

/// A reply, and the data set behind it.
pub(crate) struct Reply {
    pub(crate) command: Object,
    pub(crate) data: Option<Vec<u8>>,
}

impl Reply {
    pub(crate) fn number(&self, tag: Tag) -> u16 {
        self.command.element(tag).unwrap().to_int().unwrap()
    }

    pub(crate) fn status(&self) -> u16 {
        self.number(tags::STATUS)
    }

    pub(crate) fn object(&self) -> Object {
        read(self.data.as_deref().unwrap())
    }

    /// Images that were sent, and that were not.
    pub(crate) fn counts(&self) -> (u16, u16) {
        let number = |tag| self.number(tag);
        (
            number(tags::NUMBER_OF_COMPLETED_SUBOPERATIONS),
            number(tags::NUMBER_OF_FAILED_SUBOPERATIONS),
        )
    }
}

pub(crate) fn read(octets: &[u8]) -> Object {
    Object::read_dataset_with_ts(octets, &EXPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap()
}

pub(crate) fn write(elements: &[DataElement<Object>]) -> Vec<u8> {
    let mut octets = Vec::new();
    let object = Object::from_element_iter(elements.iter().cloned());
    object.write_dataset_with_ts(&mut octets, &EXPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap();
    octets
}

/// A workstation.
pub(crate) struct Peer {
    pub(crate) association: ClientAssociation<TcpStream>,
    /// The data sets that it was sent.
    pub(crate) images: Vec<Vec<u8>>,
    /// The most octets of a data set that came at once.
    pub(crate) largest: usize,
    /// Whether it wants no more after the first one.
    cancels: bool,
}

impl Peer {
    /// One that takes MR images in this transfer syntax, if `takes`.
    pub(crate) fn connect(at: SocketAddr, syntax: &'static str, takes: bool) -> Self {
        let options = [FIND, GET, MOVE].into_iter().fold(
            ClientAssociationOptions::new()
                .calling_ae_title("DESK")
                .called_ae_title("ARMILLA")
                .max_pdu_length(1 << 24),
            |options, kind| options.with_presentation_context(kind, vec![EXPLICIT]),
        );
        let options = options.with_presentation_context(MR, vec![syntax]);
        let options = if takes { options.with_role_selection(MR, true, true) } else { options };
        let association = options.establish(at).unwrap();
        Self { association, images: Vec::new(), largest: 0, cancels: false }
    }

    /// A peer with this title that asks for contexts of these classes.
    pub(crate) fn with(at: SocketAddr, title: &str, classes: &[&'static str]) -> Self {
        let options = ClientAssociationOptions::new()
            .calling_ae_title(title.to_owned())
            .called_ae_title("ARMILLA");
        let options = classes.iter().fold(options, |options, class| {
            options.with_presentation_context(*class, vec![EXPLICIT])
        });
        let association = options.establish(at).unwrap();
        Self { association, images: Vec::new(), largest: 0, cancels: false }
    }

    /// Sends a command with its data set, and waits for the reply.
    pub(crate) fn request(
        &mut self,
        kind: &str,
        field: u16,
        more: &[DataElement<Object>],
        data: Option<&[DataElement<Object>]>,
    ) -> Reply {
        let context = self.context(kind);
        let more = [&[short(tags::MESSAGE_ID, 9)], more].concat();
        self.send(context, kind, field, &more, data.is_some());
        if let Some(data) = data {
            let mut octets = self.association.send_pdata(context);
            octets.write_all(&write(data)).unwrap();
            octets.finish().unwrap();
        }
        let (command, data) = self.message();
        let reply = Reply { command, data };
        assert_eq!(reply.number(tags::COMMAND_FIELD), field | 0x8000);
        reply
    }

    pub(crate) fn send(
        &mut self,
        context: u8,
        kind: &str,
        field: u16,
        more: &[DataElement<Object>],
        has_data: bool,
    ) {
        let mut elements = vec![
            text(tags::AFFECTED_SOP_CLASS_UID, VR::UI, kind),
            short(tags::COMMAND_FIELD, field),
            short(tags::COMMAND_DATA_SET_TYPE, if has_data { 0 } else { 0x0101 }),
        ];
        elements.extend_from_slice(more);
        let command = Object::command_from_element_iter(elements);
        let mut data = Vec::new();
        command.write_dataset_with_ts(&mut data, &IMPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap();
        let value_type = PDataValueType::Command;
        let value =
            PDataValue { presentation_context_id: context, value_type, is_last: true, data };
        self.association.send(&Pdu::PData { data: vec![value] }).unwrap();
    }

    /// The context of a kind of object.
    pub(crate) fn context(&self, kind: &str) -> u8 {
        let contexts = self.association.presentation_contexts();
        contexts.iter().find(|context| context.abstract_syntax == kind).unwrap().id
    }

    /// Asks, takes the images that come, and returns the replies.
    pub(crate) fn ask(&mut self, kind: &str, keys: &[DataElement<Object>]) -> Vec<Reply> {
        let field = match kind {
            FIND => 0x20,
            GET => 0x10,
            _ => 0x21,
        };
        let context = self.context(kind);
        let more = [
            short(tags::MESSAGE_ID, 7),
            short(tags::PRIORITY, 0),
            text(tags::MOVE_DESTINATION, VR::AE, "OTHER"),
        ];
        let more = if field == 0x21 { &more[..] } else { &more[..2] };
        self.send(context, kind, field, more, true);
        let mut data = self.association.send_pdata(context);
        data.write_all(&write(keys)).unwrap();
        data.finish().unwrap();
        let mut replies = Vec::new();
        loop {
            let (command, data) = self.message();
            let reply = Reply { command, data };
            if reply.number(tags::COMMAND_FIELD) == 0x0001 {
                self.take_image(reply);
                continue;
            }
            let over = reply.status() != 0xff00;
            replies.push(reply);
            if over {
                return replies;
            }
        }
    }

    /// Searches, and returns the replies.
    pub(crate) fn search(&mut self, kind: &str, keys: &[DataElement<Object>]) -> Vec<Reply> {
        let mut replies = vec![self.request(kind, 0x0020, &[], Some(keys))];
        while replies.last().is_some_and(|reply| reply.status() == 0xff00) {
            let (command, data) = self.message();
            replies.push(Reply { command, data });
        }
        replies
    }

    fn take_image(&mut self, stored: Reply) {
        let context = self.context(MR);
        self.images.push(stored.data.clone().unwrap());
        if self.cancels {
            let cancel = short(tags::MESSAGE_ID_BEING_RESPONDED_TO, 7);
            self.send(self.context(GET), GET, 0x0fff, &[cancel], false);
        }
        let uid = stored.command.element(tags::AFFECTED_SOP_INSTANCE_UID).unwrap().clone();
        let message = stored.number(tags::MESSAGE_ID);
        let more =
            [short(tags::MESSAGE_ID_BEING_RESPONDED_TO, message), short(tags::STATUS, 0), uid];
        self.send(context, MR, 0x8001, &more, false);
    }

    /// A command, and its data set if one follows.
    pub(crate) fn message(&mut self) -> (Object, Option<Vec<u8>>) {
        let (mut command, mut data, mut known) = (Vec::new(), Vec::new(), None::<Object>);
        loop {
            let Pdu::PData { data: values } = self.association.receive().unwrap() else {
                panic!("no data");
            };
            for value in values {
                match value.value_type {
                    PDataValueType::Command => command.extend(value.data),
                    PDataValueType::Data => {
                        self.largest = self.largest.max(value.data.len());
                        data.extend(value.data);
                    }
                }
                if !value.is_last {
                    continue;
                }
                if value.value_type == PDataValueType::Data {
                    return (known.unwrap(), Some(data));
                }
                let syntax = IMPLICIT_VR_LITTLE_ENDIAN.erased();
                let read = Object::read_dataset_with_ts(&command[..], &syntax).unwrap();
                if read.element(tags::COMMAND_DATA_SET_TYPE).unwrap().to_int::<u16>().unwrap()
                    == 0x0101
                {
                    return (read, None);
                }
                known = Some(read);
            }
        }
    }
}

pub(crate) fn level(name: &str) -> DataElement<Object> {
    text(tags::QUERY_RETRIEVE_LEVEL, VR::CS, name)
}

/// A store whose images are served to modalities, with rules.
pub(crate) fn serve(
    directory: &Path,
    rules: &str,
    peers: &[(&str, String)],
) -> (Store, SocketAddr) {
    let (store, _, at) = serve_procedures(directory, rules, peers);
    (store, at)
}

/// The same, with what is planned.
pub(crate) fn serve_procedures(
    directory: &Path,
    rules: &str,
    peers: &[(&str, String)],
) -> (Store, Procedures, SocketAddr) {
    let store = Store::open(directory, 0).unwrap();
    let guard = Guard::new(rules.parse().unwrap(), None).unwrap();
    let peers = peers.iter().map(|(title, at)| ((*title).to_owned(), at.clone()));
    let peers = peers.collect::<BTreeMap<_, _>>();
    let titles = Titles { own: "ARMILLA".to_owned(), peers, ..Titles::default() };
    let procedures = Procedures::open(directory).unwrap();
    let retry = Retry { first: Duration::from_millis(20), most: 1000 };
    let (kept, planned) = (store.clone(), procedures.clone());
    let entity = Entity { titles, store, guard, procedures, retry, tls: armilla_tls::Tls::new() };
    let at = dimse::serve("127.0.0.1:0", entity).unwrap();
    (kept, planned, at)
}

/// Imports images of a study, and returns their data sets by number.
pub(crate) fn import(scratch: &Scratch, store: &Store, study: &str, count: u16) -> Vec<Vec<u8>> {
    let path = scratch.file("image");
    let import = |number| {
        write_image(&path, study, number, 16, number);
        store.import(&path).unwrap();
        let object = dicom_object::open_file(&path).unwrap();
        let mut octets = Vec::new();
        object.write_dataset_with_ts(&mut octets, &EXPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap();
        octets
    };
    (1..=count).map(import).collect()
}

/// A file whose texts are in these character sets.
fn write_named(path: &Path, number: u16, sets: &[&str], name: &[u8]) {
    let study = format!("1.2.9.{number}");
    let sets = PrimitiveValue::Strs(sets.iter().map(|&set| set.to_owned()).collect());
    let object = Object::from_element_iter([
        DataElement::new(tags::SPECIFIC_CHARACTER_SET, VR::CS, sets),
        text(tags::SOP_CLASS_UID, VR::UI, MR),
        text(tags::SOP_INSTANCE_UID, VR::UI, &format!("{study}.1.1")),
        text(tags::STUDY_INSTANCE_UID, VR::UI, &study),
        text(tags::SERIES_INSTANCE_UID, VR::UI, &format!("{study}.1")),
        DataElement::new(tags::PATIENT_NAME, VR::PN, PrimitiveValue::from(name)),
        text(tags::PATIENT_ID, VR::LO, "P9"),
    ]);
    let meta = FileMetaTableBuilder::new()
        .transfer_syntax(EXPLICIT)
        .media_storage_sop_class_uid(MR)
        .media_storage_sop_instance_uid(format!("{study}.1.1"));
    object.with_meta(meta).unwrap().write_to_file(path).unwrap();
}

#[test]
fn patients_are_found_whatever_the_character_sets_of_their_names() {
    let scratch = Scratch::new();
    let (store, at) = serve(&scratch.file("store"), "", &[]);
    let names: [(&[&str], &[u8], &str); 5] = [
        (&["ISO_IR 100"], b"Buc^J\xe9r\xf4me", "Buc^Jérôme"),
        (&["ISO_IR 138"], b"\xf9\xf8\xe5\xef", "שרון"),
        (&["ISO_IR 192"], "Ærø^Ib".as_bytes(), "Ærø^Ib"),
        (&["", "ISO 2022 IR 87"], b"Yamada=\x1b$B;3ED\x1b(B", "Yamada=山田"),
        (&["", "ISO 2022 IR 149"], b"\x1b$)C\xfb\xf3^x", "洪^x"),
    ];
    let path = scratch.file("image");
    for (number, (sets, octets, _)) in names.iter().enumerate() {
        write_named(&path, number as u16, sets, octets);
        store.import(&path).unwrap();
    }
    let mut peer = Peer::connect(at, EXPLICIT, false);
    let keys = [
        level("STUDY"),
        text(tags::PATIENT_NAME, VR::PN, ""),
        text(tags::PATIENT_ID, VR::LO, "P9"),
    ];
    let replies = peer.ask(FIND, &keys);
    let mut found: Vec<_> = replies[..replies.len() - 1]
        .iter()
        .map(|reply| {
            let object = reply.object();
            let set = object.element(tags::SPECIFIC_CHARACTER_SET).unwrap().to_str().unwrap();
            assert_eq!(set, "ISO_IR 192");
            object.element(tags::PATIENT_NAME).unwrap().to_str().unwrap().into_owned()
        })
        .collect();
    let mut expected = names.map(|(_, _, name)| name.to_owned());
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    // A query is in a character set, too.
    for (sets, pattern) in [
        (&["", "ISO 2022 IR 87"][..], &b"*\x1b$B;3\x1b(B*"[..]),
        (&["ISO_IR 192"], "yamada".as_bytes()),
        (&["ISO_IR 192"], "山田".as_bytes()),
    ] {
        let sets = PrimitiveValue::Strs(sets.iter().map(|&set| set.to_owned()).collect());
        let keys = [
            DataElement::new(tags::SPECIFIC_CHARACTER_SET, VR::CS, sets),
            level("STUDY"),
            DataElement::new(tags::PATIENT_NAME, VR::PN, PrimitiveValue::from(pattern)),
        ];
        assert_eq!(peer.ask(FIND, &keys).len(), 2, "{pattern:?}");
    }
}

#[test]
fn a_request_that_is_refused_says_why() {
    let scratch = Scratch::new();
    let (_store, at) = serve(&scratch.file("store"), "", &[]);
    let mut peer = Peer::connect(at, EXPLICIT, true);
    for (kind, keys, status, why) in [
        (FIND, vec![level("HOSPITAL")], 0xc000, "is no level of a query"),
        (GET, vec![level("STUDY")], 0xc000, "the level STUDY needs its key"),
        (
            GET,
            vec![level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.*")],
            0xc000,
            "without * or ?",
        ),
    ] {
        let replies = peer.ask(kind, &keys);
        let [reply] = &replies[..] else { panic!("one reply") };
        let comment = reply.command.element(tags::ERROR_COMMENT).unwrap().to_str().unwrap();
        assert!(reply.status() == status && comment.contains(why), "{comment}");
    }
}

#[test]
fn images_come_to_who_asks_as_they_are() {
    let scratch = Scratch::new();
    let (store, at) = serve(&scratch.file("store"), "", &[]);
    let images = import(&scratch, &store, "1.2.3", 3);
    import(&scratch, &store, "1.2.4", 1);
    let mut peer = Peer::connect(at, EXPLICIT, true);
    let study = text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3");
    for (level_of, keys, expected) in [
        ("STUDY", vec![study.clone()], &images[..]),
        ("PATIENT", vec![text(tags::PATIENT_ID, VR::LO, "P7")], &images[..]),
        (
            "SERIES",
            vec![study.clone(), text(tags::SERIES_INSTANCE_UID, VR::UI, "1.2.3.1")],
            &images,
        ),
        ("IMAGE", vec![text(tags::SOP_INSTANCE_UID, VR::UI, "1.2.3.1.1\\1.2.3.1.2")], &images[..2]),
        ("STUDY", vec![text(tags::STUDY_INSTANCE_UID, VR::UI, "9.9")], &[]),
    ] {
        peer.images.clear();
        let keys = [vec![level(level_of)], keys].concat();
        let replies = peer.ask(GET, &keys);
        let last = replies.last().unwrap();
        let more = usize::from(level_of == "PATIENT");
        assert_eq!(last.status(), 0, "{level_of}");
        assert_eq!(last.counts(), ((expected.len() + more) as u16, 0), "{level_of}");
        assert!(peer.images[..expected.len()] == *expected, "{level_of}");
    }
}

#[test]
fn images_are_converted_for_who_reads_another_syntax() {
    let scratch = Scratch::new();
    let (store, at) = serve(&scratch.file("store"), "", &[]);
    let images = import(&scratch, &store, "1.2.3", 1);
    let mut peer = Peer::connect(at, uids::IMPLICIT_VR_LITTLE_ENDIAN, true);
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    assert_eq!(peer.ask(GET, &keys).last().unwrap().counts(), (1, 0));
    let syntax = IMPLICIT_VR_LITTLE_ENDIAN.erased();
    let found = Object::read_dataset_with_ts(&peer.images[0][..], &syntax).unwrap();
    let pixels = |object: &Object| {
        object.element(tags::PIXEL_DATA).unwrap().to_bytes().unwrap().into_owned()
    };
    assert!(pixels(&found) == pixels(&read(&images[0])));
    assert!(std::fs::read_dir(scratch.file("store").join("incoming")).unwrap().next().is_none());
}

#[test]
fn what_a_peer_cannot_take_is_listed_and_the_rest_may_be_cancelled() {
    let scratch = Scratch::new();
    let (store, at) = serve(&scratch.file("store"), "", &[]);
    import(&scratch, &store, "1.2.3", 3);
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    // It has not said that it takes images, or takes them in a syntax that they are not in.
    for (syntax, takes) in [(EXPLICIT, false), (uids::JPEG_BASELINE8_BIT, true)] {
        let mut peer = Peer::connect(at, syntax, takes);
        let replies = peer.ask(GET, &keys);
        let last = replies.last().unwrap();
        assert_eq!((last.status(), last.counts()), (0xa702, (0, 3)));
        let list = last.object();
        let list = list.element(tags::FAILED_SOP_INSTANCE_UID_LIST).unwrap();
        assert_eq!(list.to_multi_str().unwrap().len(), 3);
        assert!(peer.images.is_empty());
    }
    let mut peer = Peer::connect(at, EXPLICIT, true);
    peer.cancels = true;
    let replies = peer.ask(GET, &keys);
    let last = replies.last().unwrap();
    assert_eq!((last.status(), last.counts()), (0xfe00, (1, 0)));
    assert_eq!(last.number(tags::NUMBER_OF_REMAINING_SUBOPERATIONS), 2);
    // The association is of use afterwards.
    peer.cancels = false;
    assert_eq!(peer.ask(GET, &keys).last().unwrap().counts(), (3, 0));
}

#[test]
fn images_move_to_peers_that_the_operator_names() {
    let scratch = Scratch::new();
    let (other, other_at) = serve(&scratch.file("other"), "", &[]);
    let peers = [("OTHER", other_at.to_string())];
    let (store, at) = serve(&scratch.file("store"), "", &peers);
    let images = import(&scratch, &store, "1.2.3", 3);
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    let mut peer = Peer::connect(at, EXPLICIT, false);
    let replies = peer.ask(MOVE, &keys);
    assert_eq!((replies.last().unwrap().status(), replies.last().unwrap().counts()), (0, (3, 0)));
    assert_eq!(other.usage().0, 3);
    let moved = dicom_object::open_file(other.path("1.2.3.1.2")).unwrap();
    let mut octets = Vec::new();
    moved.write_dataset_with_ts(&mut octets, &EXPLICIT_VR_LITTLE_ENDIAN.erased()).unwrap();
    assert!(octets == images[1]);

    // A destination that nobody knows, and one that does not answer.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (peers, status) in [(vec![], 0xa801), (vec![("OTHER", gone)], 0xa702)] {
        let (_, at) = {
            let path = scratch.file(&format!("store-{status}"));
            let (store, at) = serve(&path, "", &peers);
            import(&scratch, &store, "1.2.3", 1);
            (store, at)
        };
        let replies = Peer::connect(at, EXPLICIT, false).ask(MOVE, &keys);
        assert_eq!(replies.last().unwrap().status(), status);
    }
}

#[test]
fn a_destination_that_breaks_off_gets_no_more() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peers = [("OTHER", listener.local_addr().unwrap().to_string())];
    let (store, at) = serve(&scratch.file("store"), "", &peers);
    import(&scratch, &store, "1.2.3", 3);
    let other = std::thread::spawn(move || {
        let options = ServerAssociationOptions::new().accept_any().promiscuous(true);
        let mut association = options.establish(listener.accept().unwrap().0).unwrap();
        // It takes the command, and goes.
        association.receive().unwrap();
        listener
    });
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    let replies = Peer::connect(at, EXPLICIT, false).ask(MOVE, &keys);
    let last = replies.last().unwrap();
    assert_eq!((last.status(), last.counts(), replies.len()), (0xa702, (0, 3), 4));
    let listener = other.join().unwrap();
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "it is asked once");
}

#[test]
fn the_rules_hold_for_retrievals_as_well() {
    let scratch = Scratch::new();
    let (store, at) = serve(&scratch.file("store"), "allow store from any", &[]);
    import(&scratch, &store, "1.2.3", 1);
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    let mut peer = Peer::connect(at, EXPLICIT, true);
    for kind in [FIND, GET, MOVE] {
        assert_eq!(peer.ask(kind, &keys).last().unwrap().status(), 0x0124);
    }
    assert!(peer.images.is_empty());
}
