"""Requirements: list, add, change and withdraw them."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from unabridged.domain.fact import FactChange, Requirement
from unabridged.domain.permissions import Right
from unabridged.operations.call import Call, What
from unabridged.operations.operation import AnyText, Name, Once, Page, Params, operation
from unabridged.operations.operation_results import RequirementConflict
from unabridged.space.idempotency import Done

if TYPE_CHECKING:
    from unabridged.space.space import Space

Grade = Annotated[int, Meta(ge=1, le=5)]
Number = Annotated[str, Meta(pattern=r"^REQ-[1-9][0-9]{0,8}$")]
RequirementName = Annotated[Name, Meta(description="The id or number of the requirement.")]
Line = Annotated[str, Meta(max_length=10_000)]


class RequirementFields(Params):
    """The fields of a requirement; those that are omitted follow from its wording.

    Attributes:
        type: The kind of requirement.
        rationale: Why it is needed.
        fit_criterion: How to test that it is met.
        originator: Who raised it.
        satisfaction: How satisfied the customer is if it is met, from 1 to 5.
        dissatisfaction: How dissatisfied the customer is if it is not met, from 1 to 5.
        priority: How important it is.
        conflicts: Requirements that cannot be met together with it, such as REQ-2.
        pinned: Put it into every prompt, or no longer.
    """

    type: Literal["functional", "non-functional", "constraint"] | None = None
    rationale: Line | None = None
    fit_criterion: Line | None = None
    originator: Line | None = None
    satisfaction: Grade | None = None
    dissatisfaction: Grade | None = None
    priority: Literal["must", "should", "could", "wont", ""] | None = None
    conflicts: Annotated[list[Number], Meta(max_length=1000)] | None = None
    pinned: bool | None = None

    def given(self) -> dict[str, Any]:
        """Return the given fields, without ``pinned``."""
        fields = msgspec.structs.asdict(self)
        return {
            name: value
            for name, value in fields.items()
            if value is not None and name not in {"pinned", "requirement"}
        }


class RequirementList(Params):
    """Which requirements to list.

    Attributes:
        withdrawn: Also list withdrawn requirements; only their ids are left.
    """

    withdrawn: bool = False


@operation("requirements.list", "GET /requirements", "Requirements by number.", whole=True)
def list_requirements(call: Call, params: RequirementList) -> Page[Requirement]:
    """List the requirements in the order of their numbers."""
    return Page(call.space.requirements.all(withdrawn=params.withdrawn))


class NewRequirement(RequirementFields, kw_only=True):
    """A requirement that a person gives.

    Attributes:
        text: The requirement.
    """

    text: AnyText


def _added(call: Call, params: NewRequirement, done: Done) -> What | None:
    words = " ".join(params.text.split())
    near = [r for r in call.space.requirements.all() if r.text == words and r.at >= done.at]
    return {"requirement": near[-1].id} if near else None


_ONCE: Once[NewRequirement, Requirement] = Once(
    note=lambda _, __, made: {"requirement": made.id},
    show=lambda call, _, what: call.space.requirements.get(what["requirement"]),
    found=_added,
)


@operation(
    "requirements.add",
    "POST /requirements",
    "The requirement.",
    Right.WRITE,
    status=201,
    whole=True,
    once=_ONCE,
)
def add_requirement(call: Call, params: NewRequirement) -> Requirement:
    """Add a requirement that a person gives."""
    made = call.space.requirements.add(**params.given())
    return _with_pin(call.space, made.id, params.pinned)


@operation("requirements.get", "GET /requirements/{requirement}", "The requirement.", whole=True)
def get_requirement(call: Call, requirement: RequirementName) -> Requirement:
    """Return a requirement by its id or number."""
    return call.space.requirements.get(requirement)


@operation(
    "requirements.history",
    "GET /requirements/{requirement}/history",
    "Changes, the oldest first.",
    whole=True,
)
def requirement_history(call: Call, requirement: RequirementName) -> Page[FactChange]:
    """List the changes of a requirement."""
    return Page(call.space.requirements.history(requirement))


@operation(
    "requirements.conflicts", "GET /requirement-conflicts", "Pairs of requirements.", whole=True
)
def requirement_conflicts(call: Call) -> Page[RequirementConflict]:
    """List the pairs of requirements that cannot be met together."""
    return Page([RequirementConflict(*pair) for pair in call.space.requirements.conflicts()])


class RequirementChange(RequirementFields, kw_only=True):
    """What to change of a requirement; the history keeps the old text.

    Attributes:
        requirement: The id or number of the requirement.
        text: The requirement.
    """

    requirement: Name
    text: AnyText | None = None


@operation(
    "requirements.edit",
    "PATCH /requirements/{requirement}",
    "The requirement as it is now.",
    Right.WRITE,
    whole=True,
)
def change_requirement(call: Call, params: RequirementChange) -> Requirement:
    """Change fields of a requirement, pin it, or unpin it."""
    with call.space.editing:
        held = call.space.requirements.get(params.requirement)
        call.check_unchanged(held)
        if fields := params.given():
            held = call.space.requirements.edit(held.id, **fields)
        return _with_pin(call.space, held.id, params.pinned)


@operation(
    "requirements.withdraw",
    "DELETE /requirements/{requirement}",
    "The requirement as it was.",
    Right.WRITE,
    whole=True,
)
def withdraw_requirement(call: Call, requirement: RequirementName) -> Requirement:
    """Withdraw a requirement: its words are removed, its number stays, it is not learned again."""
    with call.space.editing:
        call.check_unchanged(call.space.requirements.get(requirement))
        return call.space.requirements.withdraw(requirement)


def _with_pin(space: "Space", name: str, wish: bool | None) -> Requirement:  # noqa: FBT001 - of two callers here
    if wish is None:
        return space.requirements.get(name)
    return (space.requirements.pin if wish else space.requirements.unpin)(name)
