import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IS_LONG, SEED } from '../../../support/chance.ts';
import { SCENARIOS } from '../../../support/frozen/scenarios.ts';
import { judge } from '../../../support/frozen/simulatedYear.ts';

const DOC = join(import.meta.dirname, '../../../../docs/decisions/frozen.md');
/** A year takes half a second: in `npm test` some of them are lived through, in `npm run test:long` all. */
const SHORT = /^(?:gas boiler, all|lists made at midnight, and|summary frozen at|the whole device stands for|battery)/u;
const LIVED = Object.entries(SCENARIOS).filter(([name]) => IS_LONG || SHORT.test(name));

describe('a simulated year', () => {
  it.each(LIVED)('of: %s, is told as docs/decisions/frozen.md counts it', (name, scenario) => {
    const { freezes, told, missed, falseAlarms, slowest, off } = judge(scenario, 1);
    const row = `| ${name} | ${freezes} | ${told} | ${missed} | ${falseAlarms} | ${told > 0 ? slowest : '–'} | ${off.toFixed(1)} |`;
    const doc = readFileSync(DOC, 'utf8');
    if (process.env['UPDATE'] === '1') {
      const lines = doc.split('\n').map((line) => (line.startsWith(`| ${name} |`) ? row : line));
      writeFileSync(DOC, lines.join('\n'));
    } else expect(doc.split('\n')).toContain(row);
  });

  it.each(LIVED.slice(0, IS_LONG ? undefined : 1))(
    'of another: %s, misses nothing, and at most its first day is no freeze',
    (_, scenario) => {
      const { missed, falseAlarms, wrong } = judge(scenario, SEED);
      expect({ missed, falseAlarms: Math.max(1, falseAlarms), wrong }).toEqual({
        missed: 0,
        falseAlarms: 1,
        wrong: falseAlarms === 0 ? [] : [expect.stringMatching(/^false/)],
      });
    },
  );

  it('is in the document for each scenario', () => {
    const doc = readFileSync(DOC, 'utf8');
    expect(Object.keys(SCENARIOS).filter((name) => !doc.includes(`| ${name} |`))).toEqual([]);
  });
});
