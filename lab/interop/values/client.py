"""Sends generated graphs of the values in shapes.idl to a server that returns them.

    client.py FILE SEED COUNT [bases] [-ORB...]     FILE holds the IOR of a Shapes::Mirror

A graph is made of its seed alone. With `bases` the server knows Root and Text only: what may be
truncated comes back so, and what may not is refused. The last line is `N passed, N failed`.
"""

import os
import pathlib
import random
import sys

import omniORB
from omniORB import CORBA

HOME = os.path.dirname(os.path.abspath(__file__))
OMNI_IDL = pathlib.Path(omniORB.__file__).parents[4] / "share" / "idl" / "omniORB"
PREFIX = "IDL:armilla.org/Shapes/"

orb = CORBA.ORB_init(sys.argv, CORBA.ORB_ID)
omniORB.importIDL(os.path.join(HOME, "shapes.idl"), [f"-I{OMNI_IDL}", "-Wba"])
import Shapes  # noqa: E402


class Able(Shapes.Able):
    def touch(self):
        pass


# Types with operations or abstract bases have no factories by themselves.
for kind, name in ((Able, "Able"), (Shapes.Plain, "Plain"), (Shapes.Formed, "Formed")):
    orb.register_value_factory(f"{PREFIX}{name}:1.0", kind)

# It is passed on only.
THING = orb.string_to_object("corbaloc::127.0.0.1:1/thing")._unchecked_narrow(Shapes.Thing)
HUES = (Shapes.RED, Shapes.GREEN, Shapes.BLUE)
ROOTS = ("Root", "Text", "Mixed", "Deep", "Deepest", "Solid", "Formed", "Able", "Holder", "Carrier")
# The members that a server with the bases has, and what each type is truncated to.
BASES = {"Root": ("next", "number"), "Text": ("narrow", "next", "number", "wide")}
TRUNCATED = dict.fromkeys(("Mixed", "Deep", "Deepest"), "Text")
TRUNCATED.update(dict.fromkeys(("Formed", "Able", "Holder", "Carrier"), "Root"))


class Graph:
    """Values that lead to one another in trees, with sharing, and in cycles."""

    def __init__(self, seed, most):
        self.random = random.Random(seed)
        self.left, self.depth = most, 0
        self.roots, self.plains = [], []
        self.circular = self.random.random() < 0.3

    def some(self, *choices):
        return self.random.choice(choices)

    def narrow(self):
        return "text of any length"[: self.random.randrange(14)] * self.some(1, 1, 1, 20)

    def wide(self):
        length = self.random.randrange(6)
        return "".join(self.random.choice("a\u00e9\u20ac\u4e2d") for _ in range(length))

    def many(self, make, most=4):
        return [make() for _ in range(self.random.randrange(most))]

    def root(self):
        chance = self.random.random()
        if self.roots and chance < 0.25:
            return self.random.choice(self.roots)
        if chance < 0.4 or self.left <= 0 or self.depth > 12:
            return None
        self.left -= 1
        self.depth += 1
        value = self.new_root(self.random.choice(ROOTS))
        self.depth -= 1
        self.roots.append(value)
        if self.circular and self.random.random() < 0.3:
            value.next = self.random.choice(self.roots)
        return value

    def new_root(self, kind):
        number = self.random.randrange(-5, 100)
        state = [number, self.root()]
        if kind in ("Text", "Mixed", "Deep", "Deepest"):
            state += [self.narrow(), self.wide()]
        if kind in ("Mixed", "Deep", "Deepest"):
            state += [1.25 * number, self.root(), self.many(self.root)]
        if kind in ("Deep", "Deepest"):
            state += [number & 255, number % 2 == 1, number * 10**9, self.root()]
        if kind == "Deepest":
            state += [7]
        if kind == "Solid":
            state += ["x", self.root()]
        if kind == "Formed":
            state += [3, self.form(), 4]
        if kind in ("Holder", "Carrier"):
            state += [self.either(), self.flat(), self.some(None, [], [1, 2, 3])]
            state += [self.some(None, self.flat()), self.form(), self.some(None, THING)]
            state += [self.some(*HUES)]
        if kind == "Carrier":
            state += [self.any(), self.some(None, self.wide()), self.many(self.either)]
            state += [[self.root(), self.root()]]
        if kind == "Able":
            return Able(*state, 5, self.some(*HUES))
        return getattr(Shapes, kind)(*state)

    def plain(self):
        if self.plains and self.random.random() < 0.3:
            return self.random.choice(self.plains)
        if self.random.random() < 0.4 or self.left <= 0:
            return None
        self.left -= 1
        nothing = self.some(None, Shapes.Nothing())
        value = Shapes.Plain(self.random.randrange(256), 0.5, self.plain(), nothing)
        self.plains.append(value)
        return value

    def form(self):
        formed = [value for value in self.roots if isinstance(value, Shapes.Formed)]
        chosen = formed and self.random.random() < 0.4
        return self.random.choice(formed) if chosen else self.plain()

    def flat(self):
        return Shapes.Flat(1, self.root(), self.wide(), self.plain(), 255)

    def either(self):
        label = self.random.randrange(6)
        make = (
            self.root,
            self.narrow,
            lambda: self.some(None, self.narrow()),
            lambda: self.many(self.root),
            lambda: 2.5,
            lambda: 9,
        )
        return Shapes.Either(label, make[label]())

    def any(self):
        """An any contains all of its values, so it has a graph of its own."""
        inner = Graph(self.random.random(), 3)
        inner.circular = False
        return self.some(
            CORBA.Any(CORBA.TC_long, 5),
            CORBA.Any(CORBA.TC_null, None),
            CORBA.Any(CORBA.TypeCode(PREFIX + "Root:1.0"), inner.root()),
            CORBA.Any(CORBA.TypeCode(PREFIX + "Flat:1.0"), inner.flat()),
        )


class NotTruncatable(Exception):
    """A server with the bases cannot read this."""


class Description:
    """All that can be reached from values, each in full where it is met first."""

    def __init__(self, bases):
        self.bases, self.met, self.words = bases, {}, []

    def add(self, value):
        if isinstance(value, (list, tuple)):
            self.words.append("[")
            for each in value:
                self.add(each)
            self.words.append("]")
        elif isinstance(value, CORBA.Any):
            self.words.append(f"any {value.typecode().kind()}")
            self.add(value.value())
        elif isinstance(value, CORBA.Object):
            self.words.append("object")
        elif isinstance(value, Shapes.Either):
            self.words.append(f"either {value._d}")
            self.add(value._v)
        elif isinstance(value, Shapes.Flat):
            self.add([value.before, value.one, value.text, value.more, value.behind])
        elif isinstance(value, CORBA.ValueBase):
            self.add_value(value)
        else:
            self.words.append(repr(value))

    def add_value(self, value):
        if id(value) in self.met:
            return self.words.append(f"={self.met[id(value)][0]}")
        # The value is kept, lest another one get its id.
        self.met[id(value)] = (len(self.met), value)
        name = value._NP_RepositoryId.split("/")[-1].split(":")[0]
        members = sorted(vars(value))
        if self.bases:
            name = TRUNCATED.get(name, name)
            if name not in BASES:
                raise NotTruncatable(name)
            members = BASES[name]
        self.words.append(name)
        self.add([(member, getattr(value, member)) for member in members])


def described(values, bases=False):
    description = Description(bases)
    description.add(values)
    return " ".join(description.words)


def calls(graph, mirror, bases):
    """What each operation is given, and how it is called."""
    root, behind = graph.root(), graph.root()
    roots = graph.many(graph.root, 7)
    root_code = CORBA.TypeCode(PREFIX + "Root:1.0")
    yield "echo_root", [root, root], lambda: list(mirror.echo_root(root))
    yield "echo_roots", [roots, behind], lambda: list(mirror.echo_roots(roots, 1, behind))
    if bases:
        return
    yield "echo_any", [root], lambda: [mirror.echo_any(CORBA.Any(root_code, root)).value()]
    base = graph.some(graph.root, graph.plain)()
    yield "echo_base", [base], lambda: [mirror.echo_base(1, base)]
    form = graph.form()
    yield "echo_form", [form], lambda: [mirror.echo_form(form)]
    flat = graph.flat()
    yield "echo_flat", [flat], lambda: [mirror.echo_flat(flat)]
    either = graph.either()
    yield "echo_either", [either], lambda: [mirror.echo_either(1, either)]
    eithers = graph.many(graph.either)
    yield "echo_eithers", [eithers], lambda: [mirror.echo_eithers(eithers)]
    boxes = graph.some(None, flat), graph.some(None, graph.narrow()), graph.some(None, roots)
    yield "echo_boxes", list(boxes), lambda: list(mirror.echo_boxes(*boxes))
    pair = [root, behind]
    yield "echo_pair", [pair], lambda: [mirror.echo_pair(pair)]


def verdict(sent, call, bases):
    """Why a call is wrong; `None` if it is right."""
    try:
        wanted = described(sent, bases)
    except NotTruncatable:
        wanted = "an exception, since a value must not be truncated"
    try:
        got = described(call())
    except CORBA.SystemException as raised:
        refused = isinstance(raised, (CORBA.MARSHAL, CORBA.BAD_PARAM))
        if bases and refused and wanted.startswith("an exception"):
            return None
        got = str(raised)
    return None if got == wanted else f"came back as {got}, was to be {wanted}"


def main(file, seed, count, bases=""):
    reference = pathlib.Path(file).read_text("ascii").strip()
    mirror = orb.string_to_object(reference)._unchecked_narrow(Shapes.Mirror)
    passed, failed = 0, 0
    for number in range(int(seed), int(seed) + int(count)):
        most = random.Random(number).choice((1, 2, 3, 5, 8, 20))
        for operation, sent, call in calls(Graph(number, most), mirror, bases == "bases"):
            wrong = verdict(sent, call, bases == "bases")
            if wrong is None:
                passed += 1
                continue
            failed += 1
            if failed <= 5:
                print(f"FAILED {operation} seed {number}: {wrong}")
    print(f"{passed} passed, {failed} failed", flush=True)
    # The interpreter would take cycles apart for long.
    os._exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
