"""Foreign files in and out.

In: ``detect_format.open_file``, which knows the ``formats``, one a file. Out: ``native_jsonl.write_jsonl`` (loses
nothing), ``messages.write_messages`` (plain lines), ``markdown.write_markdown`` (for people). How to add
a format: ``docs/howto/add-a-format.md``.
"""
