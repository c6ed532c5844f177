"""Varied text of the project's own, from which conversations are drawn to measure token counts."""

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH = """
I moved the sofa to the other wall and the room suddenly feels twice as large.
Could you explain why my sourdough starter smells of nail polish remover on warm days?
The committee postponed its decision until the auditors have finished their report.
We hiked eleven miles through drizzle before the clouds lifted above the valley.
My grandmother kept a tin of mismatched buttons, and every one of them had a story.
Please rewrite the second paragraph so that it sounds less defensive.
Photosynthesis converts light energy into chemical energy stored in glucose molecules.
He shrugged, poured himself another coffee, and changed the subject without a word.
What are the main differences between a mutex, a semaphore and a condition variable?
The recipe calls for two cups of flour, a pinch of nutmeg and far too much butter.
Honestly, I don't think that's going to work unless we bring the deadline forward.
Interest rates rose by a quarter point, which surprised hardly anyone on the trading floor.
It's a stubborn old lawnmower: it starts only when you've already given up.
Our flight was delayed three hours, so we missed the connection in Copenhagen.
The museum's new wing houses ceramics, textiles and a rather dusty steam engine.
Sure! Here are a few suggestions that might help you get started with strength training.
She learned Portuguese by watching soap operas with the subtitles switched off.
If the patient develops a rash, discontinue the antibiotic and call the clinic.
Under the agreement, either party may terminate with thirty days' written notice.
I'd rather not tell my boss yet, because nothing has been signed.
Nobody expected the quiet cellist to deliver the funniest speech of the evening.
Gradient descent updates each parameter in the direction that reduces the loss.
The ferry leaves at half past six; be there early or you'll stand the whole way.
Thanks, that helps a lot. One more question about the warranty, though.
A narrow staircase wound up to the attic where the swallows nested every spring.
You may want to consider refinancing, given how much equity you have built up.
The dragon tilted its head, apparently amused, and asked the knight for directions.
Make sure the screws are tightened evenly, otherwise the hinge will squeak.
I've been feeling anxious about the exam, although I've studied for weeks.
Volcanic soil drains quickly and is rich in minerals that tomatoes love.
"""

GERMAN = """
Die Bundesregierung hat gestern ein umfassendes Maßnahmenpaket zur Entlastung beschlossen.
Ich habe den Schlüssel gestern Abend unter die Fußmatte gelegt, wie wir es besprochen hatten.
Könntest du mir bitte erklären, weshalb die Datenbankverbindung ständig abbricht?
Meine Großmutter buk jeden Sonntag einen Apfelkuchen mit Streuseln und Zimt.
Der Geschwindigkeitsbegrenzer lässt sich nur mit einem Spezialwerkzeug ausbauen.
Wir sind bei strömendem Regen bis zur Hütte gewandert und haben dort übernachtet.
Das Krankenhaus verschob die Untersuchung, weil die Ärztin selbst erkrankt war.
Natürlich kann ich dir helfen! Hier sind einige Vorschläge für ein ausgewogenes Frühstück.
Er zuckte mit den Schultern und wechselte das Thema, ohne ein weiteres Wort zu verlieren.
Bitte formuliere den zweiten Absatz freundlicher und etwas kürzer.
Die Wettervorhersage kündigt für das Wochenende schwere Gewitter mit Hagel an.
Im Mietvertrag steht, dass Schönheitsreparaturen vom Vermieter übernommen werden.
Mein Bruder arbeitet seit drei Jahren als Elektroingenieur in Zürich.
Was hältst du davon, wenn wir die Geburtstagsfeier in den Garten verlegen?
Die Straßenbahn fährt wegen Bauarbeiten nur bis zum Hauptbahnhof.
Zur Fehlerbehebung sollten Sie zunächst die Sicherungen überprüfen.
Ich fühle mich heute müde und würde am liebsten den ganzen Tag lesen.
Unsere Nachbarn haben sich einen jungen Hund aus dem Tierheim geholt.
Der Aufsichtsrat genehmigte die Übernahme trotz erheblicher Bedenken.
Könnte man die Überschrift nicht etwas größer und die Abstände kleiner machen?
Danke, das war sehr hilfreich, aber wie lange dauert die Lieferung ungefähr?
Das alte Fahrrad quietscht, seit ich damit durch den Fluss gefahren bin.
"""

FRENCH = """
Je voudrais réserver une table pour quatre personnes samedi soir, si possible en terrasse.
Pourriez-vous m'expliquer pourquoi la chaudière s'éteint toutes les nuits ?
Le conseil municipal a voté la rénovation de la bibliothèque à l'unanimité.
Ma sœur a déménagé à Lyon l'été dernier et elle s'y plaît énormément.
Il haussa les épaules, se resservit du café et changea de sujet.
Voici quelques idées qui devraient vous aider à mieux dormir.
L'élève avait oublié son cahier, mais il connaissait la leçon par cœur.
"""

CHINESE = """
我昨天把沙发挪到了另一面墙边，房间一下子显得宽敞多了。
请你解释一下，为什么数据库连接总是在半夜断开？
外婆每个星期天都会做红烧肉，味道我到现在还记得。
委员会决定把表决推迟到审计报告完成以后再进行。
机器学习模型通过不断调整参数来降低损失函数的值。
我们冒着小雨走了十几公里，傍晚才到山顶的小木屋。
当然可以！以下是一些适合初学者的健身建议，希望对你有帮助。
医生说如果出现皮疹，就应该立刻停药并联系诊所。
他耸了耸肩，给自己又倒了一杯咖啡，然后换了个话题。
合同规定，任何一方提前三十天书面通知即可终止协议。
周末的天气预报说会有雷阵雨，出门记得带伞。
这座博物馆新开了陶瓷展厅，里面还有一台老蒸汽机。
我最近因为考试有点焦虑，虽然已经复习了好几个星期。
火山土壤排水很快，而且富含番茄喜欢的矿物质。
麻烦把第二段改得更简洁一些，语气也友好一点。
"""

JAPANESE = """
昨日ソファを反対側の壁に移したら、部屋が急に広く感じられました。
データベースの接続が夜中に切れる理由を説明していただけますか。
祖母は毎週日曜日に煮物を作ってくれて、その味を今でも覚えています。
もちろんです。初心者におすすめの運動をいくつか紹介します。
彼は肩をすくめて、もう一杯コーヒーを注ぎ、話題を変えた。
週末は雷雨になるそうなので、傘を忘れないでください。
"""

RUSSIAN = """
Вчера я передвинул диван к другой стене, и комната сразу стала просторнее.
Объясните, пожалуйста, почему соединение с базой данных обрывается по ночам?
Бабушка каждое воскресенье пекла яблочный пирог с корицей.
Комитет отложил решение до завершения аудиторской проверки.
Конечно! Вот несколько советов, которые помогут вам начать тренировки.
"""

EMOJI = "😂 ❤️ 👍 🔥 ✨ 🎉 😊 🙏 😭 🥰 😅 🚀 🤔 💪 🐶 🍕 ☕ 🌧️ 🏔️ 👨‍👩‍👧 👍🏽 🇩🇪 💡 ✅ 🎂 🙈 😴 🌱 📚 🎸".split()

CODE_NAMES = """
value index result items user_id total config handler response buffer token parse_line is_valid
max_retries self.cache payload HttpClient getUserName fetchAll node left right queue timeout path
session df model weights row_count lastSeen errorCode toString
""".split()

CODE_LINES = """
    if {a} is None or len({b}) == 0:
    for {a} in range({n}):
    {a} = {b}.get("{c}", {n})
    return {a} + {b} * {n}
    raise ValueError(f"bad {{{a}!r}}: expected {n}")
    {a} = [{b} for {b} in {c} if {b} > {n}]
    const {a} = await {b}({{ {c}: {n} }});
    }} else if ({a} !== {b} && !{c}) {{
    std::vector<int> {a}({n}, 0);
    SELECT {a}, COUNT(*) FROM {b} WHERE {c} > {n} GROUP BY {a};
    # {a} must stay below {n}, or {b} overflows
    with open({a}, "rb") as {b}:
    assert {a}.{b}({n}) == {c}
    logger.debug("%s took %d ms", {a}, {n})
""".strip("\n").splitlines()

SENTENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        name: tuple(text.strip().splitlines())
        for name, text in (
            ("english", ENGLISH),
            ("german", GERMAN),
            ("french", FRENCH),
            ("chinese", CHINESE),
            ("japanese", JAPANESE),
            ("russian", RUSSIAN),
        )
    }
)
"""Kind to sentences; code, JSON and emoji are made, not chosen."""
