// What names this browser to the server: a cookie that it sends with every connection.

const COOKIE = "epsilon_visitor";
const cookie = () => document.cookie.match(/(?:^|; )epsilon_visitor=([0-9a-f]{32})/)?.[1];

let told;

// A random token that names this browser to the server and nobody else. On the first visit it is the one
// that the session has already, so that what was launched until now stays this browser's own.
export function introduce(component, proposed) {
  const token = cookie() ?? proposed;
  const written = `${COOKIE}=${token}; path=/; max-age=31536000;`;
  document.cookie = `${written} samesite=lax`;
  // in a page of another site only a cookie that is kept for that site is kept at all
  if (!cookie()) document.cookie = `${written} samesite=none; secure; partitioned`;
  if (token !== proposed && token !== told) {
    told = token; // another tab was first; later connections send the cookie themselves
    component.setStateValue("token", token);
  }
}
