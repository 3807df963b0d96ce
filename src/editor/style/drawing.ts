/** The grid: hours, lanes, entries, handles. */
export const DRAWING = `
.grid { -webkit-user-select: none; user-select: none; position: relative; --head: 124px; --side: 92px; --gap: 14px; }
.axis { position: relative; height: 38px; margin: 0 calc(var(--side) + var(--gap)) 0 calc(var(--head) + var(--gap)); }
.scale { position: relative; height: 100%; font-size: 13px; color: var(--c-muted); font-variant-numeric: tabular-nums; }
.scale > span { position: absolute; transform: translateX(-50%); }
.row { display: grid; grid-template-columns: var(--head) 1fr var(--side); gap: 0 var(--gap); align-items: stretch; padding: 5px 0; }
.head button, .add button { width: 100%; height: 100%; min-height: 56px; border: 1px solid transparent; border-radius: 10px; background: transparent; cursor: pointer;
  display: flex; flex-direction: column; justify-content: center; gap: 1px; }
.head button, .add button, .strip button { position: relative; }
.head { margin-left: -9px; }
.head button { align-items: flex-start; text-align: left; padding: 0 8px; }
.head .name { font-weight: 600; font-size: 17px; display: flex; align-items: center; gap: 8px; line-height: 1.25; }
.head .dot { width: 8px; height: 8px; border-radius: 50%; background: var(--c-accent); flex: none; }
.head .hint { color: var(--c-accent); font-size: 13px; }
.head button:hover .hint { text-decoration: underline; }
.readonly .row { grid-template-columns: var(--head) 1fr; padding-right: 18px; }
.readonly .axis { margin-right: 18px; }
.add { display: grid; align-items: center; }
.add button { align-items: center; height: 56px; border: 1px dashed var(--c-control); color: var(--c-accent); font-weight: 600; padding: 0 4px; }
.add button[aria-disabled='true'] { color: var(--c-muted); border-style: solid; border-color: var(--c-line); font-weight: 500; }
.add .count { font-size: 12px; font-weight: 400; color: var(--c-muted); }
.lane { position: relative; height: calc(56px + (var(--lanes, 1) - 1) * 44px); border-radius: 10px; background: var(--c-ground); cursor: copy; }
.readonly .lane { cursor: default; }
.hours { position: absolute; inset: 0; border-radius: 10px; pointer-events: none; opacity: .9;
  clip-path: inset(0 0 0 2px);
  background: repeating-linear-gradient(to right, var(--c-strong) 0 1px, transparent 1px 25%), repeating-linear-gradient(to right, var(--c-line) 0 1px, transparent 1px calc(100% / 24)); }
.empty { position: absolute; inset: 0; display: grid; place-items: center; color: var(--c-muted); font-size: 14px; pointer-events: none; }
.entry { position: absolute; container-type: size; padding: 3px 1px; z-index: 1; }
.face { position: relative; display: flex; flex-direction: column; justify-content: center; width: 100%; height: 100%; min-height: 0; padding: 0 9px; overflow: hidden; text-align: left;
  border: 1.5px solid var(--edge); border-radius: 8px; background: var(--pattern) 0 0 / var(--pattern-size), var(--fill); color: var(--ink); cursor: pointer;
  touch-action: auto; }
.face > span { max-width: 100%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; line-height: 1.25; border-radius: 3px; }
.face .mode { order: -1; font-weight: 600; font-size: 15px; }
.face .times { font-size: 13px; font-variant-numeric: tabular-nums; }
.entry:is(:hover, :focus-within) { z-index: 2; }
@container (max-width: 130px) { .face { padding: 0 5px; } }
@container (max-width: 92px) { .face { padding: 0 3px; } .face .mode { font-size: 12px; text-overflow: clip; } }
/* Upright there is room for a word. */
@container (max-width: 58px) and (min-height: 43px) { .face { padding: 0; align-items: center; } .face .mode { font-size: 11px; letter-spacing: -.03em; writing-mode: vertical-rl; max-height: 100%; } }
@container (max-width: 18px) { .face .mode { font-size: 0; } }
@container (max-height: 42px) { .face { flex-direction: row; align-items: center; justify-content: flex-start; gap: 8px; } }
@container (max-width: 92px) or ((max-height: 42px) and (max-width: 170px)) { .times { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .face::after { content: attr(data-short); font-size: 12px; line-height: 1.2; } .entry:not(.open):has(.face:is(:hover, :focus-visible))::after { content: attr(data-times); left: 50%; transform: translateX(-50%); } }
@container (max-width: 58px) { .face::after { content: none; } }
.entry.odd { min-width: 44px; min-height: 44px; z-index: 2; }
.entry.odd .face { border-style: dashed; }
.entry.goes-on .face { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right-style: dashed; }
.entry.comes-from .face { border-top-left-radius: 0; border-bottom-left-radius: 0; border-left-style: dashed; }
.entry.covered .face { border-style: dashed; }
.entry.wrong .face { outline: 3px solid var(--c-bad); outline-offset: -1px; }
.wide:not(.readonly) .face { cursor: ew-resize; }
.entry.open { z-index: 4; }
.entry.open .face { box-shadow: 0 0 0 3px var(--c-surface), 0 0 0 5px var(--c-accent); cursor: grab; touch-action: pan-y; }
.wide .entry.open .face { padding: 0 13px; }
.entry.open .face:focus-visible { outline-offset: 6px; }
.entry.dragged .face { cursor: grabbing; }
.entry.ghost { pointer-events: none; opacity: .85; z-index: 3; }
.handle { position: absolute; display: block; width: 44px; height: 100%; min-height: 44px; top: 0; z-index: 5; cursor: ew-resize; touch-action: none; border-radius: 10px; }
.handle.start { left: -30px; }
.handle.end { right: -30px; }
.handle::before { content: ''; position: absolute; top: 50%; width: 16px; height: 28px; margin-top: -14px; border-radius: 8px; background: var(--c-surface);
  border: 3px solid var(--c-accent); }
.handle.start::before { left: 23px; }
.handle.end::before { right: 23px; }
.bubble, .entry::after { position: absolute; bottom: calc(100% + 10px); padding: 4px 10px; border-radius: 8px; background: var(--c-text); color: var(--c-surface); font-weight: 600;
  font-variant-numeric: tabular-nums; white-space: nowrap; pointer-events: none; z-index: 9; left: 50%; transform: translateX(-50%); }
.bubble.start { left: 0; }
.bubble.end { left: auto; right: 0; transform: translateX(50%); }
.now { position: absolute; top: -4px; bottom: -4px; width: 2px; margin-left: -1px; background: var(--c-now); z-index: 3; pointer-events: none; }
.now span { position: absolute; bottom: calc(100% - 2px); left: 0; transform: translateX(-50%); padding: 0 5px; border-radius: 4px; background: var(--c-surface); color: var(--c-now);
  font-size: 12px; font-weight: 600; line-height: 1.3; white-space: nowrap; }
.scale > .now-label { bottom: 0; color: var(--c-now); font-weight: 600; font-size: 12px; white-space: nowrap; }
.strip { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); gap: 0; padding-bottom: 8px; }
.strip button { display: flex; flex-direction: column; align-items: center; gap: 4px; min-width: 0; padding: 6px 0 8px; border: 0; border-bottom: 3px solid transparent;
  border-radius: 8px 8px 0 0; background: transparent; cursor: pointer; }
.strip button.shown { background: var(--c-raised); border-bottom-color: var(--c-accent); font-weight: 600; }
.strip .name { font-size: 14px; }
.strip .bar { position: relative; display: block; width: 20px; height: 84px; border-radius: 5px; background: var(--c-ground); border: 1px solid var(--c-line); overflow: hidden; }
.piece { position: absolute; border: 1px solid var(--edge); border-radius: 3px; background: var(--pattern) 0 0 / var(--pattern-size), var(--fill); }
.narrow .grid { --head: 1fr; }
.narrow .hours { clip-path: inset(2px 0 0 0); }
.face { scroll-margin: 120px 0 90px; }
.narrow .face { scroll-margin-bottom: 400px; }
.narrow .axis { position: absolute; left: -52px; top: 0; width: 48px; height: 100%; margin: 0; pointer-events: none; }
.narrow .scale > span { left: 0; transform: translateY(-50%); }
.narrow .row { grid-template-columns: 1fr 112px; gap: 18px 8px; padding: 0 0 18px; grid-template-areas: 'head add' 'lane lane'; }
.narrow .head { grid-area: head; }
.narrow .add { grid-area: add; }
.narrow .head button, .narrow .add button { min-height: 58px; }
.narrow.readonly .row { grid-template-areas: 'head head' 'lane lane'; }
.narrow .lane { grid-area: lane; height: 960px; margin-left: 52px; }
/* Between two hours: the line of noon would go through the text. */
.narrow .empty { padding-top: 40px; }
.narrow .hours { background: repeating-linear-gradient(var(--c-strong) 0 1px, transparent 1px 25%), repeating-linear-gradient(var(--c-line) 0 1px, transparent 1px calc(100% / 24)); }
.narrow .entry { padding: 1px 3px; }
.narrow .face { justify-content: flex-start; padding: 6px 10px; }
.narrow .face .times { white-space: normal; }
.narrow .entry.open .face { touch-action: auto; }
.narrow .entry.goes-on .face { border-radius: 8px 8px 0 0; border-right-style: solid; border-bottom-style: dashed; }
.narrow .entry.comes-from .face { border-radius: 0 0 8px 8px; border-left-style: solid; border-top-style: dashed; }
.narrow .handle { width: 100%; height: 44px; left: 0; right: auto; cursor: ns-resize; }
.narrow .handle.start { top: -30px; }
.narrow .handle.end { top: auto; bottom: -30px; }
.narrow .handle::before { left: 50%; right: auto; top: auto; width: 36px; height: 16px; margin: 0 0 0 -18px; }
.narrow .handle.start::before { top: 23px; }
.narrow .handle.end::before { bottom: 23px; }
.grip { position: absolute; right: 6px; top: 50%; width: 44px; height: 44px; margin-top: -22px; touch-action: none; cursor: grab; z-index: 5; border-radius: 10px; }
.grip::before { content: ''; position: absolute; inset: 12px 14px; background: repeating-linear-gradient(to bottom, var(--ink) 0 3px, transparent 3px 8px); }
.narrow .bubble.start { left: 50%; transform: translateX(-50%); bottom: calc(100% + 36px); }
.narrow .bubble.end { left: 50%; right: auto; transform: translateX(-50%); bottom: 60px; }
.narrow .now { left: -6px; right: 0; top: auto; bottom: auto; width: auto; height: 2px; margin: -1px 0 0; }
.narrow .now span { left: auto; right: 0; bottom: 3px; transform: none; }
.narrow .toolbar { padding-bottom: 8px; gap: 0; }
.narrow .toolbar > button { margin: 0; padding: 0 8px; }
`;
