"""English patterns: what the user did, does and plans, and the people around."""

from unabridged.knowledge.fact_rules import value_checks
from unabridged.knowledge.fact_rules.lexicon import WEEKDAY, WEEKDAYS
from unabridged.knowledge.fact_rules.rule import rule

_DONE = r"""(?:
    visited|attended|bought|purchased|finished|completed|joined|travell?ed|flew|drove|hiked|ran|
    participated|volunteered|won|met|watched|read|baked|cooked|built|planted|adopted|sold|lost|broke|
    celebrated|hosted|organi[sz]ed|redecorated|replaced|fixed|repaired|donated|upgraded|installed|
    switched|quit|retired|married|signed\s+up|took|gave|wrote|published|launched|presented|submitted|
    received|ordered|picked\s+up|harvested|assembled|painted|renovated|cleaned|started|began|
    went|got\s+back|got\s+(?:an?|my|some|the|married|engaged|promoted|divorced|rid)|had\s+(?:an?|my|some|surgery|lunch|dinner)|
    moved|returned|came\s+back|set\s+up|enrolled|applied|passed|failed|earned|spent|saved|paid|
    saw|tried|made|learned|caught|scored|discovered|inherited|collected|acquired|subscribed|
    cancell?ed|changed|rearranged|reorgani[sz]ed|created|refinished|knitted|crocheted|sewed|
    trained|competed|performed|played|photographed|swam|rode|camped|skied|climbed|stayed|rented|
    hired|invested|brought|packed|wore|ate|drank|chose|settled\s+on|decided\s+on|tried\s+out|worked\s+(?:at|as|for)|used(?!\s+to)|ended\s+up|stopped|reached|hit|beat|raised|shared|borrowed|lent|sent|recovered|injured|opened|closed|downloaded|upcycled|thrifted
)"""
_DID = _DONE.replace("\n", "").replace(" ", "")
_PLAN = (
    r"(?:planning|going|travell?ing|flying|visiting|attending|getting\s+married|moving|starting|"
    r"hosting|taking|leaving|meeting|running|having|driving|throwing|participating|volunteering)"
)

_NO_HABIT = (
    r"(?:really|also|just|always|usually|often|currently|now|already|even|personally|definitely|"
    r"would|will|can|could|should|might|may|want|need|was|am|have|had|hope|wish|think|don|did|"
    r"just|plan|know|noticed?|reali[sz]ed?|found|find|see|heard|hear|got|feel|felt|thought|love|like|enjoy|used)"
)
_LONG = (
    r"(?:about\s+|over\s+|almost\s+|nearly\s+|around\s+|the\s+past\s+|the\s+last\s+|"
    r"more\s+than\s+)*(?:an?|<N>|several|a\s+few|few|many|a\s+couple\s+of|couple)\s+(?:\w+\s+)?"
    r"(?:year|month|week|day|decade)s?"
)
_OCCASION = (
    r"(?:trip|vacation|wedding|party|holiday|move|road\s+trip|honeymoon|getaway|visit|retreat|"
    r"appointment|interview|exam|flight|conference|race|marathon|concert|recital|reunion|surgery|"
    r"presentation|meeting|date|competition|tournament|cruise|hike)"
)

LIFE = (
    rule("has", r"\bI(?:['’]ve|\s+have)(?:\s+(?:also|already|currently|now|still))*\s+got\s+(?P<value>(?:an?|two|three|four|five|\d+)\s+(?!(?:good|great|better|clear|few|lot|bit|question|feeling)\b)<REST>)", value_checks.specific, cue="got"),
    rule("did", rf"\bI(?!['’]ve\s+got\b|\s+have\s+got\b|['’]ve\s+already\s+got\b)(?:['’]ve|\s+have)?(?:\s+(?:just|recently|also|finally|actually|already|once|even))*\s+(?P<value>{_DID}\b(?!['’]t)<REST>)", value_checks.dated),
    rule("habit", r"\bI(?:['’]ve|\s+have)?\s+(?P<value>(?:usually|always|often|typically|normally|generally|regularly|tend\s+to)\s+<REST>)", value_checks.routine),
    rule("habit", rf"\bI<A>\s+(?P<value>(?!{_NO_HABIT}\b)[a-z]+\s+(?:(?!\s-)[^\n;!?.,–—])*?(?:(?:every|each|once\s+a|twice\s+a|(?:two|three|four|five|\d)\s+times\s+a)\s+(?:other\s+)?(?:day|morning|evening|night|week|weekend|month|year|{WEEKDAY}|summer|winter)s?|on\s+(?:{WEEKDAYS}|weekends|weekdays))\b<REST>)", value_checks.routine),
    rule("experience", rf"\bI(?:['’]ve|\s+have)<A>\s+(?P<value>been\s+(?:\w+ing)\s+(?:(?!\s-)[^\n;!?.,–—])*?\bfor\s+{_LONG}\b)", value_checks.experienced, cue="been"),
    rule("experience", r"\bI(?:['’]ve|\s+have)<A>\s+(?P<value>been\s+(?:\w+ing)\s+(?:(?!\s-)[^\n;!?.,–—])*?\bsince\s+[^\n;!?.,]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|because|which)\b))", value_checks.experienced, cue="since"),
    rule("experience", r"\bI(?:['’]ve|\s+have)<A>\s+(?P<value>been\s+(?:\w+ing)\s+(?:(?!\s-)[^\n;!?.,–—])*?\b(?:each|every|a|per)\s+(?:day|week|month|morning|evening|night)\b<REST>)", value_checks.experienced, cue="been"),
    rule("habit", rf"\bI(?:['’]ve\s+got|\s+have)\s+(?P<value>(?:an?|my)\s+(?:[\w'’-]+\s+){{0,4}}?(?:class|classes|lesson|lessons|session|sessions|practice|shift|rehearsal|meeting|training|appointment|call|night)\s+(?:(?:every|each)\s+(?:{WEEKDAY}|week|month|morning|evening)|on\s+{WEEKDAYS})\b<REST>)", cue="i"),
    rule("has", r"\bI(?:['’]ve\s+got|\s+have|\s+currently\s+have|\s+already\s+have|\s+now\s+have|\s+also\s+have)\s+(?P<value>(?:an?\s+[\w-]+\s+of\s+|about\s+|around\s+|over\s+)?\d{1,5}\s+(?!minutes|hours|days|weeks|months|questions?|options|choices|more|people\b)[a-z][\w'’-]+<REST>)", value_checks.specific, cue="ve"),
    rule("health", r"\bI(?:['’]ve|\s+have)?<A>\s+had\s+(?P<value>an?\s+(?:bad\s+|severe\s+|mild\s+)?(?:case|bout)\s+of\s+(?!it\b|this\b|that\b)[\w -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|because|which|that|last|a|in)\b))", cue="had"),
    rule("plan", rf"<IM><A>\s+(?P<value>{_PLAN}\s+<REST>)", value_checks.planned),
    rule("plan", rf"<IM><A>\s+(?P<value>planning\s+(?:an?|my|our)\s+(?:[\w'’-]+\s+){{0,4}}?{_OCCASION}\b(?:\s+(?:to|in|for|with|around|through)\s+[^\n;!?.,]+?)?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|because|which)\b))", value_checks.happened, cue="planning"),
    rule("plan", rf"\bI\s+have\s+(?P<value>an?\s+(?:[\w'’-]+\s+){{0,3}}?{_OCCASION}\b[^\n;!?.]*?)(?=\s*(?:$|[.;!?\n]|,|\b(?:and|but|so|because|which)\b))", value_checks.dated, cue="have"),
)  # fmt: skip
"""What the user did, does and plans."""

OTHERS = (
    rule("{who}", r"\bmy\s+(?P<who><REL>|<PET>)(?:['’]s\s+name\s+is|\s+is\s+(?:called|named)|,?\s+(?:called|named)|)\s+<NAME>(?=\s*(?:$|[\s,.;!?)]|['’]s))", value_checks.named, presupposed=True, text="{Who}: {value}", cue="my"),
    rule("{who}", r"\bmy\s+(?P<who><REL>|<PET>),\s+<NAME>(?=\s*(?:$|[.;!?)]|,(?!\s*(?:and|or|(?-i:[A-Z]))\b)))", value_checks.named, presupposed=True, text="{Who}: {value}", cue="my"),
    rule("{who}", r"\b(?:I\s+(?:have|got|adopted)|we\s+(?:have|got|adopted))\s+(?:an?|my)\s+(?:[\w'’-]+\s+){0,4}?(?P<who><PET>|<REL>)\s+(?:named|called|whose\s+name\s+is)\s+<NAME>", value_checks.named),
    rule("did", r"\bI\s+remember\s+(?P<value>(?:buying|getting|seeing|visiting|meeting|reading|watching|attending|going\s+to|paying|spending)\s+<REST>)", value_checks.dated, cue="remember"),
    rule("{who}", r"\b(?:I|we)\s+(?:have|got|adopted)\b[^.;!?]*?(?:\band|,)\s+an?\s+(?:[\w'’-]+\s+){0,2}?(?P<who><PET>|<REL>)\s+(?:named|called)\s+<NAME>", value_checks.named, text="{Who}: {value}", cue="ed"),
    rule("lives in", r"\bmy\s+(?P<subject>parents|grandparents|in-laws|kids|children|sons|daughters|brothers|sisters|siblings|family|relatives)\s+(?:currently\s+|now\s+|still\s+|all\s+)?lives?\s+in\s+<V>", value_checks.capital, cue="my"),
    rule("did", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+(?:just\s+|recently\s+)?(?P<value>(?:died|passed\s+away|got\s+married|got\s+engaged|had\s+a\s+baby|graduated|retired|gave\s+birth)\b<REST>)", cue="my"),
    rule("lives in", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+(?:currently\s+|now\s+|still\s+)?(?:lives|is\s+living|is\s+based|resides)\s+in\s+<V>", value_checks.capital, cue="my"),
    rule("lives in", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+(?:just\s+|recently\s+)?moved\s+to\s+<V>", value_checks.capital, corrects=True, cue="moved"),
    rule("works as", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)(?:['’]s|\s+is|\s+works\s+as)\s+(?:now\s+|also\s+)?an?\s+<V>", value_checks.job, cue="my"),
    rule("works at", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+works\s+(?:at|for)\s+<V>", value_checks.telling, cue="works"),
    rule("age", r"\bmy\s+(?P<subject>(?:<REL>|<PET>)(?:,?\s+(?-i:[A-Z])\w+,?)?)(?:['’]s|\s+is)\s+(?P<value>\d{1,2}(?:\s+(?:years?|months?|weeks?)(?:\s+old)?)?)(?=\s*(?:$|[.,;!?]|and\b|but\b|now\b|so\b))", value_checks.age, cue="my"),
    rule("age", r"\bmy\s+(?P<value>\d{1,2})[- ](?:years?|months?|weeks?)[- ]old\s+(?P<subject><REL>|<PET>)\b", value_checks.age, presupposed=True, cue="old"),
    rule("likes", r"\bmy\s+(?P<subject>(?:<REL>|<PET>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+(?:really\s+|absolutely\s+|also\s+)?(?:loves|likes|enjoys|adores)\s+<V>", value_checks.telling, cue="s "),
    rule("dislikes", r"\bmy\s+(?P<subject>(?:<REL>|<PET>)(?:,?\s+(?-i:[A-Z])\w+,?)?)\s+(?:really\s+|absolutely\s+|also\s+)?(?:hates|dislikes|doesn['’]?t\s+like)\s+<V>", value_checks.telling, cue="my"),
    rule("allergic to", r"\bmy\s+(?P<subject>(?:<REL>|<PET>)(?:,?\s+(?-i:[A-Z])\w+,?)?)(?:['’]s|\s+is)\s+(?:severely\s+|very\s+)?allergic\s+to\s+<V>", value_checks.telling, cue="allergic"),
    rule("diet", r"\bmy\s+(?P<subject>(?:<REL>)(?:,?\s+(?-i:[A-Z])\w+,?)?)(?:['’]s|\s+is)\s+an?\s+<V>", value_checks.diet, cue="my"),
    rule("birthday", r"\bmy\s+(?P<subject><REL>)['’]s\s+(?:\w+\s+)?birthday(?:\s+is|['’]s)?\s+(?:coming\s+up\s+)?(?P<value>(?:on|in|next|this)\s+[^\n.;!?,]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|because|which|with|at)\b))", value_checks.telling, presupposed=True, cue="birthday"),
)  # fmt: skip
"""The people around the user."""
