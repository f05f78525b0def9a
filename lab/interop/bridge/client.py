"""omniORB calls an object of COM. Usage: client.py IDL URL"""

import sys

import omniORB
from omniORB import CORBA

omniORB.importIDL(sys.argv[1])
import Study  # noqa: E402

orb = CORBA.ORB_init(sys.argv, CORBA.ORB_ID)
adder = orb.string_to_object(sys.argv[2])._narrow(Study.Adder)
assert adder is not None, "it is no Adder"
assert adder.Add(2, 40) == 42
assert adder.Join("one ", "two") == "one two"
for _ in range(200):
    assert adder.Add(20, 1) == 21
try:
    adder.Fail()
    raise AssertionError("it did not fail")
except Study.ComError as error:
    assert error.hresult & 0xFFFFFFFF == 0x80004005, hex(error.hresult)
    assert error.source == "Adder" and error.description == "as it was asked to", error
print("omniORB calls an object of COM: results, an exception")
