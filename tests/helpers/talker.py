"""A memory with the session that is talked in, as a person has who chats."""

from contextlib import contextmanager

from unabridged import Memory
from unabridged.turn.conversation import Conversation, sync
from unabridged.turn.prepare import PromptOptions, prepare_synced
from unabridged.turn.turn import Turn


class Talker(Memory):
    """A memory, and one conversation in it; what calls without a session are about.

    Attributes:
        talk: The conversation.
        asked: The model that is asked; None for the memory's own.
        persona: The persona that answers; None for that of the settings.
        reach: The only session that is recalled from; None for what the settings say.
    """

    def __init__(self, space, session=None):
        super().__init__(space, session)
        newest = space.sessions.newest() if session is None else None
        self.talk = Conversation(space, newest.id if newest else session)
        self.asked = None
        self.persona = None
        self.reach = None
        self._notes = []

    # Which session.

    @property
    def header(self):
        """The session that is talked in; None where the next message begins one."""
        return self.talk.header

    @property
    def model(self):
        """The model that is asked."""
        return self.asked or self.space.model

    def new_session(self, title=""):
        """Let the next message begin a session."""
        self.talk = Conversation(self.space, title=title)

    def talk_in(self, session):
        """Talk in the session of exactly this id, which may not be there yet."""
        self.talk = Conversation(self.space, session)
        return self.talk.header

    def switch(self, wanted):
        """Talk in another session, by id, number, title or beginning of its id."""
        session = self.space.sessions.find(wanted)
        self.talk_in(session.id)
        return session

    def sessions(self, *, limit=None):
        """Return every session; the one that is talked in is marked."""
        return self.space.sessions.summaries(self.header.id if self.header else None, limit)

    def exchanges(self, limit=50):
        """Return the session's current path, oldest first."""
        return self.talk.history(limit)

    def rename(self, title):
        """Give the session another title."""
        return self.talk.rename(title)

    def undo(self):
        """Step back over the newest exchange."""
        return self.talk.undo()

    def branches(self):
        """Return the last exchange of every branch."""
        return self.talk.branches()

    def checkout(self, exchange):
        """Continue from the end of an exchange."""
        return self.talk.checkout(exchange)

    # Talking.

    def _options(self):
        return {"model": self.asked, "persona": self.persona}

    @contextmanager
    def narrowed(self, session):
        """Recall from one session alone."""
        before, self.reach = self.reach, session
        try:
            yield
        finally:
            self.reach = before

    def prepare(self, message="", **given):
        """Make the context for a message."""
        if "session" in given:
            return super().prepare(message, model=self.asked, **given)
        return self.talk.prepare(message, reach=self.reach, **self._options(), **given)

    def chat(self, message="", **given):
        """Prepare, store, ask the model, run tools, store the answer."""
        if "session" in given:
            return super().chat(message, model=self.asked, **given)
        return self.talk.chat(message, **self._options(), **given)

    def begin(self, context):
        """Store the user's message of a context."""
        return self._noted(self.talk.begin(context))

    def record_tools(self, context, messages):
        """Store a tool round."""
        return self._noted(self.talk.record_tools(context, messages))

    def record(self, context, reply, **given):
        """Store the answer to a context; a moved head is an error."""
        return self._noted(self.talk.record(context, reply, model=self.asked, **given))

    def _noted(self, exchange):
        self._notes += exchange.notes
        return exchange

    def take_notes(self):
        """Return what was told of what was not stored, since this was asked last."""
        told, self._notes = [*dict.fromkeys(self._notes)], []
        return told

    def import_transcript(self, transcript):
        """Import a whole conversation; return how many exchanges were new."""
        imported = self.space.log.import_transcript(transcript)
        self._notes += imported.notes
        return imported.added

    def maintain(self, *, pages=None):
        """Do what is done after recording."""
        header, threshold = self.header, self.space.contexts.last_memory()
        current = header.id if header else None
        run = self.space.maintenance.run
        yield from run(current, pages=pages, threshold=threshold, model=self.asked)

    # Clients that send their whole history.

    def sync(self, drafts, *, session=None, store=True):
        """Find where a client's list is in the log, and import what is new."""
        return sync(self.space, drafts, session, store=store)

    def prepare_synced(self, synced, request_options):
        """Make the context for a synced history."""
        options = PromptOptions(self.asked, persona=self.persona, reach=self.reach)
        name = self.space.clock.new_id()
        return prepare_synced(self.space, options, synced, request_options, name)

    def turn(self, synced, request_options):
        """Return the turn that answers a synced history."""
        options = PromptOptions(self.asked, persona=self.persona, reach=self.reach)
        return Turn(self.space, options, synced=synced, request_options=request_options)

    def started(self, synced, request_options):
        """Return that turn when what the client said is stored."""
        turn = self.turn(synced, request_options)
        turn.start()
        return turn

    def shorter(self, context, refusal):
        """Return the context of a begun message after a refusal for its length."""
        turn = Turn(self.space, PromptOptions(self.asked, reach=self.reach), context)
        turn.refused(refusal)
        return turn.context


@contextmanager
def talking(pool, scope, **given):
    """Talk with a space of a pool."""
    with pool.use(scope, **given) as space:
        yield Talker(space)
