"""Turn markers of chat templates, and characters that look like those in them.

The general forms ``<|name|>``, ``<|name>``, ``<name|>`` and ``[|name|]`` need no name here; a namespace
(``seed:bos``, ``minimax:tool_call``) and a number (``extra_id_0``) are read by ``strip_markup``.

Sources: the templates of the models' own repositories, and those in llama.cpp, axolotl 0.19.0,
LLaMA-Factory 0.9.5, ms-swift 4.6.0 and fschat 0.2.36; Unicode 16, UTS #39 (confusables).
"""

from collections.abc import Mapping
from types import MappingProxyType


def _names(*families: str) -> frozenset[str]:
    return frozenset(name for family in families for name in family.split())


ANGLE_NAMES = _names(
    "s bos eos pad unk mask cls sep sys sop eop eod eoi gmask bos_token eos_token",
    "start_of_turn end_of_turn start_of_image end_of_image image image_soft_token",  # Gemma
    "start_function_call end_function_call start_function_declaration end_function_declaration"
    " start_function_response end_function_response escape",  # FunctionGemma
    "tool_call tool_calls tool_response tool_responses tool_result tool_sep tools tool think thinking"
    " arg_key arg_value scratch_pad",  # Qwen, Hermes, GLM, Hunyuan
    "system user assistant developer model human bot role",  # Ling; and roles of any
    "_system _user _bot _end _observation",  # TeleChat
    "function functions function_call function_calls function_results function_response invoke",
    "toolcall available_tools",  # Nemotron
    "longcat_s longcat_think longcat_tool_call active_output_modes",  # LongCat, Jamba
    "response global_setting system_setting",  # ERNIE
    "c_q c_a b_sys eoh eoa",  # Baichuan, InternLM
    "beginning_of_sentence end_of_sentence end_of_utterance im_patch cot_budget_reflect",
    "fim_prefix fim_suffix fim_middle fim_pad repo_name file_sep im_start im_end endoftext eot_id"
    " start_header_id end_header_id begin_of_text end_of_text",
    "reflection output",
)
"""Names in angle brackets, in lower case."""
NUMBERED = r"(?:unused|extra_(?:id_)?|reserved_|reserved_special_token_|special_)\d+"
"""Names that a number ends, in lower case."""
ROLE_NAMES = _names(
    "system user assistant developer human tool_call function_call function_calls invoke"
)
"""Names that are markup with attributes, too."""
SQUARE_NAMES = _names(
    "INST SYS SYSTEM_PROMPT TOOL_CALLS AVAILABLE_TOOLS TOOL_RESULTS TOOL_CONTENT MODEL_SETTINGS"
    " IMG IMG_BREAK IMG_END AUDIO BEGIN_AUDIO ARGS CALL_ID THINK PREFIX SUFFIX MIDDLE",  # Mistral
    "gMASK sMASK BOS EOS CLS SEP PAD UNK MASK USER BOT",
)
"""Names in square brackets, case-sensitive: in lower case they are indexes of programs."""
ROLES = (
    "human|user|assistant|system|developer|ai|bot|chatbot|falcon|gpt4 correct (?:user|assistant)"
)
"""What a line begins with, before a colon, in templates without control tokens."""
HEADINGS = f"{ROLES}|instruction|response|input|observation|user message|system prompt"
"""What follows ``###`` in such templates."""

LOOKALIKES: Mapping[str, str] = MappingProxyType(
    {
        "a": "\u0430\u0251\u03b1\u237a\u1d00",
        "b": "\u042c\u0184\u0299\u13cf",
        "c": "\u0441\u03c2\u03c3\u1d04\u2ca5\uabaf\u03f2",
        "d": "\u0501\u13e7\u146f\ua4d2\u1d05",
        "e": "\u0435\u0454\u04bd\u212e\uab32\u03b5\u025b\u1d07",
        "g": "\u0261\u0581\u0262",
        "h": "\u04bb\u0570\u029c",
        "i": "\u0456\u0131\u026a\u03b9",
        "j": "\u0458\u03f3\u1d0a",
        "k": "\u043a\u03ba\u1d0b",
        "l": "\u04cf\u0627\u05df\u07ca\u2d4f\ua4f2\u16c1\u0196\u0269\u23fd\u05c0\u0142\u029f",
        "m": "\u043c\u1d0d",
        "n": "\u0578\u0274",
        "o": "\u043e\u03bf\u1d0f\u0585",
        "p": "\u0440\u03c1\u1d18",
        "r": "\u0433\u1d26\u2c85\uab47\uab48\uab81\u027c\u027e\u0280\u044f\u0279\u1587",
        "s": "\u0455\u01bd\ua731",
        "t": "\u0442\u03c4\u1d1b",
        "u": "\u057d\u03c5\u1d1c\u028b",
        "v": "\u0475\u03bd\u1d20",
        "w": "\u0461\u1d21\u051d",
        "x": "\u0445\u03c7",
        "y": "\u0443\u03b3\u028f",
    }
)
"""Letters that a person or a model may read as a Latin one, in lower case."""
OPENERS = (
    "<\u226e\uff1c\ufe64\u02c2\u1438\u16b2\u226a\u227a\u22d6\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc"
    "\u3008\u300a\u00ab\u27ea\u27e6\u27ec\u27ee\u2985\u2997\u2e28\u3010\u300c\u300e\u3014\u2aa1\u22d8"
)
"""What opens a tag, or looks as if; not U+2039, which is the replacement."""
CLOSERS = (
    ">\u226f\uff1e\ufe65\u02c3\u226b\u227b\u22d7\u232a\u276d\u276f\u2771\u27e9\u2992\u29fd"
    "\u3009\u300b\u00bb\u27eb\u27e7\u27ed\u27ef\u2986\u2998\u2e29\u3011\u300d\u300f\u3015\u2aa2\u22d9\u203a"
)
SLASHES = "/\\\u2044\u2215\u29f8\u29f5\u2571\uff0f\uff3c\ufe68\u29f6\u00f7"
PIPES = "|\uff5c\u2223\u01c0\u2502\uffe8\u00a6\u2758\u2503"
SUB_WORDS = "_\u2581\uff3f"
"""What joins the words of a name; U+2581 is DeepSeek's."""
FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f"
"""Invisible characters of categories that are otherwise visible."""
