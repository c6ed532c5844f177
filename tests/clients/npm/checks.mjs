// What the scripts share: steps that say whether they passed; one line of JSON at the end.
export const OPENAI = process.env.CHECK_OPENAI;
export const OLLAMA = process.env.CHECK_OLLAMA;
export const MODEL = process.env.CHECK_MODEL;
export const HELLO = "Hello, my boat is called Petronella.";
const steps = [];

export function assert(held, why) {
  if (!held) throw new Error(why);
}

export function step(name, work) {
  steps.push([name, work]);
}

export async function run() {
  const passed = [], failed = {};
  for (const [name, work] of steps) {
    try {
      await work();
      passed.push(name);
    } catch (error) {
      failed[name] = `${error?.name}: ${String(error?.message).slice(0, 300)}`;
    }
  }
  console.log(JSON.stringify({ passed, failed }));
  process.exit(Object.keys(failed).length);
}
