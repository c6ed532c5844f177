"""Small numbers as words, in the languages with Western digits."""

import re
from collections.abc import Mapping

from unabridged.language.words import fold

_WORDS = """
2 two twice zwei zweimal deux dos due dois duas twee два две дважды dwa dwie
3 three drei trois tres tre três drie три trzy
4 four vier quatre cuatro quattro quatro четыре cztery
5 five fünf cinq cinco cinque vijf пять pięć
6 six sechs seis sei zes шесть sześć
7 seven sieben sept siete sette sete zeven семь siedem
8 eight acht huit ocho otto oito восемь osiem
9 nine neun neuf nueve nove negen девять dziewięć
10 ten zehn dix diez dieci dez tien десять dziesięć
11 eleven elf onze once undici одиннадцать jedenaście
12 twelve dozen zwölf douze doce dodici doze twaalf двенадцать dwanaście
13 thirteen dreizehn treize
14 fourteen vierzehn quatorze
15 fifteen fünfzehn quinze quince quindici vijftien пятнадцать piętnaście
16 sixteen sechzehn seize
17 seventeen siebzehn
18 eighteen achtzehn
19 nineteen neunzehn
20 twenty zwanzig vingt veinte venti vinte twintig двадцать dwadzieścia
30 thirty dreißig trente treinta trenta trinta dertig тридцать trzydzieści
40 forty vierzig quarante cuarenta quaranta quarenta veertig сорок czterdzieści
50 fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig пятьдесят pięćdziesiąt
60 sixty sechzig soixante sesenta sessanta sessenta zestig шестьдесят sześćdziesiąt
70 seventy siebzig setenta settanta zeventig семьдесят siedemdziesiąt
80 eighty achtzig ochenta ottanta oitenta tachtig восемьдесят osiemdziesiąt
90 ninety neunzig noventa novanta negentig девяносто dziewięćdziesiąt
100 hundred hundert cent cien cento cem honderd сто sto
1000 thousand tausend mille mil duizend тысяча tysiąc
1000000 million millionen millón milione milhão miljoen миллион milion
"""
NUMBER_WORDS: Mapping[str, str] = {
    fold(word): line.split()[0] for line in _WORDS.strip().splitlines() for word in line.split()[1:]
}
"""A number's word, folded, to its digits; ``one`` is left out, as it is seldom a number."""
_AMBIGUOUS = frozenset(map(fold, "once due sei sette sept tres cent mil sto doze elf dos".split()))
"""Words that mean something else in another of the languages."""
_WORD = re.compile(r"[^\W\d_]+")


def spelt_numbers(text: str, *, sure: bool = False) -> frozenset[str]:
    """Return the numbers that a text writes as words, as digits.

    With ``sure``, skip words that mean something else in another language.
    """
    said = frozenset(_WORD.findall(fold(text)))
    return frozenset(
        digits
        for word, digits in NUMBER_WORDS.items()
        if word in said and not (sure and word in _AMBIGUOUS)
    )
