import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weekIssues } from '../../../src/editor/model/issues.ts';
import { takeWeek } from '../../../src/editor/state/saving.ts';
import { EditorStore } from '../../../src/editor/state/store.ts';
import { textIssues } from '../../../src/editor/state/textForm.ts';
import { EDITOR_EN } from '../../../src/language/editorEn.ts';
import { type Constraints, readConstraints } from '../../../src/schedule/constraints.ts';
import { readWeek } from '../../../src/schedule/readWeek.ts';
import { printWeek } from '../../../src/schedule/text/weekText.ts';
import { validateWeek } from '../../../src/schedule/validateWeek.ts';
import { DAYS, type Entry, type Week, weekOf } from '../../../src/schedule/week.ts';
import { readWeekPayload } from '../../../src/topics/weekPayload.ts';
import { runs } from '../../support/chance.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';

type Given = { readonly week: Week; readonly constraints: Constraints };

const weeks: readonly Given[] = allFeatures().flatMap((feature) => {
  const read = readWeek([...feature.properties.values()].find((property) => property.type === 'Schedule')?.value);
  const parameter = feature.commands.get('setSchedule')?.params.get('newSchedule');
  return parameter && read.ok ? [{ week: read.value, constraints: readConstraints(parameter.constraints) }] : [];
});

/** What the bridge would answer to this payload over MQTT. */
const overMqtt = (payload: string, { week, constraints }: Given): readonly unknown[] => {
  const read = readWeekPayload(payload);
  if (!read.ok) return read.issues;
  const checked = validateWeek(read.value.week, constraints, week);
  return checked.ok ? [] : checked.issues;
};

const TIMES = ['00:00', '05:55', '06:00', '12:00', '23:59', '24:00'];
const someEntry: fc.Arbitrary<Entry> = fc.record({
  start: fc.constantFrom(...TIMES),
  end: fc.constantFrom(...TIMES),
  mode: fc.constantFrom('normal', 'on', 'reduced', 'off', 'warm'),
  position: fc.constant(0),
});

/** A week of a device, of which one day is another. */
const someChange = () =>
  fc.tuple(fc.constantFrom(...weeks), fc.constantFrom(...DAYS), fc.array(someEntry, { maxLength: 6 })).map(([before, day, entries]) => {
    const list = entries.map((entry, position) => ({ ...entry, position }));
    return { before, day, list, after: weekOf((one) => (one === day ? list : before.week[one])) };
  });

test('a week that is changed has the same issues as over MQTT, as JSON and as text', () => {
  expectFound(weeks.length, 29);
  fc.assert(
    fc.property(someChange(), ({ before, day, list, after }) => {
      const { week, constraints } = before;
      // A day that equals the present one is not sent.
      const own = weekIssues(week, after, constraints);
      expect(own).toEqual(overMqtt(JSON.stringify({ [day]: list }), before));
      const store = new EditorStore(() => {});
      store.words.value = EDITOR_EN;
      store.constraints.value = constraints;
      takeWeek(store, week);
      const text = printWeek(after) ?? '';
      expect(textIssues(store, text)).toEqual(overMqtt(text, before));
    }),
    { numRuns: runs(1000) },
  );
});
