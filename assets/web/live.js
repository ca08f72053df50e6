// What one hand moves, and others follow before the server has answered: a place on Noise's sliders, and what was
// computed ahead for each of them. Modules are loaded once, so all parts of a page share this one.
// place: {epsilon, tau, weight: {at, value, words, own}}; `own`: where each design has what its client asks for
// ahead: {epsilon, tau: {key, across, step}}: what follows at each place of one slider, step(place), where the other
// stands at `across`

export const live = { place: null, ahead: {} };
const followers = new Set();

// Have a node follow places until it leaves the page; each of its renders renews what it does.
export function following(node, follow) {
  node.follow = follow;
  followers.add(node);
  if (live.place) follow(live.place);
}

export function move(place) {
  live.place = place;
  followers.forEach((node) => {
    if (node.isConnected) node.follow?.(place);
    else followers.delete(node);
  });
}

const ACROSS = { epsilon: "tau", tau: "epsilon" };

// What was computed ahead for a place; undefined where it was not. `keys`: of what would be right now.
export function known(place, keys) {
  for (const [slider, across] of Object.entries(ACROSS)) {
    const found = live.ahead[slider];
    if (found && found.key === keys?.[slider] && found.across === place[across].at) return found.step(place[slider].at);
  }
  return undefined;
}
