"""The emotions of words, as data: valence (-1 bad to 1 good) and arousal (0 calm to 1 strong).

Written for this project from the meanings of the words. Words are compared folded and stemmed, so
one form covers its endings. English comes first, then German, Spanish and French. Scripts without
spaces have a separate table, which is searched for within the text.
"""

WORDS: tuple[tuple[float, float, str], ...] = (
    # overwhelming
    (-1.0, 1.0, """
        devastated devastating heartbroken heartbreaking suicidal suicide terrified terrifying
        horrified anguish agony despair traumatized traumatic inconsolable hysterical unbearable
        tormented torment raped rape tortured torture massacre slaughter
     """),
    (-0.95, 0.9, """
        furious fury rage enraged outraged outrage livid wrath panic panicking panicked terror horror
        horrifying horrific nightmare screaming scream shrieked murder murdered murderer killed
        killing abused abuse assault assaulted grief grieving hopeless miscarriage betrayed betrayal
        bastard bitch fuck fucking hell stillborn overdose stabbed
     """),
    (-0.85, 0.75, """
        hate hatred despise loathe loathing furiously disgusted disgusting disgust humiliated
        humiliating humiliation ashamed shattered crushed destroyed desperate desperately desperation
        miserable misery suffering sobbing sobbed bawling mourning mourn funeral cancer died dies dying
        death dead die dumped divorce divorced attacked attack bomb war violence violent
        crisis disaster tragedy tragic catastrophe brutal cruel cruelty evil vicious monstrous shit
        damn bleeding wounded wreck unforgivable heartache distraught depressed depression
        frantic frantically threatened threat victim
     """),
    (-0.75, 0.6, """
        angry anger mad crying cried cry tears weep wept pain painful hurt hurting hurts scared
        afraid fear frightened frightening scary dread anxious anxiety stressed stress overwhelmed
        upset upsetting ruined ruin awful terrible horrible dreadful worst lonely loneliness guilt
        guilty regret jealous jealousy bitter resent resentment rejected rejection abandoned fired
        failed failure insulted insult offended fight fighting argument argued shouting shouted yell
        yelled pissed shock shocked shocking alarming alarmed emergency accident crash crashed hospital
        sick ill disease injured injury broken lost loss broke worthless useless pathetic stupid idiot
        lied liar cheated cheating stole robbed sorrow shame explosion exploded enemy danger dangerous
        deadly toxic bullied bully harassed sue arrested prison jail poison
     """),
    (-0.6, 0.45, """
        sad sadly sadness sorrowful melancholy unhappy worried worry worrying nervous uneasy tense
        frustrated frustrating frustration annoyed annoying irritated irritating disappointed disappointing disappointment
        exhausted exhausting exhaustion struggling struggle suffer troubled trouble problem missed
        miss missing homesick embarrassed embarrassing awkward insecure confused rough hard tough
        difficult unfair wrong bad worse ugly nasty poor weak fail mess messy conflict complain
        complaint blame unfortunately unfortunate regrettably sorry doubt doubts hostile harsh
        rude disturbing disturbed gloomy grim helpless vulnerable burden damage damaged weird weirdly
        steal crime criminal kill gun weapon shot shoot blood corrupt fraud debt bankrupt
     """),
    (-0.4, 0.2, """
        bored boring dull tired sleepy slow weary drained dreary tedious meh lack lacking lacks
        empty low cold dim flat lazy numb sigh listless lethargic unimportant unable
        uncomfortable
     """),
    # positive
    (1.0, 1.0, """
        ecstatic elated overjoyed euphoric thrilled thrilling ecstasy exhilarated exhilarating
        jubilant rapture triumphant triumph miracle miraculous
     """),
    (0.95, 0.85, """
        excitement passion passionate passionately adored orgasm victory champion jackpot hooray
        hurray woohoo yay omg
     """),
    (0.9, 0.62, """
        amazing incredible awesome astonishing fantastic phenomenal spectacular magnificent
        breathtaking unbelievable extraordinary excited exciting celebrate celebrated celebrating
        celebration adore proposed engaged won winning wow
     """),
    (0.85, 0.5, """
        love loved loving lovely joy joyful joyous delighted delight delightful wonderful marvelous
        marvellous fabulous brilliant superb gorgeous stunning beautiful beautifully excellent
        outstanding happiest best proud pride honored honoured grateful gratitude blessed blessing
        laugh laughed laughing laughter hilarious kiss kissed kissing romance romantic wedding
        married pregnant born perfect perfectly dream party surprise surprised surprising adventure
        eager enthusiastic enthusiasm inspired inspiring inspiration success successful successfully
        hero heroic win sexy beloved treasure priceless glory glorious dazzling vibrant energetic
     """),
    (0.75, 0.45, """
        happy happily happiness glad fun funny enjoy enjoyed enjoying enjoyable great super
        fascinating fascinated hope hopeful hoping smile smiled smiling cheerful cheer pleased
        pleasure relieved relief achieve achieved accomplished accomplishment promoted graduated
        gift birthday holiday vacation friend friendly friendship hug hugged sweet sweetheart
        dear darling cute adorable charming attractive pretty favorite favourite reward rewarding
        confident courage brave freedom free strong healthy win lucky luck welcome congratulations
        congrats thank thanks appreciate appreciated cool nice baby
     """),
    (0.5, 0.2, """
        good well better fine okay pleasant satisfied satisfying comfortable comfort cozy safe
        secure trust trusted kind kindness gentle warm fair easy helpful help useful improve improved
        interesting clean fresh honest support supportive care caring generous positive
     """),
    (0.5, 0.05, """
        calm calming peaceful peace peacefully relaxed relaxing relax serene tranquil quiet quietly
        soothing content restful rest gently softly soft still mild meditation
     """),
    # exciting, neither good nor bad
    (0.0, 0.7, """
        suddenly urgent urgently immediately intense intensely explosive wild crazy insane insanely
        astonished stunned shaking trembling pounding racing heartbeat rush rushed hurry hurried
        burst exploded thunder storm roar roared chase chased escape escaped race blazing fierce
        fiercely
     """),
    (0.0, 0.1, """
        consists refers located according generally typically usually standard various section
        document report percent average includes contain contains statistics administrative
        procedure available listed pages schedule
     """),
    # German
    (-0.95, 0.95, """
        verzweifelt verzweiflung entsetzt entsetzlich panik wutend wut hass hasse todesangst
        erschuttert zerstort gestorben ermordet albtraum untrostlich selbstmord furchtbar grauenvoll
     """),
    (-0.75, 0.65, """
        traurig weinen weine weint tranen angst einsam verletzt schmerz schmerzen schrecklich schlimm
        enttauscht verlassen betrogen krank krebs tod tot verloren scham schuld argerlich sauer
        gestresst uberfordert scheisse beerdigung unfall
     """),
    (0.95, 0.9, "begeistert uberglucklich wahnsinn unglaublich fantastisch grossartig jubel hurra"),
    (0.8, 0.55, """
        glucklich freude freue liebe liebt stolz wunderbar toll wunderschon dankbar froh lachen
        verliebt erleichtert herrlich schonste geheiratet
     """),
    # Spanish
    (-0.95, 0.95, """
        desesperado desesperada furioso furiosa odio aterrado aterrada destrozado destrozada
        devastado devastada murio muerto muerta pesadilla horror panico suicidio angustia
     """),
    (-0.75, 0.65, """
        triste tristeza llorar lloro llorando lagrimas miedo dolor solo sola enojado enojada herido
        terrible horrible culpa verguenza cancer muerte accidente perdido preocupado preocupada
        estresado estresada mierda
     """),
    (0.95, 0.9, "increible emocionado emocionada fantastico encantado encantada maravilla eufórico"),
    (0.8, 0.55, """
        feliz felicidad alegria amor orgulloso orgullosa maravilloso maravillosa hermoso hermosa
        agradecido agradecida contenta alegre genial enamorado enamorada
     """),
    # French
    (-0.95, 0.95, """
        desespere desesperee desespoir furieux furieuse haine terrifie terrifiee devaste devastee
        mourut decede decedee cauchemar horreur panique suicide angoisse effondre effondree
     """),
    (-0.75, 0.65, """
        tristesse pleurer pleure larmes peur douleur seul seule colere blesse blessee terrible
        honte coupable mort morte perdu perdue inquiet inquiete stresse stressee merde enterrement
     """),
    (0.95, 0.9, "incroyable ravi ravie fantastique emerveille emerveillee genial extase"),
    (0.8, 0.55, """
        heureux heureuse bonheur joie amour fier fiere merveilleux merveilleuse magnifique
        reconnaissant reconnaissante amoureux amoureuse soulage soulagee content contente
     """),
)  # fmt: skip

UNSPACED: tuple[tuple[float, float, str], ...] = (
    (-1.0, 0.95, "绝望 崩溃 恐怖 去世 自杀 愤怒 噩梦 絶望 激怒 亡くな 自殺 悪夢 最悪"),
    (-0.75, 0.7, "伤心 难过 痛苦 害怕 生气 哭 孤独 讨厌 悲伤 悲しい 辛い 怖い 泣 怒 寂しい 嫌い 苦しい 슬퍼 무서워 화나"),
    (-0.5, 0.4, "担心 失望 累 压力 焦虑 心配 疲れ 不安 残念"),
    (0.95, 0.85, "太棒了 激动 兴奋 最高 感動 興奮 すごい 기뻐"),
    (0.8, 0.55, "开心 高兴 幸福 爱 骄傲 喜欢 感谢 嬉しい 楽しい 幸せ 大好き 愛 誇り 행복 사랑"),
)  # fmt: skip

EMOJI: tuple[tuple[float, float, str], ...] = (
    (-0.9, 0.85, "😭 😱 😡 🤬 💔 😰 😨 😖 😫 👿 🤮"),
    (-0.6, 0.5, "😢 😞 😔 😟 😠 😣 😩 🥺 😥 😓 ☹ 🙁"),
    (0.9, 0.8, "🎉 🥳 🤩 😍 😂 🤣 🔥 🙌 💖 💕 😻 🚀"),
    (0.7, 0.45, "😀 😃 😄 😁 😊 🙂 ❤ 💙 💜 🧡 💚 💛 🥰 😘 👍 👏 ✨ 😎 😆 🤗 💪"),
)

PHRASES: tuple[tuple[float, float, str], ...] = (
    (-1.0, 1.0, r"passed away|took (?:his|her) own life|end it all|don't want to live|want to die"),
    (-0.95, 0.9, r"can't (?:stop crying|breathe|take it any ?more|go on)|falling apart|fell apart"),
    (-0.9, 0.85, r"broke up with me|left me|cheated on|how (?:could|dare) (?:you|he|she|they)"),
    (-0.85, 0.8, r"breaks my heart|broke my heart|heart is (?:broken|breaking)|worst (?:day|thing)"),
    (-0.8, 0.75, r"fed up|sick of|had enough|freaking out|losing my mind|at my wits' end|in tears"),
    (1.0, 0.95, r"over the moon|on cloud nine|dreams? (?:came|come) true|best day of my life"),
    (0.95, 0.9, r"can't believe (?:it|we|i)|i got (?:in|the job)|said yes|so (?:so )?(?:happy|excited|proud)"),
    (0.85, 0.75, r"i love (?:you|her|him|them)|means the world|head over heels"),
    (0.7, 0.15, r"(?:would|i'd) love (?:to|some|a|if|your)|happy to (?:help|assist|hear)|glad to help"),
)  # fmt: skip
"""Phrases for folded text; the words within them do not count again."""

NEGATIONS = frozenset(
    """
    not no never none nobody nothing neither nor without hardly barely dont doesnt didnt isnt arent
    wasnt werent wont wouldnt cant cannot couldnt shouldnt havent hasnt hadnt aint nicht kein keine
    keinen nie niemals ohne nunca jamas sin pas jamais sans aucun
    """.split()
)

STRONGER = frozenset(
    """
    very so really extremely incredibly absolutely completely totally utterly deeply truly
    terribly awfully insanely unbelievably such too most beyond sehr so total wirklich
    unglaublich extrem muy tan tanto demasiado tres trop tellement vraiment super
    """.split()
)

WEAKER = frozenset(
    """
    bit little slightly somewhat rather fairly kinda sort mildly barely almost etwas bisschen
    leicht poco algo peu assez
    """.split()
)

PERSONAL = frozenset(
    """
    i im ive id ill me my mine myself we our us you your ich mir mich mein meine meinen meiner wir
    uns yo mi mis me nosotros estoy soy je mon ma mes moi nous suis
    """.split()
)
"""Words of people who speak of themselves, or to somebody."""
