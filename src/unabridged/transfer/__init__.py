"""Foreign files in and out.

In: ``detect.open_file``, which knows the ``formats``, one a file. Out: ``unabridged.write_jsonl`` (loses
nothing), ``messages.write_messages`` (plain lines), ``markdown.write_markdown`` (for people). How to add
a format: ``docs/howto/add-a-format.md``.
"""
