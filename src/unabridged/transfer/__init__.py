"""Foreign files in and out, one format a file.

In: ``detect.open_file``. Out: ``unabridged.write_jsonl`` (loses nothing), ``messages.write_messages`` (plain
lines), ``markdown.write_markdown`` (for people). How to add a format: ``docs/howto/add-a-format.md``.
"""
