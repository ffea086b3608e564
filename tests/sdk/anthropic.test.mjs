// Anthropic's own client against the gym.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { addition, rules, startGym } from "./gym.mjs";

let scripted, small;
before(async () => {
  scripted = await startGym(rules);
  small = await startGym();
});
after(async () => {
  await scripted?.stop();
  await small?.stop();
});

const clientOf = (gym, maxRetries = 0) => new Anthropic({ apiKey: "sk-test", baseURL: gym.url, maxRetries });
const ask = (content, more = {}) => ({ model: "claude-test", max_tokens: 1000, messages: [{ role: "user", content }], ...more });
const tools = [{ name: "wx", input_schema: { type: "object", properties: { city: { type: "string" } } } }];
const textOf = (message) => message.content.filter((block) => block.type === "text").map((block) => block.text).join("");

test("a whole answer", async () => {
  const answer = await clientOf(scripted).messages.create(ask("stream"));
  assert.equal(textOf(answer), "The tide is höher now.");
  assert.equal(answer.stop_reason, "end_turn");
  assert.ok(answer.usage.output_tokens > 1);
});

test("a stream, piece by piece, with its thinking", async () => {
  const stream = clientOf(scripted).messages.stream(ask("stream"));
  const pieces = [];
  stream.on("text", (piece) => pieces.push(piece));
  const answer = await stream.finalMessage();
  assert.equal(answer.content[0].thinking, "Let me see.");
  assert.ok(answer.content[0].signature);
  assert.equal(textOf(answer), "The tide is höher now.");
  assert.ok(pieces.length > 1);
});

test("two calls at once and their results", async () => {
  const client = clientOf(scripted);
  const first = await client.messages.stream(ask("both", { tools })).finalMessage();
  const calls = first.content.filter((block) => block.type === "tool_use");
  assert.deepEqual(calls.map((call) => call.input.city), ["Oslo", "Bergen"]);
  assert.equal(first.stop_reason, "tool_use");
  const messages = [
    { role: "user", content: "both" },
    { role: "assistant", content: first.content },
    { role: "user", content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: "rain" })) },
  ];
  const second = await client.messages.create({ model: "claude-test", max_tokens: 1000, messages, tools });
  assert.equal(textOf(second), "Rain in both.");
});

test("the small model calls a tool and reports its result", async () => {
  const client = clientOf(small);
  const offered = [{ name: "add", description: "Adds.", input_schema: addition }];
  const first = await client.messages.create(ask("Add 2 + 3", { tools: offered }));
  const call = first.content.at(-1);
  assert.deepEqual(call.input, { a: 2, b: 3 });
  const messages = [
    { role: "user", content: "Add 2 + 3" },
    { role: "assistant", content: first.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "5" }] },
  ];
  const second = await client.messages.create({ model: "claude-test", max_tokens: 1000, messages, tools: offered });
  assert.match(textOf(second), /Here is what add gave:\n\n5/);
});

test("errors have the client's own types", async () => {
  const { messages } = clientOf(scripted);
  await assert.rejects(messages.create(ask("key")), (error) => error instanceof Anthropic.AuthenticationError && /bad key/.test(error.message));
  await assert.rejects(messages.create(ask("limit")), (error) => error instanceof Anthropic.RateLimitError && error.type === "rate_limit_error");
  await assert.rejects(messages.create(ask("broken")), Anthropic.InternalServerError);
  const unanswered = [{ role: "user", content: "x" }, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "wx", input: {} }] }];
  await assert.rejects(messages.create({ model: "m", max_tokens: 9, messages: unanswered }), (error) => error instanceof Anthropic.BadRequestError && /tool_result/.test(error.message));
});

test("an error in the middle of a stream", async () => {
  const stream = clientOf(scripted).messages.stream(ask("middle"));
  let text = "";
  stream.on("text", (piece) => (text += piece));
  await assert.rejects(stream.finalMessage(), (error) => error instanceof Anthropic.APIError && /it broke/.test(error.message));
  assert.equal(text, "The tide");
});

test("the client repeats what may be repeated", async () => {
  assert.equal(textOf(await clientOf(scripted, 1).messages.create(ask("busy"))), "Now I can.");
});

test("a stream that is left in the middle, and a cut answer", async () => {
  const stream = await clientOf(scripted).messages.create(ask("hold", { stream: true }));
  for await (const event of stream) if (event.type === "content_block_delta") break;
  assert.equal((await clientOf(scripted).messages.create(ask("long"))).stop_reason, "max_tokens");
});

test("the models", async () => {
  const ids = [];
  for await (const model of clientOf(small).models.list()) ids.push(model.id);
  assert.deepEqual(ids, ["claude-gym"]);
});
