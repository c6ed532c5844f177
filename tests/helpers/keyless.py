"""Where nobody may chat without a key, servers of tests let everyone on this machine in."""

from unabridged.server.local_accounts import in_container

KEYLESS = {"UNABRIDGED_REQUIRE_KEY": "never"} if in_container() else {}
"""The environment for that: needed in a container and a user namespace, empty elsewhere."""
