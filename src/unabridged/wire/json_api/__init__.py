"""Our own JSON: values of the domain to and from plain data, with their schemas."""

from unabridged.wire.json_api.problems import error_from, problem_of, type_of
from unabridged.wire.json_api.schemas import Schemas
from unabridged.wire.json_api.to_plain import from_plain, to_json, to_plain

__all__ = [
    "Schemas",
    "error_from",
    "from_plain",
    "problem_of",
    "to_json",
    "to_plain",
    "type_of",
]
