// SillyTavern's page: a character's chat, and a second one.

import { drive, grows } from "./page.mjs";

const { ADDRESS, FACT, QUESTION, ENDLESS, SETTINGS, DIALECT, WINDOW } = process.env;
const CARD = {
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name: "Mira",
    description: "Mira keeps the harbour of Leith and knows every ship.",
    personality: "patient",
    scenario: "{{user}} meets {{char}} on the quay.",
    first_mes: "Ahoy, I am Mira. What brings you to the harbour?",
    mes_example: "<START>\n{{user}}: Is it late?\n{{char}}: The lamps are lit.",
    system_prompt: "You are Mira, keeper of the harbour. Never leave this role.",
    post_history_instructions: "Mira answers in one sentence.",
    alternate_greetings: [],
    tags: [],
    extensions: {},
  },
};
const LONG = "The harbour master wrote down every ship, its cargo and its captain. ".repeat(40);
// What `connect` prints: "API: Chat Completion" and so on.
const told = Object.fromEntries(
  SETTINGS.split("\n").map((line) => line.split(/:\s{1,}/).map((word) => word.trim())),
);

const newest = (page) => page.locator("#chat .last_mes .mes_text").innerText();
const ended = (page) => page.evaluate(() => globalThis.ended);

// Do what has an answer made, and wait until it is made: the page's own event tells.
async function asking(page, act, during = () => {}) {
  const before = await ended(page);
  await act();
  const seen = await during(async () => (await ended(page)) > before);
  await page.waitForFunction((count) => globalThis.ended > count, before);
  await page.locator("#send_but").waitFor();
  await page.waitForTimeout(700);
  return seen === undefined ? newest(page) : [await newest(page), seen];
}

async function type(page, text) {
  await page.locator("#send_textarea").fill(text);
  await page.locator("#send_but").click();
}

const say = (page, text) => asking(page, () => type(page, text));

async function option(page, name) {
  await page.locator("#options_button").click();
  await page.locator(`#option_${name}`).click();
}

const again = (page, name) => asking(page, () => option(page, name));

async function anew(page) {
  await option(page, "start_new_chat");
  await page.locator("dialog[open] .popup-button-ok").click();
  await page.locator("#chat .mes_text").getByText(FACT).first().waitFor({ state: "detached" });
  await page.locator("#chat .mes_text").getByText("Ahoy").waitFor();
}

async function setContext(page, tokens) {
  const name = DIALECT === "text" ? "max_context" : "openai_max_context";
  await page.locator("#ai-config-button .drawer-toggle").click();
  const counter = page.locator(`#${name}_counter`);
  await counter.fill(String(tokens));
  await counter.press("Tab");
  await page.locator("#ai-config-button .drawer-toggle").click();
  await page.waitForTimeout(500);
}

async function connectChat(page) {
  await page.locator("#main_api").selectOption({ label: told.API });
  const source = page.locator("#chat_completion_source");
  await source.selectOption({ label: told["Chat Completion Source"] });
  await page.locator("#custom_api_url_text").fill(told["Custom Endpoint (Base URL)"]);
  await page.locator("#api_key_custom").fill(told["Custom API Key"]);
  await page.locator("#custom_model_id").fill(told["Enter a Model ID"]);
  await page.locator("#api_button_openai").click();
}

async function connectText(page) {
  await page.locator("#main_api").selectOption("textgenerationwebui");
  await page.locator("#textgen_type").selectOption("generic");
  await page.locator("#generic_api_url_text").fill(told["Custom Endpoint (Base URL)"]);
  await page.locator("#api_key_generic").fill(told["Custom API Key"]);
  await page.locator("#generic_model_textgenerationwebui").fill(told["Enter a Model ID"]);
  await page.locator("#api_button_textgenerationwebui").click();
  await page.evaluate(() => {
    const streams = document.querySelector("#streaming_textgenerationwebui");
    if (!streams.checked) streams.click();
  });
}

const steps = {
  connects: async (page) => {
    await page.goto(ADDRESS);
    await page.locator("dialog[open] .popup-button-ok").click();
    await page.locator("#API-status-top").click();
    await (DIALECT === "text" ? connectText : connectChat)(page);
    await page.waitForTimeout(2_500);
    await page.locator("#API-status-top").click();
    await setContext(page, WINDOW);
    await page.evaluate(() => {
      const { eventSource, eventTypes } = SillyTavern.getContext();
      globalThis.ended = 0;
      eventSource.on(eventTypes.GENERATION_ENDED, () => (globalThis.ended += 1));
    });
    return page.locator("#send_textarea").getAttribute("placeholder");
  },
  "imports a character": async (page) => {
    await page.locator("#rightNavDrawerIcon").click();
    const buffer = Buffer.from(JSON.stringify(CARD));
    const file = { name: "mira.json", mimeType: "application/json", buffer };
    await page.locator("#character_import_file").setInputFiles(file);
    await page.locator(".character_select").getByText("Mira").first().waitFor();
    await page.waitForTimeout(1_000);
    const tags = page.locator("dialog[open] .popup-button-ok");
    if (await tags.isVisible()) await tags.click();
    if (!(await page.locator("#chat").innerText()).includes("Ahoy"))
      await page.locator(".character_select").getByText("Mira").first().click();
    await page.locator("#chat .mes_text").getByText("Ahoy").waitFor();
    return newest(page);
  },
  answers: (page) => say(page, FACT),
  streams: async (page) => {
    const act = () => type(page, "Tell me about the harbour, slowly.");
    const [text, grew] = await asking(page, act, (whole) => grows(() => newest(page), whole));
    return `${text} ${grew ? "in pieces" : "at once"}`;
  },
  swipes: (page) => asking(page, () => page.locator("#chat .last_mes .swipe_right").click()),
  regenerates: (page) => again(page, "regenerate"),
  continues: (page) => again(page, "continue"),
  "answers after continuing": (page) => say(page, "And what is behind it?"),
  "edits a message": async (page) => {
    const message = page.locator("#chat .mes[is_user=true]").last();
    await message.hover();
    await message.locator(".mes_edit").click();
    await page.locator("#curEditTextarea").fill("Tell me about the quay.");
    await message.locator(".mes_edit_done").click();
    return again(page, "regenerate");
  },
  "leaves out old messages": async (page) => {
    await setContext(page, 1_400);
    for (const number of [1, 2, 3]) await say(page, `Number ${number}. ${LONG}`);
    const seen = await newest(page);
    await setContext(page, WINDOW);
    return seen;
  },
  "asks in a second chat": async (page) => {
    await anew(page);
    return say(page, QUESTION);
  },
  stops: async (page) => {
    await option(page, "start_new_chat");
    await page.locator("dialog[open] .popup-button-ok").click();
    await page.locator("#chat .mes_text").getByText(QUESTION).first().waitFor({ state: "detached" });
    await type(page, ENDLESS);
    await page.getByText("word word word").first().waitFor();
    await page.locator("#mes_stop").click();
    await page.waitForTimeout(1_500);
    const first = await newest(page);
    await page.waitForTimeout(1_000);
    return (await newest(page)) === first ? "stopped" : "goes on";
  },
  "answers after a stop": (page) => say(page, "And now something short."),
};
await drive(steps);
