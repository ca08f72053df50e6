// Tables scroll by themselves where they are too wide; so they must be within reach of the keyboard.
const reach = () => {
  document.querySelectorAll('[data-testid="stMarkdownContainer"] table').forEach((table) => {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  });
  // Streamlit calls a decoration what takes files, and can be pressed
  const places = document.querySelectorAll('[data-testid="stFileUploaderDropzone"][role="presentation"]');
  places.forEach((place) => place.setAttribute("role", "group"));
};
let soon, since;
// measured when all is quiet, or after a second: to ask for a width while charts are drawn lays everything out again
new MutationObserver(() => {
  since ??= Date.now();
  clearTimeout(soon);
  soon = setTimeout(() => {
    since = undefined;
    reach();
  }, Math.max(0, Math.min(400, since + 1000 - Date.now())));
}).observe(document.body, { childList: true, subtree: true });
window.addEventListener("resize", reach);
reach();
