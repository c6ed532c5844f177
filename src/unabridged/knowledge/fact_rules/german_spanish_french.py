"""Patterns for German, Spanish and French: name, home, age, job, likes and allergies."""

from unabridged.knowledge.fact_rules import value_checks
from unabridged.knowledge.fact_rules.rule import rule

GERMAN = (
    rule("name", r"\b(?:ich\s+hei(?:ß|ss)e|mein\s+name\s+ist)\s+<NAME>", value_checks.named),
    rule("lives in", r"\bich\s+(?:wohne|lebe)\s+(?:\w+\s+)?in\s+(?:der\s+)?<NAME>", value_checks.named),
    rule("lives in", r"\bich\s+bin\s+(?:\w+\s+)?nach\s+<NAME>\s+(?:um)?gezogen", value_checks.named, corrects=True),
    rule("is from", r"\bich\s+komme\s+(?:\w+\s+)?aus\s+(?:der\s+)?<NAME>", value_checks.named),
    rule("age", r"\bich\s+bin\s+(?P<value>\d{1,3})(?:\s+jahre\s+alt)?(?=\s*(?:[,.;!]|$|und\b))", value_checks.age),
    rule("works as", r"\bich\s+arbeite\s+(?:\w+\s+)?als\s+(?P<value>(?-i:[A-ZÄÖÜ])[\wäöüß-]+)"),
    rule("works as", r"\bich\s+bin\s+(?P<value>(?-i:[A-ZÄÖÜ])[\wäöüß-]+(?:in|er|ist|eur|or|arzt|ärztin|leiter|meister))\s+von\s+beruf"),
    rule("works at", r"\bich\s+arbeite\s+(?:\w+\s+)?(?:bei|für)\s+(?:der\s+|einer\s+)?<NAME>", value_checks.named),
    rule("likes", r"\bich\s+(?:liebe|mag)\s+(?:sehr\s+gerne?\s+)?(?P<value>(?!nicht|kein|es\b|das\b|dich|ihn|sie\b)[\wäöüß -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:und|aber|weil|sehr)\b))", value_checks.telling),
    rule("dislikes", r"\bich\s+(?:hasse|mag\s+keinen?)\s+(?P<value>[\wäöüß -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:und|aber|weil)\b))", value_checks.telling),
    rule("allergic to", r"\bich\s+bin\s+(?:\w+\s+)?allergisch\s+(?:gegen|auf)\s+(?P<value>[\wäöüß -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:und|aber|weil)\b))"),
    rule("favourite {what}", r"\bmeine?\s+lieblings(?P<what>[\wäöüß]+)\s+(?:ist|sind)\s+(?P<value>[\wäöüß -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:und|aber|weil)\b))"),
    rule("diet", r"\bich\s+bin\s+(?P<value>vegetarier(?:in)?|veganer(?:in)?|vegan|pescetarier(?:in)?)\b"),
    rule("has", r"\bich\s+habe\s+(?P<value>(?:einen?|zwei|drei|vier|\d)\s+(?:hunde?|katzen?|kater|kind(?:er)?|töchter|tochter|söhne|sohn|brüder|bruder|schwestern?|pferde?|auto|fahrrad)(?:\s+namens\s+\w+)?)\b"),
    rule("{who}", r"\bmeine?\s+(?P<who>frau|mann|tochter|sohn|schwester|bruder|mutter|vater|hund|katze|freundin|freund)\s+(?:hei(?:ß|ss)t\s+)?<NAME>", value_checks.named, presupposed=True, text="{Who}: {value}"),
)  # fmt: skip

SPANISH = (
    rule("name", r"\b(?:me\s+llamo|mi\s+nombre\s+es)\s+<NAME>", value_checks.named),
    rule("lives in", r"\b(?:yo\s+)?vivo\s+(?:\w+\s+)?en\s+<NAME>", value_checks.named),
    rule("lives in", r"\bme\s+(?:he\s+mudado|mudé)\s+a\s+<NAME>", value_checks.named, corrects=True),
    rule("is from", r"\b(?:yo\s+)?soy\s+de\s+<NAME>", value_checks.named),
    rule("age", r"\btengo\s+(?P<value>\d{1,3})\s+años", value_checks.age),
    rule("works as", r"\btrabajo\s+(?:\w+\s+)?(?:como|de)\s+(?P<value>[\wáéíóúñ]+(?:\s+de\s+\w+)?)"),
    rule("works as", r"\bsoy\s+(?P<value>profesora?|maestr[oa]|ingenier[oa]|médic[oa]|enfermer[oa]|abogad[oa]|estudiante|programadora?|arquitect[oa]|cociner[oa]|diseñadora?|periodista|artista)\b"),
    rule("likes", r"\bme\s+(?:gustan?|encantan?)\s+(?:mucho\s+)?(?P<value>(?:el\s+|la\s+|los\s+|las\s+)?[\wáéíóúñ]+(?:\s+[\wáéíóúñ]+){0,3}?)(?=\s*(?:$|[.;!?\n,]|\b(?:y|pero|porque)\b))", value_checks.telling),
    rule("dislikes", r"\bno\s+me\s+gustan?\s+(?P<value>(?:el\s+|la\s+|los\s+|las\s+)?[\wáéíóúñ]+(?:\s+[\wáéíóúñ]+){0,3}?)(?=\s*(?:$|[.;!?\n,]|\b(?:y|pero|porque)\b))", value_checks.telling),
    rule("allergic to", r"\bsoy\s+alérgic[oa]\s+(?:a\s+)?(?P<value>(?:los?|las?|al)?\s*[\wáéíóúñ ]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:y|pero|porque)\b))"),
    rule("favourite {what}", r"\bmi\s+(?P<what>[\wáéíóúñ]+)\s+(?:favorit[oa]|preferid[oa])\s+es\s+(?P<value>[\wáéíóúñ ]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:y|pero|porque)\b))"),
    rule("diet", r"\bsoy\s+(?P<value>vegetarian[oa]|vegan[oa])\b"),
    rule("has", r"\btengo\s+(?P<value>(?:una?|dos|tres|cuatro|\d)\s+(?:perr[oa]s?|gat[oa]s?|hij[oa]s?|herman[oa]s?|caballos?|coche|carro|bicicleta))\b"),
    rule("{who}", r"\bmi\s+(?P<who>esposa|esposo|marido|mujer|hija|hijo|hermana|hermano|madre|padre|perr[oa]|gat[oa]|novia|novio)\s+(?:se\s+llama\s+)?<NAME>", value_checks.named, presupposed=True, text="{Who}: {value}"),
)  # fmt: skip

FRENCH = (
    rule("name", r"\b(?:je\s+m['’]appelle|mon\s+nom\s+est|mon\s+prénom\s+est)\s+<NAME>", value_checks.named),
    rule("lives in", r"\bj['’]habite\s+(?:\w+\s+)?(?:à|a|en|au)\s+<NAME>|\bje\s+vis\s+(?:à|en|au)\s+(?P<value2>(?-i:[A-ZÀ-Þ])[\w'’-]+)", value_checks.named),
    rule("lives in", r"\bj['’]ai\s+déménagé\s+(?:à|en|au)\s+<NAME>", value_checks.named, corrects=True),
    rule("is from", r"\bje\s+(?:viens|suis\s+originaire)\s+(?:de|du|d['’])\s*<NAME>", value_checks.named),
    rule("age", r"\bj['’]ai\s+(?P<value>\d{1,3})\s+ans", value_checks.age),
    rule("works as", r"\bje\s+travaille\s+(?:\w+\s+)?(?:comme|en\s+tant\s+que)\s+(?P<value>[\wàâéèêëîïôûç]+)"),
    rule("works as", r"\bje\s+suis\s+(?P<value>professeure?|enseignante?|ingénieure?|médecin|infirmi(?:er|ère)|avocate?|étudiante?|développeu(?:r|se)|architecte|cuisini(?:er|ère)|journaliste|artiste)\b"),
    rule("works at", r"\bje\s+travaille\s+(?:\w+\s+)?(?:chez|pour)\s+<NAME>", value_checks.named),
    rule("likes", r"\bj['’](?:aime|adore)\s+(?:beaucoup\s+|bien\s+)?(?P<value>(?!pas\b|ça\b|cela\b)(?:le\s+|la\s+|les\s+|l['’])?[\wàâéèêëîïôûç-]+(?:\s+[\wàâéèêëîïôûç-]+){0,3}?)(?=\s*(?:$|[.;!?\n,]|\b(?:et|mais|parce|car)\b))", value_checks.telling),
    rule("dislikes", r"\bje\s+n['’]aime\s+pas\s+(?P<value>(?:le\s+|la\s+|les\s+|l['’])?[\wàâéèêëîïôûç -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:et|mais|parce|car)\b))|\bje\s+déteste\s+(?P<value2>(?:le\s+|la\s+|les\s+|l['’])?[\wàâéèêëîïôûç -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:et|mais|parce|car)\b))", value_checks.telling),
    rule("allergic to", r"\bje\s+suis\s+allergique\s+(?:à\s+la\s+|à\s+l['’]|aux\s+|au\s+|à\s+)(?P<value>[\wàâéèêëîïôûç -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:et|mais|parce|car)\b))"),
    rule("favourite {what}", r"\bm(?:on|a)\s+(?P<what>[\wàâéèêëîïôûç]+)\s+préférée?\s+est\s+(?P<value>[\wàâéèêëîïôûç' -]+?)(?=\s*(?:$|[.;!?\n,]|\b(?:et|mais|parce|car)\b))"),
    rule("diet", r"\bje\s+suis\s+(?P<value>végétarien(?:ne)?|végan|végane|vegan)\b"),
    rule("has", r"\bj['’]ai\s+(?P<value>(?:une?|deux|trois|quatre|\d)\s+(?:chiens?|chats?|enfants?|filles?|fils|frères?|sœurs?|soeurs?|chevaux|cheval|voiture|vélo))\b"),
    rule("{who}", r"\bm(?:on|a)\s+(?P<who>femme|mari|fille|fils|sœur|soeur|frère|mère|père|chien|chat|copine|copain)\s+(?:s['’]appelle\s+)?<NAME>", value_checks.named, presupposed=True, text="{Who}: {value}"),
)  # fmt: skip
