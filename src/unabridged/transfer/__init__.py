"""Imports foreign files, and exports files.

In: ``detect_format.open_file``, with one file for each of the ``formats``. Out:
``native_jsonl.write_jsonl`` (loses nothing), ``messages.write_messages`` (plain lines),
``markdown.write_markdown`` (for people). To add a format: ``docs/howto/add-a-format.md``.
"""
