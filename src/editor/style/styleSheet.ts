import { BASE } from './base.ts';
import { COLOURS } from './colours.ts';
import { DRAWING } from './drawing.ts';
import { PANEL } from './panel.ts';

let sheet: CSSStyleSheet | undefined;

/** The style of the editor, one for all elements of the page. It is no text in the page, so the page's rules for styles allow it. */
export const styleSheet = (): CSSStyleSheet => {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(COLOURS + BASE + DRAWING + PANEL);
  }
  return sheet;
};
