"""Words from which scenarios make what is said: tables and templates, and dice with a seed."""

import random

PEOPLE = "Marta Elin Nora Tilda Jonas Pavel Amara Rafael Ingrid Kenji Leila Bruno".split()
PLACES = "Visby Lisbon Zurich Kyoto Porto Gdansk Tallinn Oslo Valencia Bergen".split()
TRADES = ("a nurse", "a carpenter", "a marine biologist", "a teacher", "a baker", "an architect")
THINGS = ("boat", "garden", "bicycle", "piano", "tent", "camera", "kettle", "telescope")
FOODS = ("brie", "lentil soup", "sourdough", "miso", "saffron buns", "pickled herring")
PETS = (("cat", "Mia"), ("dog", "Rex"), ("parrot", "Olaf"), ("horse", "Juno"), ("cat", "Tom"))
COLOURS = "blue green red yellow grey white".split()

PERSONAL = (
    "My sister {person} lives in {place} and works as {trade}.",
    "I live in {place} now. I moved there in {month}.",
    "I work as {trade}, and I like it most of the time.",
    "My {pet} is called {petname}.",
    "My favourite food is {food}.",
    "I am allergic to {nut}.",
    "My birthday is on {day} {month}.",
    "We painted the {thing} {colour} with {person} last week.",
    "I bought a {colour} {thing} for {number} euros in {place}.",
    "{person} promised to bring the {thing} back on {weekday}.",
    "The meeting with {person} was moved to {weekday} at {hour}.",
    "I feel tired today, {person} kept me up until {hour}.",
    "Actually, I now live in {place}; I changed my mind about moving.",
    "My phone number is {number}-{number}, please keep it.",
    "We decided to take the night train to {place} with {person}.",
    "{person} was so happy about the {thing} that she cried.",
)
TECHNICAL = (
    "The function `load_{thing}` fails with error {number} when the file is empty.",
    "We use PostgreSQL for the {thing} service and Redis for its cache.",
    "Deploy the {thing} service to {place} on {weekday}, please remember the port {number}.",
    "The test `test_{thing}_{colour}` takes {number} seconds, which is too long.",
    "Here is the log:\n```\nERROR {hour} {thing}: connection to {place} refused\n```\nWhat now?",
    "I decided to write the parser in Rust, since the {thing} files are large.",
    "The password rotation for {place} happens every {number} days.",
    "Please refactor get_{thing}_id so that it returns {number} at most.",
)
DEMANDS = (
    "The system must store every {thing} for at least {number} days.",
    "Owners should be able to book a {thing} on {weekday}.",
    "The page has to load in under {number} milliseconds because people leave.",
    "Only an administrator may delete a {thing}.",
    "It would be nice if reminders came by mail at {hour}.",
    "The report must name {person} as the person in charge.",
    "The system must not show the price of a {thing} to guests.",
)
STORY = (
    '*{person} draws her sword.* "You will not cross the bridge of {place} tonight!"',
    "The dragon over {place} burned the {colour} {thing}. {person} swore revenge.",
    "{person} whispered the secret: the {thing} opens only at {hour}.",
    "They rested at the inn. {person} played with the {thing} and said little.",
    "A storm came up from {place}, and the {colour} sail tore.",
    "I kiss {person} on the forehead and tell her that I will come back.",
    "Continue. What does {person} find behind the {colour} door?",
    "{person} died in {place}, and nobody dared to speak of it.",
)
SMALL = (
    "Hi!",
    "Thanks a lot!",
    "Good morning",
    "ok cool",
    "haha nice",
    "Good night!",
    "Hello again",
)
ANSWERS = (
    "I see. {person} will be glad to hear it. It is a good time for {place}, I think.",
    "That makes sense. Shall I note the {thing}? You said it was {colour}.",
    "Noted. The {thing} is {colour}, and {weekday} suits {person} best. Let me know when it changes.",
    "Good. In {place} one usually waits until {hour}. I would bring the {thing} too.",
    "Of course. Here is what I would do: first the {thing}, then {food}, and at last a walk in {place}.",
    "I understand, and I am sorry to hear that. Did {person} say why?",
)
RECALL = (
    "Do you remember where my sister lives?",
    "What did I tell you about the {thing}?",
    "Remember exactly what {person} promised?",
    "What was the name of my {pet} again?",
    "When did we talk about {place}?",
    "Which {thing} did I buy, and for how much?",
)
SUMMARY = (
    "What did we discuss so far?",
    "Summarize our conversations, please.",
    "Give me an overview of everything we talked about last week.",
    "Where did we leave off?",
)
CONTEXTUAL = (
    "Like last time, what should I bring for {person}?",
    "Plan a weekend in {place} for me.",
    "Write a short note to {person} about the {thing}.",
    "As we decided, which train is it?",
    "What would suit me for dinner?",
)
CASUAL = ("Hi there!", "thanks!", "Good evening, how are you?")


class Dice:
    """Chooses by a seed, equally on every machine."""

    def __init__(self, seed):
        self._random = random.Random(seed)  # a text as seed does not depend on the hash seed

    def pick(self, table):
        return table[self._random.randrange(len(table))]

    def number(self, least, most):
        return self._random.randrange(least, most + 1)

    def text(self, templates):
        """Fill a template."""
        pet, petname = self.pick(PETS)
        return self.pick(templates).format(
            person=self.pick(PEOPLE),
            place=self.pick(PLACES),
            trade=self.pick(TRADES),
            thing=self.pick(THINGS),
            food=self.pick(FOODS),
            colour=self.pick(COLOURS),
            pet=pet,
            petname=petname,
            nut=self.pick(("peanuts", "walnuts", "shellfish")),
            day=self.number(1, 28),
            month=self.pick("January March May July September November".split()),
            weekday=self.pick("Monday Tuesday Thursday Friday Saturday".split()),
            hour=f"{self.number(6, 23)}:{self.pick(('00', '15', '30'))}",
            number=self.number(12, 980),
        )

    def long(self, templates, sentences):
        """Many sentences."""
        return " ".join(self.text(templates) for _ in range(sentences))

    def questions(self, each=1):
        """Questions of every intent."""
        tables = (RECALL, SUMMARY, CONTEXTUAL, CASUAL)
        return [self.text(table) for table in tables for _ in range(each)]
