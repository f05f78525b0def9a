//! The example, with a cluster of three etcd members of which one is killed too.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, process, thread};

const MEMBERS: usize = 3;

/// A cluster on this host, which ends with the value.
struct Cluster {
    directory: PathBuf,
    ports: Vec<[u16; 2]>,
    members: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster. Without etcd on this host nothing is tested, but where `ARMILLA_ALL_TESTS` is
    /// set that fails.
    fn start() -> Option<Self> {
        if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
            assert!(
                env::var_os("ARMILLA_ALL_TESTS").is_none(),
                "etcd is not installed (Debian: etcd-server)"
            );
            eprintln!("etcd is not installed, so nothing is tested");
            return None;
        }
        // All are held at the same time, so that they differ.
        let free: Vec<_> =
            (0..2 * MEMBERS).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<_> = free.iter().map(|it| it.local_addr().unwrap().port()).collect();
        drop(free);
        let ports: Vec<_> = ports.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let directory = env::temp_dir().join(format!("lasting-bank-{}", process::id()));
        fs::remove_dir_all(&directory).ok();
        let mut cluster = Self { directory, ports, members: Vec::new() };
        for member in 0..MEMBERS {
            let child = cluster.start_member(member);
            cluster.members.push(child);
        }
        for [port, _] in &cluster.ports {
            while TcpStream::connect(("127.0.0.1", *port)).is_err() {
                thread::sleep(Duration::from_millis(20));
            }
        }
        Some(cluster)
    }

    fn start_member(&self, member: usize) -> Child {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let all = self.ports.iter().enumerate();
        let all: Vec<_> = all.map(|(at, [_, peer])| format!("m{at}={}", url(*peer))).collect();
        let [client, peer] = self.ports[member].map(url);
        Command::new("etcd")
            .args(["--name", &format!("m{member}"), "--log-level", "fatal", "--unsafe-no-fsync"])
            .arg("--data-dir")
            .arg(self.directory.join(member.to_string()))
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &all.join(","), "--initial-cluster-state", "new"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn address(&self) -> String {
        let all: Vec<_> = self.ports.iter().map(|[port, _]| format!("127.0.0.1:{port}")).collect();
        format!("etcd://{}", all.join(","))
    }

    fn kill(&mut self, member: usize) {
        self.members[member].kill().ok();
        self.members[member].wait().ok();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..self.members.len()).for_each(|member| self.kill(member));
        fs::remove_dir_all(&self.directory).ok();
    }
}

#[test]
fn each_transfer_is_made_once_whoever_is_killed() {
    let Some(mut cluster) = Cluster::start() else { return };
    let bank = Command::new(env!("CARGO_BIN_EXE_lasting-bank"))
        .args(["--calls", "1500", "--kill", "400", &cluster.address()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_secs(2));
    cluster.kill(0);
    let done = bank.wait_with_output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{said}");
    assert!(said.contains("failed      0"), "{said}");
}
