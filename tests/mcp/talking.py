"""Words with a client: calls that must succeed, or must fail."""


def text_of(result):
    return "\n".join(block.text for block in result.content)


async def called(client, tool, **arguments):
    """Call a tool that must succeed, and give its structured content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refused(client, tool, **arguments):
    """Call a tool that must fail, and give what it says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return text_of(result)
