// What names this browser to the server: a cookie that it sends with every connection.

const COOKIE = "epsilon_visitor";
const cookie = () => document.cookie.match(/(?:^|; )epsilon_visitor=([0-9a-f]{32})/)?.[1];

let told;

// A random token that names this browser to the server and nobody else. On the first visit it is the one
// that the session has already, so that what was launched until now stays this browser's own.
export function introduce(component, proposed) {
  const token = cookie() ?? proposed;
  document.cookie = `${COOKIE}=${token}; path=/; max-age=31536000; samesite=lax`;
  if (token !== proposed && token !== told) {
    told = token; // another tab was first; later connections send the cookie themselves
    component.setStateValue("token", token);
  }
}
