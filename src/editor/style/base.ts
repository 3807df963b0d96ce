/** Controls and everything around the drawing. */
export const BASE = `
:host { display: block; color: var(--c-text); font: 400 16px/1.45 var(--heating-editor-font, system-ui, sans-serif); -webkit-text-size-adjust: 100%; }
:host([hidden]), :host([data-profiles]) .save-profile, :host([data-profiles=none]) .space + button { display: none; }
*, *::before, *::after { box-sizing: border-box; }
.editor { background: var(--c-surface); min-width: 0; }
p, h2, h3, ul, dl, dd, fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
ul { list-style: none; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
button, select, input, textarea { font: inherit; color: inherit; }
button { -webkit-tap-highlight-color: transparent; touch-action: manipulation; }
:focus-visible { outline: 3px solid var(--c-accent); outline-offset: 2px; }
.toolbar button, .actions button, .chips button, .offer button, .save-bar > button, .list button, .with > button, .text > button, .fix {
  min-height: 44px; padding: 0 16px; border: 1px solid var(--c-control); border-radius: 10px; background: var(--c-surface); cursor: pointer;
  font-weight: 500; white-space: nowrap; }
button:hover:not([aria-disabled='true']) { border-color: var(--c-accent); }
button[aria-disabled='true'] { cursor: not-allowed; color: var(--c-muted); border-color: var(--c-line); background: transparent; }
button.primary { background: var(--c-accent); border-color: var(--c-accent); color: var(--c-on-accent); }
button.primary.quiet { background: var(--c-surface); color: var(--c-accent); }
button.primary[aria-disabled='true'] { background: var(--c-raised); color: var(--c-muted); border-color: var(--c-line); }
button.danger { color: var(--c-bad); border-color: transparent; background: transparent; }
button.danger:hover { border-color: var(--c-bad); }
button.link { border: 0; background: none; color: var(--c-accent); text-decoration: underline; min-height: 44px; padding: 0 8px; cursor: pointer; }
.toolbar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding-bottom: 16px; }
.toolbar button { display: inline-flex; align-items: center; gap: 8px; border-color: transparent; padding: 0 12px; background: transparent; }
.toolbar > button:first-child { margin-left: -12px; }
.toolbar > button:last-child { margin-right: -12px; }
.toolbar .space { flex: 1; }
.banner { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; justify-content: space-between; margin-bottom: 16px; padding: 12px 16px;
  border-radius: 12px; background: var(--c-warn-ground); border: 1px solid var(--c-control); }
.banner p { flex: 1 1 20em; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; justify-content: flex-end; }
.issues { display: grid; gap: 8px; }
.issues li { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 12px; border-radius: 10px; background: var(--c-bad-ground);
  border-left: 4px solid var(--c-bad); overflow-wrap: anywhere; }
.issues li > span { flex: 1 1 14em; }
.bad { color: var(--c-bad); }
.good { color: var(--c-good); }
/* Words from outside do not turn what stands beside them. */
.mode, .what, .choices label, .legend > span, .list label, .why { unicode-bidi: isolate; }
.note { color: var(--c-muted); font-size: 14px; }
.legend { display: flex; flex-wrap: wrap; gap: 8px 20px; padding: 14px 0 4px; color: var(--c-muted); font-size: 14px; }
/* Names of any length wrap. */
.legend > span, .field .choices label { max-width: 100%; min-width: 0; overflow-wrap: anywhere; }
.legend > span { display: inline-flex; align-items: center; gap: 8px; }
.swatch { display: inline-block; flex: none; width: 22px; height: 16px; border-radius: 5px; border: 1px solid var(--edge, var(--c-control));
  background: var(--pattern, none) 0 0 / var(--pattern-size, auto), var(--fill, var(--c-ground)); }
.more { display: flex; flex-wrap: wrap; gap: 0 24px; padding: 8px 0; }
.more details[open] { flex-basis: 100%; }
summary { display: inline-flex; align-items: center; min-height: 44px; padding: 0 8px 0 0; color: var(--c-accent); font-weight: 500; cursor: pointer;
  list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: '▸'; display: inline-block; width: 1.2em; }
details[open] > summary::before { content: '▾'; }
.text p { color: var(--c-muted); font-size: 14px; padding-bottom: 8px; }
textarea { display: block; width: 100%; padding: 12px; border: 1px solid var(--c-control); border-radius: 10px; background: var(--c-surface);
  font: 16px/1.6 ui-monospace, monospace; resize: vertical; }
textarea[aria-invalid='true'] { border-color: var(--c-bad); }
.text .issues, .text > button { margin-top: 8px; }
.text .issues { scroll-margin-bottom: calc(var(--heating-editor-bottom, 0px) + 110px); }
.help dl { display: grid; gap: 6px; padding: 4px 0 12px; font-size: 15px; }
.help dl > div { display: grid; grid-template-columns: minmax(8em, 16em) 1fr; gap: 16px; }
.help dt { font-weight: 600; }
.help dd { color: var(--c-muted); }
.dock { position: sticky; bottom: var(--heating-editor-bottom, 0px); z-index: 5; background: var(--c-surface); }
.save-bar { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; justify-content: flex-end; padding: 12px 0; border-top: 1px solid var(--c-line); }
.save-bar .state { flex: 1 1 5em; display: flex; flex-wrap: wrap; align-items: center; gap: 0 12px; min-height: 44px; }
.save-bar .answer { font-weight: 500; }
.narrow .save-bar .state:nth-last-child(3) { flex-basis: 100%; min-height: 0; }
.save-bar .link { padding: 0 0 0 8px; text-align: start; }
.busy::before { content: ''; display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: 50%; border: 2px solid var(--c-accent);
  border-right-color: transparent; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
`;
