import { BASE } from './base.ts';
import { COLOURS } from './colours.ts';
import { DRAWING } from './drawing.ts';
import { PANEL } from './panel.ts';

let sheet: CSSStyleSheet | undefined;

/** The editor's style sheet, shared by all elements. Not inline text, so the page's CSP allows it. */
export const styleSheet = (): CSSStyleSheet => {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(COLOURS + BASE + DRAWING + PANEL);
  }
  return sheet;
};
