"""Companion talk: people tell about their lives and want to be known."""

from unabridged.annotations.schemes.build import category
from unabridged.annotations.schemes.shared import TOLD
from unabridged.domain.annotation import Scheme

COMPANION = Scheme(
    name="companion",
    about="Personal talk with a companion: life, people, feelings, plans.",
    fallback="everyday",
    categories=(
        category(
            "promise",
            "What one promised the other, or asked to be reminded of.",
            (0.9, 0.9),
            critical=True,
            examples="""
                I promise that I will call her tomorrow.
                You promised to tell me the end of the story.
                Remind me to take my medicine tonight.
                I swear I will never drink again.
                Let's make a deal: I study, and you quiz me on Friday.
                I give you my word.
                Please don't let me forget her birthday.
                I will tell you how it went, I promise.
            """,
            cues=r"""
                \b(?:promise[ds]?|i swear|my word|cross my heart|make a deal|it's a deal|pinky)\b
                \b(?:remind me|don't let me forget|hold me to|check in on me|ask me (?:about|how)|keep me accountable)\b
                \b(?:versprich|versprochen|verspreche|ehrenwort|erinnere? mich)\b
                \b(?:te prometo|prometo|prometiste|recuerdame)\b|\b(?:je (?:te )?promets|promis|rappelle-moi)\b
                我保证|我答应|提醒我|约定|約束|誓|思い出させて
            """,
        ),
        category(
            "personal_fact",
            "What is true of the user's life: home, work, health, history, belongings.",
            (0.8, 0.8),
            critical=True,
            examples="""
                I live in a small house by the sea.
                I work as a bus driver.
                I am thirty years old and I come from Poland.
                I was diagnosed with diabetes last year.
                I have a dog called Max.
                I studied history but never finished.
                I grew up on a farm.
                I moved into a new flat last month.
                I lost my job in March.
                My birthday is in August.
            """,
            cues=TOLD
            + r"""
                \bi (?:live|work|study|studied|own|drive|moved|graduated|grew up|was born|retired|volunteer|was diagnosed|was fired|was hired|got (?:a|the|my) (?:new )?(?:job|dog|cat|car|promotion)|lost my job|quit my job)\b
                \b(?:i am|i'm) (?:\d+|from|allergic|an? (?:\w+ )?(?:nurse|teacher|student|driver|engineer|doctor|writer|artist|mother|father|single))\b
                \bmy (?:name|birthday|job|house|flat|apartment|car|dog|cat|hometown|diagnosis|anniversary) (?:is|was|are|has|died)\b|\bi have (?:a|an|two|three|four|\d+) (?:dog|cat|kid|child|son|daughter|brother|sister|car|bike|garden)
                \bich (?:wohne|arbeite|lebe|komme aus|bin \d+|habe (?:einen|zwei|drei|eine))\b|\b(?:vivo en|trabajo|naci|tengo \d+ anos|soy de)\b|\bj'habite\b|\bje (?:vis|travaille)\b|\bj'ai \d+ ans\b
                我住在|我在.{1,10}工作|我今年|住んで|働いて|歳です
            """,
        ),
        category(
            "relationship",
            "The people in the user's life and how it stands with them.",
            (0.8, 0.8),
            critical=True,
            examples="""
                My sister and I had a fight on Sunday.
                I miss my best friend since she moved away.
                My boyfriend asked me to marry him.
                My boss does not respect me.
                I am close to my grandmother.
                My parents got divorced when I was ten.
                I met someone new and I like her.
                My son will not speak to me.
                You are my best friend.
                Tom and Lisa are together now.
            """,
            cues=r"""
                \bmy (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fiancee?|son|daughter|kids?|children|mother|father|mom|mum|dad|parents|sister|brother|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|friends?|best friend|boss|colleague|roommate|neighbou?r|ex)\b
                \b(?:dating|broke up|break up|engaged|married|divorced?|wedding|in love|crush|argument|argued|had a fight|made up|jealous|trust (?:him|her|you|me))\b
                \bmeine? (?:frau|mann|sohn|tochter|mutter|vater|schwester|bruder|freundin?|beste freundin|chef)\b|\bmis? (?:espos[oa]|hij[oa]|herman[oa]|madre|padre|novi[oa]|amig[oa])\b|\bm(?:a|on|es) (?:femme|mari|fils|fille|mere|pere|soeur|frere|copine?|ami[es]?)\b
                我的?(?:妻子|丈夫|老公|老婆|儿子|女儿|妈妈|爸爸|朋友|男朋友|女朋友)|(?:妻|夫|息子|娘|母|父|彼氏|彼女|友達)(?:が|は|と)
            """,
        ),
        category(
            "shared_memory",
            "What the two of them lived through or made together.",
            (0.8, 0.75),
            examples="""
                Remember when we wrote that poem together?
                Do you still know the joke that you told me?
                Last time we talked about my trip to Rome.
                That was our song.
                We have come a long way since our first talk.
                You helped me so much when I was ill.
                It is a year since we first met.
                Like the story we made up about the fox.
            """,
            cues=r"""
                \b(?:remember (?:when|how|that|the)|do you remember|last time we|when we (?:first|last)|our (?:song|joke|story|first|game|place)|inside joke|like (?:you|we) (?:said|did)|you (?:once )?told me|we (?:talked|laughed|wrote|made up|played))\b
                \b(?:weisst du noch|erinnerst du dich|unser lied|letztes mal)\b|\b(?:te acuerdas|recuerdas cuando|la ultima vez)\b|\b(?:tu te souviens|la derniere fois)\b
                还记得|上次我们|記得|覚えて|この前
            """,
        ),
        category(
            "feeling",
            "How somebody feels, and why.",
            (0.7, 0.75),
            examples="""
                I feel so lonely tonight.
                I am really proud of myself.
                I was so scared before the exam.
                Today was awful and I cried a lot.
                I am happy as never before.
                I am stressed and tired of everything.
                It hurts that nobody called.
                I am nervous about tomorrow.
                I feel calm when I talk to you.
                I am angry about what he said.
            """,
            cues=r"""
                \bi(?:'m| am| feel| felt| was| have been|'ve been)(?: just| so| really| very| a bit| feeling| still| pretty| quite| too| kind of)* (?:sad|happy|lonely|scared|afraid|anxious|nervous|proud|angry|mad|upset|depressed|stressed|tired|exhausted|excited|worried|hurt|ashamed|guilty|grateful|thankful|relieved|overwhelmed|devastated|heartbroken|thrilled|miserable|hopeless|jealous|frustrated|calm|down|awful|terrible|great|numb|empty)\b
                \b(?:cried|crying|tears|my heart|breaks my heart|panic attack|mood|feelings?|emotional|hurts|grief|depression|anxiety)\b
                \bich (?:bin|fuhle mich|war) (?:so |sehr |echt )?(?:traurig|glucklich|einsam|stolz|wutend|mude|nervos|gestresst|froh)\b|\bestoy (?:muy |tan )?(?:triste|feliz|sol[oa]|nervios[oa]|cansad[oa]|enojad[oa]|orgullos[oa])\b|\bje (?:suis|me sens) (?:si |tres |trop )?(?:triste|heureu\w+|seule?|fatigue\w*|stresse\w*|fier\w*)\b
                难过|开心|伤心|孤独|害怕|累|生气|悲しい|嬉しい|寂しい|疲れ|怖い|不安
            """,
        ),
        category(
            "preference",
            "What the user likes and dislikes.",
            (0.7, 0.7),
            examples="""
                I love old movies.
                My favourite food is sushi.
                I can't stand noise in the morning.
                I prefer walking to driving.
                I enjoy painting when it rains.
                I don't like being called by my full name.
                I am a big fan of football.
                I hate winter.
            """,
            cues=r"""
                \bi(?:'d| would| really| also| always| just)* (?:prefer|rather|love|like|enjoy|adore|dislike|hate)\b(?! (?:you|him|her|it when you|to (?:know|ask)))|\bi can't stand\b|\bi don't (?:like|enjoy)\b|\bmy (?:\w+ )?favou?rite\b|\b(?:big|huge) fan of\b
                \bich (?:mag|liebe|hasse)\b|\blieblings|\blieber\b|\b(?:prefiero|me gusta|me encanta|odio)\b|\bj'(?:aime|adore)\b|\bje (?:prefere|deteste)\b
                我喜欢|最喜欢|讨厌|好き|嫌い|大好き
            """,
        ),
        category(
            "plan",
            "What somebody means to do, and when.",
            (0.7, 0.65),
            examples="""
                I am going to visit my mother on Saturday.
                Next month I start my new job.
                I want to learn to dance this year.
                We are planning a trip to Norway.
                I have an exam on Monday.
                Tomorrow I will go to the doctor.
                I am thinking about moving abroad.
                My goal is to save some money.
            """,
            cues=r"""
                \b(?:i'm|i am|we're|we are) (?:going to|planning|about to|thinking (?:of|about)|hoping to|looking forward)\b|\b(?:tomorrow|next (?:week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|summer|weekend)|this weekend|tonight)\b|\b(?:i|we) (?:plan|want|hope|intend|have an? (?:exam|appointment|interview|date|meeting)|will start|start)\b|\bmy (?:goal|plan|dream) (?:is|for)\b
                \b(?:morgen|nachste[nrs]? (?:woche|monat|jahr)|ich (?:will|werde|plane|habe vor))\b|\b(?:manana|la proxima|el proximo|quiero|voy a|pienso)\b|\b(?:demain|la semaine prochaine|je (?:vais|veux|compte))\b
                明天|下周|下个月|打算|计划|明日|来週|来月|つもり|予定
            """,
        ),
        category(
            "everyday",
            "What happened and was talked about, and fits nothing else.",
            (0.4, 0.4),
            examples="""
                I had soup for lunch.
                It rained all day here.
                I watched a film about penguins.
                Do you know a good recipe for bread?
                The bus was late again.
                I cleaned the kitchen this morning.
                What is the weather like there?
                That sounds like an interesting book.
                Traffic was heavy.
                What did you do today?
            """,
            cues=r"""
                \b(?:for (?:lunch|dinner|breakfast)|the weather|it rained|watched|traffic|the bus|groceries|cleaned|laundry)\b
            """,
        ),
        category(
            "small_talk",
            "Greetings, thanks, farewells and chat without content.",
            (0.2, 0.1),
            examples="""
                Hello!
                Good morning, how are you?
                Good night, sleep well.
                Thank you.
                Haha, you are funny.
                Okay.
                See you later.
                I'm back.
                Aww, how sweet.
                What's up?
            """,
            cues=r"""
                ^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon|night)|bye|goodbye|see you|talk later|i'm back|what's up)\b.{0,25}$
                ^\W*(?:thanks?|thank you|thx|you're welcome)\b.{0,50}$|\bhow are you\b|\bhow's it going\b
                ^\W*(?:ok(?:ay)?|cool|great|nice|awesome|sure|lol|haha+|wow|yes|no|yeah|yep|nope|aww+|hm+|oh+|ah+)\b(?:\W+\w+){0,3}\W*$
                ^\W*(?:hallo|guten (?:morgen|tag|abend)|danke|tschuss|gute nacht|hola|gracias|adios|buenas|bonjour|salut|merci|bonne)\b.{0,30}$
                ^(?:你好|谢谢|再见|早上好|晚安|哈哈).{0,8}$|^(?:こんにちは|おはよう|ありがとう|おやすみ|はい).{0,10}$
            """,
        ),
    ),
)
