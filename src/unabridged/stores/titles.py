"""What forgetting means for the words that a session's header keeps."""

from collections.abc import Iterable

from unabridged.domain.message import Message
from unabridged.domain.session import title_from


def bears_title(title: str, lost: Iterable[Message]) -> bool:
    """Tell whether a title was made from one of the messages that were lost."""
    return title != "" and any(title_from(message.text) == title for message in lost)
