"""Open WebUI in small.

What it sends follows open-webui/open-webui: src/lib/components/chat/Chat.svelte (sendPromptSocket,
regenerateResponse, continueResponse, mergeResponses, submitMessage), backend/open_webui/routers/
{openai,ollama,tasks}.py (payloads, headers), utils/middleware.py (tool rounds, background tasks,
process_messages_with_output), utils/misc.py (convert_output_to_messages), utils/payload.py
(convert_payload_openai_to_ollama), config.py (templates of side requests and of RAG).

- The whole branch goes along each time, the system prompt first; an answer that is made again or
  gone on with goes from the same question.
- Reasoning is kept in the page as ``<details type="reasoning">``; what is sent again is the text
  without the block (older pages, so that it begins with a line break), with ``<think>`` around it,
  with the field ``thinking`` (Ollama), or without it.
- Files put a template with what was found before the user's words, in that one request only.
- Side requests (title and tags after the first answer, follow-ups after each, completions while
  somebody types, search queries) are single user messages, not streamed.
- Several models at once ask the same thing at the same time.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tests.clients.patterns.page import Node, Page

TASKS = {
    "title": "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat "
    'history.\n### Output:\nJSON format: {{ "title": "your concise title here" }}\n'
    "### Chat History:\n<chat_history>\n{history}\n</chat_history>",
    "tags": "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, "
    "along with 1-3 more specific subtopic tags.\n\n### Output:\nJSON format: "
    '{{ "tags": ["tag1", "tag2", "tag3"] }}\n\n'
    "### Chat History:\n<chat_history>\n{history}\n</chat_history>",
    "follow-ups": "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user "
    "might naturally ask next in this conversation as a **user**, based on the chat history.\n"
    '### Output:\nJSON format: {{ "follow_ups": ["Question 1?"] }}\n'
    "### Chat History:\n<chat_history>\n{history}\n</chat_history>",
    "queries": "### Task:\nAnalyze the chat history to determine the necessity of generating search "
    "queries, in the given language.\n\n### Output:\nStrictly return in JSON format: \n"
    '{{\n  "queries": ["query1", "query2"]\n}}\n\n'
    "### Chat History:\n<chat_history>\n{history}\n</chat_history>\n",
    "autocompletion": "### Task:\nYou are an autocompletion system. Continue the text in `<text>` "
    "based on the **completion type** in `<type>` and the given language.  \n\n---\n### Context:\n"
    "<chat_history>\n{history}\n</chat_history>\n<type>General</type>  \n<text>{draft}</text>  \n"
    "#### Output:\n",
    "merge": "You have been provided with a set of responses from various models to the latest "
    'user query: "{draft}"\n\nYour task is to synthesize these responses into a single, '
    "high-quality response.\n\nResponses from models: {history}",
}
RAG = (
    "### Task:\nRespond to the user query using the provided context, incorporating inline "
    "citations in the format [id] **only when the <source> tag includes an explicit id "
    "attribute**.\n\n### Output:\nProvide a clear and direct response to the user's query.\n\n"
    '<context>\n<source id="1" name="notes.txt">{found}</source>\n</context>\n\n'
)


class OpenWebUI(Page):
    """The page of one chat.

    Args:
        system: The chat's system prompt, or empty.
        reasoning: How reasoning goes along: ``details``, ``tags``, ``field`` or ``none``.
        tools: Tools by name; a tool gets its arguments and gives a text.
    """

    def __init__(self, url, *, system="", reasoning="none", tools=None, **more):
        super().__init__(url, **more)
        self.system = system
        self.reasoning = reasoning
        self.tools = tools or {}
        self.headers["X-OpenWebUI-Chat-Id"] = "2f9d2a4e-chat"
        self.headers["X-OpenWebUI-User-Name"] = "Ada%20Lovelace"

    def say(self, text, *, models=None, found="", images=(), stop_after=None):
        """Ask, of one model or of several at once; gives the last answer's node."""
        self.task("autocompletion", draft=text[: len(text) // 2])
        user = Node("user", text, self.current, images=tuple(images))
        if found:
            self.task("queries", at=user)
        first = self.current is None
        models = models or [self.model]
        with ThreadPoolExecutor(len(models)) as pool:
            asked = [pool.submit(self.ask, user, m, found, stop_after) for m in models]
            answers = [one.result() for one in asked]
        self.current = answers[-1]
        if first:
            self.task("title")
            self.task("tags")
        self.task("follow-ups")
        return answers[-1] if len(answers) == 1 else answers

    def ask(self, user, model=None, found="", stop_after=None):
        """Ask a question that stands in the tree; its tool rounds are done here, as the page's."""
        rounds, thought = [], ""
        while True:
            messages = self.messages(user.chain, found) + rounds
            heard = self.send(messages, model=model, stop_after=stop_after, **self.more())
            thought += heard.thought
            if not heard.calls:
                break
            rounds += self.answered(heard)
        answer = Node("assistant", heard.text, user, model or self.model, thought, rounds)
        self.note(answer)
        return answer

    def more(self):
        """What stands beside the messages."""
        tools = {"tools": [_spec(name) for name in self.tools]} if self.tools else {}
        if self.dialect == "openai":
            return {"stream_options": {"include_usage": True}, **tools}
        return {"options": {"temperature": 0.7}, "keep_alive": "5m", **tools}

    def answered(self, heard):
        """The messages of one tool round."""
        text = {"role": "assistant", "content": heard.text, "tool_calls": heard.calls}
        results = []
        for call in heard.calls:
            function = call["function"]
            arguments = function["arguments"]
            given = json.loads(arguments) if isinstance(arguments, str) else arguments
            result = self.tools[function["name"]](given)
            named = {"tool_call_id": call["id"]} if call.get("id") else {}
            results.append({"role": "tool", "content": result, **named})
        return [text, *results]

    def messages(self, chain, found=""):
        """A branch as it is sent."""
        sent = [{"role": "system", "content": self.system}] if self.system else []
        for node in chain:
            sent += self.wire(node)
        if found:
            last = sent[-1]
            sent[-1] = {**last, "content": RAG.format(found=found) + last["content"]}
        return sent

    def wire(self, node):
        """One message of the tree as it is sent."""
        if node.role == "user":
            return [self._said(node)]
        text, more = node.text, {}
        if node.thought and self.reasoning == "details":
            text = f"\n{text}"
        elif node.thought and self.reasoning == "tags":
            text = f"<think>{node.thought}</think>\n{text}"
        elif node.thought and self.reasoning == "field":
            more = {"thinking": node.thought}
        return [*node.output, {"role": "assistant", "content": text, **more}]

    def _said(self, node):
        if not node.images:
            return {"role": "user", "content": node.text}
        if self.dialect == "ollama":
            images = [uri.partition(",")[2] for uri in node.images]
            return {"role": "user", "content": node.text, "images": images}
        shown = [{"type": "image_url", "image_url": {"url": uri}} for uri in node.images]
        return {"role": "user", "content": [{"type": "text", "text": node.text}, *shown]}

    def regenerate(self, answer):
        """Have a question answered once more."""
        self.current = self.ask(answer.parent, answer.model or None)
        return self.current

    def edit(self, user, text):
        """Put another question in the place of one: a sibling."""
        self.current = self.ask(Node("user", text, user.parent))
        return self.current

    def edit_answer(self, answer, text):
        """Write another answer over one: nothing is sent before the next question."""
        self.current = replace(answer, text=text, output=[], thought="")
        return self.current

    def go_on(self, answer):
        """Have an answer continued: it goes along as the last message."""
        heard = self.send(self.messages(answer.chain), model=answer.model or None, **self.more())
        self.current = replace(answer, text=answer.text + heard.text)
        self.note(self.current)
        return self.current

    def merge(self, answers):
        """Make one answer of several, and go on from it."""
        asked = answers[0].parent
        prompt = TASKS["merge"].format(
            draft=asked.text, history="\n".join(f'"{answer.text}"' for answer in answers)
        )
        self.aside.append(prompt)
        heard = self.send([{"role": "user", "content": prompt}], stream=True)
        self.current = Node("assistant", heard.text, asked)
        return self.current

    def task(self, name, *, draft="", at=None):
        """Send a side request over the branch that is shown."""
        last = at or self.current
        history = "\n".join(
            f"{node.role.upper()}: {node.text}" for node in (last.chain if last else [])[-6:]
        )
        prompt = TASKS[name].format(history=history, draft=draft)
        self.aside.append(prompt)
        limit = "max_completion_tokens" if self.dialect == "openai" else "options"
        value = 1000 if self.dialect == "openai" else {"num_predict": 1000}
        heard = self.send([{"role": "user", "content": prompt}], stream=False, **{limit: value})
        self.aside.append(heard.text)


def _spec(name):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    function = {"name": name, "description": f"Tells the {name}.", "parameters": schema}
    return {"type": "function", "function": function}
