"""The MCP server: memory as tools, resources and prompts for agents."""
