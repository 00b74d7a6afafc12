/** The REST calls of the drawer. Each answers data, or throws an ApiError with the contract's code. */

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message || code);
    Object.assign(this, { status, code });
  }
}

export function makeApi(base, fetcher = (...args) => fetch(...args)) {
  async function get(path) {
    let response;
    try {
      response = await fetcher(base + path, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    } catch {
      throw new ApiError(0, "NETWORK", "");
    }
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new ApiError(response.status, body?.error?.code ?? "INTERNAL_ERROR", body?.error?.message);
    return body;
  }
  return {
    conversations: (limit = 30) => get(`conversations?limit=${limit}`),
    conversation: (id) => get(`conversations/${encodeURIComponent(id)}`),
    messages: (id) => allPages(get, `conversations/${encodeURIComponent(id)}/messages`),
    models: () => get("models"),
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
