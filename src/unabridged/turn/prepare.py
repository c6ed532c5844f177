"""Makes the context of a message. Nothing here keeps state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from unabridged.budget.tiers import tier_shares
from unabridged.context.assemble import assemble, measure
from unabridged.context.earlier_blocks import ClientManifests, block_in
from unabridged.context.gather import Sources, gather, with_session_notes
from unabridged.context.manifest import context_records, previous_manifest
from unabridged.context.tiers import draft_tiers
from unabridged.context.types import ClientRequest, PromptPlan, PromptRequest
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.client_history import Fit, RequestOptions, SyncedHistory
from unabridged.domain.context import Context
from unabridged.domain.message import Image, Message, Part, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import ContextRefusedError, EmptyMessageError, PromptTooLargeError
from unabridged.intent.detect import detect
from unabridged.ports import ChatModel
from unabridged.recording.sessions import current_exchange, weighed
from unabridged.space.dependencies import UpstreamInfo
from unabridged.space.space import Space
from unabridged.space.tools import Offered, Tool, as_tools

GREW = "The model's window grew to"
"""The beginning of the note on a window that grew for a request."""
LARGER = 1.25
"""The assumed ratio of a refused prompt to its plan if the server names none."""


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """How a context is made.

    Attributes:
        model: The model that it is for; None for the space's own.
        mode: The mode; None for the setting.
        tools: Tools to offer in tools mode; None for the space's own.
        persona: The persona that answers; empty for none; None for the setting.
        reach: The only session to recall from, which also leaves out the space's knowledge; None
            for the setting.
    """

    model: ChatModel | None = None
    mode: Mode | None = None
    tools: Sequence[Offered] | None = None
    persona: str | None = None
    reach: str | None = None


def plan_of(
    space: Space, options: PromptOptions, info: UpstreamInfo, session: str | None
) -> PromptPlan:
    """Return the plan for the next context.

    Raises:
        ToolError: A function cannot be a tool.
        SettingError: There is no such persona.
    """
    model = info.abilities.model
    settings = space.settings.for_model(model)
    mode = options.mode or settings.mode
    return PromptPlan(
        model=model,
        window=info.window,
        counter=space.counter(info),
        mode=mode,
        verbosity=settings.verbosity,
        system=space.system(options.persona)[mode],
        tools=_offered(space, options, session) if mode is Mode.TOOLS else (),
        max_prompt_tokens=info.max_prompt_tokens,
        memory_cap=settings.memory_cap,
        shares=tier_shares(settings),
        max_turns=settings.max_turns,
        max_output=settings.max_output,
        output_cap=info.abilities.max_output,
        local=info.local,
        floor=settings.min_relevance,
        condenser=space.dependencies.condenser,
        notes=info.notes,
        only=space.reach(session, options.reach),
        closed=options.reach is not None,
        around=settings.recall_neighbors,
    )


def _offered(space: Space, options: PromptOptions, session: str | None) -> tuple[ToolSpec, ...]:
    tools = (
        space.tools(session, options.reach) if options.tools is None else as_tools(options.tools)
    )
    return tuple(t.spec if isinstance(t, Tool) else t for t in tools)


def prompt_request(
    space: Space, session: str | None, words: Sequence[Part], *, retry_of: str | None = None
) -> PromptRequest:
    """Return the place of the next context in the log.

    A session that does not exist is begun; None begins a new one. ``words`` are ignored for
    ``retry_of``, whose own message is answered again.

    Raises:
        NotFoundError: There is no such exchange.
    """
    store, clock = space.dependencies.store, space.clock
    now = clock.now()
    held = store.session(session) if session else None
    if retry_of is not None:
        again = space.log.get(retry_of)
        user, parent = again.user, again.parent
        held = store.session(again.session)
        retry_of = again.id
    else:
        user = Message(clock.new_id(), Role.USER, tuple(words), now)
        current = current_exchange(store, held) if held else None
        parent = current.id if current else None
    name = held.id if held else session or clock.new_id()
    return PromptRequest(
        id=clock.new_id(),
        scope=replace(space.scope, session=name),
        user=user,
        at=now,
        head=held.head if held else None,
        parent=parent,
        new_session=held is None,
        retry_of=retry_of,
        follows=held.head if held else None,
    )


def prepare(space: Space, options: PromptOptions, request: PromptRequest) -> Context:
    """Make the context for a message. Only reads.

    Raises:
        PromptTooLargeError: What must be sent does not fit the window.
        UpstreamError: The window is unknown, and the upstream does not answer.
    """
    info = space.info(options.model)
    return _prepared(space, plan_of(space, options, info, request.scope.session), request)


def prepare_synced(
    space: Space,
    options: PromptOptions,
    synced: SyncedHistory,
    request_options: RequestOptions,
    name: str,
) -> Context:
    """Make the context for a client's request: all of it is sent, memory adds a block. Only reads.

    A tool loop that continues keeps the block with which it began.

    Raises:
        PromptTooLargeError: The request does not fit the window.
        UpstreamError: The window is unknown, and the upstream does not answer.
    """
    mode = Mode.TOOLS if request_options.tools else Mode.CHAT
    options = replace(options, mode=mode, tools=request_options.tools)
    info = space.info(options.model, request_options.window)
    fit = request_options.fit or Fit(space.settings.for_model(info.abilities.model).fit)
    if fit is Fit.AUTO and request_options.compacts:
        fit = Fit.REFUSE
    session = space.sessions.get(synced.session)
    request = PromptRequest(
        id=synced.open.id if synced.open else name,
        scope=replace(space.scope, session=synced.session),
        user=synced.user,
        at=space.clock.now(),
        head=session.head if session else None,
        parent=synced.parent,
        new_session=session is None,
        retry_of=synced.retry_of,
        follows=synced.follows,
        client=ClientRequest(synced, Fit.REFUSE),
    )

    def prepared(info: UpstreamInfo, fit: Fit) -> Context:
        plan = plan_of(space, options, info, synced.session)
        limit = request_options.max_output
        plan = replace(
            plan,
            system="",
            max_output=plan.max_output if limit is None else limit,
            for_client=True,
        )
        return _prepared(space, plan, replace(request, client=ClientRequest(synced, fit)))

    def grown(info: UpstreamInfo, needed: int) -> UpstreamInfo | None:
        if request_options.window is not None:
            return None
        larger = space.dependencies.upstream_info.grow(options.model or space.model, needed)
        if larger is None or larger.window <= info.window:
            return None
        if larger.is_guess:
            return larger
        note = f"{GREW} {larger.window:,} tokens, since this request needs them."
        return replace(larger, notes=(*larger.notes, note))

    context = _fitted(info, prepared, grown, fit)
    if synced.open is not None:
        return _continued(space, context)
    return context if synced.retry_of is None else _repeated(space, context, synced.retry_of)


def _fitted(
    info: UpstreamInfo,
    prepared: Callable[[UpstreamInfo, Fit], Context],
    grown: Callable[[UpstreamInfo, int], UpstreamInfo | None],
    fit: Fit,
) -> Context:
    while True:  # a longer window keeps more for the answer, so that it may have to grow again
        try:
            return prepared(info, Fit.REFUSE)
        except PromptTooLargeError as error:
            larger = grown(info, error.needed)
        if larger is None:
            return prepared(info, fit)
        info = larger


def _continued(space: Space, context: Context) -> Context:
    # A tool loop that continues has the manifest with which it began.
    store = space.dependencies.store
    stored = previous_manifest(store, context.id)
    if stored is None:
        return context
    fitted = {**context.manifest["client"], "messages": stored["client"]["messages"]}
    if fitted == stored["client"]:
        return replace(context, manifest=stored)
    return replace(
        context,
        manifest={**stored, "client": fitted, "earlier": context.manifest["earlier"]},
    )


def _repeated(space: Space, context: Context, retry_of: str) -> Context:
    # A message that is answered again has the block of the answer before; see `frozen_exchange`.
    stored = previous_manifest(space.dependencies.store, retry_of)
    if stored is None or "client" not in stored:
        return context
    block = block_in(stored)
    return replace(context, manifest={**context.manifest, **block}) if block else context


def prepare_shorter(space: Space, options: PromptOptions, context: Context) -> Context:
    """Make the context of a begun message again, after a refusal for length.

    Raises:
        PromptTooLargeError: What must be sent does not fit the server's window.
    """
    options = replace(options, mode=context.mode, tools=context.tools or ())
    info = space.info(options.model)
    request = PromptRequest(
        id=context.id,
        scope=context.scope,
        user=context.user,
        at=context.at,
        head=context.head,
        parent=context.parent,
        new_session=False,
        retry_of=context.retry_of,
        follows=context.follows,
    )
    return _prepared(space, plan_of(space, options, info, context.scope.session), request)


def _prepared(space: Space, plan: PromptPlan, request: PromptRequest) -> Context:
    search, knowledge = space.dependencies.search, space.knowledge
    request = replace(request, user=weighed(request.user, plan.counter))
    reading = detect(request.user.text)
    sources = Sources(
        space.dependencies.store,
        search,
        knowledge.facts,
        knowledge.requirements,
        knowledge.annotations.scheme,
        space.shared(_manifests),
    )
    candidates = gather(sources, plan, request, reading.intent)
    if search.trouble:
        plan = replace(plan, notes=(*plan.notes, search.trouble))
    ask = measure(plan, candidates, request, reading)
    draft = with_session_notes(sources, draft_tiers(plan, candidates, ask), request.session)
    return assemble(plan, candidates, request, ask, draft)


def _manifests(space: Space) -> ClientManifests:
    return ClientManifests(space.dependencies.store)


def learn_refusal(
    space: Space,
    model: ChatModel | None,
    context: Context,
    refusal: ContextRefusedError,
    window: int | None = None,
) -> None:
    """Learn from a refusal for length: a smaller window, or more tokens than planned."""
    info = space.info(model, window)
    if refusal.window is not None:
        space.dependencies.upstream_info.refused(info.abilities.model, refusal.window)
    planned = context.ledger.prompt_tokens
    reported = refusal.prompt_tokens or int(planned * LARGER)
    if refusal.window is None or (refusal.prompt_tokens or 0) > planned:
        space.dependencies.store.put([lesson(space, info, context, reported)])


def update_fit(space: Space, context: Context) -> None:
    """Store how the request of a tool loop is fitted now, if that has changed."""
    store = space.dependencies.store
    stored = previous_manifest(store, context.id)
    if stored is not None and stored["client"] != context.manifest["client"]:
        store.put(context_records(store, context))


def replace_records(space: Space, context: Context) -> None:
    """Store the records of a context in place of its exchange's earlier ones."""
    store = space.dependencies.store
    store.put(context_records(store, context))


def lesson(space: Space, info: UpstreamInfo, context: Context, reported: int) -> Record:
    """Compare a prompt with the tokens that the server reported; the store remembers the ratio."""
    counter = space.counter(info)
    counted = counter.by_script(context.prompt, context.tools or ())
    body = counter.calibration.learn(counted, reported).to_body()
    model = context.scope.model or ""
    return Record(RecordKind.CALIBRATION, model, space.clock.now(), body)


def parts_of(message: str, images: Sequence[str]) -> list[Part]:
    """Return the parts of a user's message.

    Raises:
        EmptyMessageError: It is empty.
    """
    if not message.strip() and not images:
        raise EmptyMessageError("The message is empty.", hint="Say something.")
    return [*([Text(message)] if message else []), *(Image(uri) for uri in images)]
