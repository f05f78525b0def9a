"""scapy as client of our server: activation, calls, further interfaces, release.

    scapy_client.py HOST ntlm|spnego 5|6
"""

import sys
import uuid

from scapy.config import conf
from scapy.layers.dcerpc import (
    DCE_C_AUTHN_LEVEL,
    DceRpcOp,
    NDRFullPointerField,
    NDRIntField,
    NDRPacket,
    NDRSignedIntField,
    find_com_interface,
    register_com_interface,
)
from scapy.layers.msrpce.msdcom import DCOM_Client
from scapy.layers.ntlm import MD4le, NTLMSSP
from scapy.layers.spnego import SPNEGOSSP

conf.dcerpc_force_header_signing = True

CLASS = uuid.UUID("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32")


class Count_Request(NDRPacket):
    fields_desc = []


class Count_Response(NDRPacket):
    fields_desc = [NDRIntField("count", 0), NDRIntField("status", 0)]


register_com_interface(
    name="IDispatch",
    uuid=uuid.UUID("00020400-0000-0000-c000-000000000046"),
    opnums={3: DceRpcOp(Count_Request, Count_Response)},
)


def main(host, mechanism, level):
    ntlm = NTLMSSP(UPN="operator", HASHNT=MD4le("secret"))
    ssp = ntlm if mechanism == "ntlm" else SPNEGOSSP([ntlm])
    client = DCOM_Client(ssp=ssp, auth_level=DCE_C_AUTHN_LEVEL(level), verb=False)
    client.connect(host)
    dispatch = find_com_interface("IDispatch")
    for make in (client.RemoteCreateInstance, client.RemoteCreateInstance):
        made = make(CLASS, [dispatch])
        answer = made.sr1_req(Count_Request(), dispatch)
        assert answer.count == 1 and answer.status == 0, answer.show(dump=True)
        made.release()
    client.close()
    print(f"scapy as client: {mechanism} at level {level}")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
