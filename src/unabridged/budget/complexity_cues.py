"""Cues of complexity, as data: words, phrases and the weight of each kind."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from unabridged.domain.budget import Mode


class CueKind(Enum):
    """A kind of request, and the weight that it adds to a message."""

    ANALYSE = ("analyse", 0.20)
    CODE = ("code", 0.16)
    CREATE = ("create", 0.16)
    EXPLAIN = ("explain", 0.14)
    IMPROVE = ("improve", 0.14)
    DETAIL = ("detail", 0.18)
    COMPARE = ("compare", 0.16)
    MANY = ("many", 0.10)

    @property
    def weight(self) -> float:
        """The weight that it adds."""
        return self.value[1]


_WORDS: Mapping[CueKind, str] = {
    CueKind.ANALYSE: """
        analyze analyse analyzing analysing analysis analyses evaluate evaluation assess assessment
        critique review audit investigate diagnose debug examine research interpret derive prove
        analysiere analysieren untersuche bewerte beurteile prüfe überprüfe auswerten analyser
        analysez évalue évaluer examine examinez vérifie analiza analizar evalúa evaluar revisa
        examina analizza valuta
    """,
    CueKind.CODE: """
        code codebase function functions class classes script scripts program algorithm api
        implement implementation implementing refactor refactoring sql query regex architecture architektur arquitectura architettura
        database backend frontend compiler python javascript typescript rust java golang html css
        bug bugs stacktrace traceback unittest unittests dockerfile module parser funktion skript
        programm klasse datenbank implementiere fonction programme classe código función programa
        programmiere codice
    """,
    CueKind.CREATE: """
        write create build generate design draft develop compose produce construct prepare plan
        essay report article story proposal curriculum outline schreibe schreib erstelle entwirf
        entwickle verfasse baue plane écris écrivez rédige rédiger crée créer génère conçois
        escribe crea genera diseña redacta desarrolla scrivi
    """,
    CueKind.EXPLAIN: """
        explain describe elaborate clarify teach illustrate justify explanation why erkläre erklär
        erläutere beschreibe warum wieso explique expliquez expliquer décris pourquoi explica
        describe explícame describir spiega
    """,
    CueKind.IMPROVE: """
        improve improvements improvement suggest suggestions optimize optimise optimization fix
        recommend recommendations enhance rewrite revise solve strengthen verbessere verbessern
        verbesserungen optimiere schlage empfiehl améliore améliorer améliorations optimise
        propose suggère mejora mejorar mejoras optimiza sugiere propón
    """,
    CueKind.DETAIL: """
        detailed detail details comprehensive thorough thoroughly exhaustive complete extensive
        depth deep elaborate systematically ausführlich ausführliche ausführlichen detailliert
        detaillierte gründlich umfassend umfassende détaillé détaillée détaillées détail
        approfondi complet exhaustif détaillés detallado detallada detallados detalle completo
        exhaustivo
    """,
    CueKind.COMPARE: """
        compare comparison contrast versus vs tradeoffs tradeoff differences advantages
        disadvantages vergleiche vergleich unterschiede compare comparer comparez différences
        compara comparar diferencias ventajas
    """,
    CueKind.MANY: """
        list steps examples several multiple every each all various options alternatives liste
        schritte beispiele alle mehrere étapes exemples plusieurs toutes lista pasos ejemplos
        varios todas
    """,
}

CUES: Mapping[str, CueKind] = MappingProxyType(
    {word: kind for kind, words in _WORDS.items() for word in words.split()}
)
"""A lower-case word to the kind of request that it indicates."""

PHRASES: Mapping[str, CueKind] = MappingProxyType(
    {
        "in depth": CueKind.DETAIL,
        "in-depth": CueKind.DETAIL,
        "step by step": CueKind.DETAIL,
        "step-by-step": CueKind.DETAIL,
        "from scratch": CueKind.CREATE,
        "how does": CueKind.EXPLAIN,
        "how do": CueKind.EXPLAIN,
        "walk me through": CueKind.EXPLAIN,
        "pros and cons": CueKind.COMPARE,
        "trade-off": CueKind.COMPARE,
        "difference between": CueKind.COMPARE,
        "schritt für schritt": CueKind.DETAIL,
        "vor- und nachteile": CueKind.COMPARE,
        "étape par étape": CueKind.DETAIL,
        "paso a paso": CueKind.DETAIL,
    }
)
"""A lower-case phrase to its kind."""

UNSPACED_CUES: Mapping[str, CueKind] = MappingProxyType(
    {
        "分析": CueKind.ANALYSE,
        "评估": CueKind.ANALYSE,
        "評価": CueKind.ANALYSE,
        "评价": CueKind.ANALYSE,
        "检查": CueKind.ANALYSE,
        "調べ": CueKind.ANALYSE,
        "代码": CueKind.CODE,
        "程序": CueKind.CODE,
        "函数": CueKind.CODE,
        "架构": CueKind.CODE,
        "コード": CueKind.CODE,
        "プログラム": CueKind.CODE,
        "関数": CueKind.CODE,
        "アーキテクチャ": CueKind.CODE,
        "写": CueKind.CREATE,
        "创建": CueKind.CREATE,
        "设计": CueKind.CREATE,
        "作成": CueKind.CREATE,
        "書いて": CueKind.CREATE,
        "設計": CueKind.CREATE,
        "解释": CueKind.EXPLAIN,
        "说明": CueKind.EXPLAIN,
        "为什么": CueKind.EXPLAIN,
        "説明": CueKind.EXPLAIN,
        "なぜ": CueKind.EXPLAIN,
        "改进": CueKind.IMPROVE,
        "建议": CueKind.IMPROVE,
        "优化": CueKind.IMPROVE,
        "改善": CueKind.IMPROVE,
        "提案": CueKind.IMPROVE,
        "详细": CueKind.DETAIL,
        "全面": CueKind.DETAIL,
        "深入": CueKind.DETAIL,
        "詳しく": CueKind.DETAIL,
        "詳細": CueKind.DETAIL,
        "比较": CueKind.COMPARE,
        "区别": CueKind.COMPARE,
        "比較": CueKind.COMPARE,
        "違い": CueKind.COMPARE,
        "列出": CueKind.MANY,
        "步骤": CueKind.MANY,
        "例子": CueKind.MANY,
        "すべて": CueKind.MANY,
        "분석": CueKind.ANALYSE,
        "코드": CueKind.CODE,
        "작성": CueKind.CREATE,
        "설명": CueKind.EXPLAIN,
        "개선": CueKind.IMPROVE,
        "자세히": CueKind.DETAIL,
        "비교": CueKind.COMPARE,
    }
)
"""Cues of scripts without spaces (or with joined endings, as Korean) to their kinds."""

BREVITY = (
    "briefly",
    "in brief",
    "in short",
    "short answer",
    "one word",
    "one sentence",
    "yes or no",
    "tl;dr",
    "keep it short",
    "kurz",
    "in einem satz",
    "brièvement",
    "en un mot",
    "en une phrase",
    "brevemente",
    "en pocas palabras",
    "简短",
    "一句话",
    "簡潔",
    "一言で",
)
"""Phrases that ask for a short answer: they halve the weight."""

MODE_WEIGHTS: Mapping[Mode, float] = MappingProxyType({Mode.CHAT: 0.0, Mode.TOOLS: 0.04})
"""The weight that a mode adds to a message that asks for something."""
