# What `security` and `transactions` share: WildFly or GlassFish out of Maven Central, with our enterprise
# beans, from the first start to the last. To be sourced at the root of the repository, with $server.
#
# The archives are large (259 MB and 124 MB), and so are the servers: they lie in $SERVERS, by default
# lab/interop/target/servers, until you remove them. Each run unpacks its server anew into $work.

here=lab/interop/servers
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
archives=${SERVERS:-$PWD/lab/interop/target/servers}
ours=$target/debug/interop-ejb
work=$(mktemp -d)
started=()

# Ends what was started, and removes what was written.
finish() {
  stop_server
  kill "${started[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  if [ -n "${KEEP:-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
}
trap finish EXIT

# Waits for at most so many seconds until a command succeeds.
await() {
  local seconds=$1
  shift
  for _ in $(seq $((seconds * 5))); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  echo "not within $seconds s: $*" >&2
  return 1
}

fetch() {
  local artifact=$1 file=$2
  [ -e "$archives/$file" ] || mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy \
    -Dartifact="$artifact:zip" -DoutputDirectory="$archives" >&2
  (cd "$work" && python3 -m zipfile -e "$archives/$file" .)
}

# Certificates of a new authority for our programs (PEM) and for Java (PKCS#12).
certificates() {
  "$ours" authority "$work/pki"
  (
    cd "$work/pki"
    openssl x509 -in client.pem -outform DER -out client.der
    for name in server client; do
      openssl pkcs12 -export -in $name.pem -out $name.p12 -name $name -passout pass:secret
    done
    keytool -importcert -noprompt -alias authority -file authority.pem -keystore trusted.p12 \
      -storetype PKCS12 -storepass secret
  ) >"$work/certificates.log" 2>&1
}

# Our enterprise beans, compiled with the interfaces of the server.
beans() {
  local classpath
  classpath=$(find "$1" -name 'jakarta.ejb-api*.jar' -o -name 'jakarta.transaction-api*.jar' \
    -o -name 'openjdk-orb-*.jar' -o -name 'glassfish-corba-omgapi.jar' | tr '\n' ':')
  mkdir -p "$work/beans"
  javac -nowarn -cp "$classpath" -d "$work/beans" "$here"/src/peer/*.java
  python3 "$here/descriptors.py" "$work/beans/META-INF"
  jar cf "$work/peer.jar" -C "$work/beans" .
}

# WildFly 37.0.1. `wildfly_home Open` is the URL of a bean.
wildfly_prepare() {
  fetch org.wildfly:wildfly-dist:37.0.1.Final wildfly-dist-37.0.1.Final.zip
  root=$work/wildfly-37.0.1.Final
  chmod +x "$root"/bin/*.sh
  beans "$root/modules"
  certificates
  sed "s|@PKI@|$work/pki|" "$here/wildfly.cli" >"$work/wildfly.cli"
  "$root/bin/jboss-cli.sh" --file="$work/wildfly.cli" >"$work/cli.log" 2>&1
  ! grep -A3 failed "$work/cli.log"
  for user in ann:secret gateway:gate zoe:other; do
    "$root/bin/add-user.sh" -a -s -u "${user%:*}" -p "${user#*:}" -g teller >>"$work/cli.log" 2>&1
  done
  cp "$work/peer.jar" "$root/standalone/deployments/"
  # Its recovery reads what our resource has left with the classes of this module.
  local jts=$root/modules/system/layers/base/org/jboss/jts/main
  (cd "$work/beans" && jar cf "$jts/noting.jar" peer/Noting*.class)
  sed -i 's|<resources>|<resources><resource-root path="noting.jar"/>|' "$jts/module.xml"
}
wildfly_start() {
  [ ! -s "$work/server.pid" ] || return 0
  [ ! -e "$work/server.log" ] || mv "$work/server.log" "$work/server-$(date +%s).log"
  : >"$work/server.log"
  # It writes a file of references where it starts. Its recovery looks every few seconds instead of minutes.
  local options="-Xmx768m -Djava.net.preferIPv4Stack=true"
  options="$options -DRecoveryEnvironmentBean.periodicRecoveryPeriod=2"
  options="$options -DRecoveryEnvironmentBean.recoveryBackoffPeriod=1"
  (cd "$work" && JAVA_OPTS=$options LAUNCH_JBOSS_IN_BACKGROUND=1 \
    JBOSS_PIDFILE=$work/server.pid exec "$root/bin/standalone.sh" -c standalone-full.xml) \
    >>"$work/server.log" 2>&1 &
  await 120 grep -q 'WFLYSRV002[56]' "$work/server.log"
  ! grep WFLYSRV0026 "$work/server.log"
}
wildfly_home() { echo "corbaname:iiop:1.2@127.0.0.1:3528#peer/$1"; }

# GlassFish 8.0.0-JDK17-M12.
glassfish_prepare() {
  fetch org.glassfish.main.distributions:glassfish:8.0.0-JDK17-M12 glassfish-8.0.0-JDK17-M12.zip
  root=$work/glassfish8/glassfish
  chmod +x "$root"/bin/*
  beans "$root/modules"
  certificates
  local config=$root/domains/domain1/config user
  # Ours in the place of the certificate that all copies of GlassFish have.
  keytool -importkeystore -noprompt -srckeystore "$work/pki/server.p12" -srcstorepass secret -srcalias server \
    -destkeystore "$config/keystore.jks" -deststorepass changeit -destalias armilla -destkeypass changeit \
    >>"$work/certificates.log" 2>&1
  keytool -importcert -noprompt -alias armilla-authority -file "$work/pki/authority.pem" \
    -keystore "$config/cacerts.jks" -storepass changeit >>"$work/certificates.log" 2>&1
  sed -i 's/cert-nickname="s1as"/cert-nickname="armilla"/' "$config/domain.xml"
  ln -s "$root/domains/domain1/logs/server.log" "$work/server.log"
  glassfish_start
  for user in ann:secret gateway:gate zoe:other; do
    echo "AS_ADMIN_USERPASSWORD=${user#*:}" >"$work/password"
    "$root/bin/asadmin" --passwordfile "$work/password" create-file-user --groups tellers "${user%:*}"
  done >>"$work/asadmin.log" 2>&1
  "$root/bin/asadmin" set server-config.transaction-service.automatic-recovery=true >>"$work/asadmin.log" 2>&1
  "$root/bin/asadmin" deploy "$work/peer.jar" >>"$work/asadmin.log" 2>&1
}
glassfish_start() {
  [ ! -s "$work/server.pid" ] || return 0
  timeout 120 "$root/bin/asadmin" start-domain >>"$work/asadmin.log" 2>&1
  cp "$root/domains/domain1/config/pid" "$work/server.pid"
}
glassfish_home() { echo "corbaname:iiop:1.2@127.0.0.1:3700#$1"; }

# Kills a server at once.
kill_server() {
  [ -s "$work/server.pid" ] || return 0
  kill -KILL "$(cat "$work/server.pid")" 2>/dev/null || true
  rm -f "$work/server.pid"
}
stop_server() {
  [ -s "$work/server.pid" ] || return 0
  local pid
  pid=$(cat "$work/server.pid")
  kill "$pid" 2>/dev/null || true
  await 20 sh -c "! kill -0 $pid" || kill -KILL "$pid" 2>/dev/null || true
  rm -f "$work/server.pid"
}
