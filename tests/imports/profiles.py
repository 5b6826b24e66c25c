# SPDX-License-Identifier: MIT
"""Profiles in the format of pprof, written field by field, so that they can be wrong."""
import gzip


def number(value):
    """A varint; of negative numbers the ten bytes that protocol buffers have."""
    value &= (1 << 64) - 1
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7f | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def field(tag, value):
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    return number(tag << 3 | 2) + number(len(value)) + value


def message(*fields):
    return b"".join(field(tag, value) for tag, value in fields)


class Pprof:
    """One that is put together; bytes() has it so far."""

    def __init__(self, *types):
        self.strings, self.parts = [""], []
        self.functions, self.locations = {}, {}
        for kind, unit in types:
            self.put(1, message((1, self.text(kind)), (2, self.text(unit))))

    def put(self, tag, value):
        self.parts.append(field(tag, value))

    def text(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def function(self, name, file="", line=0, system=""):
        key = (name, file)
        if key not in self.functions:
            self.functions[key] = len(self.functions) + 1
            self.put(5, message((1, self.functions[key]), (2, self.text(name)),
                                (3, self.text(system)), (4, self.text(file)), (5, line)))
        return self.functions[key]

    def location(self, *lines, mapping=0, address=0):
        """lines: (function, line), inlined ones first."""
        key = (lines, mapping, address)
        if key not in self.locations:
            self.locations[key] = len(self.locations) + 1
            self.put(4, message((1, self.locations[key]), (2, mapping), (3, address),
                                *((4, message((1, function), (2, line)))
                                  for function, line in lines)))
        return self.locations[key]

    def stack(self, *names):
        """Locations of functions, from the root, as a sample wants them."""
        return [self.location((self.function(name), 0)) for name in reversed(names)]

    def sample(self, locations, values, labels=()):
        self.put(2, message((1, b"".join(map(number, locations))),
                            (2, b"".join(map(number, values))),
                            *((3, message((1, self.text(key)), (2, self.text(text))))
                              for key, text in labels)))

    def bytes(self, packed=True):
        data = b"".join(self.parts) + b"".join(
            field(6, text if isinstance(text, bytes) else text.encode())
            for text in self.strings)
        return gzip.compress(data) if packed else data
