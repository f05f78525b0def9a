//! A real etcd cluster of three members on this host, for one test.

use crate::served::Directory;
use std::env;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const MEMBERS: usize = 3;

/// A cluster, which ends with the value.
pub(crate) struct Cluster {
    directory: Directory,
    /// The port for clients and the port for members, of each.
    ports: Vec<(u16, u16)>,
    members: Vec<Option<Child>>,
}

impl Cluster {
    /// Starts a cluster. Without etcd on this host the test passes over it, but not where
    /// `ARMILLA_ALL_TESTS` is set: there it fails.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let asked = Command::new("etcd").arg("--version").stdout(Stdio::null()).status();
        if asked.is_err() {
            assert!(
                env::var_os("ARMILLA_ALL_TESTS").is_none(),
                "etcd is not installed (Debian: etcd-server, etcd-client)"
            );
            eprintln!("etcd is not installed, so nothing is tested");
            return None;
        }
        // All are held at the same time, so that they differ.
        let free: Vec<TcpListener> =
            (0..2 * MEMBERS).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let port = |at: usize| free[at].local_addr().unwrap().port();
        let ports = (0..MEMBERS).map(|at| (port(2 * at), port(2 * at + 1))).collect();
        drop(free);
        let members = (0..MEMBERS).map(|_| None).collect();
        let mut cluster = Self { directory: Directory::new(name), ports, members };
        (0..MEMBERS).for_each(|member| cluster.start_member(member));
        Some(cluster)
    }

    /// Starts a member, for the first time or again.
    pub(crate) fn start_member(&mut self, member: usize) {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let (client, peer) = self.ports[member];
        let all: Vec<String> = (self.ports.iter().enumerate())
            .map(|(member, (_, peer))| format!("m{member}={}", url(*peer)))
            .collect();
        let data = self.directory.path().join(format!("m{member}"));
        let child = Command::new("etcd")
            .args(["--name", &format!("m{member}"), "--log-level", "fatal"])
            .arg("--data-dir")
            .arg(data)
            .args(["--listen-client-urls", &url(client), "--advertise-client-urls", &url(client)])
            .args(["--listen-peer-urls", &url(peer), "--initial-advertise-peer-urls", &url(peer)])
            .args(["--initial-cluster", &all.join(","), "--initial-cluster-state", "new"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.members[member] = Some(child);
        // It says nothing when it is ready.
        while TcpStream::connect(("127.0.0.1", client)).is_err() {
            let ended = self.members[member].as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "member {member} has ended: {ended:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills a member (SIGKILL).
    pub(crate) fn kill_member(&mut self, member: usize) {
        if let Some(mut child) = self.members[member].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The address of a store in the cluster.
    pub(crate) fn address(&self) -> String {
        let members: Vec<String> =
            self.ports.iter().map(|(client, _)| format!("127.0.0.1:{client}")).collect();
        format!("etcd://{}/test", members.join(","))
    }

    /// Runs `etcdctl` with these arguments.
    pub(crate) fn control(&self, arguments: &[&str]) {
        let endpoint = format!("127.0.0.1:{}", self.ports[0].0);
        let done = Command::new("etcdctl")
            .env("ETCDCTL_API", "3")
            .args(["--endpoints", &endpoint])
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..MEMBERS).for_each(|member| self.kill_member(member));
    }
}
