/** Routes of a run: which are left after one failed, and what a change of route means in words. Pure. */

/** route: {providerId, model}, of {provider_id, model} as the server writes it. */
export const routeOf = ({ provider_id: providerId, model }) => ({ providerId, model });

export const isSameRoute = (one, other) => one?.providerId === other?.providerId && one?.model === other?.model;

/** Those that come after the run's newest route, the next one first. */
export const routesLeft = ({ routes, route }) => routes.slice(routes.findIndex((each) => isSameRoute(each, route)) + 1);

/**
 * `parts` with the data of a RouteChanged as a notice at a place, the end unless it is named. Changes in a row are
 * one notice: who was asked in between and did not answer is no more than a cause.
 */
export function withChange(parts, data, key, at = parts.length) {
  const change = changeOf(data);
  if (!change.causes.length && isTold(parts, change)) return parts;
  const before = parts[at - 1]?.notice === "route" ? parts[at - 1] : null;
  const notice = before ? { ...change, causes: [...before.causes, ...change.causes], isAnew: before.isAnew || change.isAnew } : change;
  return [...parts.slice(0, before ? at - 1 : at), { key: before?.key ?? key, ...notice }, ...parts.slice(at)];
}

/** The same route with less has no cause but itself. */
function changeOf({ from, to, reason, discard = null, omitted = [] }) {
  const [failed, next, isAnew] = [routeOf(from), routeOf(to), discard !== null];
  const causes = isAnew || !isSameRoute(failed, next) ? [{ route: failed, reason }] : [];
  return { type: "notice", notice: "route", to: next, causes, isAnew, omitted };
}

/** With each call of a model the server says again what it goes without. */
const isTold = (parts, { to, omitted }) => parts.some(
  (part) => part.notice === "route" && isSameRoute(part.to, to) && String(part.omitted) === String(omitted),
);

/** The notice as sentences: what failed, who goes on, and what that one cannot do. */
export function changeText({ to, causes, isAnew, omitted }, texts, offers) {
  const less = omitted.map((what) => texts.t(`route_without_${what}`));
  if (causes.length === 0) return texts.sentences(less);
  const isSame = causes.every(({ route }) => isSameRoute(route, to));
  const goesOn = isSame ? "route_anew" : isAnew ? "route_next_anew" : "route_next";
  const failed = new Set(causes.flatMap((cause) => causeTexts(cause, texts, offers)));
  return texts.sentences([...failed, texts.t(goesOn, { model: offers.nameOf(to) }), ...less]);
}

function causeTexts({ route, reason }, texts, offers) {
  const lacking = reason === "CAPABILITY_MISSING" ? offers.lacks(route).map((what) => `route_lacks_${what}`) : [];
  const known = texts.has(`route_${reason}`) ? `route_${reason}` : "route_other";
  return (lacking.length ? lacking : [known]).map((key) => texts.t(key, { model: offers.nameOf(route) }));
}
