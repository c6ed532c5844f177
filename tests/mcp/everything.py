"""What the conformance kit asks of a test server, added to ours: tools, resources, prompts.

The kit calls tools by names of its own (``test_simple_text`` …) to look at how results, errors,
progress and questions travel. They are added to our server behind our mount, so that transport,
guard and errors are ours. Names and texts are those that the descriptions of its scenarios ask for.
"""

import base64
import json
import struct
import zlib
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Resolve, Sample, UserMessage
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    AudioContent,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, Field


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
        _chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")),
        _chunk(b"IEND", b""),
    ]
)
"""One red pixel."""
WAV = (
    b"RIFF"
    + struct.pack("<I", 36)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    + b"data"
    + struct.pack("<I", 0)
)
"""No sound."""
IMAGE = ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")
AUDIO = AudioContent(type="audio", data=base64.b64encode(WAV).decode(), mime_type="audio/wav")
PAUSE = 0.05


def _text(text):
    return TextContent(type="text", text=text)


def _embedded(uri, mime, text):
    content = TextResourceContents(uri=uri, mime_type=mime, text=text)
    return EmbeddedResource(type="resource", resource=content)


def add_everything(server):
    """Add what the kit asks for."""
    _add_results(server)
    _add_questions(server)
    _add_rounds(server)
    _add_states(server)
    _add_many_rounds(server)
    _add_demands(server)
    _add_resources(server)
    _add_prompts(server)


def _add_results(server):
    @server.tool()
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool()
    def test_image_content() -> ImageContent:
        return IMAGE

    @server.tool()
    def test_audio_content() -> AudioContent:
        return AUDIO

    @server.tool()
    def test_embedded_resource() -> EmbeddedResource:
        text = "This is an embedded resource content."
        return _embedded("test://embedded-resource", "text/plain", text)

    @server.tool()
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        data = json.dumps({"test": "data", "value": 123})
        mixed = _embedded("test://mixed-content-resource", "application/json", data)
        return [_text("Multiple content types test:"), IMAGE, mixed]

    @server.tool()
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool()
    async def test_tool_with_progress(ctx: Context) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
            await anyio.sleep(PAUSE)
        return "done"


class User(BaseModel):
    """A person."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    """A default of each primitive type."""

    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: str = Field("active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = True


_TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
_UNTITLED = ["option1", "option2", "option3"]


class Enums(BaseModel):
    """A choice of each form."""

    untitledSingle: str = Field(json_schema_extra={"enum": _UNTITLED})  # noqa: N815 - the kit's
    titledSingle: str = Field(json_schema_extra={"oneOf": _TITLED})  # noqa: N815 - the kit's
    legacyEnum: str = Field(  # noqa: N815 - the kit's
        json_schema_extra={"enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]}
    )
    untitledMulti: list[str] = Field(  # noqa: N815 - the kit's
        json_schema_extra={"items": {"type": "string", "enum": _UNTITLED}}
    )
    titledMulti: list[str] = Field(json_schema_extra={"items": {"anyOf": _TITLED}})  # noqa: N815 - the kit's


def _add_questions(server):
    @server.tool()
    async def test_sampling(prompt: str, ctx: Context) -> str:
        asked = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=_text(prompt))], max_tokens=100
        )
        result = await ctx.session.create_message(asked.messages, max_tokens=asked.max_tokens)
        return f"LLM response: {result.content.text}"

    async def asked(ctx, message, schema):
        result = await ctx.elicit(message, schema)
        content = result.data.model_dump_json() if result.action == "accept" else "{}"
        return f"action={result.action}, content={content}"

    @server.tool()
    async def test_elicitation(message: str, ctx: Context) -> str:
        return f"User response: {await asked(ctx, message, User)}"

    @server.tool()
    async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
        return f"Elicitation completed: {await asked(ctx, 'Who?', Defaults)}"

    @server.tool()
    async def test_elicitation_sep1330_enums(ctx: Context) -> str:
        return f"Elicitation completed: {await asked(ctx, 'Which?', Enums)}"


def _form(message, **properties):
    kinds = {name: {"type": kind} for name, kind in properties.items()}
    schema = {"type": "object", "properties": kinds, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text, most):
    said = SamplingMessage(role="user", content=_text(text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[said], max_tokens=most))


def _answer(ctx, key, kind="content"):
    """What the client answered to a question, where it fits."""
    found = (ctx.input_responses or {}).get(key)
    return getattr(found, kind, None)


Rounds = str | InputRequiredResult


def _add_rounds(server):
    @server.tool()
    async def test_input_required_result_elicitation(ctx: Context) -> Rounds:
        given = _answer(ctx, "user_name")
        if not isinstance(given, dict) or not isinstance(given.get("name"), str):
            return InputRequiredResult(
                input_requests={"user_name": _form("What is your name?", name="string")}
            )
        return f"Hello, {given['name']}!"

    @server.tool()
    async def test_input_required_result_sampling(ctx: Context) -> Rounds:
        given = _answer(ctx, "capital_question")
        if given is None:
            question = _sample("What is the capital of France?", 100)
            return InputRequiredResult(input_requests={"capital_question": question})
        return given.text

    @server.tool()
    async def test_input_required_result_list_roots(ctx: Context) -> Rounds:
        given = _answer(ctx, "client_roots", "roots")
        if given is None:
            return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
        return ", ".join(str(root.uri) for root in given)


def _add_states(server):
    @server.tool()
    async def test_input_required_result_request_state(ctx: Context) -> Rounds:
        return _confirmed(ctx)

    @server.tool()
    async def test_input_required_result_tampered_state(ctx: Context) -> Rounds:
        return _confirmed(ctx)


def _add_many_rounds(server):
    @server.tool()
    async def test_input_required_result_multiple_inputs(ctx: Context) -> Rounds:
        if _answer(ctx, "user_name") is None or ctx.request_state is None:
            return InputRequiredResult(
                input_requests={
                    "user_name": _form("What is your name?", name="string"),
                    "greeting": _sample("Generate a greeting", 50),
                    "client_roots": ListRootsRequest(),
                },
                request_state="asked",
            )
        return "all answered"

    @server.tool()
    async def test_input_required_result_multi_round(ctx: Context) -> Rounds:
        if ctx.request_state is None:
            first = _form("Step 1: What is your name?", name="string")
            return InputRequiredResult(input_requests={"step1": first}, request_state="one")
        if ctx.request_state == "one":
            second = _form("Step 2: What is your favorite color?", color="string")
            return InputRequiredResult(input_requests={"step2": second}, request_state="two")
        return "both steps done"

    @server.tool()
    async def test_input_required_result_capabilities(ctx: Context) -> Rounds:
        able, asked = ctx.client_capabilities, {}
        if able and able.sampling is not None:
            asked["sampled"] = _sample("Anything", 10)
        if able and able.elicitation is not None:
            asked["name"] = _form("What is your name?", name="string")
        return InputRequiredResult(input_requests=asked) if asked else "nothing to ask"


def _add_demands(server):
    async def sampled() -> Sample:
        return Sample([SamplingMessage(role="user", content=_text("Anything"))], max_tokens=10)

    @server.tool()
    async def test_missing_capability(
        said: Annotated[CreateMessageResult, Resolve(sampled)],
    ) -> str:
        return said.content.text

    @server.tool()
    async def test_custom_header(
        region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    ) -> str:
        return region


def _confirmed(ctx):
    if ctx.request_state is None:
        return InputRequiredResult(
            input_requests={"confirm": _form("Please confirm", ok="boolean")}, request_state="asked"
        )
    return "state-ok"


def _add_resources(server):
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return PNG

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the name in the address
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _add_prompts(server):
    @server.prompt()
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(
        arg1: Annotated[str, Field(description="First")],
        arg2: Annotated[str, Field(description="Second")],
    ) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the kit's
        text = "Embedded resource content for testing."
        return [
            UserMessage(content=_embedded(resourceUri, "text/plain", text)),
            UserMessage("Please process the embedded resource above."),
        ]

    @server.prompt()
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(content=IMAGE), UserMessage("Please analyze the image above.")]

    @server.prompt()
    async def test_input_required_result_prompt(
        ctx: Context,
    ) -> list[UserMessage] | InputRequiredResult:
        given = _answer(ctx, "user_context")
        if not isinstance(given, dict):
            question = _form("What context should the prompt use?", context="string")
            return InputRequiredResult(input_requests={"user_context": question})
        return [UserMessage(f"Use this: {given.get('context')}")]
