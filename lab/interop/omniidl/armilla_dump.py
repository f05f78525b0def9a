"""An omniidl back end that prints what `armilla idl dump` prints, as far as both know it:

    omniidl -p lab/interop/omniidl -b armilla_dump FILE

One JSON object on a line for each declaration: `name`, `kind`, `repository_id`, and for constants
`value`. Forward declarations are left out; a module stands once for each time it is opened.
"""

import json

from omniidl import idlast, idltype, idlutil, idlvisitor


def run(tree, args):
    visitor = Dump()
    tree.accept(visitor)


def scoped(decl):
    return "::".join(decl.scopedName())


def line(name, kind, repository_id, **more):
    print(json.dumps({"name": name, "kind": kind, "repository_id": repository_id, **more}))


class Dump(idlvisitor.AstVisitor):
    def visitAST(self, node):
        for decl in node.declarations():
            decl.accept(self)

    def plain(self, node, kind, **more):
        line(scoped(node), kind, node.repoId(), **more)

    def visitModule(self, node):
        self.plain(node, "module")
        for decl in node.definitions():
            decl.accept(self)

    def visitInterface(self, node):
        self.plain(node, "interface")
        for decl in node.contents():
            decl.accept(self)

    def visitConst(self, node):
        value = node.value()
        kind = node.constKind()
        if kind == idltype.tk_enum:
            value = scoped(value)
        elif kind in (idltype.tk_wstring,):
            value = "".join(map(chr, value))
        elif kind == idltype.tk_wchar:
            value = chr(value)
        elif kind == idltype.tk_boolean:
            value = bool(value)
        elif kind in (idltype.tk_char, idltype.tk_string, idltype.tk_fixed):
            value = str(value)
        self.plain(node, "const", value=value)

    def visitTypedef(self, node):
        if node.constrType():
            node.aliasType().decl().accept(self)
        for declarator in node.declarators():
            self.plain(declarator, "typedef")

    def members(self, node):
        for member in node.members():
            if member.constrType():
                member.memberType().decl().accept(self)

    def visitStruct(self, node):
        self.plain(node, "struct")
        self.members(node)

    def visitException(self, node):
        self.plain(node, "exception")
        self.members(node)

    def visitUnion(self, node):
        self.plain(node, "union")
        if node.constrType():
            node.switchType().decl().accept(self)
        for case in node.cases():
            if case.constrType():
                case.caseType().decl().accept(self)

    def visitEnum(self, node):
        self.plain(node, "enum")
        for enumerator in node.enumerators():
            self.plain(enumerator, "enumerator")

    def visitAttribute(self, node):
        for declarator in node.declarators():
            self.plain(declarator, "attribute")

    def visitOperation(self, node):
        self.plain(node, "operation")

    def visitNative(self, node):
        if not node.builtIn():
            self.plain(node, "native")

    def visitValueBox(self, node):
        self.plain(node, "valuebox")
        if node.constrType():
            node.boxedType().decl().accept(self)

    def value(self, node):
        self.plain(node, "valuetype")
        for decl in node.contents():
            decl.accept(self)

    visitValue = value
    visitValueAbs = value

    def visitStateMember(self, node):
        if node.constrType():
            node.memberType().decl().accept(self)
