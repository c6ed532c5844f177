"""The bytes of a space's contents are those of its parts as JSON, whatever is in them."""

from datetime import UTC, datetime

import pytest

from unabridged.domain.message import Image, Message, Role, Text, part_to_dict
from unabridged.stores.json_codec import pack
from unabridged.stores.memory_content import size_of

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "parts",
    [
        (Text(""),),
        (Text('plain, "quoted", \\ and\nbroken'),),
        (Text("naïve 世界 🙂"),),
        (Text("half an emoji: \ud83d"),),
        (Text("two"), Text("texts")),
        (Image("file:///a.png"),),
        (),
    ],
)
def test_the_size_of_a_message_is_that_of_its_json(parts):
    message = Message("m", Role.USER, parts, AT)
    assert size_of(message) == len(pack([part_to_dict(part) for part in parts]))
