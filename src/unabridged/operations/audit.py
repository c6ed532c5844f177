"""The audit log: list who reached memory."""

from unabridged.domain.audit import AuditEntry
from unabridged.errors import PermissionRefusedError
from unabridged.operations.call import Call
from unabridged.operations.dates import When, period_of
from unabridged.operations.operation import Page, Paged, operation
from unabridged.operations.pages import page_of


class AuditPage(Paged):
    """Which entries to list.

    Attributes:
        since: Only entries from this date or time on.
    """

    since: When | None = None


@operation("audit.list", "GET /audit", "Entries of the audit log, the newest first.", whole=True)
def list_audit(call: Call, params: AuditPage) -> Page[AuditEntry]:
    """List who read, exported, shared, imported and forgot, the newest first; no entry has content.

    It is the log of the whole home: the key must be for every user and agent.
    """
    from unabridged.home.audit_log import entries  # noqa: PLC0415 - slow, and help needs none of it

    if call.grant.is_narrow:
        raise PermissionRefusedError(
            "This key is for one user, agent or session; the audit log is that of all.",
            hint="Use a key without those limits: unabridged keys create NAME --right read",
        )
    since, _ = period_of(params.since, None)
    found = entries(call.pool.settings, since)
    return page_of(found, _id_of, params.limit, params.cursor, is_reversed=True)


def _id_of(entry: AuditEntry) -> str:
    return f"{entry.at.timestamp():017.6f} {entry.number:012}"
