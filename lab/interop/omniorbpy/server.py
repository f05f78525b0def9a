"""The omniORBpy server of the interop suite: the objects of interop_values.idl that carry values.

It compiles the IDL when it starts, and returns each value as it came. Other operations raise
NO_IMPLEMENT.
"""

import os
import pathlib
import re
import sys
import tempfile

import omniORB
from omniORB import CORBA

HOME = os.path.dirname(os.path.abspath(__file__))
# orb.idl, wherever omniORBpy was installed.
OMNI_IDL = pathlib.Path(omniORB.__file__).parents[4] / "share" / "idl" / "omniORB"
IDL = os.path.join(HOME, "..", "..", "..", "idl")


def compile_idl():
    """Makes the modules of the IDL.

    omniORB has no custom valuetypes, and omniORBpy does not rename what Python 3 reserves; none of
    these names is used by the objects here.
    """
    names = [f"{name}.idl" for name in ("interop_types", "interop", "interop_values")]
    with tempfile.TemporaryDirectory() as copies:
        for name in names:
            text = pathlib.Path(IDL, name).read_text(encoding="utf-8")
            pathlib.Path(copies, name).write_text(re.sub(r"\b(self|async|await)\b", r"\1_", text), "utf-8")
        for name in names:
            options = ["-DNO_CUSTOM_VALUES", f"-I{copies}", f"-I{OMNI_IDL}", "-Wba"]
            omniORB.importIDL(os.path.join(copies, name), options)


def servants():
    """The servants, whose skeletons exist once the IDL has been compiled."""
    import Interop__POA

    class Mirror(Interop__POA.Mirror):
        def echo(self, a, b):
            return b, a

        def echo_letters(self, a, b):
            return a, a is b

        def echo_numbers(self, given):
            return given, given

        def echo_nodes(self, given):
            return given

        def echo_base(self, given):
            return given

    class Exotics(Interop__POA.Exotics):
        def echo_any(self, given, kept):
            return kept, given, given

    mirror, exotics = Mirror(), Exotics()

    class Echo(Interop__POA.Echo):
        def _get_mirror(self):
            return mirror._this()

        def _get_exotics(self):
            return exotics._this()

    return Echo()


def main(arguments):
    orb = CORBA.ORB_init(arguments, CORBA.ORB_ID)
    compile_idl()
    echo = servants()
    poa = orb.resolve_initial_references("RootPOA")
    poa._get_the_POAManager().activate()
    file = arguments[arguments.index("--ior-file") + 1]
    # Written beside and renamed, so that nobody reads half of it.
    with open(f"{file}.unfinished", "w", encoding="ascii") as out:
        out.write(orb.object_to_string(echo._this()) + "\n")
    os.rename(f"{file}.unfinished", file)
    print("ready", flush=True)
    orb.run()


if __name__ == "__main__":
    main(sys.argv)
