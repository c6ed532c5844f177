"""Names and words of general knowledge, which needs no memory of a person."""

from typing import Final

WORLD: Final = (
    "(?:napoleon|einstein|shakespeare|mozart|beethoven|bach|hitler|stalin|lenin|lincoln|churchill"
    "|gandhi|mandela|kennedy|caesar|cleopatra|columbus|darwin|newton|galileo|copernicus|tesla"
    "|edison|curie|picasso|van gogh|da vinci|michelangelo|plato|socrates|aristotle|genghis"
    "|henry viii|queen victoria|karl marx|freud|nietzsche|kant|hawking|turing|elvis|the beatles"
    "|martin luther king|george washington|homer|dante|tolstoy|dostoevsky|kafka|hemingway|orwell"
    "|hamlet|macbeth|gatsby|sherlock holmes|frankenstein|harry potter|star wars"
    "|dinosaurs?|pharaohs?|pyramids?|ancient|medieval|middle ages|vikings?|aztecs?|mayas?|mayans?"
    "|incas?|ottoman|byzantine|the romans?|romans|roman (?:empire|army|emperors?|republic|gods?)|greeks|egyptians|renaissance|reformation"
    "|enlightenment|black death|plague|world war|cold war|civil war|vietnam war|gulf war|trojan war"
    "|(?:french|russian|american|industrial|chinese) revolution|berlin wall|chernobyl|titanic"
    "|apollo|moon landing|big bang|hiroshima|pearl harbor|soviet union|ussr|holocaust|prohibition"
    "|great depression|nobel|olympics|world cup|super bowl|the oscars?|an oscar|the fox say|grammys?|stonehenge|missile crisis|declaration of independence"
    "|constitution|magna carta|treaty of|battle of|siege of|president of|prime minister"
    "|stone age|bronze age|iron age|ice age|printing press|steam engine|first programming|brexit"
    "|champions league|premier league|bundesliga|victorian|pompeii|yugoslavia|marshall plan"
    "|medici|in (?:his|her|their) career|humans? first|first (?:computer|car|airplane|telephone"
    "|movie|human|animal|man|woman|person) (?:on|in|to|ever|was|did)"
    "|eiffel tower|statue of liberty|great wall|colosseum|taj mahal|golden gate|empire state"
    "|capital of|currency of|population of|king of|queen of|emperor|pope|periodic table|chemical"
    "|speed of light|solar system|planets?|galaxy|universe|evolution|photosynthesis|gdpr|nasa"
    "|(?:1[0-8]|19[0-8])\\d\\d|in (?:199|200)\\d|century|bc|bce)s?\\b"
    "|(?:who|when was|when were|where was|how was|what year was)(?: \\w+)? "
    "(?:invented|discovered|founded|painted|composed|built|written|directed|assassinated)\\b"
    "|who (?:wrote|painted|composed|directed|invented|discovered|founded|built) (?!me|my|us|our|that)"
    "|where (?:did|do) (?:the )?\\w+ (?:originally |first )?come from|(?:causes|origins?) of the"
    "|(?:when|where|how|why|what year) (?:was|were) (?:the )?(?:\\w+ ){1,4}(?:held|introduced"
    "|published|launched|established|performed|built|opened|signed|abolished|elected|invented)\\b"
    "|went extinct|die out|died out"
)
"""Names from history, arts and sciences, and how people ask for them; a pattern for the plain
form.
"""
