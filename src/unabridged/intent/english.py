"""Signals of intent in English, as data: each a weight, a name and a pattern for the plain form.

In the plain form (``normalize_text.plain``) a message is lower-case words between single spaces;
accents are gone, contractions written out, and the only marks are ``.`` (a clause begins) and
``?``. In patterns ``{name}`` inserts an entry of ``WORDS``; ``<`` matches the beginning of a clause
with any politeness before the request. Weights rate how specific a signal is; the most specific
wins.
"""

from collections.abc import Mapping

from unabridged.domain.intent import Intent
from unabridged.intent.world_knowledge import WORLD

WORDS: Mapping[str, str] = {
    "wh": "what|which|who|whom|whose|where|when|how many|how much|how long|how old|how far"
    "|how often|how tall|how big|how come",
    "i": "i|we|you and i",
    "my": "my|our|mine|ours",
    "be": "is|are|was|were|am|does|do|did|has|have|had|will",
    "told": "told|mentioned|said|gave|showed|sent|described|wrote|pasted|posted|shared|explained"
    "|talked about|asked|named|called|confessed|admitted|complained",
    "talk": "talk|talked|talking|discuss|discussed|discussing|chat|chatted|chatting|speak|spoke"
    "|spoken|speaking|cover|covered|covering|go over|gone over|went over|go through|gone through"
    "|went through|been over|touch on|touched on|touched upon|converse|conversed|brainstormed",
    "work": "work|worked|working|do|done|doing|did|accomplish|accomplished|achieve|achieved|make"
    "|made|establish|established|build|built",
    "decide": "decide|decided|agree|agreed|settle|settled|pick|picked|choose|chose|chosen"
    "|conclude|concluded|arrange|arranged",
    "overview": "summary|summaries|summarize|summarise|summarized|summarized|summarizing|sum up"
    "|sum them up|sum it up|sum it all up|summing up|recap|recapitulate|overview|outline|digest"
    "|gist|highlights|rundown|run down|takeaways|key points|main points|general points|main themes"
    "|themes?|minutes|timeline|bullet points|bullets|condense|condensed|boil|boiled|nutshell|tldr"
    "|synopsis|big picture|overall picture|broad strokes|progress report|short report"
    "|cliffsnotes|cliff notes|skinny|lowdown|essence|bottom line|debrief|roundup|refresher"
    "|status report|short history|history|abridge|short version|main topics|round up",
    "chats": "our|we|us|conversation|conversations|chat|chats|talk|talks|discussion|discussions"
    "|session|sessions|thread|so far|up to now|until now|up to this point|last time|told you"
    "|messages|yesterday|today|last week|this week|last month|you know about me"
    "|everything you know|our story|story so far|together|i said|i have said|above",
    "document": "text|article|paper|book|novel|chapter|email|mail|paragraph|passage|plot|film"
    "|movie|video|document|pdf|following|transcript|page|website|essay|season|report|study|speech"
    "|play|poem|lecture|podcast|blog|post|code|file|section|letter|contract",
    "generic": "things|topics|subjects|everything|points|stuff|all|themes|decisions|it|that|what",
    "past": "yesterday|last|ago|earlier|before|previously|once|back in|the other day|this morning"
    "|at the time|recently|in the past",
    "task": "write|rewrite|create|draft|translate|explain|fix|debug|compare|generate|design|build"
    "|make|convert|calculate|compute|proofread|edit|plan|suggest|recommend|propose|imagine|add"
    "|remove|change|implement|refactor|describe|define|solve|help|check|book|order|play|compose"
    "|brainstorm|advise|teach|prepare|continue|correct|improve|shorten|expand|use|turn|set|schedule"
    "|run|execute|open|read|classify|extract|format|sort|pretend|act|rate|evaluate|analyze|analyse"
    "|name three|list ten",
    "detail": "name|title|address|number|date|code|brand|price|model|colour|color|word|words|wording"
    "|quote|author|score|dose|amount|password|street|recipe|ingredients|list|line|song|flavour"
    "|size|age|birthday|date",
    "past_verb": "did|was|were|had",
    "irregular": "came|went|said|took|gave|told|stole|won|lost|sold|bought|sent|wrote|left|found|got"
    "|made|kept|paid|sang|ate|drove|flew|broke|fell|drank|spoke|built|caught|chose|rang|swam|threw"
    "|wore|taught|lent|sat|slept|spent|met|led|saw|brought|cost|beat|began|held|ran|drew|thought|hurt|cut|put|let|set|hit|quit|shut|grew|knew|shown",
    "person": "mankind|humans?|people|scientists|one|nobody|someone",
    "gerund": "\\w+ing",
    "talks": "conversations?|chats?|discussions?|talks?|threads?|sessions?|exchanges?|lessons?"
    "|messages|history",
    "tale": "story|tale|campaign|adventures?|quest|journey|plot|saga|game|novel|roleplay",
    "record": "notes?|minutes|profile|picture|portrait|timeline|handover|report|digest|list|log"
    "|recap|summary|overview|bullets?|outline|abstract|sketch|account|protocol|brief|briefing|synopsis|table",
    "machine": "code|build|test|tests|app|script|query|program|computer|laptop|phone|server|page"
    "|function|compiler|docker|request|import|loop|regex|model|printer|wifi|browser|site|website",
    "months": "january|february|march|april|may|june|july|august|september|october|november"
    "|december|spring|summer|autumn|winter|fall",
    "kin": "mom|mum|mother|dad|father|brother|sister|wife|husband|son|daughter|aunt|uncle|cousins?"
    "|grandma|grandpa|grandmother|grandfather|niece|nephew|boss|partner|girlfriend|boyfriend"
    "|landlord|neighbou?r|doctor|vet|therapist|teacher|team",
    "world": WORLD,
    "polite": "please|so|ok|okay|well|hey|hi|hello|and|but|now|then|also|just|can you|could you"
    "|would you|will you|can u|could u|are you able to|i want you to|i would like you to|actually"
    "|btw|by the way|thanks|thank you|great|good morning|kindly|maybe|yes|no|sorry|quick question"
    "|quickly|let us|lets|do|you|need you to|i need you to|oh|um|hmm|again|wait",
}

SIGNALS: Mapping[Intent, str] = {
    Intent.VIVID_RECALL: """
        5.5 there was one, which ? | <(?:there (?:was|were)|(?:ages|long|\\w+ \\w+) ago)[^?]*[.] (?:\\w+ ){1,4}[?]
        6.5 hear it once more      | <i (?:would|want|need|could|wish)[^?]* (?:one more time|once more|once again)\\b
        6 how it was that we       | how (?:was it|is it|did it come) that (?:i|we)\\b
        4.6 what takes me          | <(?:what|which) \\w+ (?:takes|brings|gets|suits|fits) me\\b
        5 it was which ?           | <(?!(?:what|which|who|where|when|how|why|can|could|would|should|do|tell|explain|guess)\\b)(?:\\w+ ){1,4}(?:{irregular}|(?!need)\\w+ed|was|were|is|are)(?: on| to| for| about| at| with| in)? (?:what|which|who|whom|how much|how many|when|where)(?! (?:to|should|can|could|i|you|we|he|she|they|the|my|now|then|next|else|are|is|do|did|if)\\b)(?: \\w+){0,6} \\?
        6.5 how you put it         | <how did you (?:explain|describe|put|phrase|say|word|translate|define|spell|call|name|compare)\\b
        5.5 how high it was        | <how \\w+ (?:was|were) (?:my|our)\\b
        5 in what I write          | <(?:what|which|who|whose|where|when|how|why)\\b[^?]* (?:in|of) (?:my|our) (?:short |new |second |first )?(?:{tale}|story|book|manuscript|script|chapter)\\b
        5 in chapter two           | <in (?:chapter|part|act|scene|episode|session|level|the (?:first|second|third|last) (?:chapter|part|act|scene|episode|session)) [^?]*\\b(?:what|who|which|where|how|why)\\b
        5.5 recall the …           | <recall (?!to\\b|that\\b|and\\b)\\w+
        5 the code for             | what is the (?:\\w+ )?(?:name|number|code|password|combination|pin|address|date|size|price) (?:of|for|to) (?:my|our|the (?:bike|garage|gate|front|back|office|house|garden|shed|wifi|alarm|flat|apartment|cabin|car|safe|locker|lock))\\b
        5 when am I                | <(?:when|where|with whom|what time|which \\w+) am i \\w+ing (?:to|on|for|with|at|back)\\b
        4.6 whose                  | <whose (?:\\w+ ){1,3}(?:is|was|are|did|were)\\b
        6 tell me what I did       | <(?:tell|say|show|give|remind|let me know|know|to know|i would like to know|i want to know|i need to know)(?: me)? (?:what|where|when|who|which|how)(?: \\w+){0,2} (?:i|we|my \\w+) (?:(?!need)\\w+ed|{irregular}|did|had|was|were)\\b
        4.4 did I                  | (?<=\\w )did (?:i|we) (?!spell|get that)\\w+
        4.5 a fact of mine         | <(?:at |on |in |for |with |from |to |by )?(?:what|which|who|whose|where|when|how many|how much|how long|how old|how far|how often)\\b(?! (?:should|can|could|would|might)\\b)[^.?]*? (?:is|are|does|do|was|were) (?!it |this |there |a |wrong)[^.?]*\\b(?:my|our) (?!(?:{machine}|{document}|own)\\b)
        5.5 the one I …            | <(?:what|who|which|where) (?:is|are|was|were) the (?:\\w+ ){1,3}?(?:i|we|my \\w+) (?:had |have )?(?:(?!need)\\w+ed|{irregular}|did|do|use|usually|always|like|love)\\b
        6.5 is my … still          | <(?:is|are|was|were) (?:my|our) (?:\\w+ ){1,3}?(?:still|already|up to date|due|valid|overdue|over)\\b[^?]*\\?
        5 that one, its name ?     | <(?:the|that|my|this) [^?]* (?:name|number|address|title|date|price|colour|color|brand|size|surname) \\?
        5.5 what am I              | <(?:what|which|how|where)(?: \\w+){0,2} am i(?! \\w+ing| supposed| wrong| allowed| doing)(?: \\w+){0,2} (?:\\?|\\.|$)
        5.5 did you recommend      | <(?:did|had|have) (?:you|we) (?:not )?(?:recommend|recommended|suggest|suggested|say|said|tell|told|mention|mentioned|give|gave|send|promise|promised|pick|choose|agree)\\b[^?]*\\?
        6 your first suggestion    | what (?:was|were) (?:your|the) (?:\\w+ )?(?:suggestions?|recommendations?|advice|answer|reasoning|tips?|opinion|estimate|conclusion|verdict|result|outcome)\\b
        5.5 what I call            | <(?:what|how|who) do i (?:call|name) (?:my|our)
        5.5 my notes on            | <(?:find|get me|bring back|bring up|open|pull up|fetch|where (?:are|is)|show me) (?:my|our|the) (?:\\w+ ){0,3}?(?:notes?|list|plan|schedule|letter|draft|itinerary|routine|address|numbers?)\\b(?! (?:for|of) (?:a|an)\\b)
        5.5 told before, a title ? | <(?:i|you|we) (?:once |also |had |have )?(?:mentioned|told|gave|showed|described|wrote|listed|named|recommended|suggested|said|had|calculated|sent)\\b[^?]*[.] (?:\\w+ ){1,3}\\?
        6.5 that … we discussed ?  | (?:that|the|those) (?:\\w+ ){1,6}?(?:we|you|i) (?:once |had |have )?(?:discussed|talked about|mentioned|wrote|told|described|met|saw|found|listed|read|drafted|liked|recommended|suggested|showed|gave)\\b[^?]*\\b(?:what|which|who|where|when|how) (?:\\w+ )?(?:was|were|is|are|did)\\b[^?]*\\?
        4.5 which … with a past    | <(?:which|whose|what|who)(?: (?!is\\b|are\\b|we\\b|i\\b|do\\b)\\w+){0,2}?(?: of \\w+ \\w+)? (?:(?!need|used to )\\w+ed|{irregular})[ ]
        5.5 who … of mine          | <(?:which|whose|what|who)(?: \\w+)? (?:(?!need)\\w+ed|{irregular}) [^?]*\\b(?:me|my|us|our)\\b
        4.6 how did … go           | <how (?:fast |well |badly |late |early |big |high |heavy |soon |close )?did (?:\\w+ ){1,5}?(?:go|end|turn out|start|begin|finish|feel|react)\\b
        4.6 why … in the past      | <why (?:did|was|were|had) (?!(?:the |my |this |that |your )?(?:{machine})\\b|you |not |it not)(?:\\w+ )
        6.5 how much I did         | <how (?:\\w+ )did (?:i|we|my|our)\\b
        5 the secret               | <(?:what is the|what is my|the|my|our) (?:\\w+ )?(?:code|password|pin|wifi|combination|passphrase|username|login)(?: again| please)? (?:\\?|\\.|$)
        5 a word and a mark        | <(?!(?:what|which|how|who|why|when|where|can|could|is|are|do|any|new|good|really|seriously)\\b)(?:\\w+ ){0,2}(?:code|password|pin|wifi|number|address|dose|birthday|username)(?: again| please)? \\?
        5.5 of my people           | <(?:does|do|is|are|has|have|did|was|were) (?:my|our) (?:{kin})\\b[^?]*\\?
        4.6 on which day           | <(?:on|at|in) (?:which|what) (?:day|time|date|days|month|year) (?:does|do|is|did|was|were)\\b
        6.5 I need it again        | <i (?:need|want|would like|lost|misplaced|can not find|cannot find) (?:that|the|those|your|my)\\b[^.?]*(?:again|you (?:showed|gave|sent|wrote|made|shared|told|had|mentioned|listed)|we (?:made|wrote|had)|the one)
        6.5 resend it              | (?:resend|re send)\\b|(?:send|show|give|share|forward)(?: \\w+){1,4} (?:again|once more|from (?:yesterday|last|before|monday|tuesday|wednesday|thursday|friday|saturday|sunday|{months}))\\b
        6.5 say again              | <(?:say|tell|repeat|explain)(?: me| us| it)? again (?:what|how|who|which|why|where|when)
        6.5 repeat what            | <(?:repeat|quote|restate) (?:what|how|the|that|your|my)\\b(?! (?:word|sentence|following))
        5 I wonder what I          | i (?:wonder|am wondering|was wondering) (?:what|who|where|when|which|how|if|whether) (?:i|we|you|my)\\b(?! (?:should|can|could|would|might))
        5.5 what year did I        | <(?:in |at )?(?:what|which) (?:year|month|day|age|city|town|school|company) (?:did|was|were|do|does|is|had) (?:i|we|my|our)\\b
        5 how much … owes          | <(?:how much|what|who|how many) (?:do|does) (?:i|we|\\w+) (?:owe|owes)\\b
        6.5 how or why we did      | <(?:how|why) (?:did|had|have|was|were) (?:i|we|my|our|the two of us|grandma|grandpa|mum|mom|dad)\\b(?! (?:{machine})\\b)
        4.5 a question on the past | <(?:at |on |in |for |with |from |to |by |of )?(?:what|which|who|whose|whom|where|when|how many|how much|how long|how often|how old)\\b (?:\\w+ ){0,5}?(?:{past_verb})\\b(?! (?:that|this|it) (?:supposed|about)| you mean)
        6.5 told before, asked now | <(?:(?:once|(?:ages|years|months|weeks|days|long|\\w+ \\w+) ago|earlier|yesterday|before|recently|last \\w+|the other day|in the version) )?(?:i|you|we|i remember you|i think you|i know (?:i|you|we)) (?:once |had |have |also |had a |gave me a )?(?:told|wrote|gave|showed|sent|described|mentioned|said|talked|spoke|explained|helped|listed|made|drew|built|had|calculated|named|suggested|recommended|planned|started|{gerund})\\b[^?]*? (?:which|what|who|how|where|when)(?! (?:should|can|could|would|do i|do you|might|about))(?: \\w+){0,5} \\?
        6.5 one of yours           | <there (?:was|were) (?:a|an|some|this|that|one) (?:\\w+ ){1,3}of (?:yours|mine|ours)
        6 was there not …?         | <(?:was|were|had|have|did) not (?:there|we|i|you|it)\\b[^?]*\\?
        5 the name of              | <(?:the )?(?:\\w+ )?(?:name|number|address|title|password|code|colour|color|brand|price|date|link|size) (?:of|for|to) (?:the|that|my|our|this) (?!(?:this|following)\\b)(?![^.?]* (?:is|should|must|will)\\b)
        5 that one, what was it    | <(?:that|the|my|our|this) (?:\\w+ ){1,8}?(?:[.] )?(?:what|who|which|where|when|how) (?:\\w+ ){0,2}?(?:was|were|did|had)\\b
        5 that …, which            | <(?:that|the|my|our) (?:\\w+ ){1,8}?(?:which|what|who) (?:\\w+ ){0,3}?(?:was|were|did|had|on it|in it|is it)\\b
        4.5 my … ?                 | <my (?!(?:{document}|{machine}|question)\\b)(?:\\w+ ){1,4}[?]
        5 mine, I mean             | \\? [.]? ?mine\\b|<what(?: is| are|s) mine\\b
        5.5 which of mine          | <(?:which|who|how many|what|any) of (?:my|our) (?:\\w+ )(?!(?:should|could|can|would|might)\\b)
        6 do you still have it     | do you (?:still )?(?:have|hold|keep|got|know) (?:it|that|them|those|my|our)\\b(?! feel)
        6.5 any idea what I        | any (?:idea|clue|chance|memory) (?:of )?(?:what|where|when|who|which|how)(?: \\w+){0,2}? (?:i|we|my|our)\\b
        6.5 fetch it               | <(?:pull up|dig (?:out|up)|bring up|look up|find|fetch|retrieve|locate|show me|give me|send me|get me) (?:the|my|that|our|those|all my) [^.]*?(?:from (?:{months}|last|before|earlier|our|my|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:where|when|that|which)? (?:i|we|you) (?:had |have |once )?(?:{told}|list|listed|made|drafted|did|used|wrote|wanted|compiled))
        6 see it once more         | can i (?:see|have|get|hear|read) [^.?]*(?:again|once more|one more time)|(?:that|which) we (?:wrote|made|built|drew)[^.?]*(?:again|once more)
        6 of mine, once more       | <(?:tell|say|give|show|repeat|read|quote) (?:it |me |us )?[^.?]*(?:again|once more|one more time) (?:\\?|\\.|$)
        5.5 in our tale            | <in our (?:{tale})\\b[^?]*\\?
        5 what became of them      | <what happened (?:to|with) \\w+ (?:after|when|before|in the end|then)\\b
        5.5 of our tale            | <(?:in our (?:{tale}) )?(?:what|who|which|where|when|how|why) [^.?]*(?:our (?:{tale}|hero|villain|party|character)|my character|last session)\\b
        5.5 from before            | <(?:what|which|where|who|how) [^.?]* (?:from before|before that|the first time|back then|at the time|last session|in the end)\\b
        5 did … in the end         | <(?:did|was|were|had|has|have) (?:my|our|the|i|we|{kin}) [^.?]*\\?
        5.5 was it … or            | <was it (?:\\w+ )*?or [^.?]*\\b(?:i|my|we|our)\\b
        5 what my people are       | <(?:who|what|which|where|when)(?: \\w+){0,2}? (?:on|in|of|from|at) (?:my|our) (?:team|family|class|company|office|crew|band|club) \\w+
        5 a fact about me          | <(?:do|am|are|have) (?:i|we) (?:have|own|live|work|like|drink|smoke|eat|speak|play|allergic|married|any|still live|usually|take|in|on)\\b(?! to\\b)[^.?]*\\?
        5 where do I               | <(?:where|when|what|who|which \\w+|how often|how many) do i (?:work|live|keep|park|store|study|see|usually|normally|like|love|hate|drink|take|prefer|have|own|go|train)\\b
        5.5 order of mine          | <what (?:is|was) the order of
        7 do you remember          | (?:do|did|can|could|would|will) (?:you|u) (?:still |even |happen to |actually |perhaps )?(?:remember|recall|recollect|recal)
        7 you remember             | do not you (?:remember|recall)|any memory of|ring a bell
        6 remember …?              | <(?:remember|recall)(?! to )[^.]*\\?
        6 remember what            | <(?:remember|recall) (?:what|when|who|where|which|how|that time|the time|the day)
        7 I cannot remember        | i (?:can not|cannot|could not|do not|did not|no longer|hardly|barely) (?:quite |really |even |exactly )?(?:remember|recall|recollect)
        7 trying to remember       | (?:trying|struggling|want) to (?:remember|recall|recollect)
        6 I forgot                 | i (?:forgot|forget|have forgotten|lost track of)(?! to )[^.]*?(?:what|which|who|where|when|how|name|the)
        6 it slipped my mind       | slipped my mind|tip of my tongue|escapes me|drawing a blank
        6 remind me                | remind me (?:again )?(?:what|who|whom|where|when|which|how|of|about|again|the|why|whose)
        7 refresh my memory        | (?:refresh|jog) my (?:memory|mind)
        6 what you said            | {wh} [^.?]*?(?:did|have|had|was it) you (?:ever |just |once |last )?(?:say|said|tell|told|mention|mentioned|recommend|recommended|suggest|suggested|give|given|gave|show|shown|showed|quote|quoted|call|called|write|wrote|name)
        5 you mentioned            | you (?:once |just |had |have |also |already |earlier |previously )?(?:mentioned|told me|recommended|suggested|gave me|showed me|quoted|described|listed|wrote|came up with|said|made for|gave|promised)
        6 what I told you          | {wh} [^.?]*?(?:did|had|have) i (?:ever |once |also |already |just )?(?:say|said|tell|told|mention|mentioned|describe|described|write|wrote|call|called|name|named|give|gave|given|show|shown|complain|ask|asked)
        6 did I tell you           | (?:did|have|had) i (?:ever |once |also |already )?(?:tell|told|mention|mentioned|say|said|show|shown|give|given|describe|described)
        5 I told you               | i (?:once |just |had |have |also |already |think i |am sure i )?(?:told|mentioned|gave|showed|sent|described|pasted|shared|said|wrote|confessed) (?:to )?(?:you|it|that|this|about|in|him|her)
        6 when I told you          | when i (?:said|told|mentioned|asked|described)
        5 the … we talked about    | (?:the|that|those|a|an|which|this) (?!(?:{generic}|conversation|conversations|chat|discussion)\\b)(?:\\w+ ){1,4}(?:that |which )?(?:we|i|you) (?:had )?(?:talked|spoke|spoken|discussed|looked|liked|picked|chose|wanted|wrote|made|drafted|gave|told|mentioned|raved|saw|tried|read|pasted|used|described|bought|recommended|quoted)
        7 what did we decide on    | (?:what|which|who|where|when|how) (?:\\w+ ){0,4}(?:did|do|have|had) we (?:ever |finally |actually )?(?:decide|decided|agree|agreed|settle|settled|pick|picked|choose|chose|chosen|end up|call|named?|name|put|plan)
        6 did we decide            | did we (?:ever |finally |actually )?(?:decide|agree|settle|pick|choose|say|find|fix)
        5 what was the name        | (?:what|which) (?:was|were|is|are) (?:the|that|those|his|her|their) (?:exact |full |first |last |second )?{detail}
        6 the … again              | (?:what|who|which|where|when|how much|how many) (?:was|were|is|are|did) [^.?]*? again
        5 what was that            | <(?:what|which|who|where|when) (?:was|were) (?:that|it|those|the (?:thing|one|guy|place|song|movie|book|restaurant|bar|cafe|hotel|shop|website|game|joke|story|trick|tool|app))
        6 exact words              | exact (?:words|wording|phrase|phrasing|number|date|quote|text|amount)|word for word|verbatim|quote back|(?:your|my|his|her) (?:exact |very )?words (?:about|on|when|\\?)|what exactly did|exactly did (?:i|he|she|you|they|we) say
        6 quote what I said        | <(?:quote|repeat|recite|find|look up|search|dig up|pull up|show me|tell me|give me|retrieve) [^.?]*?(?:i|you|we) (?:had |have )?(?:{told}|made|drafted|wrote|talked)
        6 search our chats         | <(?:search|look through|look in|scan|check|dig through|go through) (?:our|my|the) (?:\\w+ )?(?:chats|conversations|history|notes|messages|logs) for
        6 go back to               | go back to (?:the|that|when|where)
        6 show it again            | <(?:show|repeat|recite|give|send|tell) (?:me |it |us )?(?:\\w+ ){0,3}again
        4 tell me more about       | <tell me more (?:about|on) (?:that|the|my|our|those|this|his|her|their|when|how)
        4 tell me about that       | <tell me (?:again )?about (?:that|my|our|those|when|the time|the day)
        5 which one did            | (?:which|what) (?:one|ones|of (?:them|those|these|the (?:two|three|four)))[^.?]* (?:did|had|was|were|lived|lives|have)[ ]
        5 question on my past      | <(?:at |on |in |for |with |from |to )?{wh} (?!(?:should|can|could|would|do i need|do i have to|must|might|may|to)\\b)(?:\\w+ ){0,6}?(?:did|have|had|was|were|has) (?:{i}|my \\w+|{my})\\b
        5 question on my life      | <(?:at |on |in |for |with |from |to )?(?:what|which|who|whose|where|when|how many|how much|how long|how old|how far|how often|how tall) (?:\\w+ ){0,3}?(?:is|are|was|were|does|do|did|will) (?:my|our)[ ]
        5 question on what I do    | <(?:what|which|where|who|when|how many|how much|how long|how often)(?: (?!should|can|could|would)\\w+){0,4}? do i (?!need|have to|do\\b|start|begin|find|get|buy|go about|say|tell|write|call|fix|make|put it|want|know|do with)
        5 who gave me              | <(?:who|what|which \\w+|whose \\w+) (?:gave|told|sold|helped|sent|bought|taught|visited|called|wrote|recommended|asked|married|lives|hired|fired|met|said)[^.?]* (?:me|my|us|our)\\b
        5 what happened to me      | <what happened (?:at|to|with|in|on|after|during|when) (?:my|our|me|i|we)\\b
        5 what someone said to me  | <(?:what|when|where|how|which) (?:\\w+ )?did (?:\\w+ ){1,3}(?:say|tell|give|charge|want|do|ask|write|prescribe|recommend|call|find|think)(?! .*in general)(?= (?:to )?(?:me|my|us|about|for|in the|with it)|[^.?]* (?:me|my|us|our|his|her)\\b)
        4 am I …?                  | <(?:am|was|were|did|have|had|do) (?:i|we|my \\w+|our \\w+) (?!right|wrong|too|being|crazy|allowed|overreacting|correct|need|have to|supposed|ready|doing|going|still|the only|just|in trouble|screwed)[^.]*\\?
        5 you know my …?           | (?:any (?:idea|chance)|do you (?:still )?(?:know|have|hold)|you know) [^.?]*?(?:my|our|i)\\b[^.]*\\?
        5 you know the … I         | you know (?:the|that) \\w+ i[ ]
        9 in which session         | in which (?:session|conversation|chat)|which (?:session|conversation|chat) was it
        6 a figure of mine         | <(?:what|which) (?:is|was|are|were) the (?:\\w+ ){0,4}?(?:total|number|amount|average|order|sum|ratio|difference|cost|price|age)\\b[^.?]* (?:i|my|me|we|our)\\b
        6 time between events      | <how (?:many|long|much)[^.?]* (?:passed|between|since|elapsed|before|after|ago)\\b[^.?]*
        6 which came first         | <(?:which|what) [^.?]*(?:happened|came|did|took place|was|bought|started)[^.?]* (?:first|earlier|last|most recently) (?:\\?|the|my|our|between|among|or)
        5 count of mine            | <how (?:many|much|often|long) (?!should|can|could|would|is it|are in)[^.?]* (?:my|i have|i had|i did|did i|have i|we have)\\b(?! to\\b)
        5 where someone is         | <(?:where|when|how long|how much|how many \\w+|what \\w+) did (?!the |you |they |people |we )\\w+ (?:\\w+ )?(?:move|go|work|live|marinate|buy|get|start|travel|study|stay|visit|spend|leave|meet)
        6 from whom                | <i [^.]* (?:from whom|to whom|with whom|from who|from where|on what day|at what time) \\?
        6 you remembered           | (?:if|whether) you (?:could |can |would |might )?(?:still )?(?:remember|remembered|recall|remind)|(?:previous|earlier|last|past|our) (?:conversation|chat|discussion|session) (?:about|on|regarding)[^.]*(?:what|which|who|remind|remember|wondering)[^.]*\\?
        6 checking our chat        | (?:can|could|would) you remind me(?! to\\b)|(?:looking|going|thinking) back (?:at|to|on) our
        5 did I rather             | <for [^.?]* did i [^.]*\\?
        5 back then                | <(?:back in|a while ago|earlier|earlier today|last week|last month|last year|last time|the other day|yesterday|some time ago|in (?:january|february|march|april|may|june|july|august|september|october|november|december)) [^?]*(?:i|we|you) (?:\\w+ )?(?:told|gave|said|mentioned|looked|showed|talked|wrote|described|listed|saw|discussed|recommended)[^?]*\\?
        5 that … the other day     | <(?:that|the) \\w+ (?:\\w+ ){0,4}(?:i|you|we|my \\w+) (?:\\w+ )?(?:told|gave|said|mentioned|pasted|showed|talked|wrote|described|liked|quoted|made)
        5 the … from my            | <the (?:\\w+ ){1,2}(?:from|at|of|on|in) (?:my|our) [^.]*(?:which|what|who|when|where|\\?)
        5 order of my past         | {wh} [^.?]*?(?:did|have) i [^.?]*?(?:first|last|most recent|before|after)
        5 how many days ago        | how (?:many|long)(?: \\w+){0,2} (?:ago|passed|between|since) (?:was|were|did|have|had|i|my|when)
        4 any detail mine          | <(?:what|whats|wat) (?:\\w+ ){0,2}(?:my|our) (?!{document})\\w+
        5 what it was              | what (?:was|is) it (?:that )?(?:i|you|we|my|called|again|said)
        4 did my … ?               | <(?:did|does|has|is|was) my (?:\\w+ ){1,3}(?:like|say|have|get|call|come|live|work|play|tell|own|want|allergic|called|named|married|older|born)\\b
    """,
    Intent.SUMMARY: """
        5.9 about a conversation   | <(?:\\w+ ){0,5}?(?:what|where|how|which)\\b[^?]* (?:this|our|the|todays|yesterdays|last) (?:\\w+ )?(?:conversation|discussion|session|chat|thread|talks)\\b
        6.5 the highlights         | <(?:hit|give|show|tell)(?: me)?(?: with)? (?:the|some|just the) (?:highlights|essentials|gist|headlines|key points|main points|broad lines|big picture)\\b
        7 the essentials of ours   | (?:highlights|essentials|gist|headlines|broad lines|big picture|whole picture|foot view|birds eye view|arc|course|main lines|fundamentals)\\b[^.?]* (?:our|we|i have|this (?:{talks}))\\b|(?:our|weeks?|months?) (?:{talks})\\b[^.?]*(?:essentials|highlights|gist|key points)
        7 say again what we agreed | (?:restate|reiterate|recount|rehash|outline|review|tie together|pull together) (?:what|how|where|everything|all) (?:we|i|you)\\b
        7 what we were busy with   | what (?:were|have|had) we (?:\\w+ )?(?:busy|up to|doing|working|on about|so busy)\\b
        7 everything you have on   | everything you (?:have|know|hold|got|remember)\\b[^.?]* (?:on|about|of|from) (?:my|me|our|us)\\b
        7 which way it went        | (?:direction|way) (?:has|have|did|is) (?:my|our)\\b[^?]*(?:gone|go|going|going in|taken|developed)\\b
        7 what we discussed        | <what (?:we|you and i) (?:have |had )?(?:discuss\\w*|talk\\w* about|cover\\w*|went (?:over|through)|spoke about)\\b
        6.5 what it was all about  | what (?:was|is) (?:all )?(?:that|this|it)(?: all)? about (?:\\?|\\.|$)
        7 where it stands          | where (?:the|our|my|it|that|everything) (?:\\w+ )?(?:currently |now |all )?(?:stands?|is at)\\b
        7 my last messages         | my (?:last|recent|latest|previous) (?:few |three |two )?(?:entries|messages|questions|chats|prompts|requests)\\b
        7 what I learned           | <what (?:did|have) (?:i|we) (?:learn|learned|learnt)\\b(?! to)
        7 how it is coming along   | how (?:is|are|was) (?:the|our|my) (?:\\w+ ){1,2}(?:coming along|coming on|progressing|shaping up|developing|advancing)
        7 what mine have been      | <what (?:have|has) (?:my|our) (?:\\w+ )*been\\b
        7 what you gave so far     | <(?:which|what|how many) \\w+ have you (?:given|made|suggested|told|recommended|offered|shared|shown)\\b[^?]*(?:so far|until now|to date|up to now|this (?:week|month)|overall)
        5 recap, at the end        | (?:summarize|recap|sum (?:it |this )?up|tldr)(?: please| it| this| that| now| for me)* (?:\\?|\\.|$)
        7.5 the upshot of it all   | (?:takeaways?|upshot|conclusions?|bottom line|moral|insights?)\\b[^?]*\\b(?:all (?:of )?(?:this|that|it)|our\\b|this (?:{talks}))
        7.5 sum up what I gave     | <(?:{overview}) [^.?]*\\b(?:i|we) (?:have |had )?(?:given|told|shared|said|mentioned|discussed|talked)\\b
        7 main events of mine      | <what (?:have|has) been (?:the|my|our)|(?:main|key|important|biggest|major) (?:events?|moments?|points|milestones?|changes|things) (?:in|of|from|for) (?:my|our)\\b
        7 a report on mine         | <(?:give|write|get|prepare)(?: me)? (?:a|the|an) (?:\\w+ )?(?:status|report|update|briefing)\\b[^.?]*\\b(?:my|our)\\b
        7 collect all mine         | <(?:collect|compile|gather|list|put together|note down|write down)(?: \\w+)? (?:all|every|each)(?: of)? (?:my|our)\\b
        7.5 a short history of     | (?:brief|short|quick|full|complete) (?:history|account|story|picture|list) of (?:my|our)\\b
        6.5 everything about my    | <everything (?:about|on|regarding|concerning) (?:my|our|me|us)\\b
        7 questions I asked        | (?:questions|things|topics|subjects) (?:did|have) (?:i|we) (?:ask|asked|bring|brought|talk|raise|raised|discuss|cover|covered)\\b
        7.5 list what you …        | <list(?: me)? (?:all )?(?:the|of the) [^.?]*(?:you|we|i) (?:have )?(?:taught|shown|given|{irregular})\\b
        7 what do we talk about    | <(?:\\w+ ){0,3}?what do (?:we|you and i) (?:usually |mostly |often |tend to |always |generally )?(?:talk|discuss|chat|speak)\\b
        5.8 what have we …         | <what (?:all )?have (?:i|we|you and i)\\b(?! (?:got|to)\\b)
        7 things we have …         | (?:things|points|topics|stuff|ideas|features|tasks|subjects|decisions|goals|chapters|scenes|exercises)(?: that)? (?:have )?(?:i|we|you and i)(?: have)? (?:\\w+ )?(?:{talk}|{work}|{decide}|shared|learned|planned|implemented|finished|established|tackled|fixed|tried)\\b
        7 so far, lately           | <(?:what|which \\w+) have (?:we|i)\\b[^?]*(?:so far|lately|recently|overall|to date|up to now)
        7 what happened while      | what (?:happened|went on|has happened|is new) (?:while|since|when) i (?:was|have been|left|am|went)
        7 tell me what we have     | <(?:tell|show|give|remind|list)(?: me)? (?:in \\w+ (?:\\w+ )?(?:words|sentences|lines) )?(?:of )?(?:what|all) (?:we|you and i) (?:have|had|did|talked|discussed|covered)\\b
        9 sum up us                | (?:summarize|summarise|sum up|describe|characterize|recap|condense|compress|abridge|review) (?:our (?!product|company|team|app|code)|(?:the|my|this) (?:past |last )?(?:week|month|year|day)|us\\b|me\\b|myself|what (?:we|i|you and)|everything (?:we|i|you))
        7 any progress             | (?:have|are|did|has) (?:we|i|it|things)\\b[^?]*\\bprogress
        7 what is pending          | (?:decisions|tasks|points|questions|items|issues|things|to dos) (?:are|is|remain|were) (?:still )?(?:pending|open|left|outstanding|unresolved|undecided|missing)
        6.5 what we know           | <what do we (?:all )?know\\b
        7.2 how our talk went      | <how (?:did|has|have) our (?:\\w+ )?(?:{talks})\\b
        7 what I talk about        | (?:things|topics|questions|stuff) do i (?:\\w+ )?(?:ask|tell|say|talk|bring)|<what do i (?:usually |mostly |often |always |tend to )?(?:talk|ask|complain|chat|rant|go on)\\b
        7.2 how I have been        | <how (?:have|has) (?:i|we|things|everything|my \\w+)(?: \\w+)? been(?: \\w+ing| doing| lately| going)?
        7 what I achieved          | <what (?:all )?(?:did|have) (?:i|we) (?:achieve|achieved|accomplish|accomplished|get up to|got up to|been up to|manage|managed|get done)\\b
        8 what all                 | <what all \\w+
        6.5 what is left           | what is (?:still )?left (?:to (?:do|be)|on (?:our|the|my)|for us)|(?:is|are) still (?:open|to do|left|outstanding|pending|unresolved)
        7.5 list the … I named     | <(?:list|compile|collect|gather|name)(?: me)?(?: all)?(?: of)? (?:the|my|our) [^.?]*?(?:i|you|we) (?:have )?(?:ever )?(?:(?!need)\\w+ed|given|told|said|know|wrote|read|made|gave|saw)\\b
        7 back through it          | (?:walk|take|talk|run) me back (?:through|over)|take stock|what is the status (?:\\?|\\.|$)
        7.5 what we have so far    | (?:what|everything|all) (?:we|i|you and i) (?:have |had )?(?:\\w+ ){1,3}so far
        7 can you recap            | (?:can|could|would|will) (?:you|u) (?:please |just |quickly |briefly |maybe )?(?:recap|summarize|sum up|wrap up|sum)(?: please| that| this| it| all| everything| up)* (?:\\?|\\.|$)
        7.5 remind me what we did  | remind me (?:of )?(?:what|which things) we (?:covered|did|discussed|have|went|talked|learned|worked)\\b
        7.5 list all we …          | <(?:list|collect|compile|gather|count|name)(?: me)?(?: \\w+)? ?(?:all|every|everything|each|what)\\b[^.?]* (?:i|we|you|us) (?:have |had )?(?:\\w+ )?(?:(?!need)\\w+ed|said|told|made|did|chose|gave|found|wrote|done|fix|met|read|saw)\\b
        7.5 how my time was        | (?:how (?:is|has|was|were)|what (?:has|did|does|is)) (?:my|our) (?:\\w+ )?(?:week|month|year|summer|winter|life|time)s?(?: been| gone| going| looked| look| like)
        7.5 the short of it        | (?:short version|gist|essence|summary|highlights|big picture|overview|overall picture|main points|upshot) (?:of|on|from|for|in) (?:what|how|everything|our|my|all|{months}|yesterday|today|this (?:week|month|year)|(?:the )?(?:last|past|whole|week|month))
        9 all in all               | (?:all in all|overall|in sum|to sum up|altogether|in total|summing up|in short|in brief)[^?]* what (?:did|have|do) (?:we|i|you)
        8.5 what you learned of me | what (?:have|did|do|can) you (?:\\w+ )?(?:learned|learnt|learn|gathered|gather|noticed|notice|understood|understand|picked up|found out|tell)(?: \\w+)? (?:about|of|from|on) (?:me|us|my|our)
        7.5 things you know        | (?:things|facts|details|stuff|information) (?:that )?you (?:know|remember|have|hold|stored|learned|saved) (?:about|of|on)
        9 who I am                 | tell me about (?:myself|me)\\b|<who am i\\b|describe (?:me|myself|my (?:life|personality|character))\\b|(?:portrait|profile|picture|biography|bio) of (?:me|myself)
        8 decisions of this chat   | (?:decisions?|action items?|next steps?|to ?dos?|tasks|points|takeaways?|conclusions?|results|outcomes?|agreements?|highlights|facts|things|insights?)\\b[^.?]* (?:from|of|in) (?:this|our|today|todays|the|that|last|yesterday|yesterdays) (?:\\w+ )?(?:{talks}|call|meeting)\\b
        8 steps we agreed          | (?:next steps|action items|to dos|decisions|plans|tasks|rules|goals)(?: that)? (?:we|you and i) (?:have )?(?:{decide}|made|set|planned|wrote|discussed)
        6.5 status of it           | <(?:\\w+ ){0,2}?(?:status|update)(?: update| report)? (?:of|on|for|about) (?:our|the|my) [^.]*
        7 how we are doing         | how (?:are|is|were) (?:we|it all|things|everything|it) (?:doing|going|coming)(?: along)? (?:with|on)|(?:what|how) (?:is|was|about) (?:our|my) progress|our progress
        8 what our talks were      | what (?:were|was|are) (?:our|the|these|those|all our|my) (?:\\w+ ){0,3}?(?:{talks})\\b[^.?]* about
        7.5 what I was at          | what (?:was|were) (?:i|we|you) (?!going|supposed)(?:{gerund})(?: (?!to )\\w+){0,2} (?:on|with|at|about|before)\\b
        7 compile over time        | <(?:\\w+ ){0,3}?(?:compile|collect|gather|track|chart|plot|summarize|tabulate)\\b[^.?]* (?:my|our)\\b[^.?]*(?:over|across|during|since|from) (?:the|these|this|our|last|all)
        8.5 what you know of me    | what (?:do|did|can) you (?:still )?(?:know|remember|recall|have) (?:about|of|on|from) (?:me|us|our|everything|my (?:life|situation|work))\\b
        8 a record of our talks    | (?:{record})[^.?]* (?:of|from|about|for|on) (?:our|this|everything|what (?:i|we|you|has|was)|all (?:our|the|we|i))
        8 our talks as a record    | <(?:turn|make|convert|condense|boil|distil+|put|wrap|sum|compress|shorten)(?: down| up)? (?:(?:our|this|the whole|the) (?:\\w+ )?(?:{talks})\\b|(?:everything|all|what) (?:we|you|i)\\b)
        7.5 boil it down           | <(?:sum|boil|wrap|round)(?: (?:it|this|that|things|everything|us))?(?: all)? (?:up|down)(?: for me| please)? (?:\\?|\\.|$|in |into|what|where|our|my|how|everything|all )
        7.5 everything I …         | (?:everything|all) (?:that )?(?:i|we|you|you and i)(?: have| had)?(?: ever| already)? (?:told|said|shared|know|knew|discussed|talked|covered|planned|mentioned|learned|did|learnt|wrote)\\b
        7.5 everything so far      | <(?:everything|all)(?: \\w+){0,4} (?:so far|up to now|to date|until now|thus far)|(?:so far|to date|up to now)[^.?]* (?:in brief|in short)
        9.5 our tale up to now     | <(?!(?:and|but) )(?:\\w+ ){0,6}?(?:our|the|this) (?:\\w+ )?(?:{tale}|project|case|party|adventures)s? [^.?]*(?:so far|up to now|to date|until now|thus far|up to here)
        7 how I have changed       | <how (?:has|have|did|is|are|was|were) (?:my|our|the|i|we|things)\\b[^.?]*(?:over (?:the|our|time|these)|during our|across|since (?:we|our|i|{months})|through(?:out)? our|(?:change|changed|evolve|evolved|improve|improved|develop|developed|progress|progressed|grow|grown) )
        7 what I have been doing   | what (?:have|has|had) (?:i|we|you and i|you and me) been (?:{gerund})\\b(?![^.?]* to (?:him|her|them)\\b)
        7 what is left open        | (?:open|outstanding|remaining|unresolved|pending|unfinished|left)\\b[^.?]* (?:of|from|in) (?:our|what we|what i|the (?:last|previous)|last)
        7 patterns in what I say   | (?:patterns?|themes?|trends?|habits|threads?|conclusions?|insights?|lessons|essentials|main things|key things|takeaways?)\\b[^.?]*(?:in what|from what|of what|from our|did we|have we|we (?:came|drew|reached)|in our|i have told|i told)
        7 topics that come up      | (?:topics|subjects|themes|grammar points|points|areas|issues) (?:(?:do|did|have|were|are) (?:i|we|you and i)\\b(?! (?:take|study|like))|(?:came|come|have come|keep coming) up)
        7.5 where have we got to   | where (?:did|have|had) (?:we|things) (?:get|got|gotten|come|leave|end) (?:to|with|up|yesterday|last|off|before|today)|where (?:are|is|were) (?:we|things|it all) (?:at|up to|now|with|on|in)\\b|how far (?:did|have) (?:we|i) (?:get|got|gotten|come)|how (?:things|we) stand|state of (?:play|affairs)|where (?:do )?(?:we|things) stand
        7.5 what was discussed     | what (?:was|has been|got|were|is|all was)(?: all)? (?:discussed|covered|talked about|gone over|achieved|accomplished)\\b(?! in the (?:\\w+ )*workshop)
        7.5 what we got done       | (?:what|how much) (?:all )?(?:did|have|had) (?:we|i|you and i) (?:get|got|gotten) (?:done|through|finished|sorted|round to)
        7.5 what changed           | what (?:changes|decisions|progress|conclusions|agreements|plans|steps)\\b[^.?]* (?:did|have) (?:we|i|you and i)\\b
        7 the important of last    | (?:anything|what|something) (?:\\w+ )?(?:important|relevant|notable|essential|crucial)\\b[^.?]*(?:\\bour\\b|\\bwe\\b|last (?:time|chat|{talks})|previous)
        7.5 as far as you know     | (?:as (?:far as )?you know|from what (?:i|you) (?:have |know|told|shared)|from our chats|from our conversations|over our (?:{talks}))
        7 what happened between    | (?:what is|what has|what) (?:happened|happening|been happening|new) (?:in|on|with) our
        7.5 what this was about    | what (?:was|is) this (?:{talks}) (?:again )?about
        8 what you and I did       | what (?:have|did|were|are) (?:you and (?:i|me)|me and you|us two) |(?:what|all) you and i (?:have )?\\w+ed
        7 put me in the picture    | (?:put|keep) me in the (?:picture|loop)|(?:get|bring) me (?:back )?(?:up )?to (?:speed|date)|refresh (?:me|my memory) on (?:the whole|all|everything|what|our)
        8 what did we talk about   | (?:what|which|whats)(?: \\w+){0,3} (?:did|have|had|were|was|do|are) (?:{i}|you and me|both of us|the two of us)(?: all| both| already| actually)? (?:been )?{talk}(?! (?:we|i) )
        7 what have we done        | (?:what|which)(?: \\w+){0,2} (?:did|have|had|were) (?:we|you and i) (?:all |actually |already )?(?:been )?{work}(?! (?:about|with|on) (?:the|that|my) \\w+ (?:when|after))
        8 what have you and I      | what have (?:you and i|we two)
        7 catch me up              | (?:catch|fill|clue|bring|get|put) (?:me|us) (?:back )?(?:up|in|up to (?:speed|date))\\b
        7 up to speed              | up to (?:speed|date) (?:on|with|about)
        7 where were we            | (?<!tell you )where (?:were|are|did|do) (?:we|things) (?:at|leave|left|stop|stopped|stand|again|off|with|end|break)|where (?:were|are|had) we (?:\\?|\\.|$)|where we (?:left|are|were|stand|stopped)|we (?:left|leave) off
        7 remind me of it all      | remind me (?:of |about )?(?:what we (?:have been|are|were|did)|where we|everything|all|of the general|the general)
        8 what you know about me   | (?:what|everything|all)(?: that)? (?:do )?you (?:already )?(?:know|remember|have learned|learned|learnt|have on record|have stored|recall) (?:about|of|on) (?:me|us)\\b
        9 what I have told you     | what (?:have|did|had) i (?:been )?(?:told|tell|telling|asking|asked|talking|talk|said|say)(?: to)?(?: you)?(?: about)? (?:so far|lately|until now|recently|up to now|last|this|yesterday|today|all)
        7 what I told you, in all  | {overview} [^.?]*what i (?:have |had )?(?:told|said|shared)
        6 what did I miss          | what (?:did|have) i miss
        7 what has been going on    | what (?:is|has|have) (?:been )?(?:going on|happening|happened) (?:in|with|between) (?:our|us)
        6 how far have we come     | how far (?:have|did|are) we|what progress|how (?:is|are) (?:our|we) [^.?]*(?:progress|coming along)
        6 state of our plan        | (?:state|status) (?:of|on) (?:our|everything|all|things|play|the (?:project|plan|thesis|work|whole))|state of play|where (?:do )?things stand|where (?:do )?we stand
        7 list what we covered     | (?:list|name|enumerate|show)(?: me)? (?:all |every |everything|the |of |both )*(?:topics?|subjects?|themes?|decisions|points|things|that)? ?(?:that )?(?:we|you and i) (?:have |had )?(?:\\w+ )?(?:{talk}|{decide}|{work})
        7 topics we covered        | (?:topics|subjects|themes|decisions|matters|issues) (?:that )?(?:we|came up|have we|did we|you and i|between us)
        6 everything we said       | (?:everything|all|all that|anything) (?:that )?(?:we|you and i|i|us) (?:have |had |ever |did |covered)?[^.?]*(?:{talk}|{work}|said|told|covered|learned|shared|happened|{decide})
        7 go over what we said     | (?:go|walk|run|talk|take)(?: me| us)?(?: back)? (?:over|through) (?:what|everything|where|our|all)
        6 review our conversation  | <(?:review|outline|revisit|recount|go through) (?:our|the whole|everything|all|what we|this whole)
        7 in short, what           | (?:in short|in brief|in general|in a few (?:words|sentences)|in broad strokes|broadly|overall|in a nutshell|roughly|in essence) (?:\\w+ )?(?:what|how) (?:have|did|was|were|has)
        6 the story so far         | story so far|previously on|adventure so far|campaign so far
        5 so far                   | <(?:\\w+ ){0,5}so far (?:\\?|\\.|$)
        6 our … in a nutshell      | (?:our|conversation|conversations|chats?|talks?|discussions?) [^.?]*(?:in a nutshell|in brief|in short|at a glance|on one page)
        6 what was this about      | what (?:was|is|has) (?:this|our|the|that) (?:whole |entire |last )?(?:conversation|chat|discussion|talk|session|meeting)[^.?]* about
        7 overview of our talks    | {overview} [^.?]*?\\b{chats}
        7 our talks, overview      | (?:our|we|us|conversations?|chats?|talks?|discussions?|sessions?|so far) [^.?]*?\\b(?:summary|summarize|sum up|overview|recap|outline|gist|highlights|nutshell|tldr|bullet|bullets|digest|timeline)
        9 remember our talks …     | (?:our|we) [^?]*\\? [.?]? ?(?:\\w+ ){0,5}{overview}|{overview} (?:will|would) (?:do|be|help)
        6 do you remember + rough  | what we {talk}[^?]*\\? [^.?]*{overview}
        4 a summary                | <(?:\\w+ ){0,3}{overview}(?: please| thanks| now| of it| of this| quick| quickly)? (?:\\?|\\.|$)
        5 refresh me on our talks  | refresh me on
    """,
    Intent.CONTEXTUAL: """
        7 are you sure             | <are you (?:sure|certain|serious|kidding|joking|positive)\\b
        6.5 who came up with       | who (?:came up with|invented|thought of) (?!that|it|the idea|this|our|my|the name)
        7 keep that                | <(?:keep|use|reuse|apply|match|follow|stick to|copy|mimic|adopt|continue) (?:the|that|those|our|with)\\b
        7 and it was good          | (?:it|which|they|that|she|he) (?:was|were|turned out|tasted|worked|looked|helped|went) (?:really |so |very |just )?(?:great|good|delicious|perfect|awful|terrible|amazing|lovely|fun|bad|wonderful|nice|well|fantastic|brilliant)\\b(?![^?]*\\?)
        9 a task of mine           | <(?:i (?:want|need|have|would like|would love|am trying|am going|plan|am supposed|must) (?:to )?|how (?:do|can|should|would) i |my \\w+ (?:asked|wants|told|expects) me to |teach me (?:how )?to )(?:write|make|give|prepare|draft|create|summarize|sum|recap|outline)\\b(?![^.?]*\\b(?:we (?:discussed|talked|said|covered)|our (?:conversation|chat|talk|discussion|session)))
        9 here it is               | <here (?:is|are|comes|you go|goes)\\b
        8 remember? well, …        | remember[^?]*\\? [.]? ?(?:well|so|now|turns out|it turns|guess|i )
        8 a memory like that       | (?:will|can|are you able to|could) (?:you )?(?:\\w+ )?remember (?:this|that|it|me|things|everything|anything|stuff|conversations)\\b|do you (?:actually |even |really )?remember (?:things|stuff|conversations|users|people)\\b
        7.5 I forget things        | (?:can not|cannot|do not|never) (?:seem to )?remember (?:anything|things|names|faces|a thing|stuff)\\b
        7 not what I asked         | <(?:that is not|this is not|you (?:did not|have not|missed|forgot|misunderstood|were right|are right|are wrong|got)|i (?:asked|said) (?:for|to))\\b(?![^?]*(?:what|which|who|where|when)\\b[^?]*\\?)
        7 what is wrong here       | <(?:what|where|why) (?:is|am i|are|did i|was|have i|could be)\\b(?![^?]*(?:last|yesterday|ago|back then)\\b)[^.?]*(?:wrong|mistakes?|errors?)\\b
        7 is it right as it is     | (?:go|do|went|did) wrong (?:here|\\?|in|with|\\.)|<(?:did|have) i (?:\\w+ )?(?:spell|get|do|write|make|use|understand|read|put|miss|pronounce)\\b[^?]*(?:that|this|right|correctly|properly|any|it)\\b
        6.5 which is best          | <(?:what|which|who)(?: of)?(?: my| the| these| our)?(?: \\w+){0,2} (?:is|are|would|should|will)\\b[^.?]* (?:best|better|worse|worst|cheapest|safest)\\b(?! companions?)
        7.5 what it means          | <what (?:does|do|did) (?:my|this|that|the|it|you)\\b[^.?]* (?:mean|stand for|change|use|assume)\\b
        7.5 news on what you said  | <(?:i|we) (?:just |finally |really |already |did )?(?!lost|forgot|misplaced|need|want|wanted|can|could)(?:\\w+ed|try|made|read|bought|went|got|did|saw|ate|took|watched|cooked) (?:the|that|your|it|out|a|with)[^.?]* (?:you|we|you and i) (?:\\w+ )?(?:recommended|suggested|mentioned|told|talked|gave|described|discussed|proposed|made|wrote|showed|sent|built|drew|outlined|planned)\\b(?![^?]*\\?)
        6.5 people in general      | <(?:at |on |in |for |with |from |to |by )?(?:what|which|who|where|when|why|how)(?: \\w+){0,3} (?:did|do|was|were|are) (?:{person})\\b(?! (?:say|tell|give|want|send|ask|offer|promise)\\b)
        7 of a word                | (?:the )?(?:word|term|phrase|expression|name) \\w+ (?:come|comes|mean|means|originate|originates)\\b
        6 how come you             | <(?:how|why|what) did you (?:do|get|come up|know|change|use|mean|choose|pick|calculate|arrive)\\b
        9 go on from there         | (?:pick|take|carry|continue|resume|start|go on|keep)\\b[^.?]*(?:up|from|on|where) (?:it )?(?:from )?where (?:we|i|you)
        9 delete it                | <(?:delete|erase|remove|drop|scratch|forget|unlearn|you can forget|never mention)\\b
        8.5 of the world           | {world}
        8.5 a talk on              | <(?:outline|summarize|sum up|overview of|recap|condense) (?:a|an|the (?:following|key ideas|main ideas|plot of (?!our|my|the (?:story|novel))|history|life|book|french|second|first))\\b|(?:give|write|make)(?: me)? (?:a|an|the) (?:short |brief |quick )?(?:{record}) (?:of|on|about) (?!our|us|we|what|everything|my|this|all|the (?:whole|last|thread|chat|conversation|talk|story|case|project|campaign|kitchen|week))\\w+
        8.5 the following          | (?:sum up|summarize|condense|shorten|recap) (?:the following|this)\\b
        8 no recap                 | <(?:do not|no need to|without|skip the|no) (?:\\w+ )?(?:recap|summar\\w+|overview)
        7 a word for it            | (?:the )?word for (?:when|a|an|the|someone|something)|how (?:do|can) (?:you|i|one|people) (?:remember|recall|memori[sz]e)
        7 our usual way            | (?:the way|how) we (?:did|always|usually|do|handled|made)\\b(?![^.?]*\\?)|the usual\\b|as always
        5.5 my machine             | <(?:how|why) (?:did|was|were|had|does|is|has) (?:the |my |this |that |your )?(?:{machine})\\b
        9 summarise a document     | {overview} (?:\\w+ )?(?:this|the|that|a|an|my|these|those|following|chapter) (?:\\w+ ){0,2}?{document}\\b
        9 do not remember          | (?<!i )(?:do not|never|stop|no need to|need not|not need to|does not need to|do not need to|without|please not|do not bother to|refrain from) (?!you )(?:\\w+ ){0,2}?(?:remember|remembering|recall|recalling|remind|reminding|recap|recapping|summarize|summarizing|summarise|bring up|mention)
        9 forget what I said       | <(?:forget|ignore|disregard|scrap|drop|never mind|nevermind|leave aside) (?:about )?(?:what|our|everything|my|the|that|all)
        8 remember to              | remember to |remind me to |reminds me|remind me (?:in|at|on|every|tomorrow|next|later)
        7 remember this            | <(?:(?<!do you )remember|note|keep in mind|memorize|memorise|take note|make a note|save|store|bear in mind|learn)(?: down)? (?:this|the following|that (?:i|my|we|he|she|it|they|our|the|a|you|all|every|from|in|on|\\w+ (?:is|are|was|has|likes|wants))|i |my |it |for later|keep|always|never)(?![^.]*\\?)
        7 I remember …             | (?<!not )i (?:(?:will )?always |still |fondly |vividly |clearly |also |just |finally |suddenly )?(?:remember|remembered|recalled|recall) (?!what\\b|which\\b)(?:\\w+ ){0,12}?\\.
        7 like last time           | (?:like|as|same as|same way as|the way) (?:(?:we|you|i) did )?(?:it |we did )?(?:the )?(?:last time|before|usual|always|yesterday|the last|the first|the previous|the other)|as usual|our usual|the usual|same as|as before|for the same
        8.6 given what I told you  | (?:(?:given|based on|considering|knowing|in light of|going by) (?:my|our|the things|that)|(?:given|based on|considering|knowing|in light of|building on|going by|following|with) (?:everything|all|what))[ ]
        7 similar to               | <(?:similar to|something like|kind of like|sort of like|as with|related to|in keeping with|along the lines of|much like|just like|like when|in the style of|based on)
        9 with what you know       | (?:with|given|knowing|based on|considering|from) (?:\\w+ ){0,2}you (?:already )?(?:know|remember|have learned)
        5 similar to the           | similar to|kind of like|like when|related to|as with the|in the (?:voice|style|tone|format)[ ]
        6 as I said                | as (?:i|you|we) (?:said|mentioned|told|discussed|noted|agreed)
        7 what should I            | <(?:\\w+ ){0,6}?(?:what|where|which|who|how|when|why)(?: \\w+){0,3} (?:should|can|could|would|might|must|shall|may) (?:i|we|you|one|my|it|he|she|they|be)\\b
        5.8 how do I               | <(?:how|why) (?:do|does|can|is|are|am|to|come|would|should|could)\\b
        5 how did that come        | <(?:how|why) (?:did|was|were|has|have|had)\\b
        6 what do I need           | (?:do|what|how) (?:do )?i (?:need|have to|do about|do with|start|begin|go about|find|get|say to)|where do i (?:start|begin|find|get|go|buy|sign|apply|report|learn|even|look|turn)
        6 can you suggest          | (?:can|could|would|will|please) (?:you |u )?(?:please |kindly |maybe )?(?:help|suggest|recommend|propose|write|explain|translate|fix|check|make|create|draft|proofread|add|generate|convert|design|prepare|plan|edit|correct|improve|rewrite|teach|show me how)
        6 a task                   | <{task}\\b(?! (?:{overview}))
        5 an overview of elsewhere | (?:{overview})(?: of| on| for) (?!our|us|we|what|everything|my|this conversation|the conversation|today|yesterday|last|all|things|this chat|the chat|your)(?:the )?(?:\\w+)
        6 what do you think        | what (?:do|would) you (?:think|say|suggest|recommend|advise|do)|your (?:opinion|view|take|thoughts)|what is (?:the best|wrong|the difference|better|a good)
        5 suggestions              | (?:any|some) (?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts?|hints?|pointers?|hacks?)|suggestions?|recommendations?
        6 is it right              | <(?:is|are) (?:my|our|it|this|that|he|she|they|there|the) [^.]*\\?
        5 and what about           | <(?:what about|how about|and for|what if|why not)
        6 you said, but            | you (?:said|told me|claimed) [^?]*(?:wrong|false|not true|incorrect|correct it|not right)
        5 I want                   | <i (?:want|need|would like|would love|wish|plan|am planning|am going|am looking|am trying|am thinking|am writing|am working|hope|intend|was thinking|have been thinking|like|prefer|hate|love)
        5 news of mine             | <(?:i|we|my \\w+|she|he|they|our \\w+|it) (?:just |finally |really |have just |have )?(?:got|went|had|saw|bought|adopted|moved|met|died|lost|won|felt|feel|hurts|hurt|started|quit|visited|finished|made|talked|live|is|are|was|were|called|drains)\\b(?![^.?]* (?:what|which|who|remember)\\b[^.]*\\?)
        6 what happened in         | what happened in (?:the )?(?:\\w+ )?(?:in )?(?:1\\d\\d\\d|20\\d\\d|history|europe|world|germany|france|rome)
        6 facts of the world       | (?:first|last|current|next) (?:president|king|queen|emperor|pope|man|woman|person|human)|president of|capital of|king of|queen of|prime minister|world cup|world war|battle of|in (?:1[0-9]|20)\\d\\d\\b|romans|einstein|shakespeare
        5 tell me about the world  | <tell me (?:more )?(?:about|on) (?!that|my|our|those|the|his|her|when|this|how)\\w+
        6 in general               | in general\\b[^.?]*(?:like|such|the)|generally speaking
        4 code                     | def |select \\w+ from|function|traceback|error code|import |for i in|console log
    """,
}
