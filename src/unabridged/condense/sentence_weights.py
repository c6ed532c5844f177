"""The weights of sentences: a few numbers, and the words that count.

The numbers were chosen by cross-validation over the conversations of the development parts of
LongMemEval and LoCoMo together; nothing else is learned from them.
"""

from dataclasses import dataclass

from unabridged.language.words import STOP_WORDS, fold, stem


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """The weights of a sentence. Factors multiply the weight of its words.

    Attributes:
        length: The power of its tokens that divides its weight: 1 weighs per token, 0 ignores
            length.
        again: The weight of a repeated word, as a share of its last weight.
        spread: The factor of a message's next sentence, for each that is already kept.
        hollow: The weight of a word of praise or greeting, relative to another word.
        name: The extra weight of a name, a number or a date.
        answer: The factor of an assistant's sentence, if the assistant says much more than the
            user.
        own: The factor of a sentence about the speaker.
        told: The factor of a sentence about something past, decided or agreed.
        opening: The factor of a message's first sentence.
        reply: The factor of the two sentences after a message that asked.
        asked: The factor of a question that was answered.
        left_open: The factor of a question that nobody answered.
        exclaimed: The factor of an exclamation.
        critical: The weight of a name in a message whose names must be kept.
        importance: How far the importance of a message moves its factor: 0 not at all, 1 from 0.5
            to 1.5.
        about: The weight of a word that is asked for.
    """

    length: float = 0.5
    again: float = 0.7
    spread: float = 0.85
    hollow: float = 0.5
    name: float = 2.0
    answer: float = 0.6
    own: float = 1.4
    told: float = 1.6
    opening: float = 1.25
    reply: float = 1.2
    asked: float = 0.5
    left_open: float = 3.0
    exclaimed: float = 0.75
    critical: float = 30.0
    importance: float = 1.0
    about: float = 20.0


WEIGHTS = SentenceWeights()

SILENT = frozenset(term for word in STOP_WORDS for term in (word, stem(word)))
"""Terms that carry no meaning by themselves."""

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

TOLD = frozenset(
    fold(
        """
        was were had did got went came made took bought found met told said saw gave left felt began
        thought knew won lost kept paid spent read wrote ran moved been gone done seen taken given
        decided agreed chose chosen settled booked scheduled deadline prefer must
        war waren hatte hatten wurde bin bist habe ging kam fand beschlossen vereinbart entschieden
        été avais étais était avait suis fus fut décidé convenu choisi
        fui fue era estaba tenía había hice hizo decidido acordado elegido
        sono stato stata ero aveva deciso scelto fiz foi estava tinha decidiu combinado
        ben was had ging kwam besloten afgesproken
        был была было были стал стала решил решила решили договорились
        był była było byli miałem miałam zdecydowałem ustaliliśmy
        """
    ).split()
)
"""Words for something past, decided or agreed, folded."""

HOLLOW = frozenset(
    map(
        stem,
        """
        great amazing awesome cool nice glad wow sounds sound totally definitely absolutely really
        super bet sure hope hopefully fun excited exciting happy love loved wonderful fantastic
        incredible beautiful lovely perfect best better good well pretty agree agreed true course
        welcome proud congrats congratulations inspiring inspired interesting appreciate inspiration
        yeah yep yes hey hi hello bye oh ah aw haha thanks thank okay
        look looking forward lot lots thing things something anything everything nothing someone
        everyone people one ones way kind sort stuff bit little big huge whole much many
        get got getting go going gonna wanna make makes feel feels feeling keep know let see
        mean guess think want need can't cant wait take care enjoy enjoyed enjoying always just like
        moment moments special important life help helps helped helpful share shared sharing
        support supportive also even still ever never back new right time day days crazy
        happy certainly here's here feel free
        """.split(),
    )
)
"""Terms of praise, greeting and filler: alone they say next to nothing."""
