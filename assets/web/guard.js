// A page that has died comes back: where all of it is gone, or it lies behind an error that only a reload ends.

const EACH = 1000; // milliseconds between two looks
const REST = 20_000; // and between two reloads, if the first has not helped
const MARK = "epsilon-studio-came-back";
const DEAD = /^\s*(Connection error|Bad message format)/; // Streamlit's own words
const HEALTH = new URL("../../_stcore/health", import.meta.url);

function dead() {
  const root = document.getElementById("root");
  const dialog = document.querySelector('[data-testid="stDialog"]');
  return (root && !root.firstElementChild) || (dialog && DEAD.test(dialog.innerText));
}

function word(text) {
  let note = document.querySelector(".es-came-back");
  if (!note) {
    note = Object.assign(document.createElement("p"), { className: "es-came-back" });
    note.setAttribute("role", "status");
    document.body.append(note);
  }
  note.textContent = text;
}

async function look() {
  const since = Date.now() - Number(sessionStorage.getItem(MARK) ?? 0);
  if (!dead() || since < REST) return;
  word("This page was lost. It comes back as soon as the server answers; nothing of yours is gone.");
  const answers = await fetch(HEALTH, { cache: "no-store" }).then(({ ok }) => ok, () => false);
  if (!answers || !dead()) return;
  sessionStorage.setItem(MARK, Date.now());
  location.reload();
}

if (!document.guarded) {
  document.guarded = true; // once, however many versions of this file are loaded
  setInterval(() => look().catch(() => {}), EACH); // storage may be closed to us
}
