"""Many things, of which few are in use at a time: only these are kept as objects, all others packed into bytes.

A run with a full window takes 52 KB as objects and 7 KB packed where real agents are at work (14 KB where every result
is 1 KB of other random words), one of four calls 1.2 KB. To pack it costs 260 us at a full window and to unpack it 130
(50 and 25 after four calls), which is nothing beside the seconds that an agent thinks before its next call. What comes
out of the bytes is equal to what went in, so whether and when a thing is packed changes nothing but time and memory.
"""

from __future__ import annotations

import pickle
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

HOT = 256
"""Things kept as objects, at most."""
HOT_SHARE = 4
"""They take a quarter of the memory at most: 213 runs of 256 KB by default."""
LEVEL = 1
"""Of zlib: level 6 takes twice as long for 7 % less."""
RAW = -15
"""No header and no checksum: the bytes never leave the process."""
ENTRY_BYTES = 400
"""Of a packed thing beside its bytes: its key, its place in the table, and the objects around the bytes."""


class Packed(NamedTuple):
    """A thing as bytes."""

    data: bytes
    plain: bool
    """MessagePack, not pickle."""
    last_ns: int

    @property
    def size(self) -> int:
        """Bytes it takes, about."""
        return len(self.data) + ENTRY_BYTES


class Packer(Generic[T]):
    """Makes bytes of a ``kind`` of thing and things of bytes; ``parts`` are what it is made of, for compression only.

    What MessagePack cannot hold (names that are not Unicode, numbers of more than 64 bits) is pickled, eight times as
    slowly.
    """

    def __init__(self, kind: type[T], *parts: type[msgspec.Struct], last_ns: Callable[[T], int]) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._encoder = msgspec.msgpack.Encoder()
        self.last_ns = last_ns
        """When a thing was last in use."""
        named: tuple[type[msgspec.Struct], ...] = (kind, *parts)
        self._known = b"".join(self._encoder.encode(_blank(part)) for part in named)
        """Where the names of all fields stand already: a run of four calls takes 1.2 KB instead of 1.6."""

    def pack(self, thing: T) -> Packed:
        """The thing as bytes."""
        try:
            data, plain = self._encoder.encode(thing), True
        except (UnicodeError, OverflowError):
            data, plain = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL), False
        squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, RAW, zdict=self._known)
        return Packed(squeeze.compress(data) + squeeze.flush(), plain, self.last_ns(thing))

    def unpack(self, packed: Packed) -> T:
        """The thing anew."""
        data = zlib.decompressobj(RAW, zdict=self._known).decompress(packed.data)
        return self._decoder.decode(data) if packed.plain else cast("T", pickle.loads(data))  # noqa: S301 - our own bytes


def _blank(part: type[msgspec.Struct]) -> dict[str, Any]:
    """Every field with its default, or nothing."""
    blank: dict[str, Any] = {}
    for field in msgspec.structs.fields(part):
        made = None if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        blank[field.encode_name] = made if field.default is msgspec.NODEFAULT else field.default
    return blank


class Shelf(Generic[T]):
    """Things by key, the least recently used first; the last few of them are objects, each taken for ``weight`` bytes.

    The shelf drops nothing by itself: whoever keeps things on it asks whether it is ``overfull``, and pops the oldest.
    """

    def __init__(self, packer: Packer[T], weight: int, max_bytes: int) -> None:
        self._packer = packer
        self._weight = weight
        self._max_bytes = max_bytes
        self._most = max(1, min(HOT, max_bytes // HOT_SHARE // weight))
        self._hot: OrderedDict[str, T] = OrderedDict()
        self._cold: OrderedDict[str, Packed] = OrderedDict()
        """All of them used before any that is hot."""
        self._packed_bytes = 0

    @property
    def size(self) -> int:
        """Bytes that all of them take, about."""
        return self._packed_bytes + len(self._hot) * self._weight

    @property
    def overfull(self) -> bool:
        """Whether that is more than it may be, and there is more than the latest to blame."""
        return self._packed_bytes + len(self._hot) * self._weight > self._max_bytes and len(self) > 1

    def use(self, key: str) -> T | None:
        """The thing of that key, from now on the latest."""
        thing = self._hot.get(key)
        if thing is not None:
            self._hot.move_to_end(key)
        elif key in self._cold:
            thing = self._packer.unpack(self._cold[key])
            self.put(key, thing)
        return thing

    def look(self, key: str) -> T | None:
        """The thing of that key as it stands; what is done to it may be lost."""
        thing = self._hot.get(key)
        if thing is None and key in self._cold:
            thing = self._packer.unpack(self._cold[key])
        return thing

    def put(self, key: str, thing: T) -> None:
        """Add a thing as the latest."""
        self._hot[key] = thing
        self._hot.move_to_end(key)
        if key in self._cold:
            self._packed_bytes -= self._cold.pop(key).size
        if len(self._hot) > self._most:
            oldest, cooled = self._hot.popitem(last=False)
            self._cold[oldest] = packed = self._packer.pack(cooled)
            self._packed_bytes += packed.size

    def pop(self, key: str) -> T | None:
        """Take a thing out."""
        packed = self._cold.pop(key, None)
        if packed is None:
            return self._hot.pop(key, None)
        self._packed_bytes -= packed.size
        return self._packer.unpack(packed)

    def oldest(self) -> tuple[str, int]:
        """Key of the thing that was not used for longest, and when it was. ``StopIteration`` if there is none."""
        for key, packed in self._cold.items():
            return key, packed.last_ns
        key, thing = next(iter(self._hot.items()))
        return key, self._packer.last_ns(thing)

    def __len__(self) -> int:
        return len(self._hot) + len(self._cold)

    def items(self, change: Callable[[T], None] | None = None) -> Iterator[tuple[str, T]]:
        """Each thing with its key, after the ``change``; of those that are packed, one at a time is an object."""
        for key, packed in self._cold.items():
            thing = self._packer.unpack(packed)
            if change is not None:
                change(thing)
                self._cold[key] = again = self._packer.pack(thing)
                self._packed_bytes += again.size - packed.size
            yield key, thing
        for key, thing in self._hot.items():
            if change is not None:
                change(thing)
            yield key, thing
