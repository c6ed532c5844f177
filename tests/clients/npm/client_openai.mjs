// The official `openai` npm package against the server.
import OpenAI from "openai";
import { HELLO, MODEL, OPENAI, assert, run, step } from "./checks.mjs";

const client = new OpenAI({ baseURL: OPENAI, apiKey: "sk-dummy", maxRetries: 0 });
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
  const made = await client.chat.completions.create({ model: MODEL, messages: [user(HELLO)] });
  assert(made.choices[0].message.content, "no content");
});

step("answers in a stream", async () => {
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: [user("Tell me of the boat.")],
    stream: true,
  });
  let text = "", pieces = 0;
  for await (const event of stream) {
    text += event.choices[0]?.delta?.content ?? "";
    pieces += 1;
  }
  assert(text && pieces > 2, `${pieces} pieces: ${text}`);
});

step("tells usage", async () => {
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: [user("How do you do?")],
    stream: true,
    stream_options: { include_usage: true },
  });
  let usage = null;
  for await (const event of stream) usage = event.usage ?? usage;
  assert(usage.total_tokens > 0, JSON.stringify(usage));
});

step("calls tools in a loop", async () => {
  const messages = [user("What is the weather in Leith?")];
  const asked = await client.chat.completions.create({ model: MODEL, messages, tools: [weather] });
  const call = asked.choices[0].message.tool_calls[0];
  assert(JSON.parse(call.function.arguments).city === "Leith", call.function.arguments);
  messages.push(asked.choices[0].message);
  messages.push({ role: "tool", tool_call_id: call.id, content: "Rain in Leith, 9 degrees." });
  const made = await client.chat.completions.create({ model: MODEL, messages, tools: [weather] });
  assert(made.choices[0].message.content, "no answer behind the tool");
});

step("gives structured output", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, length: { type: "integer" } },
    required: ["name", "length"],
    additionalProperties: false,
  };
  const made = await client.chat.completions.parse({
    model: MODEL,
    messages: [user("JSON: my boat")],
    response_format: { type: "json_schema", json_schema: { name: "boat", strict: true, schema } },
  });
  assert(JSON.parse(made.choices[0].message.content).name === "Petronella", "not parsed");
});

step("streams with the helper", async () => {
  const runner = client.chat.completions.stream({ model: MODEL, messages: [user("Name a lake.")] });
  let heard = "";
  runner.on("content", (piece) => { heard += piece; });
  const made = await runner.finalChatCompletion();
  assert(heard && heard === made.choices[0].message.content, heard);
});

step("speaks through responses", async () => {
  const made = await client.responses.create({ model: MODEL, input: "Name a sea." });
  assert(made.output_text, "no output text");
  const stream = await client.responses.create({ model: MODEL, input: "Name an ocean.", stream: true });
  let text = "", done = false;
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.completed") done = true;
  }
  assert(text && done, `${text} ${done}`);
  const next = await client.responses.create({
    model: MODEL, input: "And its depth?", previous_response_id: made.id,
  });
  assert(next.output_text, "no answer to the next");
});

step("completes a text", async () => {
  const made = await client.completions.create({ model: MODEL, prompt: "Once upon a time" });
  assert(made.choices[0].text, "no text");
});

step("lists models and embeds", async () => {
  const names = [];
  for await (const model of client.models.list()) names.push(model.id);
  assert(names.length > 0, "no models");
  const made = await client.embeddings.create({ model: MODEL, input: ["a", "b"] });
  assert(made.data.length === 2, "no vectors");
});

step("raises what the server refuses", async () => {
  try {
    await client.chat.completions.create({ model: "nothing", messages: [user("Hello?")] });
  } catch (error) {
    assert(error instanceof OpenAI.NotFoundError, `${error}`);
    return;
  }
  assert(false, "no error");
});

await run();
