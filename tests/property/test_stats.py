"""Figures add up, whatever was said, branched, imported, left incomplete or forgotten."""

import tempfile

from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged import Memory

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["say", "say", "new", "incomplete", "open", "retry", "undo", "import", "forget"]
        ),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=14,
)


def play(memory, steps):
    """Do the steps; give how many exchanges there must be."""
    talk, held = memory.conversation(), []
    for number, (step, pick) in enumerate(steps):
        if step == "new":
            talk = memory.conversation()
        elif step == "undo" and talk.history():
            talk.undo()
        elif step == "import":
            talk_of_two = [
                {"role": "user", "content": f"Imported {number}"},
                {"role": "assistant", "content": "Yes."},
                {"role": "user", "content": f"Unanswered {number}"},
            ]
            held += [one.id for one in memory.add(talk_of_two, session=f"imported-{number}")]
        elif step == "forget" and held:
            chosen = held[pick % len(held)]
            memory.forget(chosen)
            held = [name for name in held if memory.space.log.has(name)]
        elif step in ("say", "incomplete", "open", "retry"):
            last = talk.history(1)
            again = last[0].id if step == "retry" and last else None
            context = talk.prepare("" if again else f"Word {number}", retry_of=again)
            if step == "open":
                held.append(talk.begin(context).id)
            else:
                state = "incomplete" if step == "incomplete" else "complete"
                held.append(talk.record(context, f"Answer {number}", state=state).id)
    return len(held)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, ephemeral=st.booleans())
def test_states_and_models_add_up_to_the_exchanges(steps, ephemeral):
    with (
        tempfile.TemporaryDirectory() as home,
        Memory.open(home, upstream="quote", ephemeral=ephemeral) as memory,
    ):
        number = play(memory, steps)
        stats = memory.stats()
        assert stats.exchanges == number
        assert sum(stats.states.values()) == number
        assert sum(stats.models.values()) == number
        assert stats.exchanges == sum(memory.space.log.counts().values())
        assert stats.sessions == len(memory.sessions())
