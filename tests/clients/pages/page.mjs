// What drives a program's page: headless Chromium, and steps that give what the page showed.
//
// A step gets the page and gives a text. The last line that is printed is JSON: what each step
// showed, and why one failed. With PICTURES, a picture of the page after each step lies there.

import { chromium } from "playwright-core";

const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PATIENCE = 20_000;

// The text of a page's part as it grows: whether it was seen in more than one length.
export async function grows(read, whole) {
  const lengths = new Set();
  for (const until = Date.now() + PATIENCE; Date.now() < until; ) {
    lengths.add((await read()).length);
    if (await whole()) return lengths.size > 2;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the answer did not end");
}

export async function drive(steps) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: SWITCHES });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  const shown = {};
  const failed = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      shown[name] = await step(page);
    } catch (error) {
      failed[name] = String(error).slice(0, 300);
    }
    const folder = process.env.PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(" ", "-")}.png` });
    if (failed[name]) break;
  }
  await browser.close();
  console.log(JSON.stringify({ shown, failed }));
}
