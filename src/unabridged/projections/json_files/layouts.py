"""The three layouts of the seeds."""

from collections.abc import Mapping

from unabridged.projections.json_files.by_agent import AgentLayout
from unabridged.projections.json_files.by_model import ModelLayout
from unabridged.projections.json_files.by_user import UserLayout
from unabridged.projections.json_files.layout import Layout

KNOWN: Mapping[str, Layout] = {
    "model": ModelLayout(),
    "agent": AgentLayout(),
    "user": UserLayout(),
}
