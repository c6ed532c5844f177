"""Names, numbers and dates in a text, which a shorter text must not lose or invent.

Deterministic and offline. Names are capitalised runs inside sentences, words that a text
capitalises inside sentences elsewhere, words in capitals, inner capitals (``PostgreSQL``), and
quoted text. In Chinese, Japanese and Korean they are words before a form of address. These are good
guesses, not grammar. In German, where every noun has a capital, only runs and words after ``Herr``,
``in``, ``aus`` count.
"""

import re
from collections.abc import Iterator

from unabridged.language.abbreviations import TITLES
from unabridged.language.calendar import MONTHS, WEEKDAYS
from unabridged.language.words import fold

_CAPITAL = "".join(
    chr(code) for low, high in ((0x41, 0x250), (0x370, 0x530)) for code in range(low, high)
    if chr(code).isupper()
)  # fmt: skip
_SMALL_BETWEEN = "of the|of|de la|de los|del|de|da|di|du|van der|van den|van|von der|von|der|bin|ibn|al|el|la|le|y"
_NAME = rf"[{_CAPITAL}][\w]*(?:['’.&-](?=\w)\w+)*"
_RUN = re.compile(rf"(?<![\w@./]){_NAME}(?:[ ](?:(?:{_SMALL_BETWEEN})[ ])?{_NAME})*")
_INNER = re.compile(rf"(?<=[\w,;)] )[{_CAPITAL}]\w*|\b\w*[a-z][A-Z]\w*|\b[A-Z][A-Z0-9]+\b")
_CAPITALS = re.compile(rf"(?<!\w){_NAME}(?:[ ]{_NAME})*")
_HUMPS = re.compile(r"(?<![\w/])[a-z]+\d*[A-Z]\w+|(?<![\w/.])@\w{2,}|[\w.+-]+@\w+(?:\.\w+)+")
_QUOTED = re.compile(
    r"[“„«]([^“”„«»\n]{2,60})[”“»]|(?<![\w\"])\"([^\"\n]{2,60})\"(?!\w)"
    r"|[「『《〈]([^」』》〉\n]{1,40})[」』》〉]"
)
_ADDRESSED = re.compile(
    r"([\u4e00-\u9fff]{1,3})(?:先生|女士|小姐|老师|さん|くん|ちゃん|様|氏)|([\uac00-\ud7a3]{2,4})(?:씨|님)"
)
_OPENS = " \t\n\"'“„«‘’([{*_#>`•–—-"
_QUOTES = '"“„«'
_STOPS = ".!?…:。！？\n"
_NUMBER = re.compile(
    r"(?<![\w.,])\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)*"
)
_BACK = 24
"""Characters before a name that decide whether it begins a sentence."""
_LONGEST_TITLE = 6
"""Words of the longest quotation that is a name."""
_SAMPLE = 2_000
"""Characters that decide the language."""
_GERMAN_SHARE = 0.12
GERMAN = frozenset(
    "der die das und ist ich nicht ein eine mit auf den dem fur auch wir haben".split()
)
"""Words, folded, that indicate German."""
_BEFORE_GERMAN = frozenset(
    "herr herrn frau dr prof in nach aus bei heisst heisse namens bin mit und von".split()
)
NO_NAMES = frozenset(
    fold(
        """
        i i'm i've i'll i'd im ive ok okay tv id god mom mum dad sir user assistant ps pm am a an
        lol haha yeah bonus note tip step part section example answer question summary
        the this that these those there here it its he she they we you my your his her our their
        what when where which who whom whose why how if in on at by for from with without of to into
        onto and but or so yet nor as than then though although because since while until unless
        after before is are was were be been do does did have has had can could will would shall
        should may might must not no yes oh well also just only even still again too very really
        maybe perhaps let lets let's please thanks thank hi hello hey dear sorry sure great good nice
        wow cool awesome all any each every some many most much more less few several both either
        neither one two three first second third finally next last lastly another other others such
        same own once twice today tomorrow yesterday now later soon recently currently usually often
        sometimes always never however therefore moreover furthermore additionally overall instead
        otherwise meanwhile besides remember consider try use using make take get give keep go come
        see look find check start begin stop ask tell say think know want need like love feel hope
        wish help show set add put create include based given during about around between among
        through over under above below against can't don't it's that's there's what's he's she's
        they're we're you're isn't aren't didn't absolutely definitely certainly exactly speaking
        regarding according depending whether anyway aw ah hmm congrats congratulations bye goodbye alright glad btw welcome mr mrs
        ms dr prof last both
        der die das ein eine ich du er sie es wir ihr mein meine dein und aber oder wenn weil als
        gestern heute morgen dann danach dort hier was wie wo wer warum ja nein danke bitte im am
        le la les un une il elle nous vous je tu mon ma mes et mais ou si hier aujourd'hui demain oui
        non merci que qui quand où pourquoi comment dans pour avec c'est j'ai
        el los las una yo él ella nosotros mi tu su y pero o cuando ayer hoy mañana sí gracias qué
        quién dónde cómo porque en para con es
        lo gli io lui lei noi mio mia e ma se ieri oggi domani sì grazie che chi dove come perché per
        o os as um uma eu ele ela nós meu minha mas ontem hoje amanhã sim obrigado obrigada quem onde
        de het een ik jij hij zij wij mijn en maar of als gisteren vandaag morgen ja nee dank wat wie
        waar hoe waarom
        я ты он она оно мы вы они мой моя и но а если когда вчера сегодня завтра да нет спасибо что
        кто где как почему в на с у о это мне меня наш
        ja ty on ona my wy oni mój moja i ale lub jeśli kiedy wczoraj dziś jutro tak nie dziękuję co
        kto gdzie jak dlaczego w na z to
        """
    ).split()
)
"""Words that name nothing, even with a capital, such as those that begin sentences."""


def numbers_in(text: str) -> frozenset[str]:
    """Return numbers of a text as digits, without thousands separators; those of dates too."""
    return frozenset(map(_digits, _NUMBER.findall(text)))


def _digits(number: str) -> str:
    if re.fullmatch(r"\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+", number):
        return re.sub(r"\D", "", number)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d+", number):
        return number.replace(",", "")
    plain = number.replace(",", ".")
    if plain.isdigit():
        return plain.lstrip("0") or "0"
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def names_in(text: str) -> frozenset[str]:
    """Return names in a text, folded."""
    runs = list(_runs(text))
    german = _is_german(text)
    inside = {word for run, _, first in runs if not first for word in map(_bare, run)}
    found: set[str] = set()
    for run, before, first in runs:
        sure = not first or _bare(run[0]) in inside
        name = _name(run, sure=sure)
        if name and (not german or " " in name or before in _BEFORE_GERMAN or run[0].isupper()):
            found.add(name)
    return frozenset(found) | marked_names(text)


def marked_names(text: str) -> frozenset[str]:
    """Return names with other signs than a capital at their beginning, folded.

    Inner capitals, handles, addresses, quoted text, and words before a form of address.
    """
    found = set(map(fold, _HUMPS.findall(text)))
    found.update(name for name in map(_work, _QUOTED.findall(text)) if name)
    found.update(one or other for one, other in _ADDRESSED.findall(text))
    return frozenset(found)


def inner_capitals(text: str) -> list[str]:
    """Return capitalised words inside sentences, and words with several capitals; fast."""
    return _INNER.findall(text)


def capitalised(text: str) -> list[str]:
    """Return every run of capitalised words, anywhere."""
    return _CAPITALS.findall(text)


def _runs(text: str) -> Iterator[tuple[list[str], str, bool]]:
    for match in _RUN.finditer(text):
        begin = match.start()
        window = text[max(0, begin - _BACK) : begin]
        before = window.rstrip(_OPENS)
        words = before.split()
        last = fold(words[-1]) if words else ""
        first = not before or before[-1] in _STOPS or window[-1:] in _QUOTES
        if last.endswith(".") and last[:-1] in TITLES:
            first = False
        if "\n" in window[len(before) :]:
            first = True
        run = match[0].split(" ")
        followed = text[match.end() : match.end() + 2]
        if first and len(run) == 1 and (followed == ": " or run[0].endswith(("'s", "’s"))):
            first = False  # ``Caroline: …`` and ``Maria's …`` are about somebody
        yield run, last, first


def _bare(word: str) -> str:
    return fold(word).removesuffix("'s").removesuffix("'")


def _name(run: list[str], *, sure: bool) -> str:
    words = list(map(_bare, run))
    capitals = len(run) > 2 and all(word.isupper() for word in run)
    while words and (words[0] in NO_NAMES or len(words[0]) < 2):
        words, sure = words[1:], True
    while words and (words[-1] in NO_NAMES or len(words[-1]) < 2):
        words = words[:-1]
    dated = len(words) == 1 and (words[0] in MONTHS or words[0] in WEEKDAYS)
    if not words or capitals or dated:
        return ""
    striking = any(letter.isupper() or letter.isdigit() for letter in run[-1][1:])
    return " ".join(words) if sure or len(words) > 1 or striking else ""


def _work(found: tuple[str, ...]) -> str:
    words = fold("".join(found)).strip(" .,!?;:…").split()
    return " ".join(words) if len(words) <= _LONGEST_TITLE else ""


def _is_german(text: str) -> bool:
    words = fold(text[:_SAMPLE]).split()
    return sum(word in GERMAN for word in words) > _GERMAN_SHARE * len(words)
