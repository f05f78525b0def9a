"""scapy as client of our server and as server of our client, over the calculator's interface.

    scapy_peer.py client PORT none|ntlm|spnego 1|5|6 little|big
    scapy_peer.py refused PORT                    what our server must refuse
    scapy_peer.py serve PORT ntlm|spnego 5|6      prints "ready PORT"; ends with its standard input
"""

import os
import socket
import sys
import uuid

from scapy.config import conf
from scapy.fields import ByteField
from scapy.layers.dcerpc import (
    DCE_C_AUTHN_LEVEL,
    DCERPC_Transport,
    DceRpc5Fault,
    DceRpcOp,
    NDRConfFieldListField,
    NDRIntField,
    NDRPacket,
    find_dcerpc_interface,
    register_dcerpc_interface,
)
from scapy.layers.msrpce.rpcclient import DCERPC_Client
from scapy.layers.msrpce.rpcserver import DCERPC_Server
from scapy.layers.ntlm import MD4le, NTLMSSP
from scapy.layers.spnego import SPNEGOSSP

USER, PASSWORD = "operator", "secret"

# Our server checks the signature of headers, as Windows does with this mechanism.
conf.dcerpc_force_header_signing = True
# Lists are longer than scapy takes by default.
conf.max_list_count = 1_000_000


class Add_Request(NDRPacket):
    fields_desc = [NDRIntField("left", 0), NDRIntField("right", 0)]


class Add_Response(NDRPacket):
    fields_desc = [NDRIntField("sum", 0)]


class Echo_Request(NDRPacket):
    fields_desc = [
        NDRIntField("count", None, size_of="octets"),
        NDRConfFieldListField("octets", [], ByteField("", 0), size_is=lambda pkt: pkt.count),
    ]


class Echo_Response(Echo_Request):
    pass


class Count_Request(NDRPacket):
    fields_desc = [NDRIntField("count", 0)]


class Count_Response(Echo_Request):
    pass


register_dcerpc_interface(
    name="calculator",
    uuid=uuid.UUID("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c01"),
    version="1.0",
    opnums={
        0: DceRpcOp(Add_Request, Add_Response),
        1: DceRpcOp(Echo_Request, Echo_Response),
        2: DceRpcOp(Count_Request, Count_Response),
    },
)
CALCULATOR = find_dcerpc_interface("calculator")


class Calculator(DCERPC_Server):
    @DCERPC_Server.answer(Add_Request)
    def add(self, req):
        given = req[Add_Request]
        return Add_Response(sum=given.left + given.right, ndr64=self.ndr64)

    @DCERPC_Server.answer(Echo_Request)
    def echo(self, req):
        octets = req[Echo_Request].octets.value
        return Echo_Response(octets=octets, ndr64=self.ndr64)

    @DCERPC_Server.answer(Count_Request)
    def count(self, req):
        octets = [number % 256 for number in range(req[Count_Request].count)]
        return Count_Response(octets=octets, ndr64=self.ndr64)


def mechanism(service, **arguments):
    ntlm = NTLMSSP(**arguments)
    return SPNEGOSSP([ntlm]) if service == "spnego" else ntlm


def client(port, service, level, order="little", password=PASSWORD):
    ssp = None if service == "none" else mechanism(service, UPN=USER, PASSWORD=password)
    made = DCERPC_Client(
        DCERPC_Transport.NCACN_IP_TCP,
        ssp=ssp,
        auth_level=DCE_C_AUTHN_LEVEL(int(level)),
        ndr64=False,
        ndrendian=order,
        verb=False,
    )
    made.connect("127.0.0.1", endpoint=int(port), timeout=20)
    return made


def call(port, service, level, order):
    made = client(port, service, level, order)
    if service == "none":
        assert made.bind(find_dcerpc_interface("ept")), "not bound"
        assert made.epm_map(CALCULATOR) == [("127.0.0.1", int(port))]
        return
    assert made.bind(CALCULATOR), "not bound"
    arguments = {"ndrendian": order}
    answer = made.sr1_req(Add_Request(left=2, right=3, **arguments))
    assert answer[Add_Response].sum == 5, answer
    for size in [1, 100, 5000]:
        octets = [number % 251 for number in range(size)]
        answer = made.sr1_req(Echo_Request(octets=octets, **arguments))
        assert answer[Echo_Response].octets.value == octets, size
    # In big-endian scapy 2.8 takes the trailer of the last PDU in a segment for that of the first.
    if order == "little":
        answer = made.sr1_req(Count_Request(count=20_000, **arguments))
        assert answer[Count_Response].octets.value == [number % 256 for number in range(20_000)]
    made.close()


def refused(port):
    for what, service, level, password in [
        ("a call without security", "none", 1, ""),
        ("level connect", "ntlm", 2, PASSWORD),
        ("a wrong password", "ntlm", 5, "wrong"),
    ]:
        made = client(port, service, level, password=password)
        answer = None
        try:
            if made.bind(CALCULATOR):
                answer = made.sr1_req(Add_Request(left=2, right=3))
        except Exception as error:
            print(f"{what}: {type(error).__name__}")
        if answer is not None:
            assert DceRpc5Fault in answer and answer[DceRpc5Fault].status == 5, what
            print(f"{what}: access denied")


def serve(port, service, level):
    # The server finds the interface of the address by itself.
    conf.iface = "lo"
    if port == "0":
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
    ssp = mechanism(service, IDENTITIES={USER: MD4le(PASSWORD)})
    Calculator.spawn(
        DCERPC_Transport.NCACN_IP_TCP,
        iface="lo",
        port=int(port),
        bg=True,
        ndr64=False,
        verb=False,
        ssp=ssp,
        min_auth_level=DCE_C_AUTHN_LEVEL(int(level)),
    )
    print(f"ready {port}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    {"client": call, "refused": refused, "serve": serve}[sys.argv[1]](*sys.argv[2:])
