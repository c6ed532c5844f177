// Open WebUI's page, from the first account to a second chat.

import { drive, grows } from "./page.mjs";

const { ADDRESS, FACT, QUESTION, ENDLESS } = process.env;
const STREAMED = "Tell me about the harbour, slowly.";

const answers = (page) => page.locator(".chat-assistant");
const newest = (page) => answers(page).last().innerText();
const followed = (page) => page.locator("[aria-label^='Follow up']").last();

// Wait until the answer and the page's own requests are there.
async function settled(page) {
  await followed(page).waitFor();
  await page.waitForTimeout(1_000);
  return newest(page);
}

async function type(page, text) {
  await page.locator("#chat-input").click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await page.getByText(text, { exact: true }).last().waitFor();
}

async function say(page, text) {
  await type(page, text);
  return settled(page);
}

async function anew(page) {
  await page.getByLabel("New Chat").locator("visible=true").first().click();
  await answers(page).first().waitFor({ state: "detached" });
}

await drive({
  "signs up": async (page) => {
    await page.goto(ADDRESS);
    await page.getByText("Get started").click();
    await page.locator("input#name").fill("Ada");
    await page.locator("input[type=email]").fill("ada@example.org");
    await page.locator("input[type=password]").first().fill("secret-word-1");
    await page.getByRole("button", { name: /Create/ }).click();
    await page.getByRole("button", { name: /Okay/ }).click();
    return "";
  },
  "picks a model": async (page) => {
    await page.locator("#model-selector-model-button").click();
    await page.waitForTimeout(500);
    await page.locator("[role=option][aria-label^='Select m']").first().click();
    return page.locator("#model-selector-model-button").innerText();
  },
  answers: (page) => say(page, FACT),
  streams: async (page) => {
    await type(page, STREAMED);
    const ended = () => followed(page).isVisible();
    await followed(page).waitFor({ state: "detached" });
    const grew = await grows(() => newest(page), ended);
    return `${await settled(page)} ${grew ? "in pieces" : "at once"}`;
  },
  "answers again": (page) => say(page, "Her sail is red."),
  "edits a message": async (page) => {
    const message = page.locator(".user-message").last();
    await message.hover();
    await message.getByRole("button", { name: "Edit" }).click();
    await message.locator("textarea").fill("Her sail is blue.");
    await page.locator("#confirm-edit-message-button").click();
    await page.getByText("Her sail is blue.", { exact: true }).last().waitFor();
    return settled(page);
  },
  regenerates: async (page) => {
    await page.getByRole("button", { name: "Regenerate" }).last().click();
    await page.getByText("Try Again", { exact: true }).click();
    await page.waitForTimeout(1_000);
    return settled(page);
  },
  "continues an answer": async (page) => {
    await page.locator("#continue-response-button").last().click();
    await page.waitForTimeout(1_000);
    return settled(page);
  },
  "answers after continuing": (page) => say(page, "And what is behind it?"),
  "asks in a second chat": async (page) => {
    await anew(page);
    return say(page, QUESTION);
  },
  stops: async (page) => {
    await anew(page);
    await type(page, ENDLESS);
    await page.getByText("word word word").first().waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.waitForTimeout(1_500);
    const first = await newest(page);
    await page.waitForTimeout(1_000);
    return (await newest(page)) === first ? "stopped" : "goes on";
  },
  "answers after a stop": (page) => say(page, "And now something short."),
});
