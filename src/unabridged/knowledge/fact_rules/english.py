"""English patterns: who the user is, likes and possessions."""

from unabridged.knowledge.fact_rules import value_checks
from unabridged.knowledge.fact_rules.lexicon import CONDITION, DIET, KIN, MONTH, PETS
from unabridged.knowledge.fact_rules.rule import rule

_DATE = rf"(?P<value>(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}|{MONTH}\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?|{MONTH})\b(?:,?\s+(?:19|20)\d\d)?)"
_FAVOURITE = r"(?:all[- ]time\s+)?favou?rite"

PERSON = (
    rule("name", r"\bmy\s+(?:full\s+|first\s+)?name(?:['’]s|\s+is)\s+<NAME>", value_checks.named, cue="name"),
    rule("name", r"^(?:hi|hello|hey)[,!.]?\s+(?:there[,!.]?\s+)?(?:<IM>|this\s+is)\s+<NAME>(?=\s*(?:[,.!–—]|$|\sand\b|\shere\b))", value_checks.named),
    rule("name", r"\b(?:please\s+|you\s+can\s+|everyone\s+)call(?:s)?\s+me\s+<NAME>", value_checks.named, cue="call"),
    rule("name", r"\bmy\s+name(?:['’]s|\s+is)\s+(?P<value>[a-z]{2,20})(?=\s*(?:$|[.,;!]|and\b))", value_checks.capital, cue="name"),
    rule("partner", r"<IM>\s+(?:happily\s+)?(?:married|engaged)\s+to\s+<NAME>", value_checks.named, cue="to"),
    rule("phone number", r"\bmy\s+(?:phone|mobile|cell|telephone)(?:\s+number)?\s+is\s+(?P<value>\+?[\d][\d ()/-]{4,20}\d)", cue="my"),
    rule("email", r"\bmy\s+e-?mail(?:\s+address)?\s+is\s+(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", cue="mail"),
    rule("time zone", r"\bmy\s+time\s?zone\s+is\s+<V>", value_checks.capital, cue="zone"),
    rule("height", r"<IM><A>\s+(?P<value>\d{1,3}(?:[.,]\d+)?\s?(?:cm|m|meters?|metres?|feet|foot|ft)|\d['’]\s?\d{1,2}[\"”]?)\s+tall", cue="tall"),
    rule("weight", r"\bI<A>\s+weigh\s+(?:about\s+|around\s+)?(?P<value>\d{2,3}(?:[.,]\d+)?\s?(?:kg|kilos?|lbs?|pounds|stone))", cue="weigh"),
    rule("age", r"<IM><A>\s+(?:an?\s+)?(?P<value>\d{1,3})(?:[- ]years?(?:[- ]old)?)?(?=\s*(?:[,.;!]|$|and\b|with\b|male\b|female\b|man\b|woman\b))(?!\s*(?:feet|foot|pounds|kg|lbs|cm|%|minutes|weeks|months))", value_checks.age),
    rule("age", r"\bI(?:['’]ve)?\s+(?:just|recently)\s+turned\s+(?P<value>\d{1,3})\b(?!\s*(?:pages|of))", value_checks.age, cue="turned"),
    rule("age", r"<IM><A>\s+in\s+(?P<value>my\s+(?:early\s+|mid[- ]|late\s+)?\d0['’]?s)", cue="in my"),
    rule("birthday", rf"\bmy\s+birthday(?:['’]s|\s+is|\s+falls)\s+(?:on\s+|in\s+)?{_DATE}", cue="birthday"),
    rule("birthday", rf"\bI\s+was\s+born\s+(?:on|in)\s+(?P<value>(?:{MONTH}[\s\d,stndrh]*|(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)?\s+{MONTH})(?:,?\s*(?:19|20)\d\d)?)", cue="born"),
    rule("is from", r"\bI\s+was\s+born\s+(?:and\s+raised\s+)?in\s+<V>", value_checks.capital, cue="born"),
    rule("is from", r"<IM><A>\s+from\s+<V>", value_checks.capital, cue="from"),
    rule("is from", r"\bI\s+grew\s+up\s+in\s+<V>", value_checks.capital, cue="grew"),
    rule("lives in", r"\bI(?:['’]ve|\s+have|['’]m|\s+am)?<A>\s+(?:live|living|lived|reside|based|been\s+living)(?<!\bI\slived)<A>\s+(?:here\s+)?(?:in|near|just\s+outside)\s+<V>", value_checks.capital),
    rule("lived in", r"\bI\s+used\s+to\s+live\s+in\s+<V>", value_checks.capital, cue="used"),
    rule("does not live in", r"\bI<A>\s+(?:do\s+not|don['’]?t)\s+live\s+in\s+<V>", value_checks.capital, cue="live"),
    rule("home", r"\bI<A>\s+live\s+(?P<value>(?:in|on|near|by|next\s+to)\s+(?:an?|the)\s+(?:[^\n.;!?,():]+?))(?=\s*(?:$|[.;!?\n(),]|\b(?:and|but|so|which|where)\b))", value_checks.telling, cue="live"),
    rule("lives with", r"\bI<A>\s+(?:live|living)\s+with\s+<V>", value_checks.telling, cue="liv"),
    rule("lives in", r"<IVE><A>\s+(?:moved|relocated)\s+(?:back\s+)?(?:here\s+)?(?:from\s+[\w ]+?\s+)?to\s+<V>", value_checks.capital, corrects=True, cue="to"),
    rule("works as", r"<IM><A>\s+(?:working\s+as\s+|employed\s+as\s+)?an?\s+<V>", value_checks.job),
    rule("works as", r"\bI<A>\s+work(?:ed)?(?<!ed)<A>\s+(?:part[- ]time\s+|full[- ]time\s+|remotely\s+)?as\s+(?:an?\s+|the\s+)?<V>", value_checks.job, cue="work"),
    rule("works as", r"\bmy\s+(?:new\s+|current\s+|day\s+)?(?:job|role|position|work)\s+as\s+an?\s+<V>", value_checks.job, presupposed=True, cue=" as "),
    rule("works at", r"<IM><A>\s+an?\s+(?:[\w-]+\s+){0,4}?<JOB>\s+(?:at|for)\s+<V>", value_checks.capital, cue=" a"),
    rule("works at", r"\bI(?:['’]m|\s+am)?<A>\s+(?:work|working|employed)<A>\s+(?:part[- ]time\s+|full[- ]time\s+|remotely\s+|here\s+)?(?:at|for)\s+<V>", value_checks.telling, cue="work"),
    rule("works in", r"\bI(?:['’]m|\s+am)?<A>\s+(?:work|working)<A>\s+in\s+(?P<value>(?:the\s+|an?\s+)?(?:[\w-]+\s+){0,3}?(?:industry|department|field|sector|office|marketing|finance|it|hr|human\s+resources|sales|healthcare|education|tech|retail|hospitality|publishing|law|accounting|engineering|construction|advertising|banking|insurance|logistics|hospital|school|library|restaurant|lab|warehouse|factory|bakery|cafe|shop|store)(?:\s+(?:industry|sector|department|field))?)\b", value_checks.telling, cue="work"),
    rule("studies", r"<IM><A>\s+(?:studying|majoring\s+in|pursuing)\s+<V>", value_checks.telling, cue="ing"),
    rule("studies", r"\bI<A>\s+(?:study|major\s+in)\s+<V>", value_checks.telling),
    rule("studies", r"\bmy\s+major\s+is\s+<V>", value_checks.telling, cue="major"),
    rule("education", r"<IVE><A>\s+(?P<value>(?:graduated\s+(?:from|with|in|cum|top|last|this)|got\s+(?:my|a)\s+(?:degree|bachelor|master|phd|mba)|completed\s+(?:my|a)\s+(?:[\w'’ ]+?\s)?(?:degree|bachelor|master|phd|mba|thesis)|majored\s+in|studied)\b(?:[^\n;!?.])+?)(?=\s*(?:$|[.;!?\n]|,\s|\bbut\b|\bso\b|\bbecause\b|\band\s+(?:I|now|am)\b))", value_checks.happened),
    rule("education", r"\bI\s+have\s+an?\s+(?P<value>(?:[\w'’]+\s+){0,2}(?:degree|bachelor['’]?s|master['’]?s|phd|mba|diploma)(?:\s+(?:degree\s+)?(?:in|from)\s+[\w ]+?)?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so)\b))", cue="have"),
    rule("diet", r"<IM><A>\s+an?\s+<V>", value_checks.diet),
    rule("diet", rf"<IM><A>\s+(?P<value>{DIET})\b(?=\s*(?:$|[.;!?\n,]|and\b|but\b|so\b))"),
    rule("diet", rf"\b(?:<IM><A>\s+on|I<A>\s+follow)\s+an?\s+(?P<value>(?:strict\s+)?{DIET}\s+diet)", cue="diet"),
    rule("diet", rf"<IVE>\s+been\s+(?:an?\s+)?(?P<value>{DIET})\b(?=\s*(?:$|[.;!?\n,]|for\b|since\b|and\b|but\b))", cue="been"),
    rule("health", r"<IM><A>\s+(?:an?\s+)?(?P<value>diabetic|asthmatic|celiac|coeliac|epileptic|autistic|dyslexic|colou?r[- ]?blind|pregnant|left[- ]handed|deaf|hard of hearing)\b(?=\s*(?:$|[.;!?\n,]|and\b|but\b|so\b|with\b))"),
    rule("health", r"<IM><A>\s+(?P<value>(?:lactose|gluten|fructose|histamine)[- ]intolerant)", cue="intolerant"),
    rule("allergic to", r"<IM><A>\s+(?:severely\s+|highly\s+|deathly\s+|very\s+|mildly\s+)?allergic\s+to\s+(?P<value>[^\n.;!?():]+?)(?=\s*(?:$|[.;!?\n()]|,\s*(?:so|and\s+(?:I|my)|but|which|what|can|do|any)|\b(?:and\s+(?:I|my)|so|but|which|because|that)\b))", value_checks.telling, cue="allergic"),
    rule("allergic to", r"\bI\s+have\s+an?\s+(?:severe\s+|mild\s+|bad\s+)?(?P<value>[\w-]+(?:\s+[\w-]+)?)\s+allergy\b", value_checks.telling, cue="allergy"),
    rule("not allergic to", r"<IM>\s+not\s+allergic\s+to\s+<V>", value_checks.telling, cue="allergic"),
    rule("health", rf"\bI(?:['’]ve|\s+have|\s+was|['’]ve\s+been|\s+have\s+been|\s+also|\s+suffer|\s+recently)*\s+(?:have|got|had|suffer\s+from|diagnosed\s+with|struggl\w+\s+with|deal(?:ing)?\s+with|recover\w+\s+from)\s+(?:a\s+(?:bad\s+)?)?(?P<value>(?:mild\s+|severe\s+|chronic\s+)?{CONDITION})\b"),
    rule("native language", r"\bmy\s+(?:native|first)\s+language\s+is\s+<V>", value_checks.capital, cue="language"),
    rule("speaks", r"\bI<A>\s+(?:can\s+)?speak\s+(?:fluent\s+|some\s+|a\s+little\s+)?(?P<value>(?-i:[A-Z])\w+(?:(?:,|\s+and|,\s+and)\s+(?-i:[A-Z])\w+)*)", cue="speak"),
    rule("speaks", r"<IM><A>\s+fluent\s+in\s+<V>", value_checks.capital, cue="fluent"),
)  # fmt: skip
"""Who the user is."""

LIKES = (
    rule("favourite {what}", rf"\bmy\s+{_FAVOURITE}\s+(?P<what>(?!(?:part|parts|thing|things|moments?|ones?|memory|memories|aspects?|of)\b)[\w'’]+(?:[ -][\w'’]+){{0,4}}?)(?:\s+is|\s+are|\s+was|\s+has\s+to\s+be|\s+would\s+be)\s+(?:definitely\s+|probably\s+|still\s+)?<V>", value_checks.telling, cue="avo"),
    rule("likes", r"\bI(?:<A>\s+(?:do\s+)?(?:love|like|enjoy|adore)|(?:['’]ve|\s+have)\s+always\s+(?:loved|liked|enjoyed|adored))\s+(?!to\b|[a-z]{3,}ing\b)<V>", value_checks.telling),
    rule("likes", r"\bI(?:<A>\s+(?:do\s+)?(?:love|like|enjoy|adore)|(?:['’]ve|\s+have)\s+always\s+(?:loved|liked|enjoyed|adored))\s+(?P<value>[a-z]{3,}ing\b<REST>)", value_checks.telling),
    rule("likes", r"\bI(?:<A>\s+(?:do\s+)?(?:love|like|enjoy|adore)|(?:['’]ve|\s+have)\s+always\s+(?:loved|liked|enjoyed|adored))\s+(?P<value>to\s+<REST>)", value_checks.telling),
    rule("likes", r"<IM><A>\s+(?:an?\s+)?(?:huge|big|massive|lifelong|longtime)\s+fan\s+of\s+<V>", value_checks.telling, cue="fan"),
    rule("likes", r"<IM><A>\s+(?:into|passionate\s+about|fond\s+of|obsessed\s+with|keen\s+on|fascinated\s+by|addicted\s+to)\s+<V>", value_checks.telling),
    rule("dislikes", r"\bI<A>\s+(?:hate|dislike|can['’]?t\s+stand|cannot\s+stand|detest|despise)\s+<V>", value_checks.telling),
    rule("dislikes", r"\bI<A>\s+(?:do\s+not|don['’]?t)(?:\s+really)?\s+(?:like|enjoy)\s+<V>", value_checks.telling),
    rule("dislikes", r"<IM><A>\s+not\s+(?:really\s+)?(?:a\s+(?:big\s+|huge\s+)?fan\s+of|fond\s+of|into)\s+<V>", value_checks.telling, cue="not"),
    rule("prefers", r"\bI<A>\s+prefer\s+<C>", value_checks.telling, cue="prefer"),
    rule("does not eat", r"\bI<A>\s+(?:do\s+not|don['’]?t|never|can['’]?t|cannot)\s+eat\s+<V>", value_checks.telling, cue="eat"),
    rule("does not drink", r"\bI<A>\s+(?:do\s+not|don['’]?t|never)\s+drink\s+<V>", value_checks.telling, cue="drink"),
    rule("plays", r"\bI(?:['’]ve|\s+have)?<A>\s+(?:play|been\s+playing)\s+(?:the\s+)?(?P<value>(?:acoustic\s+|electric\s+|bass\s+|classical\s+|competitive\s+|video\s+|board\s+)?[\w-]+)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|for|with|since|every|on|at|in|twice|once|regularly|as)\b))", value_checks.telling, cue="play"),
    rule("learns", r"<IM><A>\s+(?:learning|taking\s+lessons\s+in)\s+(?P<value>(?:to\s+(?:play|speak|cook|paint|code|drive|swim|sew|knit|ski|surf|dance|draw)\b|how\s+to\s+(?:play|speak|cook|paint|code|drive|swim|sew|knit|ski|surf|dance|draw)\b|(?-i:[A-Z]))[\w ]*?)(?=\s*(?:$|[.;!?\n,]|\b(?:and|but|so|for|with|since|by)\b))", value_checks.telling, cue="ing"),
)  # fmt: skip
"""What the user likes and dislikes."""

THINGS = (
    rule("has", r"\bI(?:['’]ve|\s+have)?<A>\s+(?:have|own|got|adopted|drive)\s+(?P<value>(?:an?|two|three|four|five|my\s+own)\s+(?:(?!(?:at|in|of|on|for|with|the|to|from|and|my)\b)[\w'’-]+\s+){0,4}?(?:<PET>|<THING>)\b)(?!\s+(?:named|called)\b)(?=\s*(?:$|[.,;:!?)–—]|-\s|\b(?:and|but|so|with|for|in|at|from|that|which|to|on|since|who|because|now|as|last|this|about|when|where|recently|today|yesterday|already|too|is|it|I|he|she|the|my|around|over|a|myself|right|though)\b))", value_checks.owned),
    rule("has", r"\bI<A>\s+own\s+<V>", value_checks.owned, cue="own"),
    rule("has", r"\bI<A>\s+drive\s+(?P<value>an?\s+(?:(?:19|20)\d\d\s+|[a-z]+\s+)?(?-i:[A-Z])[\w-]+(?:\s+(?-i:[A-Z])[\w-]+)*)", cue="drive"),
    rule("number of {what}", rf"\b(?:I|we)(?:['’]ve|['’]ve\s+got|\s+have|\s+also\s+have|\s+currently\s+have|\s+now\s+have|\s+own)\s+(?P<value><N>)\s+(?:[\w-]+\s+)?(?P<what>{PETS}|{KIN})\b", cue="ve"),
    rule("number of {what}", rf"\bmy\s+(?P<value><N>)\s+(?:[\w-]+\s+)?(?P<what>{PETS}|{KIN})\b", presupposed=True, cue="my"),
    rule("{what}", r"\bmy\s+(?:[\w-]+\s+){0,2}?(?P<what><THING>)\s*(?:,\s*|\s+is\s+|['’]s\s+)an?\s+(?P<value>(?:\d{4}\s+|[a-z]+\s+)?(?-i:[A-Z])[\w-]+(?:\s+(?!I\b)(?-i:[A-Z0-9])[\w-]*)*)", cue="my"),
    rule("does not have", r"\bI<A>\s+(?:do\s+not|don['’]?t)\s+(?:currently\s+|actually\s+)?(?:have|own)\s+(?P<value>(?:an?|any)\s+(?:[\w'’-]+\s+){0,3}?(?:<PET>|<THING>)s?)(?=\s*(?:$|[.,;:!?)–—]|-\s|\b(?:and|but|so|with|for|in|at|that|to|on|because|now|or|right|yet|anymore|myself)\b))", cue="n"),
    rule("no longer {what}", r"\bI(?:['’]m|\s+am)?\s+no\s+longer\s+(?P<what>live\s+in|living\s+in|work\s+as|work\s+at|work\s+for|have(?!\s+to\b)|own|use|like|play|eat|drink)\s+(?:an?\s+)?<V>", value_checks.telling, corrects=True, cue="no longer"),
    rule("uses", r"\bI(?:['’]ve\s+been|['’]m|\s+am|\s+have\s+been)?<A>\s+(?:use|using)\s+(?:the\s+|my\s+)?(?P<value>(?:(?-i:[A-Z])[\w+.'’-]*)(?:\s+(?-i:[A-Z0-9])[\w+.'’-]*)*(?:\s+(?:app|camera|printer|phone|laptop|planner|software|tv|watch|tablet|bottle|lights?|shoes|headphones|machine|cleanser|sneakers|scale|kit))?)(?=\s*(?:$|[.,;:!?()–—]|-\s|\b(?:and|but|so|with|for|in|at|from|that|which|to|on|since|because|now|as|when|every|regularly|daily|lately)\b))", value_checks.capital, cue="us"),
    rule("is reading", r"<IM><A>\s+(?:reading|re-?reading|listening\s+to|watching)\s+(?P<value>[\"“'‘]?(?-i:[A-Z])[^\n;!?]+?)(?=\s*(?:$|[.;!?\n]|,\s|\b(?:and\s+I|and\s+it|but|so|which|because)\b))", value_checks.telling, cue="ing"),
)  # fmt: skip
"""What the user has and uses."""
