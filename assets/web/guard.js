// A page that has died comes back: where all of it is gone, where it lies behind an error that only a reload ends, or
// where it has lost a server that answers.

const EACH = 1000; // milliseconds between two looks
const WORD = 4000; // without a connection, until that is said
const LOST = 15_000; // and until the page is loaded again
const REST = 20_000; // between two reloads, if the first has not helped
const MARK = "epsilon-studio-came-back";
const DEAD = /^\s*(Connection error|Bad message format)/; // Streamlit's own words
const HEALTH = new URL("../../_stcore/health", import.meta.url);
const NOTE = "es-came-back";

let [looked, connected] = [0, 0];

function dead() {
  const root = document.getElementById("root");
  const dialog = document.querySelector('[data-testid="stDialog"]');
  return (root && !root.firstElementChild) || (dialog && DEAD.test(dialog.innerText));
}

function word(text) {
  let note = document.querySelector(`.${NOTE}`);
  const stood = Boolean(note);
  if (!note) {
    note = Object.assign(document.createElement("p"), { className: NOTE });
    note.setAttribute("role", "status");
    document.body.append(note);
  }
  note.textContent = text;
  return stood;
}

async function look() {
  const now = performance.now();
  const state = document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState;
  if (state === "CONNECTED" || now - looked > 3 * EACH) connected = now; // it may have slept
  looked = now;
  const gone = state ? now - connected : 0;
  if (!dead() && gone < WORD) {
    document.querySelector(`.${NOTE}`)?.remove();
    return;
  }
  const stood = word(
    "This page was lost. It comes back as soon as the server answers; nothing of yours is gone.",
  );
  if (!stood) return; // until the next look, so that it can be read
  if (!dead() && gone < LOST) return;
  if (Date.now() - Number(sessionStorage.getItem(MARK) ?? 0) < REST) return;
  const answers = await fetch(HEALTH, { cache: "no-store" }).then(({ ok }) => ok, () => false);
  if (!answers) return;
  sessionStorage.setItem(MARK, Date.now());
  location.reload();
}

if (!document.guarded) {
  document.guarded = true; // once, however many versions of this file are loaded
  setInterval(() => look().catch(() => {}), EACH); // storage may be closed to us
}
