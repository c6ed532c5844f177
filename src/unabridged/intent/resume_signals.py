"""Signals in English for resuming something past: "that project of mine", "those talks".

They have the form of ``english`` and are read together with its signals.
"""

from collections.abc import Mapping
from typing import Final

from unabridged.domain.intent import Intent

WORDS: Final[Mapping[str, str]] = {
    "did": "(?!need)\\w+ed|{irregular}|did|had|made|was|were|drew up|read|dealt|struggled",
    "ends": "turn out|end|end up|work out|go|finish|come out|pan out|wrap up|resolve",
    "spoken": "conversations?|chats?|talks?|discussions?|exchanges?|sessions?|evenings?|nights?",
}
"""Shorthands of this file; they may use those of ``english``."""

SIGNALS: Final[Mapping[Intent, str]] = {
    Intent.VIVID_RECALL: """
        5.8 tell me of what we did | (?:tell me|talk to me|hear|hear more|know more|read)(?: more| again)? about (?:the|that|our|those|this|my) (?:\\w+ ){1,6}?(?:i|we|you and i) (?:once |had |have |finally |both |all |never )?(?:{did})\\b
        5.8 one of mine            | <(?:how|what|where|when|who|which|why)\\b(?: \\w+){0,3} (?:did|was|were|had|became|happened)\\b[^?]* of (?:mine|ours)\\b
        5.8 how mine ended         | <how did [^?]*\\b(?:my|our|i|we)\\b[^?]* (?:{ends})\\b
        5.8 how that ended         | <how did that (?:\\w+ ){1,4}?(?:{ends})\\b
        6.5 back to our talk       | (?:(?:go|come|get|head|jump|take (?:me|us)|bring (?:me|us)) back|return|rewind) to (?:the|that|those|our|my) (?:\\w+ ){0,3}(?:{spoken})\\b
        6.5 take me back there     | (?:take|bring|carry) (?:me|us) back (?:there|then|to (?:that|those|when)\\b)
        6.5 to live it again       | (?:reread|re read|relive|read again) (?:our|that|those|my|the)\\b
        6.3 those talks we had     | <(?:that|those|the) (?:\\w+ ){0,2}(?:conversations?|chats?|talks?|discussions?|exchanges?) (?:that )?(?:we|i|you and i) (?:had|did|held|shared|were)\\b
        6.3 those talks again      | <(?:that|those|the) (?:\\w+ ){0,2}(?:conversations?|chats?|talks?|discussions?|exchanges?) (?:about|on|around)\\b[^.]*(?:again|back|once more|\\bread|\\bhear|\\bhad|\\bdid|\\bwas|\\bwere|\\bshow)\\b
        6.3 pick up those talks    | <(?:\\w+ ){0,4}?(?:pick up|continue|reopen|revisit|look at|look into) (?:that|those) (?:\\w+ ){0,2}(?:{spoken})\\b
        6 revisit that             | (?:revisit|reopen|relive) (?:that|those)\\b
        5.8 all of that project    | <tell me (?:everything|all|anything|more|a bit|a little)(?: you (?:know|remember))? (?:about|of|on) (?:that|those|our|my)\\b
        5.8 that one of ours, what | <(?:that|those) (?:\\w+ ){1,2}of (?:mine|ours) (?:what|which|who|where|when|how|why)\\b(?! (?:do|can|should|could|would|to|must))
        4.6 the project            | <tell me (?:more |again )?about the (?:\\w+ ){0,3}(?:project|trip|plan|move|wedding|interview|argument|quarrel|holiday|journey|renovation|idea|talk|story)(?: again| please)? (?:\\?|\\.|$)
        6 hear that again          | hear (?:that|those|the) [^.?]*(?:again|once more|one more time)\\b
        6 talk of it again         | (?:talk|speak|chat)(?: some)? (?:again|more|once more) about (?:that|those|the|my) (?:\\w+ ){1,4}?(?:i|we|you)\\b
        6 tell it again            | (?:tell|show|read|give|say|play) (?:it|that|them|that one|me that(?: \\w+){0,3}) (?:to me |me )?(?:again|once more|one more time)\\b
        6.2 how we went about it   | (?:walk|take|talk|run|guide) (?:me|us) (?:back )?through how (?:i|we|you and i) (?:{did})\\b
        6 the one we did, and …    | <(?:the|that|those|our) (?:\\w+ ){1,5}?(?:i|we|you) (?:{did}) (?:\\w+ ){0,3}?what about\\b
    """,
    Intent.SUMMARY: """
        7 what we have been at     | what (?:we|you and i) (?:have been|had been|were) (?:\\w+ )?(?:busy|up to|working|doing)\\b
    """,
    Intent.CONTEXTUAL: """
        7 back to an older one     | (?:go|switch|change|roll|revert) back to (?:the |my |our )?(?:previous|old|older|earlier|former|last|original|first) (?:version|design|code|layout|draft|way|one|format|style|wording|colou?rs?)\\b
        7.5 what was that noise    | what was that (?:\\w+ )?(?:noise|sound|smell|bang|beep|for)\\b
        7.5 what I meant by it     | when i (?:said|told|asked|wrote) [^.?]*\\bi (?:meant|mean|was (?:only |just )?(?:joking|kidding|being))\\b
    """,
}
