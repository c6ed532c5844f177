"""Every error that Unabridged raises, in one tree.

Each reports what happened and, in ``hint``, what to do next. An operation that raises one has
lost nothing: it happened as a whole or not at all.
the operation either happened whole or not at all.

UnabridgedError
├── SettingError             a setting, argument or option that cannot be used
│   └── MissingExtraError    an optional package that is not installed
├── InputError               a message, name or query that is not accepted
│   ├── EmptyMessageError
│   ├── NameRefusedError
│   └── ToolError            a tool that cannot be described or called
├── AccessError              the caller is not allowed to
│   ├── KeyRefusedError      an API key is missing or not valid
│   ├── PermissionRefusedError  the key does not allow it
│   └── RequestRefusedError  a request over HTTP that is refused for its form, size or number
├── UnsupportedError         this kind of memory cannot do it
├── NotFoundError            nothing has this id or title
├── WindowError              the prompt does not fit the window
│   └── PromptTooLargeError
├── StoreError
│   ├── DuplicateIdError
│   ├── HeadMovedError       another writer was faster
│   ├── StoreBusyError
│   ├── StoreClosedError
│   │   └── StoreForkedError    opened before this process was forked
│   ├── StoreDamagedError
│   │   ├── StoreEditedError    a file was edited by hand and not adopted yet
│   │   └── StoreTamperedError  a message, its place or a whole file was changed
│   ├── StoreFormatError     written by a newer version
│   ├── StoreFullError
│   ├── StoreKeyError        encrypted, and the key is missing or wrong
│   ├── StoreOlderError      older than when the home last used it, or another file
│   └── StoreReadOnlyError
├── UpstreamError
│   ├── ContextRefusedError  the server refused the prompt for its length
│   ├── ModelNotFoundError
│   ├── NoModelError         a server without any model
│   ├── UpstreamAwayError    nothing answers at the address
│   ├── UpstreamBrokenError  the answer broke off
│   └── UpstreamRefusedError the server answered with an error
└── TransferError            a foreign file that cannot be read or written
    ├── BackupError          a backup that cannot be made, opened or restored
    ├── BadRecordError
    ├── MigrationError       an old folder that cannot be migrated or restored
    └── UnknownFormatError
"""

from typing import ClassVar


class UnabridgedError(Exception):
    """The root of the tree.

    Args:
        message: What happened, in one sentence.
        hint: What to do next, in one sentence; may be empty.
    """

    exit_code: ClassVar[int] = 1
    """The exit status of the command line when this error ends it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SettingError(UnabridgedError):
    """A setting, argument or option cannot be used."""

    exit_code = 2


class MissingExtraError(SettingError):
    """An optional package is not installed.

    Args:
        package: The package that is needed.
        extra: The extra of ``unabridged`` that installs it.
        afterwards: Arguments of a second call of pip, or empty.
    """

    def __init__(self, package: str, extra: str, afterwards: str = "") -> None:
        from unabridged.installation import (  # noqa: PLC0415 - 15 ms that only this error needs
            install_command,
            pip_command,
        )

        super().__init__(
            f"This needs the package {package!r}, which is not installed.",
            hint=f"Install it with: {install_command(extra)}"
            + (f" && {pip_command()} {afterwards}" if afterwards else ""),
        )
        self.package = package
        self.extra = extra


class InputError(UnabridgedError):
    """A message, name or query is not accepted."""

    exit_code = 2


class EmptyMessageError(InputError):
    """A message without any content."""


class NameRefusedError(InputError):
    """A user, agent, model or space name that cannot be used."""


class ToolError(InputError):
    """A tool cannot be described or called."""


class AccessError(UnabridgedError):
    """The caller is not allowed to do this."""

    exit_code = 2


class KeyRefusedError(AccessError):
    """The API key is missing, unknown, expired or revoked."""


class PermissionRefusedError(AccessError):
    """The API key does not allow this action, or not in this memory."""


class RequestRefusedError(AccessError):
    """A request over HTTP is refused for its origin, form, size or rate.

    Args:
        message: What is wrong with it.
        status: The HTTP status.
        code: A code for programs.
        hint: What to do next.
        wait: Seconds after which it may be sent again, or None.
    """

    def __init__(
        self, message: str, *, status: int, code: str, hint: str = "", wait: int | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code
        self.wait = wait


class UnsupportedError(UnabridgedError, AttributeError):
    """This kind of memory cannot do it; also an ``AttributeError``, as Python expects."""

    exit_code = 2


class NotFoundError(UnabridgedError):
    """Nothing has this id or title."""

    exit_code = 3


class WindowError(UnabridgedError):
    """The prompt does not fit the window."""

    exit_code = 4


class PromptTooLargeError(WindowError):
    """The parts that cannot be left out exceed the window.

    Args:
        needed: Tokens that the fixed parts, the message and the least answer need.
        window: Tokens that the window has.
        hint: What would help.
    """

    def __init__(self, needed: int, window: int, *, hint: str) -> None:
        over = needed - window
        super().__init__(
            f"The prompt needs {needed:,} tokens and the window has {window:,}: {over:,} too many.",
            hint=hint,
        )
        self.needed = needed
        self.window = window
        self.over = over


class StoreError(UnabridgedError):
    """The store could not do this; nothing was half done."""

    exit_code = 5


class DuplicateIdError(StoreError):
    """An id is in the store already."""


class HeadMovedError(StoreError):
    """Another writer has moved the session's head since it was read.

    Args:
        session: The session's id.
        expected: The head that the caller read, or None for an empty session.
        found: The head that the store holds.
    """

    def __init__(self, session: str, expected: str | None, found: str | None) -> None:
        super().__init__(
            f"Session {session} has moved on: its head is {found}, not {expected}.",
            hint="Read the session again and repeat; nothing was written.",
        )
        self.session = session
        self.expected = expected
        self.found = found


class MissingParentError(StoreError):
    """What a new exchange follows, or shares a message with, is not in the space any more."""


class StoreBusyError(StoreError):
    """Other processes kept the store locked for longer than the time allowed."""


class StoreClosedError(StoreError):
    """The store is closed."""


class StoreForkedError(StoreClosedError):
    """The store was opened before this process was forked, and only its parent may use it."""


class StoreDamagedError(StoreError):
    """The stored data is not what was written."""


class StoreEditedError(StoreDamagedError):
    """A file was edited by hand; adopt or undo the edit to read it."""


class StoreTamperedError(StoreDamagedError):
    """The hash chain does not match: a message was changed, removed or added."""


class StoreOlderError(StoreError):
    """The file of a space is older than when the home last used it, or another one."""


class StoreFormatError(StoreError):
    """The store was written by a newer version, or the file is not a store."""


class StoreFullError(StoreError):
    """The disk is full."""


class StoreKeyError(StoreError):
    """The store is encrypted, and its key is missing or wrong."""


class StoreReadOnlyError(StoreError):
    """The store can be read but not written."""


class UpstreamError(UnabridgedError):
    """The model server did not answer as it should."""

    exit_code = 6


class ContextRefusedError(UpstreamError):
    """The server refused the prompt for its length.

    Args:
        message: What the server reported.
        prompt_tokens: Tokens that the server counted, if it names them.
        window: Tokens that the server allows, if it names them.
        hint: What to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        prompt_tokens: int | None = None,
        window: int | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.prompt_tokens = prompt_tokens
        self.window = window


class ModelNotFoundError(UpstreamError):
    """The server does not have the model."""


class NoModelError(UpstreamError):
    """The server has no model."""


class UpstreamAwayError(UpstreamError):
    """Nothing answers at the address."""


class UpstreamBrokenError(UpstreamError):
    """The answer broke off before its end; what arrived is kept as incomplete."""


class UpstreamRefusedError(UpstreamError):
    """The server answered with an error.

    Args:
        message: What the server reported.
        status: The HTTP status, or None for an error inside a stream.
        hint: What to do next.
    """

    def __init__(self, message: str, *, status: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class TransferError(UnabridgedError):
    """A foreign file cannot be read or written."""

    exit_code = 7


class BackupError(TransferError):
    """A backup cannot be made, opened or restored."""


class MigrationError(TransferError):
    """An old folder cannot be migrated or restored; it still works as before."""


class BadRecordError(TransferError):
    """A record of a file cannot be read.

    Args:
        message: What is wrong with it.
        line: The line (from 1) or position of the record.
        hint: What to do next.
    """

    def __init__(self, message: str, *, line: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.line = line


class UnknownFormatError(TransferError):
    """No format matches the file."""
