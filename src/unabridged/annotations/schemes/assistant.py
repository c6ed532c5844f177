"""Work with an assistant: decisions, requirements, preferences, facts, questions and answers."""

from unabridged.annotations.schemes.build import category
from unabridged.annotations.schemes.shared import TOLD
from unabridged.domain.annotation import Scheme

ASSISTANT = Scheme(
    name="assistant",
    about="Talk with an assistant about work and life.",
    fallback="information",
    categories=(
        category(
            "decision",
            "What was settled: a choice, an agreement, a plan that stands.",
            (0.9, 0.9),
            critical=True,
            examples="""
                We decided to use MySQL.
                Let's go with the first option.
                I have made up my mind and will take the job.
                We agreed to move the meeting to Tuesday.
                I'll take the red one.
                It is settled, we are going to Paris.
                I chose the cheaper plan.
                The final version will be the short one.
                I am going to sell the car.
                We will drop this feature.
                Approved, you can go ahead.
                I booked the hotel for the first week of May.
            """,
            cues=r"""
                \b(?:we|i|they|team|board)(?: have|'ve| had| all|ve)? (?:finally )?(?:decided|agreed|settled|voted|concluded|opted|chose|picked)\b
                \b(?:let's|lets|let us|we will|we'll|i will|i'll|i am going to|i'm going to|gonna|we are|we're) (?:just )?(?:go(?:ing)? (?:with|for|ahead)|stick with|take the|use|drop|do the|pick|choose|settle|postpone|cancel|switch to|buy|sell|quit|accept|sign)\b
                \bi(?: think i)?'ll (?:probably |definitely )?(?:try|go with|go for|take|choose|pick|use|start with|buy|get|book|order)\b|\b(?:decision|final (?:name|version|choice|answer|plan)|made up my mind|after thinking it over|it is settled|it's settled|that's settled|that is settled)\b
                ^(?:approved|agreed|deal|confirmed|done deal|ship it|go ahead)\b|\b(?:booked|reserved|signed|cancelled|ordered|bought) (?:the|a|our|my) (?:flight|hotel|room|ticket|contract|table|trip|lease)\w*
                ^no, (?:forget|scrap|drop)\b|\binstead of\b.*\bwe\b|\bi (?:chose|have chosen|picked)\b|\bwe're doing\b
                \b(?:wir|ich) (?:nehmen?|haben? (?:uns|mich) entschieden|haben? beschlossen|entscheiden? (?:uns|mich))\b|\bbeschlossen\b|\babgemacht\b|\beinigen uns\b|\bgeeinigt\b
                \b(?:decidimos|decidi|hemos decidido|he decidido|vamos a (?:usar|hacer|ir)|quedamos en|me quedo con)\b
                \b(?:on a decide|j'ai decide|nous avons decide|on (?:s'est|est) (?:mis )?d'accord|d'accord pour|on prend|je prends|on part sur)\b
                决定|決定|就用|选择了|選んだ|に決め|ことにし|にします
            """,
        ),
        category(
            "requirement",
            "What must hold: a demand, a limit, a deadline, a standing instruction.",
            (0.9, 0.85),
            critical=True,
            by_user=True,
            examples="""
                The system must support a thousand users.
                It has to work without internet.
                Always answer in French.
                Never use emojis in your replies.
                The text should have at most 200 words.
                Make sure that the file is encrypted.
                The budget is limited to 500 dollars.
                It needs to be finished by Monday.
                Only use free libraries.
                Users should be able to export their data.
                Please keep the answers short from now on.
                The meal has to be gluten free.
            """,
            cues=r"""
                \b(?:it|app|application|system|report|text|page|site|website|users?|code|function|answers?|solution|design|everything|each|all|there|files?|letter|article|email|story|list|plan|product|service|software|tool|budget|event|room|meal|recipe|essay|document|response|they) (?:\w+ ){0,3}(?:must|has to|have to|needs? to|should|shall|may not|cannot|is required to|are required to)\b|\b(?<!what )(?:must|has to|needs to) (?:be|support|include|work|load|run|have|contain|never|not|return|store|handle|fit|accept|allow|show)\b
                ^(?:please )?(?:always|never|don't|do not|only)\b (?:\w+ )?(?:use|answer|reply|write|include|call|mention|respond|add|give|put|ask|repeat|send|be)\b|\bfrom now on\b
                \b(?<!i )(?<!'ll )(?<!to )(?<!can )(?<!will )(?:make sure|ensure|be sure to)\b(?!.*[?])|\b(?:it is important that|keep it (?:under|below|short)|no more than|at most|at least|no longer than|up to \d|maximum of|minimum of|must not|may not exceed|not exceed|within \d+|under \d+ (?:words|minutes|seconds)|in under)\b
                \b(?!.*[?])(?:deadline|requirements?|constraints?|acceptance criteri\w+|specification|budget (?:is|of|must)|due (?:by|on)|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|the end))\b
                \b(?:no external|not allowed|is allowed|are allowed|mandatory|required|forbidden)\b|\b(?:vegan|gluten|nut|dairy)[ -]?free\b|\bi need an? \w+.* that (?:is|are|can|has|does|takes)\b|\busers? (?:should|must|can) be able to\b
                \b(?:muss|mussen|soll|sollte|darf|durfen)\b(?!.*[?])|\bmindestens\b|\bhochstens\b|\bimmer auf\b|\bbitte (?:immer|nie|nur)\b|\bab jetzt\b|\bbis (?:montag|dienstag|mittwoch|donnerstag|freitag)\b
                \b(?:debe|deben|tiene que|tienen que|como maximo|al menos|siempre|nunca) \w+|\ba partir de ahora\b|\bfecha limite\b
                \b(?:doit|doivent|il faut|au maximum|au moins|toujours|jamais)\b|\ba partir de maintenant\b|\bdate limite\b
                必须|必須|不得|不能超过|至少|最多|以内|しなければ|してください|までに|禁止|以后请
            """,
        ),
        category(
            "personal_fact",
            "What is true of the user: home, work, family, health, belongings, doings.",
            (0.8, 0.8),
            critical=True,
            by_user=True,
            examples="""
                I live in Berlin with my husband.
                I work as a teacher at a primary school.
                My son is five years old.
                I am allergic to peanuts.
                I studied law at Oxford.
                My sister lives in Canada.
                I bought a new bicycle last week.
                I was born in 1985.
                I have two cats.
                My birthday is on the third of May.
                I started running a year ago.
                I visited my grandmother on Sunday.
                I paid 300 dollars for my new phone.
                I finished my third painting yesterday.
            """,
            cues=TOLD
            + r"""
                \bmy (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fiancee?|son|daughter|kids?|children|mother|father|mom|mum|dad|parents|sister|brother|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|niece|nephew|friend|dog|cat|pet|boss|colleague|roommate|neighbou?r)s?\b
                \bby the way\b|\bmy own\b|\b(?:for|over) (?:about |the past |the last )?(?:\w+) (?:years|months|weeks) now\b
                \bich (?:bin \d+|wohne|arbeite|lebe|habe (?:zwei|drei|einen|eine)|komme aus|studiere|wurde geboren)\b|\bmeine? (?:frau|mann|sohn|tochter|mutter|vater|schwester|bruder|hund|katze|freundin|freund)\b
                \b(?:vivo|trabajo|naci|estudio|tengo \d+ anos|tengo (?:dos|tres|un|una)|soy de)\b|\bmis? (?:esposa|esposo|marido|mujer|hij[oa]s?|herman[oa]s?|madre|padre|perro|gato|novi[oa])\b
                \bj'(?:habite|ai \d+ ans|ai (?:deux|trois|un|une))\b|\bje (?:vis|travaille|suis ne)\b|\bm(?:a|on|es) (?:femme|mari|fils|fille|mere|pere|soeur|frere|chien|chat|enfants)\b
                我住在|我在.{1,10}工作|我今年|我的(?:妻子|丈夫|儿子|女儿|妈妈|爸爸|狗|猫)|私は.{1,12}(?:住んで|働いて|歳)|(?:妻|夫|息子|娘|母|父|犬|猫)は
            """,
        ),
        category(
            "preference",
            "What the user likes, dislikes or would rather have.",
            (0.7, 0.75),
            by_user=True,
            examples="""
                I prefer tea over coffee.
                I love Italian food.
                I don't like loud music.
                My favourite colour is green.
                I would rather stay at home.
                I hate waiting in line.
                I am a big fan of science fiction.
                I usually like detailed explanations.
                Sweet things are not my taste.
                I enjoy swimming in the sea.
                The window seat is the best for me.
                I can't stand cold weather.
            """,
            cues=r"""
                \bi(?:'d| would|'d much| would much| much| really| also| always| usually| generally|'ve always| do)* (?:prefer|rather|love|like|enjoy|adore|dislike|hate|loathe|appreciate|favou?r)\b(?<!'d like)(?<!would like)(?<!'d love)(?<!would love)(?! to (?:know|ask|see|have you|hear|get|learn|make|add|create|book|order|schedule|do)| (?:you|some help|help|if|it if|your))
                \bi (?:can't|cannot|could not|can not) stand\b|\bi (?:don't|do not|never|didn't) (?:really |particularly )?(?:like|enjoy|care for|love)\b
                \bmy (?:\w+ )?(?:favou?rite|preferred|least favou?rite|taste|go-to)\b|\bfavou?rite \w+ (?:is|are|of mine)\b|\bmy (?:cup of tea|thing)\b
                \b(?:big|huge|not a|real|great) (?:\w+ )?fan of\b|\bfond of\b|\bobsessed with\b|\bin my opinion\b|\bprefer(?:s|red|ence|ences)?\b
                \bich (?:mag|liebe|bevorzuge|hasse|trinke am liebsten|esse gern)\b|\bam liebsten\b|\blieblings|\bnicht so gern|\blieber\b|\bgefallt mir\b
                \b(?:prefiero|me (?:gusta|gustan|encanta|encantan)|odio|no me gusta|mi favorit[oa]|favorit[oa])\b
                \bje (?:prefere|deteste|n'aime pas|adore)\b|\bj'(?:aime|adore)\b|\bprefere(?:e|r)?\b|\bfavori(?:te)?\b
                我(?:更)?喜欢|我爱|讨厌|最喜欢|偏好|好き|嫌い|のほうがいい|大好き|苦手
            """,
        ),
        category(
            "code_or_data",
            "Code, commands, logs, tables, records.",
            (0.5, 0.55),
            examples="""
                def main(): print("hello")
                SELECT name FROM table WHERE id = 3;
                import numpy as np
                for i in range(10): total += i
                { "key": "value", "list": [1, 2, 3] }
                name, age, city
                npm install && npm run build
                Error: cannot read property of undefined at line 12
                Here is the code of the function.
                sudo systemctl restart nginx
                The exception is thrown in the constructor of the class.
                const x = await fetch(url);
            """,
            cues=r"""
                ```
                ^traceback|\bfile ".+", line \d+|(?:error(?<=\werror)|exception(?<=\wexception))\b(?=[: ]| in\b|$)|\bstack ?trace\b|\bsegmentation fault\b|\bexit code \d
                ^\s*(?:def|class|import|from \w+ import|function|const|let|var|public|private|static|return|#include|package|using|fn|func)\b.*[({=;:]|^\s*(?:import \w+|from [\w.]+ import)
                ^\s*(?:select\b.*\bfrom|insert into|update \w+ set|create table|delete from|alter table)\b
                ^\s*(?:\$ |> )?(?:git \w+|npm (?:i|ci|install|run|start|test)\b|pip3? install|docker[ -]\w+|kubectl \w+|sudo \w+|cd [\w./~-]+$|ls -|curl (?:-|http)|make (?:all|install|test|clean|build|check)\b|cargo (?:build|run|test|add)|yarn (?:add|install|build)|brew install|apt(?:-get)? install|ssh \w+@|chmod [\d+]|python3? [\w./-]+\.py)|`[^`]*(?:npm|pip|git|docker|cargo|make|yarn|python)\b[^`]*`
                ^\s*[\[{]["'\s\[{].*[:,]|^\s*</?[a-z][\w-]*(?: [\w-]+=.*)?>|</[a-z]+>
                ^\s*\|.*\|.*\||^[\w./-]{1,25}(?:[,;\t][\w./-]{0,25}){2,}$|\b\w{1,20}: ?-?\d+(?:\.\d+)?[,;] ?\w{1,20}: ?-?\d
                `[\w.\-]+(?:\(\)|: ?\w+|\.(?:py|js|ts|yaml|yml|json|sql|java|go|rs|html|css))`|\b\w+\.(?:py|js|ts|java|cpp|rs|go):\d+
                [{};]\s*$|\)\s*[;{]|=>|[=!&|](?:(?<=\|)\||(?<=&)&|=)
            """,
        ),
        category(
            "question",
            "What somebody wants to know, or to have done.",
            (0.5, 0.5),
            examples="""
                What is the tallest mountain in Europe?
                How can I clean a wooden floor?
                Can you explain how engines work?
                Why is my plant losing its leaves?
                Which phone should I buy?
                Is it healthy to drink milk?
                Where can I find cheap flights?
                Tell me about the Roman empire.
                When does the store open?
                Who wrote this book?
                Do you know any good restaurants?
                What size would you like?
            """,
            cues=r"""
                [?](?:["'”)\]\s]*)$|^¿
                ^(?:so |and |but |ok,? |okay,? |hi,? |hello,? )?(?:what|how|why|which|who|whose|where|when|is|are|was|were|do|does|did|can|could|would|should|will|has|have|may) (?!a\b)\w+
                \b(?:(?:can|could|would) you (?:please )?|please )(?:explain|tell|show|recommend|suggest|help|give|list|describe|compare)\b|^(?:please |now |ok(?:ay)?,? |great,? )?(?:tell me|explain|describe|list|recommend|suggest|compare|give|write|rewrite|create|generate|share|translate|summari[sz]e|make (?:an?|me|the|it)|show|provide|find|draft|design|help me|act as|convert|continue|update|improve|edit|on the following)\b
                \b(?:any (?:idea|tips|advice|suggestions|recommendations)|i wonder|i was wondering|i'm wondering|do you know|what about|how about|i'd like to know|i want to know|curious (?:about|how|what))\b
                ^(?:was|wie|warum|wieso|welche[rsn]?|wer|wo|wann|wohin|kannst du|konntest du|weisst du|gibt es|ist|sind)\b
                ^(?:que|como|por que|cual|cuales|quien|donde|cuando|cuanto|cuantos|puedes|podrias|sabes|hay)\b
                ^(?:qu'est-ce|que|comment|pourquoi|quel|quelle|qui|ou|quand|combien|peux-tu|pouvez-vous|est-ce)\b
                什么|怎么|为什么|哪[个里些]|谁|吗[?]?$|多少|ですか|ますか|なぜ|どうやって|何[をがで]|教えて
            """,
        ),
        category(
            "information",
            "Explanations, answers and everything else.",
            (0.4, 0.4),
            examples="""
                Water boils at a hundred degrees at sea level.
                The bridge was opened in 1937 and is two kilometres long.
                To fix the tap, turn off the water and replace the seal.
                There are several reasons for this effect.
                Vitamins are organic compounds that the body needs.
                First, chop the onions, then fry them in butter.
                The city has about two million inhabitants.
                Both models are similar, but the second is lighter.
                Here are some tips for better sleep.
                According to the study, coffee reduces the risk.
                A good way to start is to make a list.
                The train takes about three hours.
            """,
            cues=r"""
                ^(?:here (?:are|is)|there are|the following|according to|in general|typically|generally|overall|in summary|to \w+ (?:a|an|the|your)\b|first(?:ly)?,|next,|finally,|step \d|\d+\. )
                \b(?:for example|such as|in addition|on the other hand|it is important to|you can|consider|is the process|refers to|is known (?:for|as)|consists of)\b
                ^(?:der|die|das) \w+ (?:ist|sind|wird|braucht|hat)\b|^(?:el|la|los|las) \w+ (?:es|son|tiene)\b|^(?:le|la|les) \w+ (?:est|sont|a)\b
                例如|首先|其次|たとえば|まず|次に
            """,
        ),
        category(
            "small_talk",
            "Greetings, thanks, farewells and chat without content.",
            (0.1, 0.1),
            examples="""
                Hello!
                Good evening, how are you doing?
                Thank you so much.
                You are welcome.
                Bye, have a nice day.
                Okay.
                Haha, that's funny.
                Sounds good, thanks.
                See you later.
                Nice to meet you.
                I'm glad it helped, feel free to ask again.
                Cool, great.
            """,
            cues=r"""
                ^\W*(?:hi|hello|hey|heya|howdy|yo|good (?:morning|evening|afternoon|night)|greetings)\b(?:[ ,]*(?:there|all|everyone|again|you|friend|[a-z]+))?\W*$
                ^\W*(?:thanks?|thank you|thx|ty|cheers|much appreciated|many thanks)\b.{0,60}$
                \b(?:(?:you're|you are) (?:very |most )?welcome|(?:glad|happy) (?:i could|to|it) help|have a (?:great|good|nice|wonderful|lovely) (?:day|weekend|evening|night|time|trip)|feel free to ask|let me know if (?:there's|there is|you have|you need)|anything else)\b
                ^\W*(?:ok(?:ay)?|cool|great|nice|awesome|perfect|sure|lol|haha+|wow|yes|no|yeah|yep|nope|alright|got it|sounds good|fine|good|right|hm+|ah+|oh+)\b(?:\W+\w+){0,3}\W*$
                ^\W*(?:bye|goodbye|see you|see ya|talk to you|take care|good night|later)\b.{0,40}$
                \bhow are you\b|\bhow is it going\b|\bhow's it going\b|\bwhat's up\b|\bnice to meet you\b
                ^\W*(?:hallo|guten (?:morgen|tag|abend)|danke|vielen dank|tschuss|bis (?:spater|bald|dann)|gute nacht|alles klar|servus|moin)\b.{0,40}$
                ^\W*(?:hola|buenos dias|buenas (?:tardes|noches)|gracias|muchas gracias|adios|hasta luego|vale)\b.{0,40}$
                ^\W*(?:bonjour|salut|bonsoir|merci|au revoir|a bientot|bonne (?:nuit|soiree|journee))\b.{0,40}$
                ^(?:你好|您好|谢谢|多谢|再见|早上好|晚安|好的|哈哈).{0,8}$|^(?:こんにちは|こんばんは|おはよう|ありがとう|さようなら|おやすみ|了解|はい).{0,10}$
            """,
        ),
    ),
)
