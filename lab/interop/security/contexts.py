"""Writes security contexts of CSIv2 in hexadecimal, big-endian, as the names of cases ask for them.

    contexts.py CASE...

The realm of the server is that of the environment ($REALM), or bank.
"""

import os
import struct
import sys

REALM = os.environ.get("REALM", "bank").encode()
OID = bytes.fromhex("0606678102010101")
KERBEROS = bytes.fromhex("600d06092a864886f7120102026162")
DN = bytes.fromhex("300e310c300a06035504030c03616e6e")


class Cdr:
    """An encapsulation that is being written."""

    def __init__(self):
        self.octets = bytearray(b"\0")

    def put(self, form, value):
        size = struct.calcsize(form)
        self.octets += bytes(-len(self.octets) % size)
        self.octets += struct.pack(">" + form, value)
        return self

    def octets_of(self, value):
        self.put("I", len(value))
        self.octets += value
        return self


def exported(name):
    return b"\x04\x01" + struct.pack(">H", len(OID)) + OID + struct.pack(">I", len(name)) + name


def token(user, password, target=b""):
    inner = Cdr().octets_of(user).octets_of(password).octets_of(target).octets
    length = len(OID) + len(inner)
    assert length < 128
    return b"\x60" + bytes([length]) + OID + bytes(inner)


def establish(context, authentication, kind=0, identity=b""):
    cdr = Cdr().put("h", 0).put("Q", context).put("I", 0).put("I", kind)
    if kind < 2:
        cdr.put("B", 1)
    else:
        cdr.octets_of(identity)
    return cdr.octets_of(authentication).octets


def in_context(context, discard=0):
    return Cdr().put("h", 5).put("Q", context).put("B", discard).octets


def certificate():
    signed = bytes.fromhex("3019020107300030003000") + DN
    return b"\x30" + bytes([len(signed)]) + signed


def wrapped(octets):
    return bytes(Cdr().octets_of(octets).octets)


ANN = token(b"ann", b"secret", exported(REALM))
SCOPED = token(b"ann@" + REALM, b"secret", exported(REALM))
GATEWAY = token(b"gateway", b"gate", exported(REALM))
ZOE = exported(b"zoe@" + REALM)
CHAIN = b"\x30" + bytes([len(certificate())]) + certificate()

CASES = {
    "ann": establish(0, ANN),
    "ann-kept": establish(7, ANN),
    "scoped": establish(0, SCOPED),
    "scoped-kept": establish(7, SCOPED),
    "other-kept": establish(7, GATEWAY),
    "in-context": in_context(7),
    "discard": in_context(7, 1),
    "no-context": in_context(9),
    "wrong-password": establish(0, token(b"ann", b"wrong")),
    "wrong-user": establish(0, token(b"bob", b"secret")),
    "wrong-domain": establish(0, token(b"ann@elsewhere", b"secret")),
    "wrong-target": establish(0, token(b"ann", b"secret", exported(b"elsewhere"))),
    "no-target": establish(0, token(b"ann", b"secret")),
    "cut-token": establish(0, ANN[:-9]),
    "kerberos": establish(0, KERBEROS),
    "name": establish(0, GATEWAY, 2, ZOE),
    "name-wrapped": establish(0, GATEWAY, 2, wrapped(ZOE)),
    "certificate": establish(0, GATEWAY, 4, CHAIN),
    "dn": establish(0, GATEWAY, 8, DN),
    "anonymous": establish(0, GATEWAY, 1),
    "name-not-allowed": establish(0, ANN, 2, ZOE),
    "name-elsewhere": establish(0, GATEWAY, 2, exported(b"zoe@elsewhere")),
    "name-without-proof": establish(0, b"", 2, ZOE),
    "name-malformed": establish(0, GATEWAY, 2, ZOE[:-2] + b"\xff\xff"),
    "other-identity": establish(0, GATEWAY, 16, b"x"),
    "of-server": Cdr().put("h", 1).put("Q", 1).put("B", 1).octets_of(b"").octets,
    "malformed": b"\0\0\0\7",
}

for case in sys.argv[1:]:
    print("-" if case == "nothing" else bytes(CASES[case]).hex())
