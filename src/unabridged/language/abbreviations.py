"""Words that end in a stop without ending a sentence, in nine languages, in lower case.

They are written without their last stop: ``z.b`` for ``z.B.``.
"""

from unabridged.language.words import fold


def _table(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


TITLES = _table(
    """
    mr mrs ms mx dr prof rev hon gen maj capt cmdr lt sgt cpl sen rep gov pres st ste mt
    messrs mmes
    hr fr frl dipl ing phil jur hl
    m mm mme mlle mgr pr
    sr sra srta srs don dña d dª exmo ud uds
    sig sigg dott dott.ssa avv arch egr gent geom
    dra exma eng
    dhr mevr mw drs mej jhr
    г-н г-жа акад проф доц им св
    p dr.hab hab inż bp ks św
    """
)
"""Before a name: never the end."""

BETWEEN = _table(
    """
    vs v cf e.g i.e viz eg ie approx esp resp incl excl tel
    z.b d.h u.a bzw vgl ggf evtl ca inkl exkl sog z.t u.u i.d.r m.e o.ä s.o s.u v.a geb gest
    c.-à-d c.à.d p.ex env
    p.ej ej aprox pág
    p.es cfr
    p.ex
    bijv d.w.z o.a m.b.t i.p.v t.a.v incl t.o.v
    т.е т.к т.н напр см ср ул пр просп пер
    np tzn tj m.in ul
    """
)
"""Usually followed by something: never the end."""

BEFORE_NUMBERS = _table(
    """
    no nos nr nos. fig figs vol vols ch chap sec sect p pp pg art eq ed eds ref tab ver v rev
    jan feb mar apr jun jul aug sep sept oct nov dec
    abb kap bd s str abs ziff aufl jg
    n° núm num janv févr avr juil déc
    pag tav cap
    рис табл гл стр с т г гг п № кв д корп оф янв февр апр авг сент окт нояб дек
    ok rys rozdz godz r zob poz
    afb blz hfst
    """
)
"""Before a number, or between it and a word: the end only before a capital."""

PERHAPS_LAST = _table(
    """
    etc inc ltd co corp llc bros jr sr ph.d phd m.d b.a m.a b.sc m.sc a.m p.m u.s u.k u.n e.u
    u.s.a d.c est dept ave blvd rd hwy apt hrs yr yrs lb lbs oz ft
    usw etc u.ä u.s.w z.hd st std mio mrd tsd jh n.chr v.chr gmbh a.d
    ecc s.a s.l s.r.l s.p.a
    p.m a.m ee.uu
    ltda cia
    enz e.d
    т.д т.п др пр тыс млн млрд руб н.э
    itd itp im tys mln mld zł
    """
)
"""The end only if what follows begins like a sentence."""

ORDINARY = _table("no ok art tab sec fig mar str ver prop est co ed eq gen rev apt ave z s p m")
"""Those that are also words: a sentence ends after them before a lower-case letter."""

ORDINAL_BEFORE = _table("der die das den dem des am im zum zur vom beim seit ab bis ein eine einen")
"""German words before an ordinal, which is a number with a stop: ``am 3. Mai``."""
