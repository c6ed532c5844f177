"""The MCP server: memory as tools, resources and prompts for agents.

Nothing of it is imported before it is asked for: ``server_of`` and ``mcp_mount`` need the extra
``mcp``. Protocol: https://modelcontextprotocol.io/specification (2025-11-25 and 2026-07-28), as the
official package ``mcp`` 2.3 speaks it.
"""
