//! Peers that are slow on purpose, and what others plant where files are written. Good clients are
//! served all the same.

use crate::common::{Scratch, serve, write_image};
use crate::modalities::{GET, MOVE, Peer, import, level, serve as serve_modalities, text};
use crate::programs::{Program, wait_until};
use armilla::Orb;
use armilla_imaging::fetch::fetch;
use armilla_imaging::idl::{Image, SourceRef};
use dicom_core::VR;
use dicom_dictionary_std::{tags, uids};
use dicom_ul::association::client::ClientAssociationOptions;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;

/// Connects from another address of this host: another host, as far as a server sees.
fn connect_from(last: u8, to: SocketAddr) -> TcpStream {
    let SocketAddr::V4(to) = to else { panic!("an IPv4 address") };
    let made = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&made, &SocketAddrV4::new([127, 0, 0, last].into(), 0)).unwrap();
    connect(&made, &to).unwrap();
    TcpStream::from(made)
}

/// Whether the server has closed a connection, as far as this side knows.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    match (&*stream).read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// Stores a file over DICOMweb, and returns the answer.
fn post(program: &Program, file: &[u8]) -> String {
    let mut stream = TcpStream::connect(&program.web).unwrap();
    let head = "POST /dicomweb/studies HTTP/1.0\r\nHost: localhost\r\nContent-Type: \
                application/dicom\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n", file.len()).unwrap();
    stream.write_all(file).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn uploads_that_do_not_go_on_keep_nobody_else_out() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.file("first"), scratch.file("second"));
    write_image(&first, "1.2.3", 1, 16, 0);
    write_image(&second, "1.2.3", 2, 16, 0);
    let store = scratch.file("store");
    let arguments = ["serve", "--http", "127.0.0.1:0", "--store", store.to_str().unwrap()];
    let program = Program::start(&[&arguments[..], &[first.to_str().unwrap()]].concat());
    let at: SocketAddr = program.web.parse().unwrap();
    let slow: Vec<_> = (0..540)
        .map(|_| {
            let mut stream = connect_from(2, at);
            let head = "POST /dicomweb/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: \
                        application/dicom\r\nContent-Length: 100000\r\n\r\nDI";
            // One of those that are too many may be closed already.
            stream.write_all(head.as_bytes()).ok();
            stream
        })
        .collect();
    assert!(program.get("studies") > 0, "a search is answered");
    let answer = post(&program, &fs::read(&second).unwrap());
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    assert_eq!(program.health(), 200);
    drop(slow);
}

#[test]
fn associations_that_dribble_end_in_time_and_leave_places_to_others() {
    let scratch = Scratch::new();
    let (_store, at) = serve_modalities(&scratch.file("store"), "", &[]);
    // The head of a request for an association, whose octets then come one by one.
    let head = b"\x01\x00\x00\x00\x10\x00";
    let mut slow: Vec<_> = (0..70)
        .map(|_| {
            let mut stream = connect_from(2, at);
            stream.write_all(head).ok();
            stream
        })
        .collect();
    let associate = || {
        let options = ClientAssociationOptions::new().called_ae_title("ARMILLA");
        options.with_presentation_context(uids::VERIFICATION, vec![EXPLICIT]).establish(at)
    };
    associate().expect("another host finds a place").release().unwrap();
    wait_until("those who dribble are sent away", || {
        slow.retain_mut(|stream| stream.write_all(&[0]).is_ok() && !is_closed(stream));
        slow.is_empty()
    });
    associate().unwrap().release().unwrap();
}

#[test]
fn a_destination_that_dribbles_holds_nobody_for_long() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peers = [("OTHER", listener.local_addr().unwrap().to_string())];
    let (store, at) = serve_modalities(&scratch.file("store"), "", &peers);
    import(&scratch, &store, "1.2.3", 1);
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"\x02\x00\x00\x00\x10\x00").unwrap();
        // Until the test is over.
        while stopped
            .recv_timeout(Duration::from_millis(50))
            .is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Timeout)
        {
            stream.write_all(&[0]).ok();
        }
    });
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    let replies = Peer::connect(at, EXPLICIT, false).ask(MOVE, &keys);
    assert_eq!(replies.last().unwrap().status(), 0xa702, "none was sent");
    drop(stop);
    other.join().unwrap();
}

#[test]
fn however_large_pdus_a_peer_takes_it_is_sent_small_ones() {
    let scratch = Scratch::new();
    let (store, at) = serve_modalities(&scratch.file("store"), "", &[]);
    let path = scratch.file("image");
    write_image(&path, "1.2.3", 1, 512, 0);
    store.import(&path).unwrap();
    let mut peer = Peer::connect(at, EXPLICIT, true);
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    assert_eq!(peer.ask(GET, &keys).last().unwrap().counts(), (1, 0));
    assert!(peer.images[0].len() > 512 * 512 * 2 && peer.largest <= 64 << 10, "{}", peer.largest);
}

#[test]
fn what_a_server_says_or_others_plant_makes_no_file_elsewhere() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let path = scratch.file("image");
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    let image = store.import(&path).unwrap();
    let client = Orb::new().unwrap();
    let source: SourceRef =
        client.resolve(&orb.object_to_string(server.object()).unwrap()).unwrap();
    let into = scratch.file("into");
    fs::create_dir(&into).unwrap();
    let bring = |image: &Image| {
        let brought = fetch(&source, image, &into, &|_, _| {});
        brought.map_err(|error| error.to_string())
    };
    for uid in ["../evil", "/tmp/evil", "", "1.2/3", ".."] {
        let error = bring(&Image { uid: uid.to_owned(), ..Image::clone(&image) }).unwrap_err();
        assert!(error.contains("is no identifier"), "{error}");
    }
    // Somebody else writes to the directory too.
    let (victim, part) = (scratch.file("victim"), into.join(format!("{uid}.part")));
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &part).unwrap();
    bring(&image).unwrap_err();
    fs::remove_file(&part).unwrap();
    fs::hard_link(&victim, &part).unwrap();
    bring(&image).unwrap_err();
    fs::remove_file(&part).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(&part).status().unwrap();
    assert!(pipe.success());
    let error = bring(&image).unwrap_err();
    assert!(error.contains("not a file of this user"), "{error}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    fs::remove_file(&part).unwrap();
    bring(&image).unwrap();
    orb.shutdown();
}

#[test]
fn images_and_the_record_of_accesses_are_for_their_user_alone() {
    let scratch = Scratch::new();
    let (store, record) = (scratch.file("store"), scratch.file("record"));
    let path = scratch.file("image");
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    let guard = armilla_imaging::audit::Guard::new("".parse().unwrap(), Some(&record)).unwrap();
    let (orb, _server, kept) = crate::common::serve_to(&store, 0, guard);
    kept.import(&path).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&store), mode(&store.join("images"))], [0o700; 2]);
    assert_eq!([mode(&record), mode(&kept.path(&uid))], [0o600; 2]);
    orb.shutdown();
}
