/** Form fields and dialogs. */
export const PANEL = `
.panel-row { padding: 8px 0 14px; }
.panel { display: grid; gap: 16px; padding: 18px 20px; border: 1px solid var(--c-line); border-radius: 14px; background: var(--c-raised);
  box-shadow: 0 6px 20px -10px var(--c-shade); animation: appear .15s ease-out; }
@keyframes appear { from { opacity: 0; transform: translateY(-4px); } }
.fields { display: flex; flex-wrap: wrap; gap: 14px 24px; align-items: flex-start; }
.field label, .field legend, .days legend { display: block; padding: 0 0 4px; font-size: 14px; color: var(--c-muted); }
.stepper { display: inline-flex; border: 1px solid var(--c-control); border-radius: 10px; background: var(--c-surface); }
.stepper button { width: 44px; height: 44px; border: 0; background: transparent; font-size: 22px; line-height: 1; color: var(--c-accent); cursor: pointer; border-radius: 10px; }
.stepper button[aria-disabled='true'] { color: var(--c-muted); }
.stepper select { appearance: none; height: 44px; width: 76px; padding: 0 6px; border: 0; border-left: 1px solid var(--c-line); border-right: 1px solid var(--c-line); background: transparent;
  font-size: 18px; font-weight: 600; text-align: center; text-align-last: center; font-variant-numeric: tabular-nums; cursor: pointer; }
option, optgroup { background: var(--c-surface); color: var(--c-text); }
.choices, .chips { display: flex; flex-wrap: wrap; gap: 8px; }
.field .choices label { display: inline-flex; align-items: center; gap: 8px; min-height: 46px; padding: 0 14px 0 12px; border: 1px solid var(--c-control); border-radius: 10px;
  background: var(--c-surface); color: var(--c-text); font-size: 16px; cursor: pointer; overflow-wrap: anywhere; }
.field .choices label.chosen { border-color: var(--c-accent); box-shadow: inset 0 0 0 1px var(--c-accent); font-weight: 600; }
.field .choices label:focus-within { outline: 3px solid var(--c-accent); outline-offset: 2px; }
.choices input { appearance: none; position: absolute; width: 1px; height: 1px; margin: 0; opacity: 0; }
.below { display: flex; flex-wrap: wrap; gap: 12px 32px; align-items: flex-end; }
.applies { align-self: center; font-weight: 600; min-width: 8em; }
.days { display: flex; flex-wrap: wrap; gap: 12px 32px; }
.chips button { min-width: 48px; padding: 0 10px; }
.panel .actions { border-top: 1px solid var(--c-line); padding-top: 14px; }
.panel .actions .danger { margin-right: auto; order: -1; padding-left: 0; }
.offer { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 10px 14px; border-radius: 10px; background: var(--c-warn-ground); }
.offer p { flex: 1 1 18em; }
.narrow .panel { padding: 14px; gap: 12px; max-height: 62vh; overflow: auto; border-radius: 14px 14px 0 0; box-shadow: 0 -8px 24px -10px var(--c-shade); }
.narrow .fields { display: grid; gap: 8px; }
.narrow .time { display: flex; align-items: center; justify-content: space-between; }
.narrow .time label { font-size: 16px; padding: 0; }
.narrow .time select { width: 110px; }
.narrow .modes legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.narrow .choices { max-height: 168px; overflow-y: auto; }
.narrow .choices label { flex: 1 1 auto; justify-content: center; max-width: 100%; overflow-wrap: anywhere; }
.narrow .panel .actions { padding-top: 8px; }
.narrow .days { padding-bottom: 8px; }
dialog { width: min(620px, calc(100vw - 24px)); max-height: calc(100vh - 32px); padding: 24px; border: 1px solid var(--c-line); border-radius: 16px; background: var(--c-surface);
  color: var(--c-text); overflow: auto; box-shadow: 0 20px 60px -10px var(--c-shade); }
dialog::backdrop { background: rgb(10 15 25 / 45%); }
dialog h2 { font-size: 22px; line-height: 1.25; padding-bottom: 16px; }
dialog h3 { font-size: 16px; padding-bottom: 4px; }
dialog .actions { position: sticky; bottom: -24px; margin: 0 -24px -24px; padding: 14px 24px 20px; background: var(--c-surface); }
dialog .actions .note { flex: 1 1 12em; }
.changes { display: grid; gap: 16px; padding-bottom: 20px; }
.difference { font-variant-numeric: tabular-nums; }
.difference li { display: grid; grid-template-columns: 1.4em 1fr auto; gap: 8px; padding: 5px 10px; border-radius: 6px; }
.difference .sign { font-weight: 700; }
.difference .why { color: var(--c-muted); font-size: 14px; }
.difference .removed .what { text-decoration: line-through; color: var(--c-muted); }
.difference .added { background: var(--c-good-ground); }
.difference .added .what { font-weight: 600; }
.difference .kept { color: var(--c-muted); }
.ends { border-top: 1px solid var(--c-line); padding-top: 16px; }
.ends legend { font-weight: 600; float: left; width: 100%; padding-bottom: 4px; }
.ends label, .list label { display: flex; align-items: center; gap: 10px; min-height: 44px; cursor: pointer; clear: both; }
.ends input[type='radio'], .list input { width: 20px; height: 20px; margin: 0; accent-color: var(--c-accent); flex: none; }
.with { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.with select, .with input:not([type='radio']) { min-height: 44px; padding: 0 10px; border: 1px solid var(--c-control); border-radius: 10px; background: var(--c-surface); max-width: 100%; }
.list { display: grid; }
.list li { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 8px 0; border-bottom: 1px solid var(--c-line); }
.list .what, .list label { flex: 1 1 10em; font-weight: 500; overflow-wrap: anywhere; max-height: 6em; overflow: hidden; }
.list .why { font-size: 14px; }
.list .others { flex-basis: 100%; color: var(--c-muted); overflow-wrap: anywhere; max-height: 9em; overflow: hidden; }
.save-profile { display: grid; gap: 6px; padding-top: 18px; }
.save-profile label { font-weight: 600; }
.save-profile input { flex: 1 1 12em; }
@media (max-width: 520px) {
  dialog { width: 100vw; max-width: 100vw; margin: auto 0 0; border-radius: 16px 16px 0 0; padding: 18px 16px; }
  dialog .actions .note { flex: 1 1 100%; }
  dialog .actions { bottom: -18px; margin: 0 -16px -18px; padding: 10px 16px 14px; }
  dialog h2 { padding-bottom: 10px; }
  .help dl > div { grid-template-columns: 1fr; gap: 0; }
}
@media (forced-colors: active) {
  .entry, .swatch, .piece { --edge: CanvasText; --mark: rgb(128 128 128 / 40%); }
  button[aria-disabled='true'] { color: GrayText; border-color: GrayText; }
  .face, .swatch, .piece { forced-color-adjust: none; background: var(--pattern) 0 0 / var(--pattern-size), Canvas; border-color: CanvasText; color: CanvasText; }
  .lane, .strip .bar { border: 1px solid CanvasText; }
  .entry.open .face { outline: 3px solid Highlight; }
  .handle::before { background: Highlight; border-color: Canvas; forced-color-adjust: none; }
  .now { background: Highlight; forced-color-adjust: none; }
  .strip button.shown, .choices label.chosen { outline: 3px solid Highlight; outline-offset: -3px; }
  .hours { opacity: .4; }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
`;
