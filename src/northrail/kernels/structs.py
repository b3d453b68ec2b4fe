"""Structs: flat memory with named fields. Each struct is declared once, as a class.

mypy and editors understand the class, NumPy gets its dtype from it, and `tools/translate.py` its C struct. Kernels take
structs as arguments; in compiled code a struct is one pointer.
"""

import math
import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np

T = TypeVar("T")
Read_co = TypeVar("Read_co", covariant=True)
S = TypeVar("S", bound="Struct")
Part_co = TypeVar("Part_co", bound="Struct", covariant=True)


# --- arrays, as mypy sees them ----------------------------------------------------------------------------------------


class Array1(Protocol[T]):
    """Values with one index: a field of a struct, part of one, or a kernel's local array."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> T: ...
    @overload
    def __getitem__(self, at: slice, /) -> "Array1[T]": ...
    def __setitem__(self, at: Any, value: Any, /) -> None: ...
    def __iter__(self) -> Iterator[T]: ...
    def tolist(self) -> list[T]:
        """Return the values as a list."""
        ...


class Array2(Protocol[T]):
    """Values with two indices, in one pair of brackets."""

    @overload
    def __getitem__(self, at: int, /) -> Array1[T]: ...
    @overload
    def __getitem__(self, at: tuple[int, int], /) -> T: ...
    @overload
    def __getitem__(self, at: slice, /) -> "Array2[T]": ...
    def __setitem__(self, at: Any, value: Any, /) -> None: ...
    def tolist(self) -> list[list[T]]:
        """Return the values as a list of lists."""
        ...


class Array3(Protocol[Read_co]):
    """Values with three indices."""

    @overload
    def __getitem__(self, at: tuple[int, int, int], /) -> Read_co: ...
    @overload
    def __getitem__(self, at: tuple[int, int], /) -> Any: ...
    def __setitem__(self, at: Any, value: Any, /) -> None: ...


class Array4(Protocol[Read_co]):
    """Values with four indices."""

    @overload
    def __getitem__(self, at: tuple[int, int, int, int], /) -> Read_co: ...
    @overload
    def __getitem__(self, at: tuple[int, int, int], /) -> Any: ...
    def __setitem__(self, at: Any, value: Any, /) -> None: ...


# --- fields -----------------------------------------------------------------------------------------------------------


class Field:
    """A field of a struct: its type, its shape, and its offset once the struct is laid out."""

    def __init__(self, kind: Any, shape: tuple[int, ...]) -> None:
        self.kind = kind  # a Kind, or the class of a nested struct
        self.shape = shape
        self.name = ""
        self.offset = -1

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    def value_in(self, memory: memoryview) -> Any:
        """Return the value as a number, a tuple or a list of tuples."""
        flat = self._layout.unpack_from(memory, self.offset)
        if len(self.shape) < 2:
            return flat if self.shape else flat[0]
        return [flat[start : start + self.shape[1]] for start in range(0, len(flat), self.shape[1])]

    @cached_property
    def _layout(self) -> struct.Struct:
        assert isinstance(self.kind, Kind), "nested structs have no value"
        assert len(self.shape) <= 2, "deeper arrays have no value"
        return struct.Struct(f"={math.prod(self.shape)}{self.kind.code}")


class ScalarField(Field):
    """One value."""

    def __init__(self, kind: "Kind[Any]") -> None:
        super().__init__(kind, ())
        layout = struct.Struct("=" + kind.code)
        self._unpack, self._pack = layout.unpack_from, layout.pack_into

    def __get__(self, of: "Struct | None", _owner: Any = None) -> Any:
        return self if of is None else self._unpack(of.memory, self.offset)[0]

    def __set__(self, of: "Struct", value: Any) -> None:
        self._pack(of.memory, self.offset, value)


class ArrayField(Field):
    """Several values: a NumPy array over the struct's own memory, created on first access."""

    def __get__(self, of: "Struct | None", _owner: Any = None) -> Any:
        if of is None:
            return self
        array: Any = np.ndarray(self.shape, self.kind.dtype, of.memory, self.offset)
        of.__dict__[self.name] = array  # hides this descriptor from now on, because it has no __set__
        return array


class PartField(Field):
    """One or several structs inside a struct."""

    def __get__(self, of: "Struct | None", _owner: Any = None) -> Any:
        if of is None:
            return self
        memory = of.memory[self.offset : self.offset + self.kind.dtype.itemsize * math.prod(self.shape)]
        part = Structs(self.kind, self.shape[0], memory) if self.shape else self.kind(memory)
        of.__dict__[self.name] = part
        return part


class Kind(Generic[T]):
    """A type of number. Call it with a shape to declare a field; `empty` and `zeros` make a kernel's local array."""

    def __init__(self, name: str, code: str) -> None:
        self.name = name
        self.code = code  # format character of the `struct` module and of buffers
        self.dtype: np.dtype[Any] = np.dtype(name)

    @overload
    def __call__(self) -> T: ...
    @overload
    def __call__(self, a: int, /) -> Array1[T]: ...
    @overload
    def __call__(self, a: int, b: int, /) -> Array2[T]: ...
    @overload
    def __call__(self, a: int, b: int, c: int, /) -> Array3[T]: ...
    @overload
    def __call__(self, a: int, b: int, c: int, d: int, /) -> Array4[T]: ...
    def __call__(self, *shape: int) -> Any:
        """Declare a field."""
        return ArrayField(self, shape) if shape else ScalarField(self)

    @overload
    def zeros(self, a: int, /) -> Array1[T]: ...
    @overload
    def zeros(self, a: int, b: int, /) -> Array2[T]: ...
    def zeros(self, *shape: int) -> Any:
        """Return an array of zeros, inside a kernel."""
        return np.zeros(shape, self.dtype)

    def empty(self, size: int) -> Array1[T]:
        """Return an uninitialised array, inside a kernel that writes every value before reading it."""
        array: Array1[T] = np.empty(size, self.dtype)
        return array


int8 = Kind[int]("int8", "b")
uint8 = Kind[int]("uint8", "B")
int16 = Kind[int]("int16", "h")
int32 = Kind[int]("int32", "i")
int64 = Kind[int]("int64", "q")
float32 = Kind[float]("float32", "f")
float64 = Kind[float]("float64", "d")

# Arrays as arguments of kernels.
Bytes = Annotated[Array1[int], uint8]
Int8s = Annotated[Array1[int], int8]
Int16s = Annotated[Array1[int], int16]
Int32s = Annotated[Array1[int], int32]
Int64s = Annotated[Array1[int], int64]
Floats = Annotated[Array1[float], float64]
Float32s = Annotated[Array1[float], float32]


# --- structs ----------------------------------------------------------------------------------------------------------


class Struct:
    """A struct. Its fields are those of its base classes, then its own, in order. A new struct is all zeros.

    >>> class Point(Struct):
    ...     x = int16()
    ...     path = int8(3, 2)  # [step, axis]
    >>> point = Point()
    >>> point.x, point.path[2, 1] = 300, -5
    >>> point.x, point.path.tolist(), len(bytes(point))
    (300, [[0, 0], [0, 0], [0, -5]], 8)
    """

    kind: ClassVar[str]  # its name, which compiled kernels check
    fields: ClassVar[dict[str, Field]] = {}
    dtype: ClassVar[np.dtype[Any]]
    __slots__ = ("__dict__", "memory")

    def __init_subclass__(cls) -> None:
        cls.kind = cls.__name__
        cls.fields = {
            name: field
            for base in reversed(cls.__mro__)
            for name, field in vars(base).items()
            if isinstance(field, Field)
        }
        cls.dtype = np.dtype([(name, field.kind.dtype, field.shape) for name, field in cls.fields.items()], align=True)
        for name, field in cls.fields.items():  # inherited fields have the same offset as in the base class
            field.offset = int(cls.dtype.fields[name][1]) if cls.dtype.fields else 0

    def __init__(self, memory: memoryview | None = None) -> None:
        self.memory = memoryview(bytearray(self.dtype.itemsize)) if memory is None else memory

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Return a struct with these bytes."""
        return cls(memoryview(bytearray(content)))

    @classmethod
    def many(cls, count: int) -> "Structs[Self]":
        """Return this many structs side by side."""
        return Structs(cls, count)

    @property
    def array(self) -> Any:
        """The same memory as a NumPy structured array with one element."""
        return np.frombuffer(self.memory, self.dtype)

    @property
    def values(self) -> "Values":
        """The fields as plain Python values."""
        return Values(self)

    def copy(self) -> Self:
        """Return a struct with the same content."""
        return type(self)(memoryview(bytearray(self.memory)))

    def __bytes__(self) -> bytes:
        return bytes(self.memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.of, (bytes(self),)


class Values:
    """The fields of a struct as numbers, tuples and lists of tuples; reading them from NumPy arrays takes longer.

    A field is read on first access and then kept, so the struct must not change.
    """

    def __init__(self, of: Struct) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = self._of.fields[name].value_in(self._of.memory)
        return value


class Structs(Generic[Part_co]):
    """Structs of the same kind side by side in memory."""

    def __init__(self, of: type[Part_co], count: int, memory: memoryview | None = None) -> None:
        self.of = of
        self.kind = of.kind
        self.count = count
        self.memory = memoryview(bytearray(of.dtype.itemsize * count)) if memory is None else memory

    @property
    def array(self) -> Any:
        """The same memory as a NumPy structured array."""
        return np.frombuffer(self.memory, self.of.dtype, self.count)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, at: int) -> Part_co:
        if not 0 <= at < self.count:
            raise IndexError(f"expected an index from 0 to {self.count - 1}, got {at}")
        size = self.of.dtype.itemsize
        return self.of(self.memory[at * size : (at + 1) * size])

    def __iter__(self) -> Iterator[Part_co]:
        return (self[at] for at in range(self.count))


@overload
def part(of: type[S], /) -> S: ...
@overload
def part(of: type[S], count: int, /) -> Structs[S]: ...
def part(of: Any, /, *shape: int) -> Any:
    """Declare one or several structs inside a struct."""
    return PartField(of, shape)


def shared_bytes(one: type[Struct], other: type[Struct]) -> int:
    """Return how many leading bytes two kinds of struct share: the fields of their common base class."""
    if one is other:
        return one.dtype.itemsize
    base = next(base for base in one.__mro__ if issubclass(base, Struct) and issubclass(other, base))
    last = list(base.fields.values())[-1]
    return int(last.offset + np.dtype((last.kind.dtype, last.shape)).itemsize)


def copy_struct(target: Struct, source: Struct) -> None:
    """Copy a struct, or the leading fields that the two kinds share."""
    size = shared_bytes(type(target), type(source))
    target.memory[:size] = source.memory[:size]


def clear_struct(target: Struct) -> None:
    """Set every field to zero."""
    target.memory[:] = bytes(len(target.memory))
