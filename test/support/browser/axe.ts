import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Checks the accessibility of a page; it is put in beside the page's own scripts, whose rules would not let it in. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on a page that has it; an empty list is good. */
export const axeOn = async (page: Page, where = 'document'): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`axe.run(${where}, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`);
