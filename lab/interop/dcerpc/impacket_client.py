"""impacket as client of our server: NTLM at both levels, several contexts, faults, refusals.

    impacket_client.py PORT
"""

import sys

from impacket.dcerpc.v5 import epm, mgmt, rpcrt, transport
from impacket.dcerpc.v5.dtypes import ULONG
from impacket.dcerpc.v5.ndr import NDRCALL, NDRUniConformantArray
from impacket.uuid import uuidtup_to_bin

CALCULATOR = uuidtup_to_bin(("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c01", "1.0"))


class Octets(NDRUniConformantArray):
    item = "c"


class Add(NDRCALL):
    opnum = 0
    structure = (("left", ULONG), ("right", ULONG))


class AddResponse(NDRCALL):
    structure = (("sum", ULONG),)


class Echo(NDRCALL):
    opnum = 1
    structure = (("count", ULONG), ("octets", Octets))


class EchoResponse(Echo):
    pass


def connect(port, level, user="operator", password="secret"):
    made = transport.DCERPCTransportFactory(f"ncacn_ip_tcp:127.0.0.1[{port}]")
    made.set_credentials(user, password, "")
    made.set_connect_timeout(20)
    rpc = made.get_dce_rpc()
    if level > rpcrt.RPC_C_AUTHN_LEVEL_NONE:
        rpc.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
        rpc.set_auth_level(level)
    rpc.connect()
    return rpc


def add(rpc):
    request = Add()
    request["left"], request["right"] = 2, 3
    rpc.call(Add.opnum, request)
    return AddResponse(rpc.recv())["sum"]


def calls(port, level):
    rpc = connect(port, level)
    rpc.bind(CALCULATOR)
    assert add(rpc) == 5
    octets = bytes(range(256)) * 100
    request = Echo()
    request["count"], request["octets"] = len(octets), [bytes([octet]) for octet in octets]
    rpc.call(Echo.opnum, request)
    assert b"".join(EchoResponse(rpc.recv())["octets"]) == octets
    # A further interface has a security context of its own.
    further = rpc.alter_ctx(mgmt.MSRPC_UUID_MGMT)
    assert mgmt.hinq_if_ids(further)["if_id_vector"]["count"] == 2
    assert add(rpc) == 5
    try:
        rpc.call(9, b"")
        rpc.recv()
        raise AssertionError("operation 9 exists")
    except rpcrt.DCERPCException as error:
        assert "nca_s_op_rng_error" in str(error), error
    rpc.disconnect()
    print(f"impacket as client: ntlm {level}")


def refused(port, what, *arguments):
    try:
        rpc = connect(port, *arguments)
        rpc.bind(CALCULATOR)
        add(rpc)
    except rpcrt.DCERPCException as error:
        assert "access_denied" in str(error), error
        print(f"impacket as client: {what} refused")
        return
    raise AssertionError(f"{what} was let in")


def main(port):
    found = epm.hept_map("127.0.0.1", CALCULATOR, protocol="ncacn_ip_tcp", dce=connect(port, 1))
    assert found == f"ncacn_ip_tcp:127.0.0.1[{port}]", found
    calls(port, rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY)
    calls(port, rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
    refused(port, "no security", rpcrt.RPC_C_AUTHN_LEVEL_NONE)
    refused(port, "level connect", rpcrt.RPC_C_AUTHN_LEVEL_CONNECT)
    refused(port, "a wrong password", rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY, "operator", "wrong")
    refused(port, "an unknown user", rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY, "nobody", "secret")


main(sys.argv[1])
