// What changes on a page without a press is said aloud, and the keyboard stays: where what had the focus is taken
// away, the page's title gets it.

const PATIENCE = 5000; // milliseconds until what is gone has left the page
let told;
let last; // what had the focus, though it may be gone by now
document.addEventListener("focusin", ({ target }) => (last = target));

export function announce(words) {
  if (words === told) return;
  told = words;
  let region = document.querySelector(".es-told");
  if (!region) {
    region = Object.assign(document.createElement("p"), { className: "es-told" });
    region.setAttribute("role", "status");
    document.body.append(region);
  }
  setTimeout(() => (region.textContent = told), 100); // a region that is born with its words is not read
  const held = document.activeElement === document.body ? last : document.activeElement;
  if (held) keep(held, performance.now() + PATIENCE);
}

function keep(held, until) {
  if (performance.now() > until || (document.activeElement !== document.body && document.activeElement !== held)) return;
  const title = document.querySelector('[data-testid="stMain"] h1');
  if (held.isConnected || !title) {
    setTimeout(keep, 200, held, until);
    return;
  }
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}
