"""Requirements over HTTP: list, add, change, take back."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from unabridged.domain.fact import Requirement
from unabridged.server.routes.api_calls import Asked, Id
from unabridged.server.routes.idempotency_key import IdempotentWrite, What, perform
from unabridged.server.routes.json_responses import Page, check_match, given, paged
from unabridged.server.routes.openapi import answers
from unabridged.server.routes.params import Body, Said
from unabridged.server.routes.route import MemoryRoute
from unabridged.space.idempotency import Done
from unabridged.space.space import Space

router = APIRouter(
    prefix="/memory/requirements",
    tags=["requirements"],
    route_class=MemoryRoute,
    default_response_class=Response,
)

Grade = Annotated[int, Field(ge=1, le=5)]
Number = Annotated[str, Field(pattern=r"^REQ-[1-9][0-9]{0,8}$")]
_LINE = 10_000


class _Fields(Body):
    """What a requirement may have beside its text; what is not given follows from the wording."""

    type: Literal["functional", "non-functional", "constraint"] | None = None
    rationale: Annotated[str, Field(max_length=_LINE)] | None = None
    """Why."""
    fit_criterion: Annotated[str, Field(max_length=_LINE)] | None = None
    """How one can tell that it is met."""
    originator: Annotated[str, Field(max_length=_LINE)] | None = None
    """Who raised it."""
    satisfaction: Grade | None = None
    """How glad the customer is if it is met."""
    dissatisfaction: Grade | None = None
    """How unhappy if it is not."""
    priority: Literal["must", "should", "could", "wont", ""] | None = None
    conflicts: Annotated[list[Number], Field(max_length=1000)] | None = None
    """The ids of requirements that it cannot be met together with."""
    pinned: bool | None = None
    """Whether every prompt carries it."""

    def told(self) -> dict[str, Any]:
        """The fields that were given, but whether it is pinned."""
        return self.model_dump(exclude_none=True, exclude={"pinned"})


class NewRequirement(_Fields):
    """A requirement that a person gives."""

    text: Said
    """What must be."""


class RequirementChange(_Fields):
    """What shall be changed of a requirement; the history keeps the text that it had."""

    text: Said | None = None
    """What must be."""


@router.get("", responses=answers([Requirement], "Requirements by number."))
async def list_requirements(
    call: Asked,
    *,
    withdrawn: Annotated[
        bool, Query(description="Also those that were taken back; of these only the id is left.")
    ] = False,
) -> Response:
    """List the requirements in the order of their numbers."""
    call.need_space()
    return paged(
        call.request,
        Page(await call.run(lambda space: space.requirements.all(withdrawn=withdrawn))),
    )


@router.post("", status_code=201, responses=answers(Requirement, "The requirement.", status=201))
async def add_requirement(call: Asked, body: NewRequirement) -> Response:
    """Add a requirement that a person gives."""
    call.need_space()

    def do(space: Space, _: What) -> What:
        made = space.requirements.add(**body.told())
        return {"requirement": _pinned(space, made.id, body.pinned).id}

    def found(space: Space, done: Done) -> What | None:
        words = " ".join(body.text.split())
        near = [r for r in space.requirements.all() if r.text == words and r.at >= done.at]
        return {"requirement": near[-1].id} if near else None

    def show(space: Space, what: What) -> Requirement:
        return space.requirements.get(what["requirement"])

    return await perform(call, IdempotentWrite(do, show, found=found, status=201))


@router.get("/{requirement}", responses=answers(Requirement, "The requirement."))
async def get_requirement(call: Asked, requirement: Id) -> Response:
    """Give a requirement by its id or number."""
    call.need_space()
    return given(await call.run(lambda space: space.requirements.get(requirement)))


@router.patch("/{requirement}", responses=answers(Requirement, "The requirement as it is now."))
async def change_requirement(call: Asked, requirement: Id, body: RequirementChange) -> Response:
    """Change fields of a requirement, pin it, or take the pin off."""
    call.need_space()

    def work(space: Space) -> Requirement:
        with space.editing:
            held = space.requirements.get(requirement)
            check_match(call.request, held)
            if told := body.told():
                held = space.requirements.edit(held.id, **told)
            return _pinned(space, held.id, body.pinned)

    return given(await call.run(work))


@router.delete("/{requirement}", responses=answers(Requirement, "The requirement as it was."))
async def withdraw_requirement(call: Asked, requirement: Id) -> Response:
    """Take a requirement back: its words go, its number stays, and it is not drawn again."""
    call.need_space()

    def work(space: Space) -> Requirement:
        with space.editing:
            check_match(call.request, space.requirements.get(requirement))
            return space.requirements.withdraw(requirement)

    return given(await call.run(work))


def _pinned(space: Space, name: str, wish: bool | None) -> Requirement:  # noqa: FBT001 - of two callers here
    if wish is None:
        return space.requirements.get(name)
    return (space.requirements.pin if wish else space.requirements.unpin)(name)
