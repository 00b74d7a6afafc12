/** Words, numbers and dates in the reader's language. The words come translated from the page. */

const ADVICE = {
  PROVIDER_CREDENTIAL_MISSING: "advice_other_model_or_admin",
  PROVIDER_AUTH_FAILED: "advice_other_model_or_admin",
  PROVIDER_RATE_LIMITED: "advice_wait_or_other_model",
  PROVIDER_QUOTA_EXCEEDED: "advice_other_model_or_admin",
  PROVIDER_TIMEOUT: "advice_again_or_other_model",
  PROVIDER_UNAVAILABLE: "advice_again_or_other_model",
  PROVIDER_BAD_RESPONSE: "advice_again_or_other_model",
  PROVIDER_BAD_REQUEST: "advice_other_model_or_admin",
  PROVIDER_URL_FORBIDDEN: "advice_other_model_or_admin",
  MODEL_NOT_FOUND: "advice_other_model_or_admin",
  CONTEXT_LENGTH_EXCEEDED: "advice_new_conversation",
  CONTENT_FILTERED: "advice_rephrase",
  OUTPUT_TRUNCATED: "advice_smaller_steps",
  CAPABILITY_MISSING: "advice_other_model",
  RUN_TIMEOUT: "advice_smaller_steps",
  RUN_TOKEN_BUDGET_EXCEEDED: "advice_smaller_steps",
  AGENT_PROCESS_RESTARTED: "advice_again",
  CONVERSATION_BUSY: "advice_wait_or_stop",
  INTERNAL_ERROR: "advice_again_or_admin",
  BUDGET_EXCEEDED: "advice_admin",
  RATE_LIMITED: "advice_wait",
  TOO_MANY_RUNS: "advice_wait",
  GUARDRAIL_BLOCKED: "advice_rephrase",
  AUDIT_UNAVAILABLE: "advice_again_or_admin",
  PAYLOAD_TOO_LARGE: "advice_shorten",
  VALIDATION_ERROR: "advice_check",
  NOT_FOUND: "advice_new_conversation",
  FORBIDDEN: "advice_admin",
  NOT_AUTHENTICATED: "advice_log_in",
};

/** Where the server's own words already say what to do: what is left to say, and nothing twice. */
const ADVISED = {
  CONVERSATION_BUSY: "",
  RATE_LIMITED: "",
  TOO_MANY_RUNS: "",
  NOT_AUTHENTICATED: "",
  PROVIDER_RATE_LIMITED: "",
  PROVIDER_AUTH_FAILED: "advice_other_model",
  PROVIDER_CREDENTIAL_MISSING: "advice_other_model",
};

/** Errors of a model or its provider: another route may do better. */
export const isProviderError = (code) => code.startsWith("PROVIDER_")
  || ["MODEL_NOT_FOUND", "CONTEXT_LENGTH_EXCEEDED", "CONTENT_FILTERED", "OUTPUT_TRUNCATED", "CAPABILITY_MISSING"].includes(code);

/** Errors after which the same words may well succeed, perhaps with another model. */
export const canRetry = (code) => !["BUDGET_EXCEEDED", "FORBIDDEN", "NOT_AUTHENTICATED", "PAYLOAD_TOO_LARGE", "VALIDATION_ERROR"].includes(code);
export const wantsOtherModel = (code) => (ADVICE[code] ?? "").includes("other_model");

export function makeTexts(table, locale) {
  const has = (key) => Object.hasOwn(table, key);
  const t = (key, params = {}) => (table[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => params[name] ?? all);
  const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const full = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" });
  const whole = new Intl.NumberFormat(locale);
  const date = (iso) => new Date(iso ?? Date.now());
  const isToday = (when) => when.toDateString() === new Date().toDateString();
  return {
    t,
    has,
    /** Sentences in a row: after a full stop that is as wide as a word comes no space. */
    sentences: (list) => list.filter(Boolean).join(" ").replace(/([。！？]) /g, "$1"),
    /** {title, advice}: what happened, in the server's words when it gave some, and what to do now. */
    error({ code, message }) {
      const title = message || (has(`error_${code}`) ? t(`error_${code}`) : t("error_INTERNAL_ERROR"));
      const key = (message ? ADVISED[code] : undefined) ?? ADVICE[code];
      return { title, advice: key ? t(key) : "" };
    },
    time: (iso) => (isToday(date(iso)) ? clock.format(date(iso)) : `${day.format(date(iso))} ${clock.format(date(iso))}`),
    fullTime: (iso) => full.format(date(iso)),
    shortDate: (iso) => (isToday(date(iso)) ? clock.format(date(iso)) : day.format(date(iso))),
    number: (value) => whole.format(value),
    duration: (ms) => (ms < 1000
      ? t("milliseconds", { n: whole.format(Math.round(ms)) })
      : t("seconds", { n: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms / 1000) })),
    money: (cost, currency) => money(cost, currency, locale),
  };
}

/** A decimal string as money, exact to its last digit that counts: a turn costs parts of a cent. */
function money(cost, currency, locale) {
  const small = Number(cost) > 0 && Number(cost) < 0.01;
  const digits = small ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 4 };
  return new Intl.NumberFormat(locale, { style: "currency", currency: currency || "USD", currencyDisplay: "narrowSymbol", ...digits }).format(cost);
}
