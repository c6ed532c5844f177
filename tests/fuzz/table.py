"""The table of targets."""

from tests.fuzz import files, inputs, small_files, wire

_MODULES = (files, small_files, wire, inputs)
TARGETS = {target.name: target for module in _MODULES for target in module.TARGETS}
