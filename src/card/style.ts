/** The style of the card: the editor in the colours and fonts of Home Assistant's theme. */
export const STYLE = `
:host { display: block; }
ha-card { display: block; height: 100%; box-sizing: border-box; }
.content { padding: 0 16px 16px; }
.content.untitled { padding-top: 16px; }
.notes { display: grid; gap: 8px; }
.notes p { margin: 0; padding: 10px 14px; border: 1px solid var(--divider-color); border-radius: var(--ha-border-radius-md, 8px);
  background: var(--primary-background-color); color: var(--primary-text-color); overflow-wrap: anywhere; }
.notes p.problem { border-inline-start: 4px solid var(--error-color, #db4437); }
.notes p.done { border-inline-start: 4px solid var(--success-color, #43a047); }
.notes:not(:empty) + .editor:not([hidden]) { margin-top: 12px; }
heating-week-editor {
  isolation: isolate;
  --heating-editor-font: var(--ha-font-family-body, var(--paper-font-body1_-_font-family, Roboto, sans-serif));
  --heating-editor-surface: var(--card-background-color, #fff);
  --heating-editor-raised: var(--primary-background-color);
  --heating-editor-line: var(--divider-color);
  --heating-editor-text: var(--primary-text-color);
  --heating-editor-muted: var(--secondary-text-color);
  /* Home Assistant's own colour is too pale for small letters. */
  --heating-editor-accent: color-mix(in srgb, var(--primary-color) 70%, var(--primary-text-color));
  --heating-editor-on-accent: var(--card-background-color, #fff);
}
`;
