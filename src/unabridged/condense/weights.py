"""What makes a sentence worth keeping: a handful of numbers, and the words that tell.

The numbers were chosen by cross-validation over the conversations of the development parts of
LongMemEval and LoCoMo together; nothing else is drawn from them.
"""

from dataclasses import dataclass

from unabridged.language.words import STOP_WORDS, fold, stem


@dataclass(frozen=True, slots=True)
class Weights:
    """How much speaks for a sentence. Factors multiply what its words are worth.

    Attributes:
        length: The power of its tokens by which its worth is divided: 1 is worth per token, 0
            worth alone.
        again: What a word is worth the second time, of what it was worth the first.
        answer: Factor of what an assistant said, where its messages are much longer than the
            user's.
        own: Factor of what somebody says of himself.
        done: Factor of what tells of something past.
        asked: Factor of a question that was answered.
        left_open: Factor of a question that nobody answered.
        exclaimed: Factor of an exclamation.
        name: Worth of a name, a number or a date, beside that of a word.
        critical: The same in a message whose names must stay.
        importance: How far the importance of a message moves its factor: 0 not at all, 1 from 0.5
            to 1.5.
        about: Worth of a word that is asked for.
    """

    length: float = 0.8
    again: float = 0.3
    answer: float = 0.5
    own: float = 1.3
    done: float = 1.2
    asked: float = 0.6
    left_open: float = 3.0
    exclaimed: float = 0.7
    name: float = 1.0
    critical: float = 30.0
    importance: float = 1.0
    about: float = 20.0


WEIGHTS = Weights()

SILENT = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))
"""Terms that say nothing by themselves."""

OWN = frozenset(
    fold(
        """
        i i'm i've i'll i'd im ive me my mine myself we we're we've we'll our ours us
        ich mich mir mein meine meinen meinem meiner wir uns unser unsere
        je j'ai me mon ma mes moi nous notre nos yo mi mis nosotros nuestra nuestro tengo soy estoy
        io mio mia miei mie noi nostro nostra ho sono eu meu minha meus minhas tenho sou nosso nossa
        ik mij mijn wij ons onze я меня мне мой моя мои моё мы нас нам наш наша
        ja mnie mój moja moje mam jestem my nas nasz
        """
    ).split()
)
"""Words by which people speak of themselves, folded."""
OWN_SIGNS = frozenset("我私僕俺나저내제")
"""The same for scripts without spaces, one sign each."""

PAST_ENDINGS = ("ed", "te", "ten")
PAST = frozenset(
    """
    was were had did got went came made took bought found met told said saw gave left felt began
    thought knew won lost kept paid spent read wrote ran moved been gone done seen taken given
    war waren hatte hatten wurde bin bist habe ging kam fand été avais étais était avait suis fui era
    estaba tenía había fue hice fiz foi estava был была были стал стала
    """.split()
)
"""Words that tell of something past, folded."""
