"""The MCP server: memory as tools, resources and prompts for agents.

Its modules need the extra ``mcp`` and are imported only when needed. Tools follow the table of
operations; ``views`` declares how they look. Protocol: https://modelcontextprotocol.io/specification (2025-11-25 and 2026-07-28), as the
official package ``mcp`` 2.3 speaks it.
"""
