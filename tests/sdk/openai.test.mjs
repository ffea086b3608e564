// OpenAI's own client against the gym.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
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

const clientOf = (gym, maxRetries = 0) => new OpenAI({ apiKey: "sk-test", baseURL: `${gym.url}/v1`, maxRetries });
const ask = (content, more = {}) => ({ model: "gpt-test", messages: [{ role: "user", content }], ...more });
const tools = [{ type: "function", function: { name: "wx", parameters: { type: "object", properties: { city: { type: "string" } } } } }];

test("a whole answer", async () => {
  const answer = await clientOf(scripted).chat.completions.create(ask("stream"));
  assert.equal(answer.choices[0].message.content, "The tide is höher now.");
  assert.equal(answer.choices[0].finish_reason, "stop");
  assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
});

test("a stream, piece by piece, with its usage", async () => {
  const stream = clientOf(scripted).chat.completions.stream(ask("stream", { stream_options: { include_usage: true } }));
  const pieces = [];
  stream.on("content", (piece) => pieces.push(piece));
  assert.equal(await stream.finalContent(), "The tide is höher now.");
  assert.ok(pieces.length > 1);
  assert.ok((await stream.totalUsage()).completion_tokens > 1);
});

test("two calls at once and their results", async () => {
  const client = clientOf(scripted);
  const first = await client.chat.completions.stream(ask("both", { tools })).finalMessage();
  assert.deepEqual(first.tool_calls.map((call) => JSON.parse(call.function.arguments).city), ["Oslo", "Bergen"]);
  const messages = [
    { role: "user", content: "both" },
    first,
    ...first.tool_calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: "rain" })),
  ];
  const second = await client.chat.completions.create({ model: "gpt-test", messages, tools });
  assert.equal(second.choices[0].message.content, "Rain in both.");
});

test("the client's own loop of tools, with the small model", async () => {
  const runner = clientOf(small).chat.completions.runTools(
    ask("Add 2 + 3", {
      tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: addition, parse: JSON.parse, function: ({ a, b }) => String(a + b) } }],
    }),
  );
  assert.match(await runner.finalContent(), /Here is what add gave:\n\n5/);
});

test("errors have the client's own types", async () => {
  const { completions } = clientOf(scripted).chat;
  await assert.rejects(completions.create(ask("key")), (error) => error instanceof OpenAI.AuthenticationError && /bad key/.test(error.message) && error.code === "invalid_api_key");
  await assert.rejects(completions.create(ask("limit")), (error) => error instanceof OpenAI.RateLimitError && error.code === "rate_limit_exceeded");
  await assert.rejects(completions.create(ask("broken")), OpenAI.InternalServerError);
  await assert.rejects(clientOf(scripted).embeddings.create({ model: "m", input: "x" }), OpenAI.NotFoundError);
  const unanswered = [{ role: "user", content: "x" }, { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "wx", arguments: "{}" } }] }];
  await assert.rejects(completions.create({ model: "m", messages: unanswered }), (error) => error instanceof OpenAI.BadRequestError && /must be followed by tool messages/.test(error.message));
});

test("an error in the middle of a stream", async () => {
  const stream = await clientOf(scripted).chat.completions.create(ask("middle", { stream: true }));
  let text = "";
  await assert.rejects(async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
  }, (error) => error instanceof OpenAI.APIError && /it broke/.test(error.message));
  assert.equal(text, "The tide");
});

test("the client repeats what may be repeated", async () => {
  const answer = await clientOf(scripted, 1).chat.completions.create(ask("busy"));
  assert.equal(answer.choices[0].message.content, "Now I can.");
});

test("a stream that is left in the middle, and a cut answer", async () => {
  const stream = await clientOf(scripted).chat.completions.create(ask("hold", { stream: true }));
  let text = "";
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    if (text === "before ") break;
  }
  const cut = await clientOf(scripted).chat.completions.create(ask("long"));
  assert.equal(cut.choices[0].finish_reason, "length");
});

test("the models", async () => {
  const ids = [];
  for await (const model of clientOf(small).models.list()) ids.push(model.id);
  assert.deepEqual(ids, ["gpt-gym"]);
});
