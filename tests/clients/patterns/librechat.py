"""LibreChat in small.

What it sends follows danny-avila/LibreChat: api/server/controllers/agents/client.js (buildMessages,
titleConvo), packages/api/src/endpoints/custom and openai (the field ``user`` is the id of the
account; streams with ``stream_options``), client/src/hooks/Chat/useChatFunctions.ts (regenerate and
edit send the ``parentMessageId`` of the question's parent), packages/api fork; danny-avila/agents:
src/messages/format.ts (formatAgentMessages: thoughts are left out, tool calls parted from the text;
an answer's content may be a list of parts), src/utils/title.ts.

- The branch of ``parentMessageId`` goes along each time; what exceeds the endpoint's
  ``maxContextTokens`` is left out at its beginning.
- The title is asked for while the first answer still runs.
- A fork copies a conversation up to a message into a new one.
"""

import json
from concurrent.futures import ThreadPoolExecutor

from tests.clients.patterns.page import Node, Page

TITLE = (
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. "
    "Only return the title itself.\n\nConversation:\nUser: {asked}\nAI: "
)
TITLE_STRUCTURED = (
    "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A "
    "concise title in the detected language (5 words or less, no punctuation or quotation)\n\n"
    "User: {asked}\nAI: {answer}"
)


class LibreChat(Page):
    """The page of one conversation.

    Args:
        user: The account's id.
        system: The instructions of the agent, or empty.
        most: Messages that fit the endpoint's context; None for all.
        parts: Whether an answer's content goes along as a list of parts.
        tools: Tools by name.
    """

    def __init__(self, url, *, user="", system="", most=None, parts=False, tools=None, **more):
        super().__init__(url, **more)
        self.user = user
        self.system = system
        self.most = most
        self.parts = parts
        self.tools = tools or {}

    def say(self, text):
        """Ask; the title is asked for at the same time where it is the first question."""
        user = Node("user", text, self.current)
        if self.current is not None:
            self.current = self.ask(user)
            return self.current
        with ThreadPoolExecutor(2) as pool:
            answer = pool.submit(self.ask, user)
            title = pool.submit(self.side, TITLE.format(asked=text))
            self.current = answer.result()
            title.result()
        self.side(TITLE_STRUCTURED.format(asked=text, answer=self.current.text))
        return self.current

    def ask(self, user):
        """Ask a question that stands in the tree, with its tool rounds."""
        rounds = []
        while True:
            messages = self.messages(user.chain) + rounds
            heard = self.send(messages, **self.more())
            if not heard.calls:
                break
            rounds.append({"role": "assistant", "content": heard.text, "tool_calls": heard.calls})
            for call in heard.calls:
                given = json.loads(call["function"]["arguments"])
                result = self.tools[call["function"]["name"]](given)
                rounds.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        answer = Node("assistant", heard.text, user, self.model, heard.thought, rounds)
        self.note(answer)
        return answer

    def more(self):
        """What stands beside the messages."""
        schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        tools = [
            {"type": "function", "function": {"name": name, "parameters": schema}}
            for name in self.tools
        ]
        user = {"user": self.user} if self.user else {}
        return {
            "stream_options": {"include_usage": True},
            **user,
            **({"tools": tools} if tools else {}),
        }

    def messages(self, chain):
        """A branch as it is sent: what fits."""
        sent = [wire for node in chain for wire in self.wire(node)]
        if self.most is not None:
            sent = sent[-self.most :]
        return ([{"role": "system", "content": self.system}] if self.system else []) + sent

    def wire(self, node):
        """One message of the tree as it is sent."""
        if node.role == "user":
            return [{"role": "user", "content": node.text}]
        text = [{"type": "text", "text": node.text}] if self.parts else node.text
        return [*node.output, {"role": "assistant", "content": text}]

    def regenerate(self, answer):
        """Have a question answered once more."""
        self.current = self.ask(answer.parent)
        return self.current

    def edit(self, user, text):
        """Save and submit another question in the place of one."""
        self.current = self.ask(Node("user", text, user.parent))
        return self.current

    def fork(self, answer):
        """Copy the conversation up to an answer into a new page."""
        page = LibreChat(
            self.url,
            user=self.user,
            system=self.system,
            parts=self.parts,
            model=self.model,
            headers=self.headers,
        )
        page.current = answer
        page.shown = self.shown
        return page

    def side(self, prompt):
        """Ask for a title."""
        self.aside.append(prompt)
        heard = self.send([{"role": "user", "content": prompt}], stream=False)
        self.aside.append(heard.text)
