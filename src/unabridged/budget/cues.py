"""Cues of complexity, as data: words, phrases and the weight of each kind."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from unabridged.domain.budget import Mode


class Kind(Enum):
    """A kind of request, with what it adds to the weight of a message."""

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
        """What it adds."""
        return self.value[1]


_WORDS: Mapping[Kind, str] = {
    Kind.ANALYSE: """
        analyze analyse analyzing analysing analysis analyses evaluate evaluation assess assessment
        critique review audit investigate diagnose debug examine research interpret derive prove
        analysiere analysieren untersuche bewerte beurteile prüfe überprüfe auswerten analyser
        analysez évalue évaluer examine examinez vérifie analiza analizar evalúa evaluar revisa
        examina analizza valuta
    """,
    Kind.CODE: """
        code codebase function functions class classes script scripts program algorithm api
        implement implementation implementing refactor refactoring sql query regex architecture architektur arquitectura architettura
        database backend frontend compiler python javascript typescript rust java golang html css
        bug bugs stacktrace traceback unittest unittests dockerfile module parser funktion skript
        programm klasse datenbank implementiere fonction programme classe código función programa
        programmiere codice
    """,
    Kind.CREATE: """
        write create build generate design draft develop compose produce construct prepare plan
        essay report article story proposal curriculum outline schreibe schreib erstelle entwirf
        entwickle verfasse baue plane écris écrivez rédige rédiger crée créer génère conçois
        escribe crea genera diseña redacta desarrolla scrivi
    """,
    Kind.EXPLAIN: """
        explain describe elaborate clarify teach illustrate justify explanation why erkläre erklär
        erläutere beschreibe warum wieso explique expliquez expliquer décris pourquoi explica
        describe explícame describir spiega
    """,
    Kind.IMPROVE: """
        improve improvements improvement suggest suggestions optimize optimise optimization fix
        recommend recommendations enhance rewrite revise solve strengthen verbessere verbessern
        verbesserungen optimiere schlage empfiehl améliore améliorer améliorations optimise
        propose suggère mejora mejorar mejoras optimiza sugiere propón
    """,
    Kind.DETAIL: """
        detailed detail details comprehensive thorough thoroughly exhaustive complete extensive
        depth deep elaborate systematically ausführlich ausführliche ausführlichen detailliert
        detaillierte gründlich umfassend umfassende détaillé détaillée détaillées détail
        approfondi complet exhaustif détaillés detallado detallada detallados detalle completo
        exhaustivo
    """,
    Kind.COMPARE: """
        compare comparison contrast versus vs tradeoffs tradeoff differences advantages
        disadvantages vergleiche vergleich unterschiede compare comparer comparez différences
        compara comparar diferencias ventajas
    """,
    Kind.MANY: """
        list steps examples several multiple every each all various options alternatives liste
        schritte beispiele alle mehrere étapes exemples plusieurs toutes lista pasos ejemplos
        varios todas
    """,
}

CUES: Mapping[str, Kind] = MappingProxyType(
    {word: kind for kind, words in _WORDS.items() for word in words.split()}
)
"""A lower-case word to the kind of request it speaks for."""

PHRASES: Mapping[str, Kind] = MappingProxyType(
    {
        "in depth": Kind.DETAIL,
        "in-depth": Kind.DETAIL,
        "step by step": Kind.DETAIL,
        "step-by-step": Kind.DETAIL,
        "from scratch": Kind.CREATE,
        "how does": Kind.EXPLAIN,
        "how do": Kind.EXPLAIN,
        "walk me through": Kind.EXPLAIN,
        "pros and cons": Kind.COMPARE,
        "trade-off": Kind.COMPARE,
        "difference between": Kind.COMPARE,
        "schritt für schritt": Kind.DETAIL,
        "vor- und nachteile": Kind.COMPARE,
        "étape par étape": Kind.DETAIL,
        "paso a paso": Kind.DETAIL,
    }
)
"""A lower-case phrase to its kind."""

UNSPACED_CUES: Mapping[str, Kind] = MappingProxyType(
    {
        "分析": Kind.ANALYSE,
        "评估": Kind.ANALYSE,
        "評価": Kind.ANALYSE,
        "评价": Kind.ANALYSE,
        "检查": Kind.ANALYSE,
        "調べ": Kind.ANALYSE,
        "代码": Kind.CODE,
        "程序": Kind.CODE,
        "函数": Kind.CODE,
        "架构": Kind.CODE,
        "コード": Kind.CODE,
        "プログラム": Kind.CODE,
        "関数": Kind.CODE,
        "アーキテクチャ": Kind.CODE,
        "写": Kind.CREATE,
        "创建": Kind.CREATE,
        "设计": Kind.CREATE,
        "作成": Kind.CREATE,
        "書いて": Kind.CREATE,
        "設計": Kind.CREATE,
        "解释": Kind.EXPLAIN,
        "说明": Kind.EXPLAIN,
        "为什么": Kind.EXPLAIN,
        "説明": Kind.EXPLAIN,
        "なぜ": Kind.EXPLAIN,
        "改进": Kind.IMPROVE,
        "建议": Kind.IMPROVE,
        "优化": Kind.IMPROVE,
        "改善": Kind.IMPROVE,
        "提案": Kind.IMPROVE,
        "详细": Kind.DETAIL,
        "全面": Kind.DETAIL,
        "深入": Kind.DETAIL,
        "詳しく": Kind.DETAIL,
        "詳細": Kind.DETAIL,
        "比较": Kind.COMPARE,
        "区别": Kind.COMPARE,
        "比較": Kind.COMPARE,
        "違い": Kind.COMPARE,
        "列出": Kind.MANY,
        "步骤": Kind.MANY,
        "例子": Kind.MANY,
        "すべて": Kind.MANY,
        "분석": Kind.ANALYSE,
        "코드": Kind.CODE,
        "작성": Kind.CREATE,
        "설명": Kind.EXPLAIN,
        "개선": Kind.IMPROVE,
        "자세히": Kind.DETAIL,
        "비교": Kind.COMPARE,
    }
)
"""A cue of a script that writes without spaces (or joins endings, as Korean) to its kind."""

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
"""What a mode adds to a message that asks for something."""
