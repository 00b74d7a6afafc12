import assert from "node:assert/strict";
import { test } from "node:test";
import { makeApi } from "../../static/conversations/api.js";

const PAGES = {
  "/api/conversations/c/messages": { results: ["one", "two"], runs: { a: 1 }, next: "second page", previous: null },
  "/api/conversations/c/messages?cursor=second%20page": { results: ["three"], runs: { b: 2 }, next: null, open_run_id: "b" },
};

test("a thread is all of its pages, with the runs of each", async () => {
  const api = makeApi("/api/", { fetcher: async (path) => ({ ok: true, json: async () => PAGES[path] }) });
  const thread = await api.messages("c");
  assert.deepEqual(thread.results, ["one", "two", "three"]);
  assert.deepEqual(thread.runs, { a: 1, b: 2 });
  assert.equal(thread.open_run_id, "b");
});

test("a rating is a post with the page's token", async () => {
  const sent = [];
  const fetcher = async (path, options) => { sent.push([path, options]); return { ok: true, json: async () => ({ rating: "up" }) }; };
  await makeApi("/api/", { csrf: "t", fetcher }).rate("c", "m", "up");
  const [path, { method, headers, body }] = sent[0];
  assert.deepEqual([path, method, headers["X-CSRFToken"], JSON.parse(body)], ["/api/conversations/c/messages/m/feedback", "POST", "t", { rating: "up" }]);
});
