"""Signals of languages other than English, and the words of greeting and thanks of all of them.

These use the plain form too: no accents, ``ss`` for the sharp s. Scripts without spaces are matched
anywhere.
"""

from collections.abc import Mapping

from unabridged.domain.intent import Intent

ELSEWHERE: Mapping[Intent, str] = {
    Intent.VIVID_RECALL: """
        4.5 eine Frage nach damals | [.?] (?:und |also |sag mal )?(?:wie viel|wieviel|was|wann|wo|wer|wem|wen|wie|warum|welche[nrsm]?|wohin|womit)(?: \\w+){0,2} (?:hat|hatte|hatten|haben|habe|war|waren|wurde|hiess|ging|kam)\\b|\\bdamals\\b[^.]*\\?
        5 une question au passe    | (?:qui|que|quoi|quand|ou|combien|quel\\w*|comment|pourquoi)\\b[^?]*\\b(?:j ai|ai[ -]je|j avais|j etais|je suis alle\\w*|nous avons|avons[ -]nous|on avait|on a|m avais|m as|mon|ma|mes)\\b|c etait (?:quoi|qui|quand|ou|combien|comment)|deja \\?
        4.6 mi …                   | (?:a que hora|cuando|cual|donde|quien)(?: \\w+){0,3}? (?:mi|mis|nuestr[oa])\\b[^?]*\\?|(?:qual|quando|onde|quem)(?: \\w+){0,4}? (?:meu|minha|meus|minhas)\\b|(?:qual|quando|dove|chi|come|quale)(?: \\w+){0,3}? (?:mio|mia|miei|mie)\\b|quel\\w*(?: \\w+){0,5}? (?:ma|mon|mes|notre)\\b
        4.6 meine …                | (?:wann|wo|wie|wer|welche\\w*|in welche\\w*)(?: \\w+){0,3}? (?:bin|habe|war|hatte) ich\\b
        5 una pregunta del pasado  | (?:cual era|como se llamaba|quien era|donde (?:estaba|estuve|fui|compre|deje|puse)|cuanto (?:costo|pague|gaste|me costo)|cuando (?:empece|conoci|fui|compre|dije|hice|tuve|visite|llegue|me|nos)|que (?:dije|hice|compre|dijo|me dijo|decidimos|acordamos|me recomendaste))\\b
        5 uma pergunta do passado  | (?:qual era|como se chamava|quem era|onde (?:comprei|deixei|fui|foi que)|quanto (?:custou|paguei)|quando (?:comecei|comprei|fui|conheci|foi que)|o que (?:foi que )?(?:eu|voce|tu|nos|a gente|decidimos|combinamos) ?(?:\\w+ )?(?:disse\\w*|contei|falei|falou|decidimos)?)\\b
        5 una domanda sul passato  | (?:come si chiamava|qual era|chi era|quando (?:ho|abbiamo|sono)|dove (?:ho|abbiamo|sono|avevo)|quanto (?:ho|abbiamo|e costat\\w)|(?:che )?cosa (?:ho|ti ho|ti avevo|avevo|mi hai|mi avevi|abbiamo deciso))\\b
        7 weisst du noch           | (?:weisst|erinnerst|weist) du (?:dich |noch|dich noch)|erinnern sie sich|kannst du dich
        6 wie hiess                | wie (?:hiess|heisst) (?:noch ?mal|nochmal|mein|meine|unser|unsere|der|die|das|er|sie|es|doch|gleich)
        6 was habe ich dir         | (?:was|wem|wann|wo|wie|wer|welche[nrms]?|worum|wovon|woruber)(?: \\w+){0,3} (?:habe|hab|hatte) ich (?:dir|ihnen|gesagt|erzahlt|gekauft|gemacht|geburtstag|bezahlt|erwahnt|\\w+ \\w+ (?:gesagt|erzahlt|erwahnt))
        6 hast du mir              | (?:hast|hattest) du mir [^.?]*(?:empfohlen|gesagt|erzahlt|gegeben|genannt|gezeigt)|(?:wann|wo) habe ich
        5 mein …                   | [.?] (?:wie|wo|wann|was|wer|welche[rsnm]?) (?:\\w+ )?(?:ist|war|sind|hat|arbeite|wohne|wohnt) (?:mein|meine|unser|unsere|ich)\\b(?! am besten)
        6 woran erinnerst          | (?:woran|an was) erinnerst|habe ich dir (?:schon |mal )?(?:erzahlt|gesagt)|den ich dir|die ich dir|das ich dir
        7 tu te souviens           | tu te (?:souviens|rappelles)|te (?:souviens|rappelles)[ -]tu|vous (?:souvenez|rappelez)[ -]vous|rappelle[ -]moi (?:le|la|ce|comment|quel)
        6 je t ai dit              | (?:que|qu est ce que|ce que|dont|quand|ou|comment) (?:\\w+ ){0,2}?(?:je t ai|je vous ai|t ai je|tu m as|tu m avais|m as tu|nous avons choisi)
        6 s appelle mon            | s appel(?:le|ait)(?: deja)? (?:mon|ma|mes|notre|le|la)|quel(?:le)? (?:est|etait) (?:mon|ma|notre|deja)|quel etait le (?:titre|nom)
        7 te acuerdas              | te acuerdas|recuerdas|recuerda usted|se acuerda|recuerdame (?:el|la|que|como)
        6 que te dije              | (?:que|cuando|donde|cual|como) (?:\\w+ ){0,2}?(?:te dije|te conte|te he dicho|te mencione|me dijiste|me recomendaste)
        6 como se llama mi         | como se llama(?:ba)? (?:mi|el|la|nuestro)|cual (?:es|era) (?:mi|nuestro)|(?:cuando|donde) (?:es|esta|vive|trabajo) mi
        6 ti ricordi               | ti ricordi|ricordi|come si chiama (?:il mio|la mia|mio)|che cosa ti ho detto|cosa ti ho detto
        6 lembra                   | (?:voce |tu )?(?:se |te )?lembras?(?: do| da| de| se| o| a|-)|o que eu te disse|como se chama (?:o meu|a minha|meu|minha)
        6 pomnish                  | помнишь|как зовут мо|что я (?:тебе )?(?:говорил|сказал)|напомни
        7 记得                     | (?:还|還)?(?:记得|記得)(?!要|把|每|带)|记不记得
        6 我说过                   | 我(?:之前|以前|上次|昨天)?(?:跟你|和你|告诉|對你|对你)?(?:说过|說過|提到|提过|告诉过你|讲过)[^。]*(?:什么|哪|谁|几|多少|吗|什麼)
        5 我的…什么                | 我(?:的|家的?)[^。?]{1,10}(?:叫什么|是什么|在哪|是谁|几岁|哪天|什么时候|多少)
        7 覚えて                   | (?:覚えて|おぼえて)(?:い?る|い?ます|いますか)|思い出せ|思い出し
        6 前に                     | (?:前に|以前|この間|先日|昨日)[^。]*(?:何|どこ|誰|いつ|どれ|どの)(?!について話|を話し)
        5 私の…は                  | (?:私|僕|俺|うち)の[^。]{1,12}(?:何|いつ|どこ|誰|いくつ|名前)
        6 기억                     | 기억(?:해|하|나)|내 [^.?]*(?:뭐|언제|어디|누구|이름)|뭐라고 했
    """,
    Intent.SUMMARY: """
        8 dove eravamo             | dove eravamo|di (?:che )?(?:cosa|che) (?:abbiamo|avevamo|stavamo)|punto della situazione|quello che ci siamo detti|cosa sai di me
        8 onde paramos             | onde (?:paramos|estavamos|ficamos)|(?:sobre|de) (?:o )?que (?:falamos|conversamos|estavamos)|o que (?:voce )?sabe\\w* (?:de|sobre) mim
        8 ou en etions             | ou en (?:etions|sommes|etait|est)|on en etait ou|que sais[ -]tu (?:de|sur) moi|de quoi (?:on|nous|avons)\\b
        8 que sabes de mi          | que sabes (?:de|sobre) mi|en que (?:nos )?quedamos|ponme al (?:dia|corriente)
        8 was weisst du ueber mich | was weisst du (?:alles )?(?:uber|von) mi[cr]h?|was haben wir (?:\\w+ ){0,3}?(?:besprochen|gemacht|geschafft|beschlossen)|bring mich auf|alles,? was (?:ich|wir) (?:dir )?
        8 zusammenfassen           | zusammenfass|fass\\w* (?:\\w+ ){0,6}?zusammen|fass (?:unser|mir|alles)
        8 woruber gesprochen       | (?:woruber|was|wovon|welche themen|uber was)(?: \\w+){0,2} wir (?:\\w+ ){0,4}?(?:besprochen|gesprochen|geredet|diskutiert|gemacht|geschafft|behandelt|unterhalten)
        8 uberblick                | uberblick (?:\\w+ )?(?:unser|was wir|alles)|worum ging es|stehen ?geblieben|wo waren wir|auf den neuesten stand|auf dem laufenden
        8 resume                   | resum\\w* (?:\\w+ ){0,3}?(?:notre|nos|conversation|discussions?|echanges?|ce que nous|ce qu on)
        8 de quoi a-t-on parle     | de quoi (?:avons[ -]nous|a[ -]t[ -]on|on a|nous avons) (?:\\w+ ){0,2}?(?:parle|discute)|ou en (?:etions|etait|sommes)[ -]|le point sur nos
        8 resumen                  | res[ui]m\\w* (?:\\w+ ){0,4}?(?:nuestra|conversacion|hablamos|hablado|charla|nossa|conversa)
        8 de que hablamos          | de que (?:hablamos|hemos hablado|hablabamos|estabamos)|donde (?:nos )?quedamos|que temas
        8 riassumi                 | riassum\\w*|riassunto|di cosa abbiamo parlato|resumo (?:da|de) nossa|sobre o que falamos
        8 podvedi itog             | подведи итог|о чем мы|резюмируи|кратко (?:о|перескажи)
        8 总结                     | (?:总结|總結|概括|归纳|回顾|摘要)(?=.*(?:我们|我們|谈话|对话|對話|讨论|聊))|(?:我们|對話|对话|谈话).*(?:总结|概括|摘要)
        8 聊了什么                 | 我们[^。?]*(?:聊|谈|讨论|说)(?:了|过)?(?:些|的是|都)?(?:什么|哪些|啥)|我們[^。]*(?:聊|談)
        8 要約                     | (?:会話|話|対話|これまで|議論|やり取り)[^。]*(?:要約|まとめ)|要約して|まとめてください
        8 何を話した               | (?:何|なに)(?:について|を|に関して)?(?:話|議論|相談)し|どこまで(?:話|進)
        8 요약                     | (?:대화|이야기|얘기|논의)[^.]*(?:요약|정리)|무엇을 이야기|무슨 (?:이야기|얘기)|뭐에 대해 (?:이야기|얘기)
    """,
    Intent.CONTEXTUAL: """
        9 Zusammenfassung des …    | zusammenfassung (?:des|der|von|eines|einer) (?!gesprach|unser|letzten|bisher)
        9 nicht merken             | (?:merk|merke|vergiss|erinner) (?:dir |mich |an |)(?:nicht |dass |das |daran |morgen )|n oublie pas que|souviens[ -]toi que|recuerda que
        6 eine Aufgabe             | [.?] (?:bitte )?(?:schreib|mach|hilf|erklar|ubersetz|erstell|plan|gib mir (?!einen uberblick)|nenn)\\w* |(?:kannst|konntest) du (?:mir |bitte )?(?!dich|unser)\\w+|wie (?:kann|soll|installier|mache) ich|was (?:soll|kann|ist) |welche[rsn]? \\w+ soll
        6 une tache                | [.?] (?:ecris|redige|traduis|explique|aide|cree|fais(?!.*resum)|donne|propose)\\b|peux[ -]tu|pourrais[ -]tu|comment (?:faire|puis|on|je)
        6 una tarea                | [.?] (?:escribe|traduce|explica|ayuda\\w*|crea|dame|necesito|quiero|puedes|como (?:puedo|instalo|hago))\\b|cual es la[ ]
        6 帮我                     | 帮我|请(?:帮|写|翻译|解释)|写一|推荐|如何|怎么(?!样)|为什么
        6 してください             | (?:作って|書いて|訳して|翻訳|方法|書き方)|を教えて
    """,
}
"""Intent to its signals in other languages, in the form of ``signals``."""

CASUAL_WORDS = frozenset(
    """
    hi hello hey heya hiya howdy yo sup wassup whatsup helo hullo greetings morning evening
    afternoon night goodnight gn gm thanks thank thx ty tysm tnx thankyou thanx appreciated cheers
    ok okay k kk okey cool nice great perfect awesome wow amazing lol haha hahaha hahahaha hehe rofl
    lmao xd bye goodbye cya ciao ttyl tgif yes no yep yeah yup nope nah sure alright alrighty fine
    gotcha understood welcome oops sorry congrats congratulations brilliant excellent lovely
    wonderful fantastic neat sweet hmm hm huh oh ah aha ooh yay hooray damn omg nvm right indeed
    exactly agreed noted bravo kudos np yw brb bbl pls lmfao ha woohoo whoa peace later
    hallo guten tag morgen abend nacht danke dankeschon schonen bitte tschuss tschau servus moin gruss
    grussgott klar alles prima super toll
    bonjour salut bonsoir merci bonne nuit revoir bientot coucou d accord genial parfait
    hola buenos buenas dias tardes noches gracias adios vale hasta luego
    buongiorno buonasera grazie prego arrivederci buonanotte
    ola obrigado obrigada bom dia boa noite tchau tudo bem valeu
    shucks snap prob anytime mm mmhm good thnx cu nighty mornin goodie enjoy cute gorgeous beautiful adorable hilarious really seriously true yoohoo interesting phew ugh laters funny hilarious impressive clever smart grats congratz splendid
    marvelous fabulous fab wicked dope lit legit deal done gosh geez jeez meh eh mhm uh aw aww awww
    indeedy absolutely definitely totally certainly likewise ditto same okie dokie whew yikes ouch
    privet привет спасибо пока здравствуите здравствуй добрыи доброе утро день вечер хорошо
    hej tack hoi doei bedankt dzieki czesc merhaba tesekkurler namaste salaam shalom aloha
    """.split()
)
"""Words that make a message small talk, if it contains nothing else."""

GREETINGS = frozenset(
    """
    hi hello hey heya hiya howdy yo greetings thanks thank thx ty cheers bye goodbye haha lol hehe
    lmao goodnight gn morning evening night ciao wow aww yay congrats congratulations welcome
    servus moin hallo danke bonjour salut merci hola gracias ola obrigado obrigada grazie
    """.split()
)
"""Greetings that one unknown word may follow, usually a name."""

CASUAL_FILLERS = frozenset(
    """
    you u your yours i am are is it that was so very much a an the to for of and too all again there
    everyone everybody all mate buddy friend dear man dude bro guys there me my not bad good well
    better best job work done have has had day one see weekend week nice time talk soon tomorrow
    tonight today then now really just how do doing going been hope hoping glad happy pleased meet
    great helpful help helps helped this what up things new at with be kind sweet rock happening
    beaucoup bien fois pour tout le la les un une vous tu toi und dir ihnen sehr viel vielen schon
    schone bis spater dann auch gut muchas mucho tal que muy tanto mille molto lot lots million bunch
    year christmas birthday friday monday sunday merry take care safe same here anyone say saying
    long no makes sense sounds got it problem worries pleasure my on on back большое вам тебе
    dich wochenende stuff plan sounds works like by old much nothing ready when feeling feel still bit little pretty quite
    """.split()
)
"""Words that small talk may contain as well."""

CASUAL_PHRASES = r"""
how (?:are|is|was|were|r) (?:you|u|it|things|your day|everything|life|ya|your (?:day|night|weekend|morning|evening))\b
|how (?:do|have) you (?:feel|been|do)|how you doing|how goes it
|what is up|what is new|long time no|nice to meet|pleased to meet|good to (?:see|hear)
|i (?:love|enjoy|like) (?:talking|chatting) (?:to|with) you|lovely to (?:chat|talk)
|have a (?:\w+ )?(?:day|one|weekend|night|evening|week|trip|flight|journey|drive|holiday|vacation|time)|see (?:you|ya|u)|talk (?:to you|soon)
|you (?:are|really are) (?:the best|awesome|amazing|so kind|great|funny|hilarious|sweet|too kind|welcome|a star|a lifesaver)
|that (?:is|was) (?:\w+ )?(?:hilarious|funny|fun|great|perfect|awesome|nice|cool|helpful|lovely)
|are you there|anyone there|sleep well|take care|well done|no problem|sounds good|makes sense
|i am (?:\w+ )?(?:good|fine|well|okay|ok|great|alright|doing well|doing good)|happy (?:new year|birthday|friday|holidays|monday)
|what a (?:\w+ )?day|just (?:saying|wanted to say) |hope (?:you|that helps|all)|sorry about|same (?:here|to you)|you too|me too
|tell me a joke|good (?:morning|night|evening|afternoon|job|one|luck)
|wie geht|gute nacht|guten (?:tag|morgen|abend)|schonen (?:tag|abend)|alles klar|bis (?:morgen|spater|bald|dann)
|ca va|comment (?:vas|allez|ca)|bonne (?:nuit|journee|soiree)|a (?:bientot|demain|plus)|au revoir
|que tal|como estas|buenos dias|buenas (?:noches|tardes)|hasta (?:luego|manana)|tudo bem|come (?:stai|va)
|not bad|got it|i see\b|my pleasure|never mind|my bad|you rock|merry christmas|vielen dank|no way|i know right
|(?:catch|see|talk to) you (?:later|soon|around)|sure thing|will do|love (?:it|that)|(?:i )?(?:gotta|have to|must|need to) (?:go|run|dash)\b|i am (?:back|off|out|done for)
|(?:that is|you are|so) (?:\w+ )?(?:kind|sweet|nice|thoughtful)|enjoy (?:your|the|it)|it is (?:just )?me|that is (?:all|it|everything)|be right back|be back|on my way
|(?:heading|going|off) (?:out|to bed|to sleep|home|now)|(?:you |that )?made (?:me (?:laugh|smile)|my day)|i like you|hello from|what is (?:going on|happening)|what are you (?:up to|doing)|time for bed|bed time
|how did (?:you|u) sleep|what is cooking|glad (?:we|to|you)|sweet dreams|i am here|peace out|so long|wanted to say|hugs|missing you|guess who
|top of the morning|that (?:is|will be) (?:all|it)|rock on|you betcha|mon ami|wie (?:lauft|laufts)|what is good|have fun|you as well|what a (?:\w+ )?(?:day|morning|evening|night|week|relief|mess|surprise|shame|pity)|that (?:is|was) (?:so |really |very |too |just )?(?!wrong|not|it|incorrect|false|right|what|the|a|an|my|our)\w+ \.? ?$
|sounds like|works for me|(?:fine|okay|ok|good) (?:by|with|for) me|good (?:stuff|one|thinking)|all good|same old|not (?:much|a lot|really)\b|nothing much|ready when|sleep tight|time (?:to|for) (?:sleep|bed)|(?:popping|dropping|stopping|swinging|checking) (?:in|by)|(?:say|saying) hi
|de nada|a domani|fico bem|schones wochenende|gruss dich|a demain|bis dann|feierabend
|fair enough|no (?:worries|rush|way|biggie)|of course|why not|you bet|true that|good (?:point|call|to know|idea|luck|for you)|never mind|bless you|fingers crossed|big hug|miss(?:ed)? you|nice (?:to|talking|chatting)|i (?:appreciate|agree|understand)(?: \w+)? (?:\.|$)
|как дела|доброе утро|добрыи (?:день|вечер)
"""
"""Phrases that make a short message small talk."""

THANKED = r"""
[.] (?:(?:ok|okay|oh|ah|great|perfect|awesome|cool|wow|alright|yes|aww|good|well|no|super) )*
(?:thanks|thank you|thx|ty|thank u|many thanks|cheers|much appreciated|congrats|congratulations|sorry|goodbye|bye|good night|goodnight
|(?:good (?:morning|evening|afternoon)|morning)
|(?:hi|hello|hey|heya|hiya)(?: \w+)?(?: again| there)?(?: [.])? (?:it is|i am back|just|good|nice|how|hope|long|back|lovely|glad|great|we meet)
|danke|vielen dank|merci|gracias|muchas gracias|obrigad[oa]|grazie|tack)\b
"""
"""The beginnings of thanks, farewells and greetings, which anything friendly may follow."""

ASKS = r"""
[?]| (?:please|but|can|could|would you|now|next|also|instead|more|another|other|again please|what|which|who|where|when|why|shorter|longer|try|make|add|fix|change|write|show|tell|give
|explain|remind|remember|summarize|recap|do|does|did (?!you sleep)|let us|need|want|one more|kannst|bitte|peux|puedes|puoi|error|problem with) | how (?!are|is|was|were|have|has|did you)
"""
"""What makes it more than that: a question, a wish, a task."""

CASUAL_UNSPACED = r"""
你好|您好|谢谢|謝謝|多谢|再见|再見|晚安|早上好|早安|下午好|晚上好|哈哈|不客气|辛苦了|嗨|怎么样|好吗|好的|拜拜|没关系
|こんにちは|こんばんは|おはよう|ありがとう|さようなら|おやすみ|元気|お疲れ|はじめまして|またね|了解|すみません|ごめん
|안녕|감사|고마워|고맙|잘 자|반가워|안녕히|สวัสดี|ขอบคุณ
"""
"""The same in scripts without spaces, where they must be most of the message."""

TIMES = frozenset(
    """
    january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday christmas easter halloween english german
    french spanish italian portuguese dutch
    """.split()
)
"""Capitalised words that are not names."""

NAMES_TOO = frozenset(
    """
    mark will grace hope joy rose bill rob sue pat jack ray drew grant ruby jo al mel chase dale
    dawn faith gene ivy jade olive penny pearl violet victor summer autumn june april may rich
    art dean miles clay cliff duke earl guy herb jay lane lee mack mason may nick norm peg skip sky
    ty van wade
    """.split()
)
"""First names that are words as well: names only with a capital."""

FIRST_NAMES = frozenset(
    """
    aaron adam adrian agnes alan albert alex alexa alexander alice alicia alina allison amanda amber
    amelia amir amy ana andre andrea andreas andrew andy angela anita anja ann anna anne annie anton
    antonio ariel arthur audrey barbara beatrice becky ben benjamin bernd beth betty bianca bob
    bobby brandon brenda brian bruno calvin camila carla carlos carol caroline catherine cathy
    charles charlie charlotte chloe chris christian christina christine christopher claire clara
    claudia connor craig cynthia daisy dan daniel daniela danny dave david deborah dennis derek
    diana diego dieter dmitri donald donna doris dorothy doug dylan eddie edgar edward elena eli
    elias elisa elizabeth ella ellen elsa emily emma eric erica erik ethan eva evan evelyn fatima
    felix fiona florian francesca frank fred gabriel gary gerald gina giulia gloria greg hannah hans
    harold harry heather heidi helen helena ian igor ingrid irene isaac isabel isabella ivan jackie
    jacob jake jamie jan jane janet janice jasmine jason javier jean jeff jennifer jenny jeremy jerry
    jesse jessica jill jim jimmy joan joanna joe joel johan johanna john johnny jolene jon jonas
    jonathan jose joseph josh joshua juan judith judy julia julian julie juniper justin karen karin
    karl kate katherine kathy katie keith kelly kenji kevin kim klaus kyle lars laura lauren lea leah
    lena leo leon lily linda lisa lucas lucy luis luisa lukas luke luna lydia marco marcus margaret
    maria marie marina mario martha martin mary matt matthew max maya megan melanie mei michael
    michelle miguel mike mila mohammed molly monica nadia nancy naomi natalie nate nathan nicole
    nina nora norman olga oliver olivia omar oscar pablo pamela patricia patrick paul paula pedro
    petra phil philip pierre priya rachel ralph raj rebecca ricardo richard rita robert roberta robin
    roger ron ruth ryan sabine sam samantha samuel sandra sara sarah scott sean sharon shirley simon
    sofia sophia sophie stefan stella stephanie stephen steve steven susan sven tanya teresa theo
    theresa thomas tim tina toby todd tom tommy tony tracy tyler uwe vanessa vera veronica vincent
    peter pete james jacques jules hans lois agnes iris janis mathis abby abigail ada ahmed aisha ali alan alana aldo alec alejandra alejandro alessandro
    alfred alfredo ali alison allen alma alvin amelie amina amit anders andres anil anika annette
    anthony antoine antonia archie aria arjun armando arnold ashley astrid august austin ava ayesha
    bella bernard bert bettina bill billy bjorn blake boris brad bridget brigitte bryan caleb
    cameron carina carlo carmen carsten cassie cecilia cedric celia cesar chiara christine chuck
    cindy clark clemens cole colin corinna cristina curtis cyrus dagmar dakota damian darren daryl
    dennis desmond dirk dominic dora dorothea duncan dwight edith edna eduardo edwin eileen elaine
    eleanor eliza elke elliot eloise elvira emil emilia emilio emma enrique eren erin ernest esther
    eugene eva fabian faye federico ferdinand fernando fiona flora floyd frances francis franco
    frederick freya frieda fritz gareth gavin geoff georg george georgia gerard gerda gilbert gina
    giorgio giovanni gordon greta guido gunther gustav gwen hana hank hanna harriet hassan hazel
    hector heike heinz henri henry hilda holger holly howard hubert hugh hugo ibrahim ida imran ines
    inga irina irma isabelle ivana ivo jaime janine jared jasmin javi jelena jens jeremiah jerome
    joachim joaquin jochen joelle jordan jorge josef josephine joyce juliana juliane juliet jurgen
    kai kamal kara karim karina karla kathrin katja katrin kayla ken kenneth kerstin kirsten kurt
    lance larissa larry lauren lea leila lenny leonard leonardo leonie leroy leslie levi liam lillian
    lina lionel lisbeth lloyd logan lola lorenzo lorraine lotte louis louisa louise luca lucia
    ludwig luisa luiz lynn mabel madeleine maggie malcolm malik manfred manuel manuela marcel marcia
    margot mariana marianne marisa marlene marta marvin mateo mathias matilda matteo mattias maurice
    mauro max maxim melissa mercedes mia michal mick mikael milo mina miranda miriam mitch mona
    morgan moritz muhammad nadine nancy natalia natasha neil nelson nico nigel niko nils noah noel
    norbert norma odette olaf ole oleg olivier orlando oskar otto owen paco paolo parker pascal
    pauline peggy penelope percy peggy petr philipp phoebe phyllis pia pilar quentin rafael rainer
    ramon randy raquel raul ravi raymond reggie regina reinhard rene ricarda rick ricky roberto
    rodrigo roland rolf romeo ronald ronja rosa rosemary ross roxanne roy rudolf rupert russell sadie
    saskia salvador sanjay santiago sasha sebastian selma serena sergei sergio shane shannon sheila
    sherry sid silke silvia simone sonia sonja sophie stan stacy stefano stella stewart stuart sunil
    susanne suzanne svenja sylvia tamara tanja tara tatiana ted terry thea thelma theodore thorsten
    tiffany tilda timo timothy tobias toni tristan troy udo ulrich ursula valentina valeria valerie
    vera verena vicky victoria viktor vince viola virginia vivian vladimir wanda warren werner wesley
    wilma winston wolfgang xavier yasmin yolanda yvonne zach zara
    walter wendy wilhelm yuki yusuf zoe
    """.split()
)
"""First names; a question about one of these people is a question about the past."""
