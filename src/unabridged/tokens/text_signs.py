"""Signs that a text is in a language: its frequent words, or the frequent letters of its script.

A model's vocabulary makes a language cheap, not its letters: letters at random cost far more.
"""

from collections.abc import Mapping
from types import MappingProxyType

from unabridged.language.lazy_pattern import lazy_pattern

ENGLISH = (
    "the to and of is that for you it with I are be your can this my was have not"
    " they we he she them their our his her what how who when where which there here"
    " just about like would could should will been had has did were but from more some than then"
    " get make know think see really great good time I'm it's don't that's I've I'll you're let's"
    " The You It This That They We He She What How When There But And So"
)
"""Frequent words of English."""

WORDS: Mapping[str, str] = MappingProxyType(
    {
        word: name
        for name, words in (
            (
                "foreign",
                """
                der die das und ist nicht ein eine den dem mit von zu für auf ich es sich wir sie
                auch im des dass wie
                le la les des et est un une que qui dans pour pas je vous il sur ne ce par avec du au
                el los las en por con se como pero es una del
                il di che per non una con sono della
                uma não com você dos mais
                de het een van en dat niet voor met op zijn
                och att det som på är av för inte jag med til og af ikke
                în din care este să
                """,
            ),
            (
                "eastern",
                """
                az és nem hogy egy meg ez
                bir için ile çok daha gibi
                nie się jest że jak oraz
                že pro jsem jako
                và của là có không được cho trong một các với người
                yang dan itu dengan untuk tidak dari
                """,
            ),
            ("english", ENGLISH),
        )
        for word in words.split()
    }
)
"""Word to the language, or the group of languages, that it is a sign of."""

BY_CHANCE: Mapping[str, float] = MappingProxyType({"english": 0.25, "foreign": 0.5, "eastern": 0.5})
"""Signs of a language that a text has by chance."""

FREQUENT: Mapping[str, str] = MappingProxyType(
    {
        "cyrillic": (
            "ст ра ен ни но ов ро на ко ре ер пр ан по то та те ор ол ос ва од ка ли ри ль ле во ет ти"
            " ар ме от ла го де ом ат об не да ве ел ал"
        ),
        "greek": (
            "ου το τα ικ πο στ αν τη ει αι να κα ια ρο τι ρα μα τε ερ με ρι εί ία ση ού ον σε νο ων λο"
            " μο πε πρ υν λλ ος ιο δι ισ πα κε ας αρ κο ης συ εν μέ οι κό"
        ),
        "arabic": (
            "ال ان ار لم لا وا ات ما ام ية را با ور ول لي اد اس ست ري اب نا ون دا ين ای يا ها لت لأ ير"
            " ند عل ائ بر من رو اع سا بي لك ری لع دي تر مل مر لس تا ني اف ات ים ור יי ול ני יו ית ונ בר"
            " ינ וא בי לה וד יר או נו יל וו רי ער יש ון רא לי יה וב אי של די בו וי המ וע שר ומ מי מו ין"
            " לא יד אל מש ות"
        ),
        "cjk": """
        的一是不了在人有我他这中大来上个国和地到说们为子你时要就出会可也对生能而得着下自之年过发后作里用
        道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想
        实日者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体
        政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提
        請這個們國學時來說對會後過為還沒發經現開無與問間將請從進
        私今何気年食見行思言日本分
        """,
        "kana": "のにはをたがでてとしれさいあるもなこかっうんりらすまきくよンスルトーリイ",
        "hangul": "이는을의에가다고로하지은를도서기사한인어있시나자해그니리아정대수게요면만일들과습",
        "thai": "านรอกเงมยลวดทส่้าัี",
        "indic": (
            "ािीेैोौ्ंकनरसहतमपलयजदबव"
            "ািীে্কনরসতমপলযবদ"
            "ாிுே்கதபமரவலனட"
            "ాిుే్నరలకతవమద"
            "ಾಿುೆ್ನರಲಕತವದ"
            "ാിുെ്നകരതമലവ"
            "ાિીે્નકરસતમવલ"
            "ਾਿੀੇਸਕਨਰਹਤਲਦ"
        ),
        "southern": "აეიორსდბლნმვငာိုေ်းတမကနရသပအានរតសកែ្ុោមបលយአይነንተለመበውደረስህ",
        "emoji": "😂❤👍🔥✨🎉😊🙏😭🥰😅🚀🤔💪😍😘😁👏✅🎶💕☕⭐💡📚🌱👋😀🙌💙💚💛💜😎😢😉",
    }
)
"""Script to its most frequent letters, or pairs of letters."""

SLAVIC = "іїєґўјљњћџђъѣ"
"""Letters of the languages in Cyrillic script that vocabularies make less cheap than Russian …"""

SLAVIC_SHARE = 0.01
"""… and their share of the letters in these."""

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "english": 0.14,
        "accents": 0.15,
        "foreign": 0.13,
        "eastern": 0.08,
        "cyrillic": 0.16,
        "greek": 0.13,
        "arabic": 0.13,
        "cjk": 0.16,
        "kana": 0.40,
        "hangul": 0.25,
        "thai": 0.45,
        "indic": 0.45,
        "southern": 0.40,
        "emoji": 0.12,
    }
)
"""Language or script to the share of signs, of words or letters, from which all is in it."""

_LANGUAGE = dict(WORDS).get
_PAIRED = frozenset({"cyrillic", "greek", "arabic"})
_PATTERNS = {
    name: lazy_pattern(
        "|".join(signs.split()) if name in _PAIRED else f"[{''.join(signs.split())}]"
    )
    for name, signs in FREQUENT.items()
}
_SLAVIC = lazy_pattern(f"[{SLAVIC}]")


def words_by_language(text: str) -> Mapping[str, float]:
    """Return how many of the words are signs of each language, less what chance brings."""
    found = list(filter(None, map(_LANGUAGE, text.split())))
    return {name: found.count(name) - chance for name, chance in BY_CHANCE.items() if name in found}


def share(name: str, signs: float, units: int) -> float:
    """Return the share of words or letters that is in the language: 0 to 1."""
    return min(1.0, signs / (SHARES[name] * units)) if units else 0.0


def letters_share(script: str, letters: str) -> float:
    """Return the share of a script's letters that is in a language: 0 to 1."""
    if script in _PAIRED:
        letters = letters.lower()
    return share(script, len(_PATTERNS[script].findall(letters)), len(letters))


def is_slavic(letters: str) -> bool:
    """Return whether Cyrillic letters are of another language than Russian."""
    return len(_SLAVIC.findall(letters.lower())) > SLAVIC_SHARE * len(letters)
