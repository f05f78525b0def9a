//! `armilla ttcp` as a user meets it: both sides as processes, and what goes wrong.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Output, Stdio};

fn ttcp(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla-lab"));
    command.arg("ttcp").args(arguments);
    command
}

/// The exit status of one side, and what it printed and said.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = ttcp(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A receiver that listens, and where.
fn receiver(arguments: &[&str]) -> (Child, String) {
    let mut command = ttcp(&[&["-r"], arguments].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let place = line.trim().strip_prefix("ttcp-r: listening at ").expect(&line);
    (child, place.to_owned())
}

fn received(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn both_sides_print_the_transferred_octets() {
    for udp in [&[][..], &["-u"]] {
        let (child, place) = receiver(&[&["-p", "0"], udp].concat());
        let (_, port) = place.rsplit_once(':').unwrap();
        // As many as any receive queue takes.
        let sent = ["-t", "127.0.0.1", "-p", port, "-n", "10", "-l", "1K"];
        let (status, printed, _) = run(&[&sent[..], udp].concat());
        assert_eq!(status, Some(0));
        assert!(printed.starts_with("ttcp-t: 10240 octets sent in "), "{printed}");
        assert!(printed.contains("ttcp-t: the receiver had 10240 octets"), "{printed}");
        assert!(printed.contains("ttcp-t: limited by "), "{printed}");
        assert!(received(child).starts_with("ttcp-r: 10240 octets received in "));
    }
}

#[test]
fn a_unix_socket_is_named_by_its_path() {
    // Short, as the path of a socket has to be.
    let path = std::env::temp_dir().join(format!("armilla-ttcp-test-{}", std::process::id()));
    let path = path.to_str().unwrap();
    let (child, place) = receiver(&["--unix", path]);
    assert_eq!(place, format!("unix://{path}"));
    let (status, printed, _) = run(&["-t", "--unix", path, "-n", "10", "-l", "1K"]);
    assert!(status == Some(0) && printed.starts_with("ttcp-t: 10240 octets sent"), "{printed}");
    assert!(received(child).starts_with("ttcp-r: 10240 octets received in "));
    assert!(fs::metadata(path).is_err(), "the receiver takes its socket away");
}

#[test]
fn an_absent_receiver_is_reported_with_the_command_to_start() {
    // A port that none of the other tests is given meanwhile.
    let (status, _, printed) = run(&["-t", "127.0.0.1", "-p", "1"]);
    assert_eq!(status, Some(1));
    assert!(printed.contains("start the receiver first: armilla ttcp -r -p 1"), "{printed}");
    let (status, _, printed) = run(&["-t", "--unix", "/no/such/socket"]);
    assert_eq!(status, Some(1));
    assert!(printed.contains("armilla ttcp -r --unix /no/such/socket"), "{printed}");
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    let (status, printed, why) = run(&["-t", "127.0.0.1", "-u", "-n", "1", "-p", &port]);
    assert_eq!(status, Some(1), "of what was sent nobody knows anything: {printed}");
    let how = format!("no receiver answered (start it first: armilla ttcp -r -u -p {port})");
    assert!(why.contains(&how), "{why}");
}

#[test]
fn an_unknown_congestion_control_is_reported_with_the_known_ones() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let (status, _, printed) = run(&["-t", "127.0.0.1", "-p", &port, "--congestion", "nonesuch"]);
    assert!(status == Some(1) && printed.contains("this kernel has "), "{printed}");
}

#[test]
fn options_without_effect_are_rejected() {
    let wrong: [&[&str]; 13] = [
        &[],
        &["-t", "-r"],
        &["-r", "there"],
        &["-r", "-n", "5"],
        &["-r", "-T", "5"],
        &["-r", "-R", "5"],
        &["-t", "-n", "0"],
        &["-t", "-p", "0"],
        &["-t", "-n", "5", "-T", "5"],
        &["-t", "--unix", "path", "-p", "5001"],
        &["-t", "-u", "--congestion", "reno"],
        &["-t", "-u", "-l", "8"],
        // A call would take eight seconds.
        &["-t", "-l", "1M", "-R", "1", "-T", "2"],
    ];
    for arguments in wrong {
        let (status, _, printed) = run(arguments);
        assert!(status == Some(2) && printed.starts_with("error: "), "{arguments:?}: {printed}");
    }
}

/// Ends a side by Ctrl-C.
fn interrupt(child: &Child) {
    let kill = ["-c", "kill -s INT \"$0\"", &child.id().to_string()].map(str::to_owned);
    assert!(Command::new("sh").args(kill).status().unwrap().success());
}

/// The exit status of a side that was interrupted, and what it printed.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn an_interrupted_transmitter_prints_what_it_has_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let transmit = ["-t", "127.0.0.1", "-p", &port, "-T", "3600", "-R", "8", "-l", "1K"];
    let transmitting = ttcp(&transmit).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    stream.read_exact(&mut [0; 1024]).unwrap();
    interrupt(&transmitting);
    let more = stream.read_to_end(&mut Vec::new()).unwrap();
    drop(stream);
    let (status, printed) = ended(transmitting);
    assert_eq!(status, Some(130));
    let all = format!("ttcp-t: {} octets sent in ", 1024 + more);
    assert!(printed.starts_with(&all), "{printed}");
}

#[test]
fn an_interrupted_receiver_prints_what_it_has_received() {
    let (receiving, place) = receiver(&["-p", "0"]);
    let (_, port) = place.rsplit_once(':').unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
    // More than waits anywhere on the way.
    stream.write_all(&vec![0; 64 << 20]).unwrap();
    interrupt(&receiving);
    let (status, printed) = ended(receiving);
    assert_eq!(status, Some(130));
    assert!(
        printed.contains(" octets received in ") && !printed.starts_with("ttcp-r: 0 "),
        "{printed}"
    );
}

#[test]
fn a_receiver_interrupted_before_any_data_cleans_up() {
    let path = std::env::temp_dir().join(format!("armilla-ttcp-left-{}", std::process::id()));
    let unix = ["--unix", path.to_str().unwrap()];
    for arguments in [&["-p", "0"][..], &["-p", "0", "-u"], &unix] {
        let (receiving, _) = receiver(arguments);
        interrupt(&receiving);
        assert_eq!(ended(receiving), (Some(130), String::new()), "{arguments:?}");
    }
    assert!(!path.exists());
}
