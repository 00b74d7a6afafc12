/** The REST calls of the drawer. Each answers data, or throws an ApiError with the contract's code. */

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message || code);
    Object.assign(this, { status, code });
  }
}

export function makeApi(base, { csrf = "", fetcher = (...args) => fetch(...args) } = {}) {
  async function call(path, options = {}) {
    let response;
    try {
      response = await fetcher(base + path, { ...options, headers: { Accept: "application/json", ...options.headers }, credentials: "same-origin" });
    } catch {
      throw new ApiError(0, "NETWORK", "");
    }
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new ApiError(response.status, body?.error?.code ?? "INTERNAL_ERROR", body?.error?.message);
    return body;
  }
  const get = (path) => call(path);
  const post = (path, data) => call(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-CSRFToken": csrf }, body: JSON.stringify(data),
  });
  return {
    conversations: (limit = 30) => get(`conversations?limit=${limit}`),
    conversation: (id) => get(`conversations/${encodeURIComponent(id)}`),
    messages: (id) => allPages(get, `conversations/${encodeURIComponent(id)}/messages`),
    models: () => get("models"),
    agents: () => get("agents"),
    rate: (id, messageId, rating) => post(`conversations/${encodeURIComponent(id)}/messages/${encodeURIComponent(messageId)}/feedback`, { rating }),
  };
}

/** Messages come oldest first, by pages; a thread needs them all. */
async function allPages(get, path) {
  let page = await get(path);
  const results = [...page.results];
  const runs = { ...page.runs };
  while (page.next) {
    page = await get(`${path}?cursor=${encodeURIComponent(page.next)}`);
    results.push(...page.results);
    Object.assign(runs, page.runs);
  }
  return { ...page, results, runs };
}
