"""Signals of intent, as data: each a weight, a name and a pattern over a message in plain form.

In the plain form (``intent.plain``) a message is lower-case words between single spaces; accents are
gone, contractions written out, and the only marks are ``.`` (a clause begins) and ``?``. In
patterns ``{name}`` stands for an entry of ``WORDS``, ``<`` for the beginning of a clause with
whatever politeness precedes the request. Weights say how specific a signal is; the most specific
wins.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from unabridged.domain.intent import Intent
from unabridged.intent.languages import ELSEWHERE
from unabridged.intent.needs import needs

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
    "polite": "please|so|ok|okay|well|hey|hi|hello|and|but|now|then|also|just|can you|could you"
    "|would you|will you|can u|could u|are you able to|i want you to|i would like you to|actually"
    "|btw|by the way|thanks|thank you|great|good morning|kindly|maybe|yes|no|sorry|quick question"
    "|quickly|let us|lets|do|you|need you to|i need you to|oh|um|hmm|again|wait",
}

SIGNALS: Mapping[Intent, str] = {
    Intent.VIVID_RECALL: """
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
        8 what did we talk about   | (?:what|which|whats)(?: \\w+){0,3} (?:did|have|had|were|was|do|are) (?:{i}|you and me|both of us|the two of us)(?: all| both| already| actually)? (?:been )?{talk}(?! (?:we|i) )
        7 what have we done        | (?:what|which)(?: \\w+){0,2} (?:did|have|had|were) (?:we|you and i) (?:all |actually |already )?(?:been )?{work}(?! (?:about|with|on) (?:the|that|my) \\w+ (?:when|after))
        8 what have you and I      | what have (?:you and i|we two)
        7 catch me up              | (?:catch|fill|clue|bring|get|put) (?:me|us) (?:back )?(?:up|in|up to (?:speed|date))\\b
        7 up to speed              | up to (?:speed|date) (?:on|with|about)
        7 where were we            | where (?:were|are|did|do) (?:we|things) (?:at|leave|left|stop|stopped|stand|again|off|with|end|break)|where (?:were|are|had) we (?:\\?|\\.|$)|where we (?:left|are|were|stand|stopped)|we (?:left|leave) off
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
        9 summarise a document     | {overview} (?:\\w+ )?(?:this|the|that|a|an|my|these|those|following|chapter) (?:\\w+ ){0,2}?{document}\\b
        9 do not remember          | (?<!i )(?:do not|never|stop|no need to|need not|not need to|does not need to|do not need to|without|please not|do not bother to|refrain from) (?!you )(?:\\w+ ){0,2}?(?:remember|remembering|recall|recalling|remind|reminding|recap|recapping|summarize|summarizing|summarise|bring up|mention)
        9 forget what I said       | <(?:forget|ignore|disregard|scrap|drop|never mind|nevermind|leave aside) (?:about )?(?:what|our|everything|my|the|that|all)
        8 remember to              | remember to |remind me to |reminds me|remind me (?:in|at|on|every|tomorrow|next|later)
        7 remember this            | <(?:remember|note|keep in mind|memorize|memorise|take note|make a note|save|store|bear in mind|learn)(?: down)? (?:this|the following|that (?:i|my|we|he|she|it|they|our|the|a|you|all|every|from|in|on|\\w+ (?:is|are|was|has|likes|wants))|i |my |it |for later|keep|always|never)(?![^.]*\\?)
        7 I remember …             | (?<!not )i (?:(?:will )?always |still |fondly |vividly |clearly |also |just |finally |suddenly )?(?:remember|remembered|recalled|recall) (?!what\\b|which\\b)(?:\\w+ ){0,12}?\\.
        7 like last time           | (?:like|as|same as|same way as|the way) (?:(?:we|you|i) did )?(?:it |we did )?(?:the )?(?:last time|before|usual|always|yesterday|the last|the first|the previous|the other)|as usual|our usual|the usual|same as|as before|for the same
        7 given what I told you    | (?:(?:given|based on|considering|knowing|in light of|going by) (?:my|our|the things|that)|(?:given|based on|considering|knowing|in light of|according to|building on|going by|following|with) (?:everything|all|what))[ ]
        7 similar to               | <(?:similar to|something like|kind of like|sort of like|as with|related to|in keeping with|along the lines of|much like|just like|like when|in the style of|based on)
        9 with what you know       | (?:with|given|knowing|based on|considering|from) (?:\\w+ ){0,2}you (?:already )?(?:know|remember|have learned)
        5 similar to the           | similar to|kind of like|like when|related to|as with the|in the (?:voice|style|tone|format)[ ]
        6 as I said                | as (?:i|you|we) (?:said|mentioned|told|discussed|noted|agreed)
        7 what should I            | <(?:\\w+ ){0,3}?(?:what|where|which|who|how|when|why)(?: \\w+){0,3} (?:should|can|could|would|might|must|shall|may) (?:i|we|you|one|my|it|he|she|they|be)\\b
        6 how do I                 | <(?:how|why) (?:do|does|did|can|is|are|am|to|come|has|have|would|should)\\b
        6 what do I need           | (?:do|what|how) (?:do )?i (?:need|have to|do about|do with|start|begin|go about|find|get|say to)|where do i (?:start|begin|find|get|go|buy|sign|apply|report|learn|even|look|turn)
        6 can you suggest          | (?:can|could|would|will|please) (?:you |u )?(?:please |kindly |maybe )?(?:help|suggest|recommend|propose|write|explain|translate|fix|check|make|create|draft|proofread|add|generate|convert|design|prepare|plan|edit|correct|improve|rewrite|teach|show me how)
        6 a task                   | <{task}\\b(?! (?:{overview}))
        5 an overview of elsewhere | (?:{overview})(?: of| on| for) (?!our|us|we|what|everything|my|this conversation|the conversation|today|yesterday|last|all|things|this chat|the chat|your)(?:the )?(?:\\w+)
        6 what do you think        | what (?:do|would) you (?:think|say|suggest|recommend|advise|do)|your (?:opinion|view|take|thoughts)|what is (?:the best|wrong|the difference|better|a good)
        5 suggestions              | (?:any|some) (?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts?|hints?|pointers?|hacks?)|suggestions?|recommendations?
        6 is it right              | <(?:is|are|was) (?:my|our|it|this|that|he|she|they|there|the) [^.]*\\?
        5 and what about           | <(?:what about|how about|and for|what if|why not)
        6 you said, but            | you (?:said|told me|claimed) [^?]*(?:wrong|false|not true|incorrect|correct it|not right)
        5 I want                   | <i (?:want|need|would like|would love|wish|plan|am planning|am going|am looking|am trying|am thinking|am writing|am working|hope|intend|was thinking|have been thinking|like|prefer|hate|love)
        5 news of mine             | <(?:i|we|my \\w+|she|he|they|our \\w+|it) (?:just |finally |really |have just |have )?(?:got|went|had|saw|bought|adopted|moved|met|died|lost|won|felt|feel|hurts|hurt|started|quit|visited|finished|made|talked|live|is|are|was|were|called|drains)\\b(?![^.?]* (?:what|which|who|remember)\\b[^.]*\\?)
        6 what happened in         | what happened in (?:the )?(?:\\w+ )?(?:in )?(?:1\\d\\d\\d|20\\d\\d|history|europe|world|germany|france|rome)
        6 facts of the world       | (?:first|last|current|next) (?:president|king|queen|emperor|pope|man|woman|person|human)|president of|capital of|king of|queen of|prime minister|world cup|world war|battle of|in (?:1[0-9]|20)\\d\\d\\b|roman|romans|einstein|shakespeare
        5 tell me about the world  | <tell me (?:more )?(?:about|on) (?!that|my|our|those|the|his|her|when|this|how)\\w+
        6 in general               | in general\\b[^.?]*(?:like|such|the)|generally speaking
        4 code                     | def |select \\w+ from|function|traceback|error code|import |for i in|console log
    """,
}


UNSPACED_FROM = 0x0E00
"""From this code on, scripts have no spaces that a pattern could begin behind."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what it speaks for, how specific it is, and how it is recognised.

    ``needs`` are pieces of text of which one must be there before the pattern is worth trying.
    """

    intent: Intent
    weight: float
    name: str
    pattern: re.Pattern[str]
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Signals, ordered by the pieces of text that they need.

    Attributes:
        always: Signals that must be tried on every message.
        needing: A piece of text to the signals worth trying where it is there.
    """

    always: tuple[Signal, ...]
    needing: Mapping[str, tuple[Signal, ...]]

    def recognised(self, form: str) -> list[Signal]:
        """The signals that a message in plain form gives, in no order that matters."""
        tried = {id(signal): signal for signal in self.always}
        for piece, signals in self.needing.items():
            if piece in form:
                for signal in signals:
                    tried[id(signal)] = signal
        return [signal for signal in tried.values() if signal.pattern.search(form)]


@cache
def english() -> Table:
    """The signals of English, compiled once, at the first message."""
    return _table(SIGNALS)


@cache
def elsewhere() -> Table:
    """The signals of other languages."""
    return _table(ELSEWHERE)


def _table(source: Mapping[Intent, str]) -> Table:
    found = [_read(intent, line) for intent, table in source.items() for line in _lines(table)]
    needing: dict[str, list[Signal]] = {}
    for signal in found:
        for piece in {max(need.split(), key=len) for need in signal.needs}:
            needing.setdefault(piece, []).append(signal)
    return Table(
        always=tuple(signal for signal in found if not signal.needs),
        needing={piece: tuple(signals) for piece, signals in needing.items()},
    )


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.splitlines() if line.strip()]


def _read(intent: Intent, line: str) -> Signal:
    head, pattern = line.split("|", 1)
    weight, name = head.strip().split(" ", 1)
    compiled = re.compile(_expanded(pattern.strip()))
    return Signal(intent, float(weight), name.strip(), compiled, needs(compiled))


def _expanded(pattern: str) -> str:
    """Write out the shorthands of a pattern."""
    for name, words in WORDS.items():
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    pattern = re.sub(r"(?<![(?\\])<(?![=!])", rf"[.?] (?:(?:{WORDS['polite']}) ){{0,5}}", pattern)
    spaced = all(ord(char) < UNSPACED_FROM for char in pattern)
    return rf"(?<= )(?:{pattern})" if spaced and not pattern.startswith("[") else pattern
