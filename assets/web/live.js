// What one hand moves, and others follow before the server has answered: a place on Noise's sliders, and what was
// computed ahead for each of them. Modules are loaded once, so all parts of a page share this one.
// place: {epsilon: {at, value, words}, weight: {at, value, words}}

export const live = { place: null, ahead: null };
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
