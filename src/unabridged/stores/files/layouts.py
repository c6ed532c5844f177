"""The three layouts of the seeds."""

from collections.abc import Mapping

from unabridged.stores.files.by_agent import AgentLayout
from unabridged.stores.files.by_model import ModelLayout
from unabridged.stores.files.by_user import UserLayout
from unabridged.stores.files.layout import Layout

KNOWN: Mapping[str, Layout] = {
    "model": ModelLayout(),
    "agent": AgentLayout(),
    "user": UserLayout(),
}
