// The server puts a draft's name into the address of the page that somebody has just come to. For the browser
// that would be one more page, and Back would need two presses to leave it: it is the same one.

export function renaming(from, to) {
  const same = from.origin === to.origin && from.pathname === to.pathname;
  const nameless = from.search === "" || from.searchParams.has("share"); // its copy takes a link's place
  return same && nameless && /^\?draft=[0-9a-f]{12}$/.test(to.search);
}

if (!history.renames) {
  const push = history.pushState;
  history.renames = true; // once, however many versions of this file are loaded
  history.pushState = function (state, title, url) {
    const here = new URL(location.href);
    const there = new URL(url ?? here, here);
    return (renaming(here, there) ? history.replaceState : push).call(this, state, title, url);
  };
}
