// Starts `troupe gym` on a free port and stops it again.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A gym that follows the rules, or the small model without any. */
export async function startGym(rules) {
  const folder = await mkdtemp(join(tmpdir(), "troupe-gym-"));
  const args = ["gym", "--listen", "127.0.0.1:0"];
  if (rules) {
    await writeFile(join(folder, "rules.jsonl"), rules.map((rule) => JSON.stringify(rule)).join("\n"));
    args.push("--script", join(folder, "rules.jsonl"));
  }
  const child = spawn(process.env.TROUPE, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the gym ended with ${code}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(line.replace("gym listening on ", "")));
  });
  return {
    url,
    requests: async () => (await fetch(`${url}/gym/requests`)).json(),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** Rules that both services' tests use. */
export const rules = [
  { when: { last_user_contains: "stream" }, reply: [{ thinking: "Let me see." }, { text: "The tide is höher now." }] },
  { when: { last_user_contains: "both", has_tool_result: false },
    reply: [{ call: { name: "wx", arguments: { city: "Oslo" } } }, { call: { name: "wx", arguments: { city: "Bergen" } } }] },
  { when: { last_user_contains: "both", has_tool_result: true }, reply: [{ text: "Rain in both." }] },
  { when: { last_user_contains: "key" }, reply: [{ http_error: { status: 401, message: "bad key" } }] },
  { when: { last_user_contains: "busy" }, times: 1, reply: [{ http_error: { status: 429, retry_after: 0 } }] },
  { when: { last_user_contains: "busy" }, reply: [{ text: "Now I can." }] },
  { when: { last_user_contains: "limit" }, reply: [{ http_error: { status: 429 } }] },
  { when: { last_user_contains: "broken" }, reply: [{ http_error: { status: 500 } }] },
  { when: { last_user_contains: "middle" }, reply: [{ text: "The tide" }, { stream_error: { type: "api_error", message: "it broke" } }] },
  { when: { last_user_contains: "hold" }, reply: [{ text: "before " }, { hold: "gate" }, { text: "after" }] },
  { when: { last_user_contains: "long" }, reply: [{ text: "And so" }, { stop: "max_tokens" }] },
];

/** A tool in JSON Schema. */
export const addition = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
};
