"""Translate kernels from Python to Cython: each module with kernels becomes a .pyx and a .pxd file.

The code of a kernel stays the same; we add what C needs. Argument types come from annotations and local types are
inferred. Constants become their values, a[i, j] becomes a[i][j], and a struct becomes a pointer. A kernel that takes a
union of structs is translated once for each. We refuse code that C would compute differently from Python. We cannot
check the operands of `//` and `%`: they must not be negative.
"""

import ast
import copy
import inspect
import math
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

import numpy as np

from northrail.kernels.decorators import PACKAGE
from northrail.kernels.structs import Field, Kind, Struct, Structs, shared_bytes

# In import order. The last part of each name must be unique.
MODULES = (
    "northrail.engine.state",
    "northrail.engine.paths",
    "northrail.engine.payment",
    "northrail.engine.rules",
    "northrail.engine.scoring",
    "northrail.engine.knowledge",
    "northrail.engine.batches",
    "northrail.engine.perft",
    "northrail.players.cards",
    "northrail.players.plans",
    "northrail.players.planner",
    "northrail.players.casual",
    "northrail.players.published",
    "northrail.players.value",
    "northrail.players.bots",
    "northrail.players.tree",
    "northrail.players.training",
    "northrail.players.response",
    "northrail.players.fast_games",
    "northrail.analysis.playouts",
    "northrail.analysis.open_search",
    "northrail.research.observing",
    "northrail.research.episodes",
    "northrail.research.collecting",
    "northrail.server.wire.packing",
    "northrail.bench.timing",
)

HEADER = Path(__file__).with_name("kernels.h")
DIRECTIVES = "# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False\n"

# Turns a Python struct or array into a pointer. Inline, so that every compiled module has its own copy.
SUPPORT = '''
from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int8_t, int64_t, uint8_t

cdef extern from "Python.h":
    Py_buffer* PyMemoryView_GET_BUFFER(object view)
    bint PyMemoryView_Check(object view)
    bint PyBuffer_IsContiguous(const Py_buffer*, char)

cdef extern from "kernels.h":
    int64_t k_int "nr_int" (int64_t) noexcept nogil
    double k_float "nr_float" (double) noexcept nogil
    int64_t popcount "nr_popcount" (int64_t) noexcept nogil
    int64_t lowest "nr_lowest" (int64_t) noexcept nogil
    int64_t nth_bit "nr_nth_bit" (int64_t, int64_t) noexcept nogil
    int64_t colour_at "nr_colour_at" (const int8_t*, int64_t) noexcept nogil
    int64_t colours_in "nr_colours_in" (const int8_t*) noexcept nogil
    void spread_bits "nr_spread_bits" (uint8_t*, int64_t, int64_t, int64_t) noexcept nogil
    void post "nr_post" (int64_t*, int64_t, int64_t) noexcept nogil
    int64_t wait_while "nr_wait_while" (int64_t*, int64_t, int64_t, int64_t) noexcept nogil
    double k_sqrt "sqrt" (double) noexcept nogil
    double k_exp "exp" (double) noexcept nogil
    double k_tanh "tanh" (double) noexcept nogil
    void* memcpy(void*, const void*, size_t) noexcept nogil
    void* memset(void*, int, size_t) noexcept nogil

cdef inline void* address(object struct, object kind, Py_ssize_t least) except NULL:
    """Return a struct's address; raise TypeError if it is of another kind."""
    if getattr(struct, "kind", None) != kind:
        raise TypeError(f"expected a {kind}, got {struct!r}")
    memory = struct.memory
    if not PyMemoryView_Check(memory):
        raise TypeError(f"expected a {kind} with a memoryview, got {struct!r}")
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(memory)
    if buffer.len < least or buffer.readonly or not PyBuffer_IsContiguous(buffer, c"C"):
        raise TypeError(f"expected a {kind} of {least} bytes that can be written to, got {struct!r}")
    return buffer.buf

cdef inline int hold(object array, Py_buffer* buffer, object kind, char code) except -1:
    """Hold an array's buffer; raise TypeError for another kind, ValueError or BufferError if gapped or read-only."""
    PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)
    if buffer.format[0] != code and not (code == c"q" and buffer.format[0] == c"l" and buffer.itemsize == 8):
        PyBuffer_Release(buffer)
        raise TypeError(f"expected an array of {kind}, got {array!r}")
    return 0
'''

INT, BOOL, FLOAT, NONE, PAIR = "int", "bool", "float", "None", "tuple[int, int]"
C_NAMES = {INT: "int64_t", BOOL: "bint", FLOAT: "double", NONE: "void", PAIR: "(int64_t, int64_t)"}
BUILT_IN = {"popcount": INT, "lowest": INT, "nth_bit": INT, "colour_at": INT, "colours_in": INT, "spread_bits": NONE}
BUILT_IN |= {"post": NONE, "wait_while": INT}
CALLS = {"int": "k_int", "float": "k_float", "math.sqrt": "k_sqrt", "math.exp": "k_exp", "math.tanh": "k_tanh"}
SMALL = 1 << 31  # Cython treats larger literals as Python objects


@dataclass(frozen=True)
class Array:
    """An array of numbers or structs. A first size of 0 means an argument, whose length C does not know."""

    of: Any  # a Kind, or the class of a struct
    shape: tuple[int, ...]


class CannotTranslate(Exception):
    """A kernel that C would compute differently, or that this translator does not understand."""


def type_of_field(field: Field) -> Any:
    """Return the type of a field's value."""
    if field.shape:
        return Array(field.kind, field.shape)
    return field.kind if isinstance(field.kind, type) else _number(field.kind)


def _number(kind: Kind[Any]) -> str:
    return FLOAT if kind.name.startswith("float") else INT


def _is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    return isinstance(kind, type) and issubclass(kind, Struct)


def type_of_note(note: Any) -> Any:
    """Return the type that an annotation means; for a union, its members."""
    if note is None or note is type(None):
        return NONE
    if note in (int, bool, float):
        return note.__name__
    if isinstance(note, types.UnionType):
        return typing.get_args(note)
    if isinstance(note, type) and issubclass(note, Struct):
        return note
    if typing.get_origin(note) is Structs:
        return Array(typing.get_args(note)[0], (0,))
    if typing.get_origin(note) is typing.Annotated:
        return Array(typing.get_args(note)[1], (0,))
    if typing.get_origin(note) is tuple and typing.get_args(note) == (int, int):
        return PAIR
    raise CannotTranslate(f"annotation {note!r}: expected int, float, bool, a struct, or an array")


def c_element(of: Any) -> str:
    """Return the C name of a number type or a struct."""
    if isinstance(of, type):
        return of.__name__
    return {"float32": "float", "float64": "double"}.get(of.name, f"{of.name}_t")


def declared(kind: Any, name: str) -> str:
    """Return the C declaration of an argument, or of a local name for memory that lies elsewhere."""
    if isinstance(kind, Array):
        if len(kind.shape) > 1:
            raise CannotTranslate(f"{name}: an array with several indices cannot be an argument")
        return f"{c_element(kind.of)} (*{name})[1]" if isinstance(kind.of, type) else f"{c_element(kind.of)}* {name}"
    if isinstance(kind, type):
        return f"{'const ' * (kind.__name__ == 'BoardStruct')}{kind.__name__}* {name}"
    return f"{C_NAMES[kind]} {name}"


def struct_text(of: type[Struct]) -> str:
    """Return a class as a C struct. A nested struct is an array of one, which C converts to a pointer by itself."""
    lines = [f"ctypedef struct {of.__name__}:"]
    for name, each in of.fields.items():
        shape = (*each.shape, 1) if isinstance(each.kind, type) else each.shape
        lines.append(f"    {c_element(each.kind)} {name}" + "".join(f"[{size}]" for size in shape))
    return "\n".join(lines)


@dataclass
class Kernel:
    """A kernel, as written in its module."""

    name: str
    node: ast.FunctionDef
    module: "Module"
    style: str  # inner, entry or threads
    arguments: dict[str, Any]
    returns: Any

    @property
    def union(self) -> tuple[Any, ...]:
        """The members of its union argument, if it has one."""
        return next((kind for kind in self.arguments.values() if isinstance(kind, tuple)), ())

    def forms(self) -> list[tuple[str, dict[str, Any]]]:
        """Return its C names, each with the types of its arguments."""
        if not self.union:
            return [(self.c_name(), self.arguments)]
        return [
            (
                self.c_name(member),
                {name: member if isinstance(kind, tuple) else kind for name, kind in self.arguments.items()},
            )
            for member in self.union
        ]

    def c_name(self, member: Any = None) -> str:
        """Return its name in C, for one member of its union."""
        return f"k_{self.name}" + (f"_{member.__name__}" if member is not None else "")

    @property
    def body(self) -> list[ast.stmt]:
        """Its statements, without the docstring."""
        return self.node.body[1:] if ast.get_docstring(self.node) is not None else self.node.body

    @property
    def is_inline(self) -> bool:
        """Whether it is short enough to inline into every module."""
        return len(self.body) == 1 and isinstance(self.body[0], ast.Return)

    def signature(self, c_name: str, arguments: dict[str, Any]) -> str:
        """Return its signature in C."""
        inside = ", ".join(declared(kind, name) for name, kind in arguments.items())
        return f"cdef {'inline ' * self.is_inline}{C_NAMES[self.returns]} {c_name}({inside}) noexcept nogil"


@dataclass
class Module:
    """A module with kernels, and what we collect to translate it."""

    name: str
    python: ModuleType
    kernels: dict[str, Kernel] = field(default_factory=dict)
    structs: list[type[Struct]] = field(default_factory=list)
    macros: dict[str, str] = field(default_factory=dict)  # large constants: C name -> definition
    tables: dict[str, str] = field(default_factory=dict)  # arrays: C name -> declaration
    sources: set[str] = field(default_factory=set)  # files that its translation depends on

    @property
    def short(self) -> str:
        """The name of its compiled module."""
        return self.name.rpartition(".")[2]


@dataclass
class Body:
    """One form of a kernel during translation."""

    kernel: Kernel
    c_name: str
    arguments: dict[str, Any]
    modules: dict[str, Module]
    names: dict[str, Any] = field(default_factory=dict)  # arguments and locals -> type
    own: dict[str, Any] = field(default_factory=dict)  # locals that own an array or a struct -> type
    needs: set[tuple[str, str]] = field(default_factory=set)  # (module, C name) of the kernels it calls

    def refuse(self, node: ast.AST, why: str) -> CannotTranslate:
        """Return the error for a piece of a kernel that cannot be translated."""
        home = self.kernel.module.name
        return CannotTranslate(
            f"{home}.{self.kernel.name}, line {getattr(node, 'lineno', '?')}: {ast.unparse(node)}: {why}"
        )

    def value_of(self, name: str) -> Any:
        """Return the value of a global name."""
        return vars(self.kernel.module.python).get(name)

    # --- types

    def type_of(self, e: ast.expr) -> Any:
        """Return the type of an expression."""
        match e:
            case ast.Constant():
                return BOOL if isinstance(e.value, bool) else FLOAT if isinstance(e.value, float) else INT
            case ast.Name():
                if e.id in self.names:
                    return self.names[e.id]
                value = self.value_of(e.id)
                if isinstance(value, np.ndarray):
                    return Array(Kind(str(value.dtype), "q"), value.shape)
                if isinstance(value, (bool, int, float)):
                    return type(value).__name__
                raise self.refuse(e, "not known here")
            case ast.Attribute():
                base = self.type_of(e.value)
                if not _is_struct(base) or e.attr not in base.fields:
                    raise self.refuse(e, f"expected a field of a struct, got an attribute of {base}")
                return type_of_field(base.fields[e.attr])
            case ast.Subscript():
                base = self.type_of(e.value)
                if not isinstance(base, Array):
                    raise self.refuse(e, f"expected an array, got {base}")
                indices = len(e.slice.elts) if isinstance(e.slice, ast.Tuple) else 1
                if base.shape[indices:]:
                    return Array(base.of, base.shape[indices:])
                return base.of if isinstance(base.of, type) else _number(base.of)
            case ast.BinOp():
                kinds = {self.type_of(e.left), self.type_of(e.right)}
                return FLOAT if FLOAT in kinds or isinstance(e.op, ast.Div) else INT
            case ast.UnaryOp():
                return BOOL if isinstance(e.op, ast.Not) else self.type_of(e.operand)
            case ast.BoolOp():
                return self.widest(e, [self.type_of(value) for value in e.values])
            case ast.Compare():
                return BOOL
            case ast.IfExp():
                return self.widest(e, (self.type_of(e.body), self.type_of(e.orelse)))
            case ast.Call():
                return self.type_of_call(e)
        raise self.refuse(e, "kernels cannot use this part of Python")

    def type_of_call(self, e: ast.Call) -> Any:
        """Return the type of a call's result."""
        called = ast.unparse(e.func)
        if called in ("int", "len"):
            return INT
        if called in ("float", "math.sqrt", "math.exp", "math.tanh"):
            return FLOAT
        if called == "bool":
            return BOOL
        if called in ("min", "max"):
            return self.widest(e, [INT if kind == BOOL else kind for kind in map(self.type_of, e.args)])
        if called in BUILT_IN:
            return BUILT_IN[called]
        found = self.called(called)
        if found is not None:
            return found.returns
        raise self.refuse(e, "expected a kernel")

    def widest(self, e: ast.expr, kinds: Iterable[Any]) -> Any:
        """Return the type that can hold all of these types."""
        found = set(kinds)
        if len(found) == 1:
            return found.pop()
        if found <= {BOOL, INT, FLOAT}:
            return FLOAT if FLOAT in found else INT
        raise self.refuse(e, "expected values of one type")

    def called(self, name: str) -> Kernel | None:
        """Return the kernel with this name, if it is one."""
        value = self.value_of(name)
        home = self.modules.get(getattr(value, "__module__", ""))
        return home.kernels.get(value.__name__) if home is not None and inspect.isfunction(value) else None

    def infer(self) -> None:
        """Infer the type of every name, until nothing changes. A name is a float if any value assigned to it is."""
        self.names = dict(self.arguments)
        for node in self.nodes():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                mine = self.own_memory(node.value)
                if mine is not None:
                    self.own[node.targets[0].id] = self.names[node.targets[0].id] = mine
        before: dict[str, Any] = {}
        waiting: list[ast.expr] = []
        while before != self.names or waiting:
            if before == self.names:
                raise self.refuse(waiting[0], "used before it has a type")
            before = dict(self.names)
            waiting = []
            for name, value in self.assignments():
                if name in self.own:
                    continue
                try:
                    kind = self.type_of(value)
                except CannotTranslate:
                    if not any(isinstance(n, ast.Name) and n.id not in self.names for n in ast.walk(value)):
                        raise
                    waiting.append(value)  # until the names in it have a type
                    continue
                known = self.names.get(name)
                if name in self.arguments:
                    if self.widest(value, (known, kind)) != known:
                        raise self.refuse(value, f"expected {known} for the argument {name}, got {kind}")
                else:
                    self.names[name] = kind if known is None else self.widest(value, (known, kind))

    def nodes(self) -> Iterator[ast.AST]:
        """Yield every node of the body."""
        return (node for statement in self.kernel.body for node in ast.walk(statement))

    def assignments(self) -> Iterator[tuple[str, ast.expr]]:
        """Yield every name that is assigned, and the value."""
        for node in self.nodes():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield name, value
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    yield from ((t.id, v) for t, v in zip(targets, values, strict=True) if isinstance(t, ast.Name))
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    yield name, ast.copy_location(ast.BinOp(ast.Name(name), op, value), node)
                case ast.For(target=ast.Name(id=name)):
                    yield name, ast.Constant(0)

    def own_memory(self, value: ast.expr) -> Any:
        """Return the type of a local array or struct, such as ``int8.zeros(9)`` or ``Log()``; None otherwise."""
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=kind), attr="zeros" | "empty"), args=sizes):
                found = self.value_of(kind)
                if isinstance(found, Kind):
                    return Array(found, tuple(eval(ast.unparse(s), vars(self.kernel.module.python)) for s in sizes))
            case ast.Call(func=ast.Name(id=name), args=[]):
                found = self.value_of(name)
                if isinstance(found, type) and issubclass(found, Struct):
                    return found
        return None

    # --- text

    def text(self) -> str:
        """Return the kernel in Cython."""
        self.infer()
        lines = [self.kernel.signature(self.c_name, self.arguments) + ":"]
        for name, kind in self.names.items():
            if name in self.arguments:
                continue
            if name not in self.own:
                lines.append(f"    cdef {declared(kind, name)}")
            elif isinstance(kind, Array):
                lines.append(f"    cdef {c_element(kind.of)} {name}" + "".join(f"[{size}]" for size in kind.shape))
            else:
                lines.append(f"    cdef {kind.__name__} {name}[1]")
        body = [Rewriter(self).visit(copy.deepcopy(statement)) for statement in self.kernel.body]
        for statement in body:
            lines += ["    " + line for line in ast.unparse(ast.fix_missing_locations(statement)).splitlines()]
        return "\n".join(lines) + "\n"


class Rewriter(ast.NodeTransformer):
    """Rewrites the statements of a kernel for Cython."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Turn the creation of a local array or struct, which is already declared, into setting it to zero."""
        name = node.targets[0]
        if isinstance(name, ast.Name) and name.id in self.body.own:
            kind = self.body.own[name.id]
            if ast.unparse(node.value).partition("(")[0].endswith(".empty"):
                return ast.Pass()
            size = kind.dtype.itemsize if _is_struct(kind) else kind.of.dtype.itemsize * int(np.prod(kind.shape))
            return _statement(f"memset({name.id}, 0, {size})")
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Copy and clear structs as memory."""
        match node.value:
            case ast.Call(func=ast.Name(id="copy_struct"), args=[target, source]):
                size = shared_bytes(self.body.type_of(target), self.body.type_of(source))
                return _statement(f"memcpy({self.plain(target)}, {self.plain(source)}, {size})")
            case ast.Call(func=ast.Name(id="clear_struct"), args=[target]):
                return _statement(f"memset({self.plain(target)}, 0, {self.body.type_of(target).dtype.itemsize})")
        return self.generic_visit(node)

    def plain(self, node: ast.expr) -> str:
        """Return an expression in Cython."""
        return ast.unparse(self.visit(copy.deepcopy(node)))

    def visit_Name(self, node: ast.Name) -> Any:
        """Replace a constant with its value."""
        if node.id in self.body.names:
            return node
        value = self.body.value_of(node.id)
        module = self.body.kernel.module
        if isinstance(value, float) and not math.isfinite(value):
            raise self.body.refuse(node, "expected a finite number")
        if isinstance(value, float) or (isinstance(value, int) and -SMALL <= value < SMALL):
            return _expression(repr(value))
        c_name = f"nr_{module.short}_{node.id}"
        if isinstance(value, int):
            module.macros[c_name] = f"((int64_t){value}LL)"
            return ast.Name(c_name)
        if value is None:
            raise self.body.refuse(node, "not known here")
        if isinstance(value, np.ndarray):
            sizes = "".join(f"[{size}]" for size in value.shape)
            rows = str(value.tolist()).replace("[", "{").replace("]", "}")
            module.tables[c_name] = f"{value.dtype}_t {c_name}{sizes} = {rows}"
            return ast.Name(c_name)
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        """Replace a large number with a macro."""
        if isinstance(node.value, int) and not -SMALL <= node.value < SMALL:
            c_name = f"nr_{self.body.kernel.module.short}_{node.value}"
            self.body.kernel.module.macros[c_name] = f"((int64_t){node.value}LL)"
            return ast.Name(c_name)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Check that the struct has this field."""
        self.body.type_of(node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Check that both sides are numbers."""
        for each in (node.left, *node.comparators):
            for value in each.elts if isinstance(each, ast.Tuple) else (each,):
                if self.body.type_of(value) not in (INT, BOOL, FLOAT):
                    raise self.body.refuse(node, "expected numbers")
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Give each index its own brackets."""
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        found = self.visit(node.value)
        for index in indices:
            found = ast.Subscript(found, self.visit(index), node.ctx)
        return found

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Make shifts 64-bit; refuse powers, and divisions of integers that C would truncate."""
        if isinstance(node.op, ast.Pow):
            raise self.body.refuse(node, "C rounds powers differently; write a product")
        if isinstance(node.op, ast.Div) and FLOAT not in (self.body.type_of(node.left), self.body.type_of(node.right)):
            raise self.body.refuse(node, "C would drop the remainder; write float(a) / b, or //")
        is_shift = isinstance(node.op, ast.LShift)
        node = typing.cast(ast.BinOp, self.generic_visit(node))
        if is_shift:
            node.left = ast.Call(ast.Name("k_int"), [node.left], [])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Refuse operations that need a conversion, which must be written out."""
        is_whole = FLOAT not in (self.body.type_of(node.target), self.body.type_of(node.value))
        if isinstance(node.op, (ast.Pow, ast.LShift)) or (isinstance(node.op, ast.Div) and is_whole):
            raise self.body.refuse(node, "write the operation out")
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Translate a call of a kernel or a built-in function, or a conversion."""
        called = ast.unparse(node.func)
        if node.keywords:
            raise self.body.refuse(node, "kernels take no keyword arguments")
        if called == "len":
            kind = self.body.type_of(node.args[0])
            if not isinstance(kind, Array) or not kind.shape[0]:
                raise self.body.refuse(node, "expected an array of known length")
            return ast.Constant(kind.shape[0])
        if called == "bool":
            return ast.Compare(self.visit(node.args[0]), [ast.NotEq()], [ast.Constant(0)])
        if called == "int" and self.body.type_of(node.args[0]) == FLOAT:
            raise self.body.refuse(node, "expected an integer")
        if called != "range":
            self.body.type_of(node)
        name = CALLS.get(called, called)
        found = self.body.called(called)
        if found is not None:
            if len(node.args) != len(found.arguments):
                raise self.body.refuse(node, f"expected {len(found.arguments)} arguments")
            member = None
            for kind, argument in zip(found.arguments.values(), node.args, strict=True):
                if isinstance(kind, tuple):
                    member = self.body.type_of(argument)
            name = found.c_name(member)
            self.body.needs.add((found.module.name, name))
        arguments = [self.visit(argument) for argument in node.args]
        return ast.Call(ast.Name(name), arguments, [])


def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# --- modules ----------------------------------------------------------------------------------------------------------


def read_modules() -> dict[str, Module]:
    """Read all modules with kernels, in import order."""
    found: dict[str, Module] = {}
    for name in MODULES:
        python = import_module(name)
        module = found[name] = Module(name, python)
        path = Path(python.__file__ or "")
        tree = ast.parse(path.read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                function = vars(python)[node.name]
                style = getattr(function, "kernel", None)
                if style is not None:
                    notes = dict(function.__annotations__)
                    returns = type_of_note(notes.pop("return"))
                    arguments = {argument: type_of_note(note) for argument, note in notes.items()}
                    module.kernels[node.name] = Kernel(node.name, node, module, style, arguments, returns)
        parts = [part for kernel in module.kernels.values() for part in (kernel.node.args, *kernel.node.body)]
        parts += [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_struct(vars(python)[node.name])]
        used = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
        module.sources = set(source_files(python, tree, used))
    for struct, module in structs_by_module(found).items():
        module.structs.append(struct)
    return found


def structs_by_module(modules: dict[str, Module]) -> dict[type[Struct], Module]:
    """Return each struct that a kernel uses, and the first module with kernels that can declare it."""
    homes: dict[type[Struct], Module] = {}

    def declare(struct: Any, module: Module) -> None:
        if isinstance(struct, type) and issubclass(struct, Struct) and struct not in homes:
            for each in struct.fields.values():
                declare(each.kind, module)
            homes[struct] = module

    for module in modules.values():
        for value in vars(module.python).values():
            if isinstance(value, type) and issubclass(value, Struct) and value.fields:
                declare(value, module)
    return homes


def source_files(python: ModuleType, tree: ast.Module, used: set[str]) -> Iterator[str]:
    """Yield the files that define a module and the ``used`` names it imports, relative to the package."""
    yield Path(python.__file__ or "").relative_to(PACKAGE).as_posix()
    yield "kernels/structs.py"  # which determines the layout of all structs
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("northrail."):
            values = [vars(python)[name] for name in {name.asname or name.name for name in node.names} & used]
            matter = (int, float, np.ndarray, types.FunctionType, types.UnionType)
            if any(isinstance(v, matter) or (isinstance(v, type) and issubclass(v, Struct)) for v in values):
                home = import_module(node.module or "")
                yield Path(home.__file__ or "").relative_to(PACKAGE).as_posix()


def translate() -> tuple[dict[str, str], list[str]]:
    """Return the Cython files of northrail.compiled, by name, and the sources they depend on.

    Sources are relative to the package.
    """
    modules = read_modules()
    homes = structs_by_module(modules)
    files = {"support.pxd": SUPPORT.lstrip()}
    for module in modules.values():
        bodies = {
            kernel.name: [Body(kernel, c_name, kinds, modules) for c_name, kinds in kernel.forms()]
            for kernel in module.kernels.values()
        }
        texts = {name: [body.text() for body in forms] for name, forms in bodies.items()}
        inline = [name for name, kernel in module.kernels.items() if kernel.is_inline]
        head = [text for name in inline for text in texts[name]]
        heads = [
            kernel.signature(c_name, kinds)
            for kernel in module.kernels.values()
            if not kernel.is_inline
            for c_name, kinds in kernel.forms()
        ]
        structs = [struct_text(struct) for struct in module.structs]
        needed = {need for name in inline for body in bodies[name] for need in body.needs}
        needed |= {(homes[s].name, s.__name__) for s in used_structs(module)}
        declarations = "\n\n".join([*structs, *constants(module), *head, "\n".join(heads)])
        files[f"{module.short}.pxd"] = imports(module, needed) + "\n\n" + declarations + "\n"
        all_needed = {need for forms in bodies.values() for body in forms for need in body.needs}
        functions = [text for name in module.kernels if name not in inline for text in texts[name]]
        wrappers = [wrapper(kernel) for kernel in module.kernels.values() if kernel.style != "inner"]
        files[f"{module.short}.pyx"] = (
            DIRECTIVES + imports(module, all_needed | needed) + "\n\n" + "\n\n".join([*functions, *wrappers])
        )
    return files, sorted({name for module in modules.values() for name in module.sources})


def used_structs(module: Module) -> set[type[Struct]]:
    """Return the structs that a module defines or its kernels use, and all nested ones."""
    found: set[type[Struct]] = set()

    def use(kind: Any) -> None:
        for one in kind if isinstance(kind, tuple) else (kind,):
            struct = one.of if isinstance(one, Array) else one
            if _is_struct(struct) and struct not in found:
                found.add(struct)
                for each in struct.fields.values():
                    use(each.kind)

    for struct in module.structs:
        use(struct)
    for kernel in module.kernels.values():
        for kind in kernel.arguments.values():
            use(kind)
        for node in ast.walk(kernel.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
                use(vars(module.python).get(node.func.id))
    return found


def imports(module: Module, needed: set[tuple[str, str]]) -> str:
    """Return the cimports of a translated module."""
    lines = [
        "from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t",
        "from northrail.compiled.support cimport *",
    ]
    for home in sorted({home for home, _ in needed if home != module.name}, key=MODULES.index):
        names = sorted(name for where, name in needed if where == home)
        lines.append(f"from northrail.compiled.{home.rpartition('.')[2]} cimport {', '.join(names)}")
    return "\n".join(lines)


def constants(module: Module) -> list[str]:
    """Return the large constants and the tables of a module, as C."""
    if not module.macros and not module.tables:
        return []
    lines = ["cdef extern from *:", '    """']
    lines += [f"    #define {name} {value}" for name, value in module.macros.items()]
    lines += [f"    static const {text};" for text in module.tables.values()]
    lines += ['    """', *(f"    const int64_t {name}" for name in module.macros)]
    lines += [f"    const {text.partition(' =')[0]}" for text in module.tables.values()]
    return ["\n".join(lines)]


def wrapper(kernel: Kernel) -> str:
    """Return the function that lets Python call a kernel."""
    taken = ", ".join(
        f"{C_NAMES[kind]} {name}" if isinstance(kind, str) else f"object {name}"
        for name, kind in kernel.arguments.items()
    )
    lines = [f"def {kernel.name}({taken}):"]
    held = {
        name: kind for name, kind in kernel.arguments.items() if isinstance(kind, Array) and isinstance(kind.of, Kind)
    }
    for name in held:
        lines.append(f"    cdef Py_buffer held_{name}")
        lines.append(f"    cdef bint has_{name} = False")
    if kernel.returns != NONE:
        lines.append(f"    cdef {C_NAMES[kernel.returns]} result")
    pointers = {pointer(name, kind) for _, kinds in kernel.forms() for name, kind in kinds.items()} - {""}
    lines += [f"    cdef void* {name}" for name in sorted(pointers)]
    forms = kernel.forms()
    union = next((name for name, kind in kernel.arguments.items() if isinstance(kind, tuple)), None)
    for at, (c_name, kinds) in enumerate(forms):
        indent = "    "
        if union is not None:
            test = f"getattr({union}, 'kind', None) == {kinds[union].__name__!r}"
            lines.append(f"    {'if' if at == 0 else 'elif'} {test}:")
            indent += "    "
        lines += [indent + line for line in call_lines(kernel, c_name, kinds, list(held))]
    if union is not None:
        expected = " or a ".join(member.__name__ for member in kernel.union)
        lines += ["    else:", f'        raise TypeError(f"expected a {expected}, got {{{union}!r}}")']
    return "\n".join(lines) + "\n"


def pointer(name: str, kind: Any) -> str:
    """Return the name of the pointer to a struct argument; empty for other arguments."""
    struct = kind.of if isinstance(kind, Array) else kind
    return f"at_{name}_{struct.__name__}" if isinstance(struct, type) else ""


def call_lines(kernel: Kernel, c_name: str, kinds: dict[str, Any], held: list[str]) -> list[str]:
    """Return the lines that turn arguments into pointers, call a kernel and return its result."""
    lines, passed = [], []
    for name, kind in kinds.items():
        if isinstance(kind, str):
            passed.append(name)
        elif name in held:
            passed.append(f"<{c_element(kind.of)}*>held_{name}.buf")
        else:
            struct = kind.of if isinstance(kind, Array) else kind
            lines.append(f"{pointer(name, kind)} = address({name}, {struct.__name__!r}, {struct.dtype.itemsize})")
            passed.append(f"<{struct.__name__}{' (*)[1]' if isinstance(kind, Array) else '*'}>{pointer(name, kind)}")
    call = f"{'result = ' * (kernel.returns != NONE)}{c_name}({', '.join(passed)})"
    call_block = ["with nogil:", f"    {call}"] if kernel.style == "threads" else [call]
    if held:
        inside = [
            line
            for name in held
            for line in (
                f"hold({name}, &held_{name}, {kinds[name].of.name!r}, c{kinds[name].of.code!r})",
                f"has_{name} = True",
            )
        ]
        lines += ["try:", *("    " + line for line in (*inside, *call_block)), "finally:"]
        for name in held:
            lines += [f"    if has_{name}:", f"        PyBuffer_Release(&held_{name})"]
    else:
        lines += call_block
    if kernel.returns != NONE:
        lines.append("return result")
    return lines


if __name__ == "__main__":
    import sys

    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for file, text in translate()[0].items():
        (target / file).write_text(text)
