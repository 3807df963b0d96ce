import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Values } from '../../../../src/cli/command.ts';
import { beginsWeek, readScheduleRequest, splitWords } from '../../../../src/cli/schedule/scheduleArguments.ts';
import { expectTable } from '../../../support/golden.ts';

const read = (words: string, values: Values = {}) =>
  readScheduleRequest(
    words.split(' ').filter((word) => word !== ''),
    values,
  );

describe('the words behind heating2mqtt schedule', () => {
  it('are a request', () => expectTable('scheduleRequests', 7, read));
});

describe('names and week', () => {
  it('are told apart', () =>
    expectTable('scheduleWords', 13, (words: string) =>
      splitWords(
        words.split('|').filter((word) => word !== ''),
        ['sun', 'my home'],
      ),
    ));

  it('lose no word', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('home', 'mon', '6-8', 'none'))), (words) => {
        const { names, week } = splitWords(words, ['home']);
        expect([...names, ...(week === undefined ? [] : [week])].join(' ')).toBe(words.join(' '));
        expect(names.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it.each(['heating', 'circuits.0', 'dhw', 'home', 'sauna', 'monitor', 'heating.circuits.0.heating.schedule'])('%s is a name', (word) => {
    expect(beginsWeek(word)).toBe(false);
  });
});
