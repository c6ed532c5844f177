"""Stories and role play: the six categories of EMM, with the shares of its plan."""

from unabridged.annotations.schemes.build import category
from unabridged.domain.annotation import Scheme

STORY = Scheme(
    name="story",
    about="Stories told together: role play, adventures, novels in the making.",
    fallback="standard",
    categories=(
        category(
            "story_critical",
            "What the plot hangs on: threats, quests, deaths, revelations, turning points.",
            (0.9, 0.9),
            critical=True,
            examples="""
                The enemy army marches on the capital and the kingdom will fall.
                You are the chosen one who must save the world from darkness.
                Only the enchanted blade can kill the undying sorcerer.
                The evil emperor has awakened and plots to destroy the realm.
                The queen is dead, and the assassin is still in the palace.
                I accept the mission to recover the stolen artifact.
                The traitor among us was the general the whole time.
                The ancient prophecy foretells a hero who will end the curse.
                With the last strike the beast falls and the war is over.
                He reveals the secret: the villain is your father.
                The portal opens and demons invade the city.
                We have three days to stop the ritual or everyone dies.
                The ship explodes and there is no way back home.
                The evidence proves who the murderer was.
                I destroy the relic and break the curse forever.
                The rebels overthrow the tyrant and crown a new ruler.
            """,
            cues=r"""
                \b(?:prophe(?:cy|cies|sied|tic)|foretold|chosen (?:one|hero)|destiny|fate of the)\b
                \b(?:quest|mission)\b.*\b(?:to|for)\b|\bmust (?:find|stop|save|destroy|defeat|bring|kill|reach|protect)\b|\bbefore (?:it is too late|the \w+ (?:falls|rises|ends))
                \b(?:dark lord|demon (?:king|lord)|overlord|tyrant|usurper|arch ?enem\w+|nemesis|necromancer)\b|\bdemon\b.*\b(?:steps|rises|comes|wakes|returns)
                \b(?:murder(?:ed|er|s|ous)?|assassin(?:s|ated?)?|slays?|slain|beheaded|executed|sacrificed?)\b
                \b(?:is|are|was|were|lies) dead\b|\b(?:dies|died|killed)\b.*\b(?:king|queen|prince|princess|duke|captain|hero|emperor|master)\b|\b(?:king|queen|prince|princess|duke|captain|hero|emperor|master)\b.*\b(?:dies|died|killed|dead|missing)\b
                \b(?:betrayed|betrays|traitor|treason|conspiracy|coup)\b
                \b(?:reveals?|revealed|revelation|proves|turns out|truth is)\b
                \bonly\b.*\bcan (?:defeat|stop|kill|open|save|break|destroy|end|close)\b
                \b(?:destroy|defeat|conquer|overthrow|invade|besiege|annihilate)\w*\b
                \b(?:war|battle|siege|invasion|rebellion|revolution|apocalypse|catastrophe)\b.*\b(?:begins?|begun|starts?|started|over|ends?|won|lost|for)\b
                \b(?:world|kingdom|realm|city|empire|valley|humanity)\b.*\b(?:ends?|doomed|falls?|saved?|threaten|perish)|threaten\w* the (?:world|realm|kingdom|city|land)
                \b(?:ritual|seal|curse|spell)\b.*\b(?:fails?|breaks?|broken|complete|lifted)\b
                \b(?:throne|crowned|coronation|countdown|doom(?:ed|sday)?|no way back|point of no return|final blow|last hope)\b
                \bsword of (?:\w+ )?\w+|\b(?:relic|artifact|shards?|holy grail|talisman|murder weapon)\b
                \b(?:prophezeiung|auserwahlt|verrater|verraten|ermordet|besiegen\b|ist tot\b|feind\b.*\b(?:erreicht|kommt|greift)|weltuntergang|finsternis\b.*\bkommt)
                \b(?:profecia|elegid[oa]\b|traicion|traidor|asesinad|ha muerto|derrotar|destruir)
                \b(?:prophetie|l'elu\b|trahi|traitre|assassin|est mort|vaincre|detruire)
                预言|預言|魔王|背叛|叛徒|刺杀|暗殺|裏切|世界を救|拯救世界|毁灭|滅ぼ|国王.*死|王が死
            """,
        ),
        category(
            "character_focused",
            "Who somebody is: name, origin, looks, skills, beliefs, fears, goals.",
            (0.8, 0.8),
            examples="""
                My name is Robin and I am the son of a miller.
                I was trained as a monk in a mountain monastery.
                She is a tall woman with red hair and a scar on her cheek.
                I have sworn an oath to protect the weak.
                He is afraid of spiders and hates being alone.
                My character is a cunning elf thief with high dexterity.
                I carry the necklace that my mother gave me.
                Her greatest dream is to become a famous captain.
                He is stubborn, proud and loyal, and he never lies.
                I grew up in a poor fishing village as an orphan.
                I can speak with animals and I am skilled with the bow.
                The old wizard is blind and talks to his owl.
                He used to be a soldier before he became a priest.
                Her weakness is her pride, and her strength is her wit.
                I believe in justice above everything else.
            """,
            cues=r"""
                \b(?:my|his|her|their|the \w+'s) name (?:is|was)\b|\bi am called\b|\b(?:he|she) is called\b|\bcall me\b
                \b(?:i am|i'm|im|he is|she is|he's|she's) (?:an? |the )(?:\w+[ -]){0,4}(?:elf|elven|dwarf|human|orc|halfling|gnome|tiefling|paladin|ranger|wizard|sorcer\w+|witch|thief|rogue|bard|monk|cleric|priest\w*|druid|knight|warrior|soldier|smith|healer|pilot|detective|merchant|scientist|hunter|pirate|mercenary|alchemist|android)\b
                \b(?:son|daughter|child|heir|descendant) of\b|\bborn (?:in|as|to|the|a|into)\b|\b(?:grew up|raised (?:by|in|among))\b|\bchildhood\b|\borphan
                \b(?:trained|studied|apprenticed|served|worked) (?:as|in|under|with|at|for)\b|\bbackstory\b|\bmy character\b|\bonce an? \w+
                \b(?:oath|vow|creed|sworn|honou?r)\b.*\b(?:bind|binds|forbid|forbids|protect|never|above|to)\b
                \b(?:my|his|her|their) (?:\w+ ){0,2}(?:fear|dream|goal|secret|weakness|strength|flaw|ambition|wish|desire|past|skill|talent|quirk|habit|personality)\b
                \b(?:afraid|terrified|scared) of\b|\b(?:always|never) wanted to\b|\b(?:believes?|values?) (?:in )?(?:nothing|honou?r|coin|gold|justice|above|that)
                \b(?:i|he|she) (?:\w+ )?(?:carry|carries|wears?|keeps?)\b.*\b(?:my|his|her)\b|\bnever takes? off\b
                \b(?:scar|beard|moustache|limp|tattoo|eyes|hair)\b.*\b(?:his|her|my|their|she|he|i)\b|\b(?:his|her|my|their)\b.*\b(?:scar|beard|moustache|limp|tattoo|hair)\b|\b(?:with|has|have) (?:\w+ ){1,3}(?:eyes|hair|beard)\b
                \b(?:proficien\w+|expert|skilled|master|brilliant|gifted|talented) (?:in|with|at|of)\b|\b(?:\d+|an?|my|high|low) (?:strength|dexterity|constitution|intelligence|wisdom|charisma|hit points)\b|\bspeaks? (?:\w+ )?languages\b
                \b(?:he|she) is (?:\w+, )*(?:stubborn|vain|proud|brave|loyal|shy|cunning|ruthless|kind|clever|ambitious|arrogant|humble|greedy|cruel)\b|\bis (?:stubborn|vain|proud|brave|shy|cunning|ruthless|ambitious|arrogant|humble|greedy)\b
                \b(?:learned|mastered) the art\b|\b(?:serves?|works?) as\b|\bin (?:his|her|my) (?:teens|twenties|thirties|forties|fifties|sixties)\b
                \bich heisse\b|\bmein name ist\b|\bich bin (?:ein|eine|der|die)\b|\baufgewachsen\b|\bangst vor\b|\bsohn (?:des|von)\b|\btochter (?:des|der|von)\b
                \b(?:me llamo|mi nombre es|hij[oa] de|soy (?:un|una)|creci en|miedo a)\b
                \bje m'appelle\b|\bmon nom est\b|\bfils de\b|\bfille de\b|\bje suis (?:un|une)\b|\bj'ai grandi\b
                我叫|我的名字|我是一[个名位]|私の名前|と申します|と言います|私は.{1,12}です|生まれ|育ち|长大
            """,
        ),
        category(
            "relationship_dynamics",
            "How people stand to one another: trust, love, rivalry, alliances, quarrels.",
            (0.7, 0.7),
            examples="""
                I no longer trust my old friend.
                She admits that she has fallen in love with him.
                The two brothers are bitter rivals.
                We become allies and promise to help each other.
                He forgives her and they are close again.
                They argued and do not talk to each other anymore.
                My sister is jealous of my marriage.
                The captain respects you as an equal now.
                You have gained the loyalty of the wolf pack.
                He feels betrayed by his best friend.
                The father disapproves of his daughter's husband.
                She treats me like her own child.
                Our friendship grows stronger with every day.
                Does she like me or does she only pretend?
                The lovers get engaged in secret.
                They hate each other since the duel.
            """,
            cues=r"""
                \b(?:trust|distrust|mistrust|respects?|admires?|despises?|resents?|envies|forgives?|jealous|loyal)\b.*\b(?:me|you|him|her|us|them|each other|one another|[a-z]+)\b
                \b(?:in love|fell for|falls for|loves (?:him|her|you|me)|love (?:him|her|you)|kiss(?:es|ed)?|engaged|marr(?:y|ies|ied|iage)|wedding|lovers?|divorce)\b
                \b(?:friends?|friendship|best friend|rivals?|rivalry|enemies|allies|alliance|partners?|mentor|brotherhood|companions? for life)\b
                \b(?:argument|argued|quarrel\w*|fight|fought|feud|tension|drift\w* apart|grudge|reconcil\w+|made peace|make up)\b.*\b(?:between|with|since|from|each other|sister|brother|friend)|\btension between\b
                \b(?:each other|one another)\b
                \blike an? (?:brother|sister|father|mother|son|daughter)\b|\bcalls? you (?:his|her) (?:brother|sister|friend)\b|\bblood brothers?\b
                \b(?:stands? by|sides? with|side with|loyal(?:ty)? to|pledge\w*|by (?:his|her|your|my) side|bond (?:with|between))\b
                \b(?:likes|hates|misses|avoids|ignores|disapproves of|looks up to|is close to) (?:me|you|him|her|us|them|my|his)\b|\bdoes \w+ (?:like|love|hate|trust) me\b
                \bvertrau(?:e|en|t)\b|\bfreund(?:e|in|schaft)?\b|\bverliebt\b|\brival|\bverbundete|\bliebt (?:ihn|sie|mich|dich)\b|\bheirat|\bstreit\b
                \bamig[oa]s?\b|\bamistad\b|\benamorad|\bconfio\b|\bconfianza\b|\brival|\balianza\b|\bcelos|\bcas(?:arse|aron)\b
                \bami(?:e|s|es)?\b|\bamitie\b|\bamoureu|\bconfiance\b|\brival|\balliance\b|\bjalou|\bmarie(?:r|nt)?\b
                朋友|友谊|信任|爱上|恋人|盟友|嫉妒|友達|友情|信頼|恋|仲間|裏切られた
            """,
        ),
        category(
            "emotional_significance",
            "What is felt strongly: grief, joy, rage, fear, shame, relief.",
            (0.6, 0.6),
            examples="""
                I cry over the grave of my friend.
                She is overwhelmed with joy and bursts into tears.
                He shakes with anger and screams at the sky.
                I feel lost, hopeless and completely alone.
                My heart races with fear in the dark.
                Grief overwhelms the whole family.
                I am so happy that I start to dance.
                She blushes with shame and looks away.
                He sighs with relief and laughs.
                I am heartbroken and cannot go on.
                Guilt eats at him every night.
                We are proud and deeply moved.
                Despair fills my soul.
                I am furious at what they did to us!
                It hurts to remember her face.
            """,
            cues=r"""
                \b(?:tears?|weeps?|wept|weeping|crie[sd]|cry(?:ing)?|sobs?|sobbing|sobbed)\b
                \b(?:grie(?:f|ves?|ving)|mourn\w*|sorrow\w*|heartbroken|heartbreak\w*|despair\w*|anguish|devastated|desperat\w+|hopeless\w*|miserable|lonely|alone in)\b
                \b(?:rage|furious|fury|wrath|enraged|anger|angry|livid|seeth\w+|fists clenched|clench\w* (?:his|her|my) fists?)\b
                \b(?:terror|dread|horrified|panic\w*|(?<!greatest )(?<!biggest )(?<!worst )fear)\b(?! of)|\bheart (?:is |was )?(?:pound|rac|sank|break|breaks|swell)\w*|\btrembl\w+|\bshak(?:es|ing) with\b
                \b(?:joy|joyful|overjoyed|so happy|happiness|elated|ecstatic|relief|relieved|gratitude|grateful|laugh out loud|bliss)\b
                \b(?:shame|ashamed|guilt|guilty|humiliated|regrets?|remorse)\b
                \b(?:pride swells?|proud of|deeply moved|touched|overcome with|overwhelm\w*|wave of|floods? through|washes over|stunned|shocked)\b
                \b(?:i am|i'm|i feel|i felt) (?:so|utterly|deeply|very|completely|incredibly) \w+|\b(?:hurts?|aches?) (?:so|to)\b|\bscreams?\b
                \btraurig|\bweinen\b|\bweine\b|\btranen\b|\bwutend\b|\bverzweifel|\bglucklich\b|\bangst\b(?! vor)|\bfreude\b|\bscham\b
                \btriste|\bllor(?:o|ar|ando|a)\b|\blagrimas\b|\bfurios|\bdesespera|\bfeliz\b|\bmiedo\b(?! a)|\balegria\b
                \blarmes\b|\bpleure|\bfurieu|\bdesespoir|\bheureu|\btristesse\b|\bpeur\b(?! de)|\bhonte\b
                泪|哭|悲伤|愤怒|绝望|高兴|害怕|涙|泣|悲し|怒り|絶望|嬉し|怖
            """,
        ),
        category(
            "world_building",
            "How the world is: places, history, peoples, laws, magic, technology.",
            (0.5, 0.5),
            examples="""
                The fortress was built a thousand years ago by giants.
                The streets are made of marble from the southern islands.
                The temple uses old elvish architecture.
                Legends say that secret tunnels run under the hill.
                The kingdom is ruled by a council of mages.
                Magic here comes from crystals in the deep mines.
                The people of the desert worship the sun.
                The forest lies to the west, beyond the great river.
                In this world dragons are kept as working animals.
                The currency is a silver coin called a mark.
                The station orbits a dead star and houses ten thousand people.
                By law nobody may enter the palace armed.
                The tavern is a small stone house at the edge of town.
                Every spring they celebrate the festival of seeds.
                Orcs live in clans and trade in furs.
                The academy was founded after the great fire.
            """,
            cues=r"""
                \b(?:was|were|is|are) (?:built|founded|carved|made|constructed|ruled|governed|inhabited|imported|guarded|forged|drawn) (?:of|by|from|in|after|on|out|into|more|\d)
                \b(?:\d+|hundreds?|thousands?|centur(?:y|ies)) (?:of )?(?:years )?(?:ago|old|earlier)\b|\bfor (?:\w+ ){0,2}(?:centuries|hundred years|thousand years|generations)\b|\bancient (?:people|city|ruins|temple|empire|dwarven|elven|\w+ architecture)
                \b(?:legends?|myths?|lore|traditions?|customs?|rumou?rs?|tales) (?:\w+ )?(?:speaks?|says?|tells?|holds?|has it|of)\b|\bby law\b|\bforbidden to\b
                \b(?:kingdom|realm|empire|province|city|town|village|country|land|desert|forest|mountains?|island|continent|planet|moons?|galaxy|station) (?:of|is|are|lies|stretches|in|has|was|where|orbits)\b
                \b(?:lies|located|stretches|borders|situated) (?:at|in|on|to|between|beyond|for|near|along)\b|\bto the (?:north|south|east|west)\b|\b(?:northern|southern|eastern|western) \w+
                \b(?:magic|mana|sorcery)\b.*\b(?:is|comes|drawn|works|flows|costs|requires)\b|\b(?:in|of) this (?:world|realm|kingdom|universe|land)\b
                \b(?:worships?|gods?|goddess|religion|clans?|tribes?|guild of|caste|council of|symbol of|enchant(?:ed|ment)|dynasty|currency|festival|calendar|species|races?)\b
                \b\d+ (?:feet|foot|miles?|leagues?|metres|meters|paces)\b|\b(?:castle|temple|tower|tavern|cavern|chamber|waterfall|bridge|palace|harbou?r|fortress|library|tunnels?|passages|dungeon|ruins|freighter|ship|deck|catacombs|architecture)\b.*\b(?:is|are|was|were|has|have|runs?|under|above|beneath|of|with)\b
                \b(?:dwarves|elves|orcs|goblins|dragons|humans|androids|robots|people|folk) (?:here|live|are|have|who|come|of)\b
                \bwurde (?:vor|von|im)\b|\berbaut|\bgebaut\b|\bliegt (?:im|am|an|in|auf)\b|\blegende|\bkonigreich\b.*\bist\b|\bwahrung\b
                \bfue (?:construid|fundad)|\breino (?:de|es)\b|\bleyenda|\bsituad[oa]\b|\bciudad (?:de|esta|es)\b
                \bfut (?:construit|fonde)|\broyaume (?:de|est)\b|\blegende|\bsitue|\bville (?:de|est)\b
                王国.*(?:位于|由|是)|传说|傳說|建于|建造|伝説|建てられ|王国は|この世界
            """,
        ),
        category(
            "standard",
            "Everything else: moving, looking, taking, everyday actions and talk.",
            (0.4, 0.4),
            examples="""
                I go through the gate.
                I open the box.
                I look at the room.
                I take the lamp.
                I keep going.
                I sit down and wait.
                You walk down the stairs.
                The door opens.
                I drink some water and eat bread.
                You roll a nine and succeed.
                He nods and gives you the key.
                What do you do next?
                Okay, continue.
                I put the coin in my pocket.
                I follow the path to the left.
                I wave to the guard and say hello.
            """,
            cues=r"""
                ^(?:then )?(?:i|you|we|he|she) (?:\w+ly )?(?:walk|go|open|look|pick|take|continue|keep|sit|stand|eat|drink|wait|follow|climb|enter|leave|check|nod|put|grab|turn|step|move|knock|light|close|search|run|wave|say|ask|rest|sleep|buy|pay|roll|draw)s?\b
                ^(?:ok|okay|yes|no|sure|alright|fine|hello|hi|thanks|continue|go on|next|let's go)\b
                \b(?:you roll|roll (?:for|an?)|what do you do|nothing happens|it is empty|next crossing)\b
                ^the (?:\w+ )?(?:door|chest|guard|merchant|lock|box|drawer|window|gate)\b.*\b(?:opens?|swings?|creaks?|nods?|closes?|hands?|clicks?)\b
                ^ich (?:gehe|offne|nehme|schaue|sitze|warte|folge|laufe|esse|trinke|mache)\b
                ^(?:camino|abro|miro|tomo|sigo|espero|voy|entro)\b|^je (?:marche|vais|ouvre|regarde|prends|continue|attends)\b
                ^我(?:走|打开|看|拿|坐|等|继续)|(?:歩く|開ける|見る|取る|座る|待つ|進む)。?$
            """,
        ),
    ),
)
