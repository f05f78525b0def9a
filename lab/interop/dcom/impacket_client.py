"""impacket as client of our server: activation both ways, the resolver, references, factories, calls
by number and by name, pings, refusals.

    impacket_client.py HOST

The server listens at port 135 of the host, which is where impacket looks.
"""

import sys

from impacket.dcerpc.v5 import dcomrt, rpcrt, transport
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import DCOMANSWER, DCOMCALL, DCOMConnection, IRemUnknown2
from impacket.dcerpc.v5.dtypes import LONG, NULL
from impacket.dcerpc.v5.ndr import NDRPOINTER, NDRUniConformantArray
from impacket.uuid import uuidtup_to_bin, string_to_bin

CLASS = string_to_bin("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d02")
ADDER = string_to_bin("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32")
TEST_SERVER = uuidtup_to_bin(("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01", "0.0"))


class Strings(NDRUniConformantArray):
    item = oaut.BSTR


class StringsPointer(NDRPOINTER):
    referent = (("Data", Strings),)


class GetSingleString(DCOMCALL):
    opnum = 3
    structure = (("index", LONG),)


class GetSingleStringResponse(DCOMANSWER):
    structure = (("item", oaut.BSTR), ("ErrorCode", dcomrt.error_status_t))


class GetMultipleString(DCOMCALL):
    opnum = 4
    structure = (("index", LONG), ("count", LONG))


class GetMultipleStringResponse(DCOMANSWER):
    structure = (("got", LONG), ("items", StringsPointer), ("ErrorCode", dcomrt.error_status_t))


def text(bstr):
    return bstr["asData"]


def strings(interface):
    request = GetSingleString()
    request["index"] = 7
    answer = interface.request(request, TEST_SERVER, uuid=interface.get_iPid())
    assert text(answer["item"]) == "7" + "-" * 79, answer["item"]
    request = GetMultipleString()
    request["index"], request["count"] = 990, 100
    answer = interface.request(request, TEST_SERVER, uuid=interface.get_iPid())
    assert answer["got"] == 10
    assert [text(item)[:3] for item in answer["items"]] == [str(n) for n in range(990, 1000)]


def integer(number):
    value = oaut.VARIANT()
    value["clSize"] = 5
    value["vt"] = oaut.VARENUM.VT_I4
    value["_varUnion"]["tag"] = oaut.VARENUM.VT_I4
    value["_varUnion"]["lVal"] = number
    return value


def by_name(connection):
    made = connection.CoCreateInstanceEx(ADDER, oaut.IID_IDispatch)
    adder = oaut.IDispatch(made)
    member = adder.GetIDsOfNames(("add",))[0]
    arguments = oaut.DISPPARAMS(None, False)
    arguments["rgvarg"] = [integer(2), integer(40)]
    arguments["rgdispidNamedArgs"] = NULL
    arguments["cArgs"], arguments["cNamedArgs"] = 2, 0
    answer = adder.Invoke(member, 0x409, oaut.DISPATCH_METHOD, arguments, 0, [], [])
    result = answer["pVarResult"]
    assert result["vt"] == oaut.VARENUM.VT_I4 and result["_varUnion"]["lVal"] == 42
    try:
        adder.GetIDsOfNames(("multiply",))
        raise AssertionError("a member that does not exist")
    except Exception as error:
        assert "0x80020006" in str(error) or "UNKNOWN" in str(error).upper(), error
    made.RemRelease()


def factory(connection):
    activator = dcomrt.IRemoteSCMActivator(connection.get_dce_rpc())
    activator.RemoteGetClassObject(CLASS, dcomrt.IID_IClassFactory).RemRelease()


def old_activation(connection):
    strings(dcomrt.IActivation(connection.get_dce_rpc()).RemoteActivation(CLASS, TEST_SERVER))


def pings(connection):
    exporter = dcomrt.IObjectExporter(connection.get_dce_rpc())
    made = exporter.ComplexPing(0, 1, [], [])
    assert made["pSetId"] != 0


def connect(host, level, password="secret", user="operator", domain=""):
    return DCOMConnection(host, user, password, domain, authLevel=level, oxidResolver=True)


def disconnect(connection):
    try:
        connection.disconnect()
    except KeyError:
        pass  # impacket forgets the calls of a host only once.


def objects(host, level):
    connection = connect(host, level)
    try:
        made = connection.CoCreateInstanceEx(CLASS, TEST_SERVER)
        strings(made)
        again = made.RemQueryInterface(1, (TEST_SERVER,))
        strings(again)
        IRemUnknown2(again).RemAddRef()
        again.RemRelease()
        made.RemRelease()
    finally:
        disconnect(connection)
    # impacket binds for each, which a connection allows once.
    for step in (factory, old_activation, by_name, pings):
        connection = connect(host, level)
        try:
            step(connection)
        finally:
            disconnect(connection)
    print(f"impacket as client: activation, references, calls at level {level}")


def names(host, level):
    for user, domain in (("Operator@plant.example", ""), ("OPERATOR", "PLANT")):
        connection = connect(host, level, user=user, domain=domain)
        try:
            connection.CoCreateInstanceEx(CLASS, TEST_SERVER).RemRelease()
        finally:
            disconnect(connection)
    print("impacket as client: a user with a domain, in the name or apart")


def resolver(host):
    made = transport.DCERPCTransportFactory(f"ncacn_ip_tcp:{host}")
    rpc = made.get_dce_rpc()
    rpc.connect()
    found = dcomrt.IObjectExporter(rpc).ServerAlive2()
    assert any(host in binding["aNetworkAddr"] for binding in found), found
    rpc.disconnect()
    print("impacket as client: the resolver is there")


def refused(host, what, level, password="secret", iid=TEST_SERVER, of=CLASS, says="denied"):
    try:
        connection = connect(host, level, password)
        connection.CoCreateInstanceEx(of, iid)
    except Exception as error:
        assert says in str(error).lower(), error
        print(f"impacket as client: {what} refused")
        return
    raise AssertionError(f"{what} was let in")


def main(host):
    resolver(host)
    objects(host, rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY)
    objects(host, rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
    names(host, rpcrt.RPC_C_AUTHN_LEVEL_PKT_INTEGRITY)
    refused(host, "level connect", rpcrt.RPC_C_AUTHN_LEVEL_CONNECT)
    privacy = rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY
    refused(host, "a wrong password", privacy, "wrong")
    refused(host, "an unknown class", privacy, of=TEST_SERVER[:16], says="80040154")
    refused(host, "an unknown interface", privacy, iid=uuidtup_to_bin(("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1dff", "0.0")), says="80004002")


main(sys.argv[1])
