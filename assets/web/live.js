// What one hand moves, and others follow before the server has answered: a place on Noise's sliders, and what was
// computed ahead for each of them. Modules are loaded once, so all parts of a page share this one.
// place: {epsilon, tau, weight: {at, value}}
// ahead: {epsilon, tau, weight: {key, still, step}}: what follows at each place of one slider, step(place), where the
// others stand at `still`: {slider: value}

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

// What was computed ahead for a place; undefined where it was not. `keys`: of what would be right now.
export function known(place, keys) {
  const here = ([slider, found]) =>
    found.key === keys?.[slider] && Object.entries(found.still).every(([other, value]) => place[other].value === value);
  const [slider, found] = Object.entries(live.ahead).find(here) ?? [];
  return found?.step(place[slider].at);
}
