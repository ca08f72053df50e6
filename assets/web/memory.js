// What every page does in the browser beside what it draws: who is here, which drafts are theirs, tables
// within reach of the keyboard.
// data: {keep: {id, name, prepared}, token} on every page with a draft, {token} where a teacher comes in; {show: true}
// on the start page; {say}: what has changed, told to who does not see it.

import { keep, show } from "./drafts.js";
import { announce } from "./announce.js";
import "./guard.js";
import "./no_back_step.js";
import "./menu.js";
import "./tables.js";
import "./typed.js";
import { introduce } from "./visitor.js";

export function render(component) {
  const { data, parentElement } = component;
  if (data.token) introduce(component, data.token);
  if (data.say) announce(data.say);
  if (data.keep) keep(data.keep);
  if (data.show) show(parentElement, new URL("../..", import.meta.url).pathname.replace(/\/$/, ""));
}
