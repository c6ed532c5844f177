"""Phrases that ask without a question mark or point forward, as data.

Regular expressions for folded text (lower case, no accents), one a line.
"""

ASK_STARTS = r"""
^(?:so|and|but|ok|okay|well|also|hi|hey|hello|please|now)?,? ?(?:what|how|why|which|who|whose|where|when)(?:'s| (?:is|are|was|were|am|do|does|did|can|could|would|should|will|might|has|have|about|if|to|much|many|long|often|far|old|kind|type|sort|else|other|would|one|of|exactly))\b
^(?:so|and|but|ok|okay|also|hi|hey|hello|please)?,? ?(?:can|could|would|will|do|did|have|are|were|should) (?:you|we|i|they|there|your|the)\b
^(?:so|and|but|also)?,? ?(?:is|does|was|has|are|isn't|doesn't|aren't) (?:it|there|this|that|he|she|they|the|my|anyone|anybody|your)\b
^(?:please )?(?:tell me|explain|describe|recommend|suggest|compare|show me|give me|list)\b
^(?:und |aber |also )?(?:was|wie|warum|wieso|weshalb|wer|wen|wem|wo|wann|wohin|woher|welche[rsmn]?|wieviel)\b(?! (?:ich|auch|gesagt|immer)\b)
^(?:und |aber )?(?:kannst|konntest|weisst|hast|bist|willst|magst|gibt|ist|sind|soll|darf|konnen|wissen|haben) (?:du|ihr|sie|es|wir|ich|das|der|die)\b
^(?:¿|y |pero )?(?:por que|cuando|cuanto|cuantos|cuanta|donde|quien|cual|cuales|como (?:puedo|se|es|esta|hago|funciona)|que (?:es|son|hora|tal|me|puedo|significa)|puedes|podrias|sabes|hay|tienes)\b
^(?:et |mais )?(?:qu'est[ -]ce|est[ -]ce|pourquoi|comment|quand|combien|quel(?:le)?s?|ou (?:est|sont|se|puis)|qui (?:est|sont)|peux[ -]tu|pouvez[ -]vous|pourrais[ -]tu|sais[ -]tu|as[ -]tu|y a[ -]t[ -]il)\b
^(?:e |ma )?(?:perche|quando|quanto|dove|chi|quale|puoi|potresti|sai|cosa|come (?:posso|si|faccio))\b
^(?:e |mas )?(?:por que|quando|quanto|onde|quem|qual|voce (?:pode|sabe)|o que|como (?:posso|faco))\b
^(?:а |и |но )?(?:что|как|почему|зачем|где|куда|когда|кто|сколько|какои|какая|какие|можешь|можно)\b
"""
"""The beginnings of sentences that ask."""

ASK_WITHIN = r"""
\b(?:any (?:idea|tips|advice|thoughts|suggestions|recommendations)|do you (?:know|think|have|remember|recommend)|can you (?:tell|explain|recommend|suggest|help|give|show|remind)|could you|i(?:'m| am| was)? wonder(?:ing)?|i(?:'d| would) (?:like|love) to know|not sure (?:if|whether|how|what|which)|help me (?:with|understand|find|figure))\b
"""
"""Phrases that ask anywhere in a sentence."""

ASK_UNSPACED = r"""
(?:吗|呢|么|嘛)[。!]?$|什么|怎么|为什么|为何|哪[里儿个些]|谁|多少|几[个点天]|能不能|是不是|有没有
(?:ですか|ますか|でしょうか|だろうか|かな|の)[?。]?$|なぜ|どうして|どうやって|どこ|いつ(?!も)|誰|何[をがでの]|教えて|どう(?:思|すれ)
(?:까요?|나요|니까|는가|을까|어때|니)[?.]?$|무엇|뭐|어디|언제|누가|왜|어떻게|얼마
ไหม|อะไร|ทำไม|ที่ไหน|เมื่อไหร่|อย่างไร|เท่าไหร่
"""
"""The same in scripts without spaces."""

GREETINGS = r"""
(?:\W*(?:hi|hello|hey|yo|ok|okay)\b\W*)?(?:how are you|how's it going|how is it going|what's up|how do you do|how have you been|wie geht(?:'s| es dir)|que tal|como estas|ca va|comment (?:vas|allez)|你好吗|元気)\b.{0,20}$
"""
"""Questions at the beginning of a sentence that ask for nothing."""

TAGS = (
    "you know?", " right?", " okay?", " ok?", "isn't it?", "don't you think?", " huh?", " eh?",
    "what i mean?", "nicht wahr?", " oder?", "verdad?", "n'est-ce pas?",
)  # fmt: skip
"""Ends of statements that also ask for nothing."""

FORWARD = r"""
\b(?:let's|lets|let us|we can|we'll|we will|we should|can we|i'd like to|i want to) (?:\w+ ){0,3}(?:talk|speak|discuss|continue|chat|revisit|come back|get back|return|pick (?:this|it|that) up|do (?:this|that|it))\b.*\b(?:later|tomorrow|tonight|next|another time|another day|again|soon|then|after|to (?:that|this|it))\b
\b(?:talk|speak|discuss|continue|chat) (?:\w+ ){0,4}(?:later|tomorrow|next (?:time|week|session)|another (?:time|day))\b
\b(?:remind me|reminder|don't let me forget|remember to|don't forget to|make a note|note to self|keep (?:that|this|it) in mind|for (?:later|next time)|to be continued|more on (?:that|this) later|save (?:that|this|it) for|put (?:that|this|it) off|bring (?:that|this|it) up (?:again|later|next)|check back|follow(?:ing)? up)\b
\b(?:come|get|circle|go) back to (?:that|this|it|you)\b|\b(?:pick|take) (?:that|this|it) up (?:again|later|tomorrow)\b|\b(?:next time|until next time|some other time)\b
\b(?:i'll|i will|we'll|we will|i am going to|i'm going to|we are going to|we're going to|i'm gonna|i plan to|i'm planning to|we plan to|i have to|i need to|i must)\b[^.!?]*\b(?:tomorrow|tonight|next (?:week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|spring|summer|autumn|fall|winter)|this (?:weekend|evening|afternoon)|in (?:two|three|a few|\d+) (?:days|weeks|months)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next|the end))\b
\b(?:tomorrow|tonight|next (?:week|month|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b[^.!?]*\b(?:i'll|i will|we'll|we will|i'm|i am|we're|we are|i have|i plan|we plan|let's)\b
\b(?:i'll|i will|we'll|let me) (?:let you know|tell you|keep you posted|update you|report back|send you|get back to you|show you)\b|\bkeep (?:me|you) posted\b
\b(?:spater (?:mehr|daruber|reden|weiter)|(?:reden|sprechen) wir (?:\w+ )?(?:spater|morgen|nachstes mal|ein andermal)|erinner(?:e|st)? mich|nachstes mal|ein andermal|vergiss nicht|vergesst nicht|ich melde mich|dazu spater|darauf (?:komme|kommen) (?:ich|wir) zuruck|beim nachsten mal)\b
\b(?:morgen|nachste woche|nachsten (?:monat|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|am wochenende|heute abend)\b[^.!?]*\b(?:werde|will|muss|gehe|fahre|habe|treffe|mache|wollen|werden)\b|\b(?:werde|will|muss|werden|wollen) (?:ich |wir )?[^.!?]*\b(?:morgen|nachste woche|spater)\b
\b(?:luego|despues|mas tarde|manana|otro dia) (?:te|lo|hablamos|seguimos|vemos|continuamos)\b|\b(?:hablamos|hablemos|seguimos|sigamos) (?:\w+ ){0,3}(?:luego|despues|mas tarde|manana|otro dia)\b|\b(?:recuerdame|la proxima vez|no olvides|no te olvides|te aviso|te cuento luego)\b|\bmanana (?:voy|tengo|ire|vamos|hare)\b
\b(?:on en (?:reparle|parlera)|on (?:verra|continue|reprend) (?:ca |cela )?(?:plus tard|demain|apres)|(?:parlons|parler)[- ]?(?:en|de ca)? (?:plus tard|demain|une autre fois)|rappelle[- ]moi|la prochaine fois|une autre fois|n'oublie pas|je te (?:dirai|tiens au courant))\b|\bdemain,? (?:je|on|nous)\b
\b(?:ne parliamo (?:dopo|domani)|ricordami|la prossima volta|domani (?:vado|devo)|falamos depois|lembre-me|me lembra|da proxima vez|amanha (?:vou|tenho))\b
\b(?:напомни|в следующии раз|позже (?:поговорим|расскажу)|потом (?:поговорим|расскажу)|завтра (?:я|мы|поиду|будет))
"""

FORWARD_UNSPACED = r"""
(?:以后|下次|回头|待会儿?|改天|稍后)(?:再|我们|聊|说|谈|告诉)|下次|提醒我|别忘了|明天(?:我|再|要|会)|下(?:周|个月)(?:我|再|要|会)
また(?:今度|後で|明日|次)|後で(?:話|教|説明|また)|次回|今度(?:話|教|また)|忘れないで|思い出させて|リマインド|明日.{0,12}(?:行|する|します|予定|つもり)|来週.{0,12}(?:行|する|します|予定|つもり)
나중에|다음에|다음번|내일|잊지 마|상기시켜|คราวหน้า|พรุ่งนี้|เตือนฉัน|ไว้คุยกัน
"""

FORWARD_HINTS = frozenset(
    """
    later tomorrow tonight next another again soon then after remind reminder forget remember note
    mind continued off up back follow following time weekend evening afternoon days weeks months
    monday tuesday wednesday thursday friday saturday sunday day end know tell posted update report
    send get show
    spater mehr erinnere erinner erinnerst nachstes nachste nachsten nachster ein vergiss vergesst
    melde dazu darauf morgen wochenende abend
    luego despues tarde manana dia recuerdame proxima olvides aviso
    reparle parlera verra plus demain apres fois rappelle prochaine oublie noublie dirai courant
    dopo domani ricordami prossima depois lembre lembra proxima amanha
    напомни следующии позже потом завтра
    """.split()
)
"""A message without one of these words does not point forward; looking for them is fast."""

CLOSING = r"""
\b(?:let me know if|feel free|any (?:other|more|further) questions|happy to help|hope (?:this|that) helps|see you (?:later|soon|tomorrow|next)|talk (?:to you )?(?:later|soon)$|good luck)\b
"""
"""Closing words, which do not point forward."""
