import { expect, test } from 'vitest';
import type { Absence } from '../../../../src/bridge/ports.ts';
import { countMissing } from '../../../../src/bridge/state/absence.ts';
import { msOf, storiesIn, tellBy } from '../../../support/story.ts';

const START = Date.parse('2026-11-21T06:00:00Z');
const HOUR_MS = 3_600_000;

/** A story of the reads of one device: after how long, what they lack, and what is gone with them. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  let [now, goneAfterH] = [0, 24];
  const absences = new Map<string, Absence>();
  await tellBy(
    {
      hours: ([count]) => {
        goneAfterH = Number(count);
      },
      // `25h a b > b`: at 25 h a and b are missing, and b is gone.
      at: ([span = '', ...rest]) => {
        now = msOf(span);
        const arrow = rest.indexOf('>');
        const missing = new Set(arrow < 0 ? rest : rest.slice(0, arrow));
        expect(countMissing(absences, missing, START + now, goneAfterH * HOUR_MS)).toEqual(arrow < 0 ? [] : rest.slice(arrow + 1));
      },
      // Another run, whose clock begins anew; what was kept lies so many hours back.
      restart: ([span = '']) => {
        for (const [name, { since_ms, reads }] of absences) absences.set(name, { since_ms: since_ms - now - msOf(span), reads });
        now = 0;
      },
      kept: (rest) => expect([...absences].map(([name, { reads }]) => `${name}:${reads}`)).toEqual(rest),
    },
    parts,
  );
};

test.each(
  storiesIn(`
    after three complete reads in a row over at least 24 h :: at 0h a; at 12h a; at 86399999ms a; at 24h a > a; at 25h
    not after two reads, however far apart :: at 0h a; at 100h a; at 101h a > a
    and the count begins anew when it shows itself between
      at 0h a b; at 20h a b; at 21h b; at 24h a b > b; at 25h a; at 48h a > a
    at the third read where no time is asked for :: hours 0; at 0ms a; at 1ms a; at 2ms a > a
    also where each of the reads was made by another run
      at 0h a b; kept a:1 b:1; restart 12h; at 0h a; restart 11h; at 0h a; kept a:3; restart 1h; at 0h a b > a
    and a clock that was wrong only makes it later :: at 0h a; at 1h a; at 2h a; restart -1000h; at 0h a; at 24h a > a
  `),
)('a feature that is no longer listed is gone %s', (_, ...story) => tellStory(...story));
