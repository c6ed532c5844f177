// The official `ollama` npm package against the server.
import { Ollama } from "ollama";
import { HELLO, MODEL, OLLAMA, assert, run, step } from "./checks.mjs";

const client = new Ollama({ host: OLLAMA });
const user = (content) => ({ role: "user", content });
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather.",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

step("answers whole", async () => {
  const made = await client.chat({ model: MODEL, messages: [user(HELLO)] });
  assert(made.message.content && made.done, "no content");
});

step("answers in a stream", async () => {
  let text = "", pieces = 0, done = false;
  for await (const part of await client.chat({
    model: MODEL, messages: [user("Tell me of the boat.")], stream: true,
  })) {
    text += part.message.content;
    pieces += 1;
    done = part.done;
  }
  assert(text && pieces > 2 && done, `${pieces} pieces: ${text}`);
});

step("stops a stream", async () => {
  const stream = await client.chat({ model: MODEL, messages: [user("A long one.")], stream: true });
  try {
    for await (const part of stream) {
      if (part.message.content) stream.abort();
    }
  } catch (error) {
    assert(error.name === "AbortError", `${error}`);
  }
});

step("calls tools in a loop", async () => {
  const messages = [user("What is the weather in Leith?")];
  const asked = await client.chat({ model: MODEL, messages, tools: [weather] });
  const call = asked.message.tool_calls[0];
  assert(call.function.arguments.city === "Leith", JSON.stringify(call));
  messages.push(asked.message);
  messages.push({ role: "tool", tool_name: "weather", content: "Rain in Leith, 9 degrees." });
  const made = await client.chat({ model: MODEL, messages, tools: [weather] });
  assert(made.message.content, "no answer behind the tool");
});

step("gives structured output", async () => {
  const format = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const made = await client.chat({ model: MODEL, messages: [user("JSON: my boat")], format });
  assert(JSON.parse(made.message.content).name === "Petronella", made.message.content);
});

step("generates", async () => {
  const made = await client.generate({ model: MODEL, prompt: "Once upon a time" });
  assert(made.response, "no response");
});

step("lists, shows and embeds", async () => {
  assert((await client.list()).models.length > 0, "no models");
  assert((await client.show({ model: MODEL })).model_info, "nothing shown");
  const made = await client.embed({ model: MODEL, input: ["a", "b"] });
  assert(made.embeddings.length === 2, "no vectors");
});

step("raises what the server refuses", async () => {
  try {
    await client.chat({ model: "nothing", messages: [user("Hello?")] });
  } catch (error) {
    assert(error.status_code === 404, `${error}`);
    return;
  }
  assert(false, "no error");
});

await run();
