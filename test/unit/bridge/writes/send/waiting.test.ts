import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../../../../src/features/fields.ts';
import { allDevices, expectFound } from '../../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { CommandWorld } from '../../../../support/execution/commandWorld.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';

const calls = ({ steps }: CommandWorld): readonly string[] => steps.filter((step) => step.startsWith('call') || step === 'read');
const statuses = (results: readonly { readonly status: string }[]): readonly string[] => results.map(({ status }) => status);

const THREE = { a: ['string'], b: ['string'], c: ['number'] } as const;
const trip = (c: { value?: number; type?: string }, isExecutable = true) =>
  featureOf('heating.trip', { a: { value: '' }, b: { value: '' }, c }, { commands: new Map([commandOf('setTrip', THREE, isExecutable)]) });
const three = trip({ type: 'number' });

describe('a value that needs others', () => {
  test('waits for all of them, texts and numbers, and every write is answered', async () => {
    const world = new CommandWorld([three]);
    const [a, b] = [world.submit('home/heating/trip/a/set', 'x', 1), world.submit('home/heating/trip/b/set', 'y', 2)];
    await world.clock.pass(1000);
    expect([statuses(a), statuses(b), calls(world)]).toEqual([['waiting'], ['waiting'], []]);
    const c = world.submit('home/heating/trip/c/set', '3', 3);
    await world.clock.pass(60_000);
    expect(calls(world)[0]).toBe('call setTrip {"a":"x","b":"y","c":3}');
    expect([statuses(a), statuses(b), statuses(c)]).toEqual([
      ['waiting', 'accepted', 'applied'],
      ['waiting', 'accepted', 'applied'],
      ['accepted', 'applied'],
    ]);
    expect(a.at(-1)).toMatchObject({ id: 1, command: 'setTrip' });
  });

  test('may come as some of the values on the topic of the feature', async () => {
    const world = new CommandWorld([three]);
    const some = world.submit('home/heating/trip/set', '{"a":"x","c":1}', 1);
    const newer = world.submit('home/heating/trip/a/set', 'z', 2);
    await world.clock.pass(1000);
    const last = world.submit('home/heating/trip/b/set', 'y', 3);
    await world.clock.pass(60_000);
    expect(calls(world)[0]).toBe('call setTrip {"a":"z","b":"y","c":1}');
    for (const results of [some, newer, last]) expect(statuses(results).at(-1)).toBe('applied');
  });

  test.each([
    ['what nobody may send', { deny: ['heating.trip/*'] }, three, 'x', 'forbidden'],
    ['another revision', {}, three, '{"value":"x","if_rev":"00000000"}', 'conflict'],
    ['what the device does not take now', {}, trip({ value: 1 }, false), 'x', 'not_executable'],
  ])('is refused, not kept: %s', async (_, rules, feature, payload, code) => {
    const world = new CommandWorld([feature], true, rules);
    const results = world.submit('home/heating/trip/a/set', payload);
    await world.clock.pass(60_000);
    expect(results).toMatchObject([{ status: 'rejected', code }]);
  });

  test('every date of every device can be set by its two fields, in both orders', async () => {
    const all = allDevices().flatMap(({ features }) => features.filter((feature) => fieldsOf(feature).length > 0));
    expectFound(all.length, 6);
    const dates = { start: '2030-12-21', end: '2031-01-04' };
    for (const feature of all)
      for (const [first, second] of [
        ['start', 'end'],
        ['end', 'start'],
      ] as const) {
        const world = new CommandWorld([feature]);
        const path = `home/${feature.name.replaceAll('.', '/')}`;
        const one = world.submit(`${path}/${first}/set`, dates[first], 1);
        await world.clock.pass(120_000);
        const other = world.submit(`${path}/${second}/set`, dates[second], 2);
        await world.clock.pass(120_000);
        expect(world.platform.get(feature.name)?.properties.get('start')?.value, feature.name).toBe(dates.start);
        expect(world.platform.get(feature.name)?.properties.get('end')?.value, feature.name).toBe(dates.end);
        expect([statuses(one).at(-1), statuses(other).at(-1)], feature.name).toEqual(['applied', 'applied']);
      }
  });
});
