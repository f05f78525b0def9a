//! The programs of other toolkits: compiled on first use, or reported as absent.

use crate::outcome::Absent;
use crate::program::{Kind, Program};
use crate::reaper::Reaper;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of a build. A build that takes longer waits for an absent network.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The file that marks a complete build.
const MADE: &str = "made";

/// The build of a peer.
#[derive(PartialEq)]
struct Recipe {
    name: &'static str,
    /// Names and contents.
    sources: &'static [(&'static str, &'static str)],
    /// The script for `sh -e` in the directory of the sources. It creates the program with the
    /// peer's name.
    script: &'static str,
    /// Required commands and files, with their Debian packages.
    needs: Needs,
}

/// What recipes need: commands and files, with their Debian packages.
type Needs = &'static [(&'static str, &'static str)];

const OMNIORB_NEEDS: Needs =
    &[("g++", "g++"), ("omniidl", "omniidl"), ("/usr/include/omniORB4/CORBA.h", "libomniorb4-dev")];

const GRPC_NEEDS: Needs = &[
    ("g++", "g++"),
    ("pkg-config", "pkg-config"),
    ("protoc", "protobuf-compiler"),
    ("grpc_cpp_plugin", "protobuf-compiler-grpc"),
    ("/usr/include/grpcpp/grpcpp.h", "libgrpc++-dev"),
    ("/usr/include/google/protobuf/message.h", "libprotobuf-dev"),
];

const TTCP: (&str, &str) = ("ttcp.idl", include_str!("../idl/ttcp.idl"));
const BENCH: (&str, &str) = ("bench.idl", include_str!("../idl/bench.idl"));
const WORKER: (&str, &str) = ("worker.hpp", include_str!("../peers/worker.hpp"));

const IMAGES: (&str, &str) = ("images.h", include_str!("../peers/images.h"));

/// The preloaded library for brokers without socket options of their own.
const SOCKETS: &str = "sockets";

const RECIPES: &[Recipe] = &[
    Recipe {
        name: SOCKETS,
        sources: &[("sockets.c", include_str!("../peers/sockets.c"))],
        script: "cc -O2 -shared -fPIC -o sockets sockets.c",
        needs: &[("cc", "gcc")],
    },
    Recipe {
        name: "c",
        sources: &[("plain.c", include_str!("../peers/plain.c"))],
        script: "cc -O2 -o c plain.c",
        needs: &[("cc", "gcc")],
    },
    Recipe {
        name: "imaging-c",
        sources: &[IMAGES, ("images.c", include_str!("../peers/images.c"))],
        script: "cc -O2 -o imaging-c images.c -lpthread",
        needs: &[("cc", "gcc")],
    },
    Recipe {
        name: "imaging-omniorb",
        sources: &[
            IMAGES,
            ("images.idl", include_str!("../idl/images.idl")),
            ("images.cpp", include_str!("../peers/images.cpp")),
        ],
        script: "omniidl -bcxx -Wbinline images.idl
                 g++ -O2 -w -o imaging-omniorb images.cpp imagesSK.cc -lomniORB4 -lomnithread \
                   -lpthread",
        needs: OMNIORB_NEEDS,
    },
    Recipe {
        name: "imaging-grpc",
        sources: &[
            IMAGES,
            ("images.proto", include_str!("../peers/images.proto")),
            ("images_grpc.cpp", include_str!("../peers/images_grpc.cpp")),
        ],
        script: "protoc --cpp_out=. --grpc_out=. \
                   --plugin=protoc-gen-grpc=$(command -v grpc_cpp_plugin) images.proto
                 g++ -O2 -w -o imaging-grpc images_grpc.cpp images.pb.cc images.grpc.pb.cc \
                   $(pkg-config --cflags --libs grpc++ protobuf)",
        needs: GRPC_NEEDS,
    },
    Recipe {
        name: "ace",
        sources: &[WORKER, ("ace.cpp", include_str!("../peers/ace.cpp"))],
        script: "g++ -O2 -o ace ace.cpp -lACE",
        needs: &[("g++", "g++"), ("/usr/include/ace/ACE.h", "libace-dev")],
    },
    Recipe {
        name: "omniorb",
        sources: &[TTCP, BENCH, WORKER, ("omniorb.cpp", include_str!("../peers/omniorb.cpp"))],
        script: "omniidl -bcxx -Wbinline bench.idl
                 g++ -O2 -w -o omniorb omniorb.cpp benchSK.cc -lomniORB4 -lomnithread",
        needs: OMNIORB_NEEDS,
    },
    Recipe {
        name: "tao",
        sources: &[TTCP, BENCH, WORKER, ("omniorb.cpp", include_str!("../peers/omniorb.cpp"))],
        // No package has TAO.
        script: "test -d \"$ACE_ROOT\" || { echo ACE_ROOT is to name a TAO that was built; exit 1; }
                 export LD_LIBRARY_PATH=\"$ACE_ROOT/lib\"
                 for idl in ttcp bench; do
                   \"$ACE_ROOT\"/bin/tao_idl -g \"$ACE_ROOT\"/bin/ace_gperf -Sa -St $idl.idl
                 done
                 g++-11 -std=gnu++11 -O2 -w -D_GNU_SOURCE -D__ACE_INLINE__ -DWITH_TAO -I. \
                   -I\"$ACE_ROOT\" -I\"$ACE_ROOT\"/TAO -o tao omniorb.cpp benchC.cpp benchS.cpp ttcpC.cpp \
                   ttcpS.cpp -L\"$ACE_ROOT\"/lib -Wl,--disable-new-dtags,-rpath,\"$ACE_ROOT\"/lib \
                   -lTAO_Strategies -lTAO_PortableServer -lTAO_AnyTypeCode -lTAO -lACE -pthread",
        needs: &[("g++-11", "g++-11")],
    },
    Recipe {
        name: "omniorb-realtime",
        sources: &[
            ("realtime.idl", include_str!("../idl/realtime.idl")),
            ("realtime.cpp", include_str!("../peers/realtime.cpp")),
        ],
        script: "omniidl -bcxx -Wbinline realtime.idl
                 g++ -O2 -w -o omniorb-realtime realtime.cpp realtimeSK.cc -lomniORB4 -lomnithread \
                   -lpthread",
        needs: OMNIORB_NEEDS,
    },
    Recipe {
        name: "ice",
        sources: &[
            WORKER,
            ("target.ice", include_str!("../peers/target.ice")),
            ("ice.cpp", include_str!("../peers/ice.cpp")),
        ],
        script: "slice2cpp target.ice
                 g++ -O2 -w -I. -DICE_CPP11_MAPPING -o ice ice.cpp target.cpp -lIce++11 -lpthread",
        needs: &[
            ("g++", "g++"),
            ("slice2cpp", "zeroc-ice-compilers"),
            ("/usr/include/Ice/Ice.h", "libzeroc-ice-dev"),
        ],
    },
    Recipe {
        name: "grpc",
        sources: &[
            WORKER,
            ("grpc.proto", include_str!("../peers/grpc.proto")),
            ("grpc.cpp", include_str!("../peers/grpc.cpp")),
        ],
        script: "protoc --cpp_out=. --grpc_out=. \
                   --plugin=protoc-gen-grpc=$(command -v grpc_cpp_plugin) grpc.proto
                 g++ -O2 -w -o grpc grpc.cpp grpc.pb.cc grpc.grpc.pb.cc \
                   $(pkg-config --cflags --libs grpc++ protobuf)",
        needs: GRPC_NEEDS,
    },
    Recipe {
        name: "capnp",
        sources: &[
            WORKER,
            ("capnp.capnp", include_str!("../peers/capnp.capnp")),
            ("capnp.cpp", include_str!("../peers/capnp.cpp")),
        ],
        script: "capnp compile -oc++ capnp.capnp
                 g++ -O2 -w -std=c++17 -o capnp capnp.cpp capnp.capnp.c++ \
                   -lcapnp-rpc -lcapnp -lkj-async -lkj -lpthread",
        needs: &[
            ("g++", "g++"),
            ("capnp", "capnproto"),
            ("/usr/include/capnp/ez-rpc.h", "libcapnp-dev"),
        ],
    },
    Recipe {
        name: "jacorb",
        sources: &[
            TTCP,
            BENCH,
            ("Jacorb.java", include_str!("../peers/Jacorb.java")),
            ("pom.xml", include_str!("../peers/jacorb/pom.xml")),
            // The parts of javax.rmi that JacORB needs and Java no longer has.
            ("ClassDesc.java", include_str!("../peers/jacorb/ClassDesc.java")),
            ("Stub.java", include_str!("../peers/jacorb/Stub.java")),
            ("Util.java", include_str!("../peers/jacorb/Util.java")),
            ("ValueHandler.java", include_str!("../peers/jacorb/ValueHandler.java")),
            (
                "ValueHandlerMultiFormat.java",
                include_str!("../peers/jacorb/ValueHandlerMultiFormat.java"),
            ),
        ],
        // In Java, classes in a package cannot use classes outside of packages.
        script: "mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory=lib
                 (echo 'module T {'; grep -v '^#' ttcp.idl; grep -v '^#' bench.idl; echo '};') >all.idl
                 java -cp 'lib/*' org.jacorb.idl.parser -all -notimestamps -d java all.idl
                 javac -encoding UTF-8 --release 17 -nowarn -Xlint:none -d classes -cp 'lib/*' \
                   $(find java -name '*.java') *.java
                 printf '#!/bin/sh\nexec java -XX:+UseSerialGC -cp \"%s\" Jacorb \"$@\"\n' \
                   \"$PWD/classes:$PWD/lib/*\" >jacorb
                 chmod +x jacorb",
        needs: &[("java", "openjdk-17-jdk-headless"), ("mvn", "maven")],
    },
];

/// The built peers, in a directory of their own, and the temporary files of this run.
#[derive(Debug)]
pub(crate) struct Peers {
    directory: PathBuf,
    scratch: PathBuf,
    reaper: Arc<Reaper>,
    stop: Arc<AtomicBool>,
}

impl Peers {
    /// Opens the directory of built peers below `XDG_CACHE_HOME`, which persists between runs.
    /// Builds end when `stop` becomes true.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub(crate) fn open(stop: &Arc<AtomicBool>) -> io::Result<Self> {
        // Ignore relative paths, like empty ones.
        let place =
            |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = place("XDG_CACHE_HOME").or_else(|| Some(place("HOME")?.join(".cache")));
        match cache {
            Some(cache) => Self::within(&cache.join("armilla-bench"), stop),
            None => {
                let directory = std::env::temp_dir().join("armilla-bench");
                let peers = Self::within(&directory, stop)?;
                check_owner(&directory)?;
                Ok(peers)
            }
        }
    }

    fn within(directory: &Path, stop: &Arc<AtomicBool>) -> io::Result<Self> {
        let scratch = scratch(directory)?;
        fs::create_dir_all(&scratch).and_then(|()| fs::create_dir_all(directory)).map_err(
            |error| {
                let what = format!(
                    "{}: {error}; XDG_CACHE_HOME may name another place",
                    scratch.display()
                );
                io::Error::new(error.kind(), what)
            },
        )?;
        // Without a reaper nothing would remove the directory.
        let reaper = Reaper::start(&scratch).inspect_err(|_| drop(fs::remove_dir(&scratch)))?;
        let reaper = Arc::new(reaper);
        Ok(Self { directory: directory.to_owned(), scratch, reaper, stop: stop.clone() })
    }

    /// The reaper, which cleans up if this process is killed.
    pub(crate) const fn reaper(&self) -> &Arc<Reaper> {
        &self.reaper
    }

    /// The flag that stops the run.
    pub(crate) const fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// The directory of sockets and temporary files, until this is dropped.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The library that sets the common socket options in a broker.
    pub(crate) fn sockets(&self) -> PathBuf {
        self.binary(SOCKETS)
    }

    /// The compiled program of a peer.
    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
        recipe.map_or_else(|| name.into(), |recipe| self.place(recipe).join(name))
    }

    /// Builds the peer `program`, unless it is one of ours or is built already.
    ///
    /// # Errors
    /// The missing packages, or the build error.
    pub(crate) fn make(&self, program: &Program) -> Result<(), Absent> {
        let absent = |remedy| Absent { program: program.name, remedy };
        if program.kind != Kind::Peer {
            return Ok(());
        }
        let sockets = if program.is_raw() { None } else { Some(SOCKETS) };
        let named = |name| RECIPES.iter().find(|recipe| recipe.name == name);
        let recipes: Vec<_> =
            [sockets, Some(program.peer())].into_iter().flatten().map(named).collect();
        if recipes.contains(&None) {
            return Err(absent("no recipe to build it".into()));
        }
        let needs = recipes.iter().flatten().flat_map(|recipe| recipe.needs);
        let mut missing: Vec<_> =
            needs.filter(|(what, _)| !is_there(what)).map(|(_, package)| *package).collect();
        missing.dedup();
        if !missing.is_empty() {
            return Err(absent(format!("apt install {}", missing.join(" "))));
        }
        recipes.into_iter().flatten().try_for_each(|recipe| self.compile(recipe)).map_err(absent)
    }

    /// The build directory of a peer. Its name includes a hash of the sources, so that changed
    /// sources are built again.
    fn place(&self, recipe: &Recipe) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (recipe.sources, recipe.script).hash(&mut hasher);
        self.directory.join(format!("{}-{:016x}", recipe.name, hasher.finish()))
    }

    fn compile(&self, recipe: &Recipe) -> Result<(), String> {
        let place = self.place(recipe);
        let made = place.join(MADE);
        // A cleaner of the cache may remove one of the files only.
        if made.exists() && place.join(recipe.name).exists() {
            return Ok(());
        }
        eprintln!("building {} …", recipe.name);
        let written = fs::create_dir_all(&place).and_then(|()| {
            recipe.sources.iter().try_for_each(|(name, text)| fs::write(place.join(name), text))
        });
        written.map_err(|error| format!("cannot write to {}: {error}", place.display()))?;
        let log = place.join("log");
        let failed = |what: &str| format!("could not be built in {}: {what}", place.display());
        let ended =
            self.follow(recipe, &place, &log).map_err(|error| failed(&error.to_string()))?;
        match ended {
            Some(status) if status.success() => {
                fs::write(&made, "").map_err(|error| failed(&error.to_string()))
            }
            Some(_) => {
                let said = fs::read(&log).unwrap_or_default();
                Err(failed(&reason(&String::from_utf8_lossy(&said))))
            }
            None if self.stop.load(Ordering::Relaxed) => Err(failed("it was stopped")),
            None => Err(failed(&format!("it took longer than {TIME_LIMIT:?}"))),
        }
    }

    /// Runs a build; `None` if it exceeded the time limit or the run was stopped.
    fn follow(&self, recipe: &Recipe, place: &Path, log: &Path) -> io::Result<Option<ExitStatus>> {
        let output = File::create(log)?;
        let mut command = Command::new("sh");
        command.args(["-ec", recipe.script]).current_dir(place).process_group(0);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let mut child = command.spawn()?;
        self.reaper.register(child.id());
        let started = Instant::now();
        let mut ended = child.try_wait()?;
        while ended.is_none() {
            if started.elapsed() > TIME_LIMIT || self.stop.load(Ordering::Relaxed) {
                if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
                    kill_process_group(group, Signal::KILL)?;
                }
                child.wait()?;
                break;
            }
            thread::sleep(Duration::from_millis(20));
            ended = child.try_wait()?;
        }
        self.reaper.unregister(child.id());
        Ok(ended)
    }
}

/// The maximum path of a socket, including the final NUL: `sun_path` of unix(7).
const PATH: usize = 108;

/// The directory for the files of this run: next to the peers, unless the paths of sockets would be
/// too long.
fn scratch(directory: &Path) -> io::Result<PathBuf> {
    let near = directory.join(format!("run-{}", std::process::id()));
    // Reserve space for a slash, a number, and suffixes of the brokers.
    if near.as_os_str().len() + 16 <= PATH {
        return Ok(near);
    }
    // Everybody may write there, so nobody must guess the name.
    let name = format!("armilla-bench-{:016x}", armilla_ipc::random::number()?);
    Ok(std::env::temp_dir().join(name))
}

/// In a directory that everybody may write to, the build directory must be ours, because its
/// programs are run.
fn check_owner(directory: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(directory)?;
    let ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    match ours && found.mode() & 0o002 == 0 {
        true => Ok(()),
        false => {
            let what = format!(
                "{}: others may write there; XDG_CACHE_HOME may name another place",
                directory.display()
            );
            Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
        }
    }
}

/// The reason of a failed build: the first line with an error, else the first line.
fn reason(said: &str) -> String {
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    let error = lines.clone().find(|line| line.to_lowercase().contains("error"));
    error.or_else(|| lines.next()).unwrap_or("no error message").trim().to_owned()
}

/// Whether a command is in the search path, or a file exists.
pub(crate) fn is_there(what: &str) -> bool {
    if what.starts_with('/') {
        return Path::new(what).exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(what).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_missing_is_named_by_its_package() {
        assert!(is_there("sh") && is_there("/dev/null"));
        assert!(!is_there("no-such-command") && !is_there("/no/such/file"));
    }

    #[test]
    fn the_line_of_an_error_says_why_a_peer_was_not_made() {
        assert_eq!(reason("In file a.h:\n a.cpp:3: Error: b\nerror: c"), "a.cpp:3: Error: b");
        assert_eq!(reason("\nsh: 1: mvn: not found\n"), "sh: 1: mvn: not found");
        assert_eq!(reason(""), "no error message");
    }

    #[test]
    fn sockets_have_paths_that_are_not_too_long() {
        assert!(scratch(Path::new("/home/a/.cache")).unwrap().starts_with("/home/a/.cache"));
        let deep = scratch(&Path::new("/home").join("a".repeat(90))).unwrap();
        assert!(deep.starts_with(std::env::temp_dir()), "{}", deep.display());
    }

    #[test]
    fn what_others_may_write_is_not_run() {
        let directory = std::env::temp_dir().join(format!("armilla-open-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
        assert!(check_owner(&directory).is_ok());
        fs::set_permissions(&directory, Permissions::from_mode(0o777)).unwrap();
        let error = check_owner(&directory).unwrap_err();
        assert!(error.to_string().contains("XDG_CACHE_HOME"), "{error}");
        fs::remove_dir(&directory).unwrap();
    }

    #[test]
    fn a_peer_without_a_recipe_is_absent() {
        let directory = std::env::temp_dir().join("armilla-bench-none");
        let peers = Peers::within(&directory, &Arc::default()).unwrap();
        let unknown = Program { name: "unknown", kind: Kind::Peer, options: &[] };
        assert_eq!(peers.make(&unknown).unwrap_err().program, "unknown");
        drop(peers);
        fs::remove_dir(&directory).unwrap();
    }
}
