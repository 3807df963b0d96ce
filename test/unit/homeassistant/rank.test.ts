import { describe, expect, it } from 'vitest';
import { parseFeature } from '../../../src/features/parseFeature.ts';
import type { Entity, Offering } from '../../../src/homeassistant/entities/entity.ts';
import { partOf } from '../../../src/homeassistant/parts.ts';
import { MOST_IN_ALL, MOST_OF_PART, rankOf, withinLimits } from '../../../src/homeassistant/rank.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import { live } from '../../../src/simulator/living/live.ts';
import { allDevices, expectFound } from '../../support/devices/deviceFiles.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';
import { expectTable } from '../../support/golden.ts';

describe('how near to people an entity is', () => {
  it('follows from its platform, feature and word', () =>
    expectTable('ranks', 35, (...given: Parameters<typeof rankOf>) => rankOf(...given).shown));
});

type Component = Readonly<Record<string, unknown>>;
type Page = { readonly name: string; readonly parts: ReadonlyMap<string, readonly Component[]> };

const WHERE = { base: 'b', prefix: 'homeassistant', version: '1' };
const topicOf = (component: Component): string =>
  String(component['state_topic'] ?? component['command_topic'] ?? component['mode_state_topic'] ?? '')
    .replace('b/home/', '')
    // The mode of a schedule, now or next.
    .replace(/overview$/, () => String(component['unique_id']).split('_').at(-1) ?? '');

/** The enabled entities of each device by part, `heating` for the heating itself; without the problem that takes no place from others. */
const pages = (offering: Partial<Offering> = {}): readonly Page[] =>
  allDevices().map(({ name, gateway, device, features }) => {
    const identity = { name: 'home', installation: '1', gateway, device };
    const all: Offering = { language: 'en', profiles: [], isAllowed: () => true, ...offering };
    const document = deviceDocument(WHERE, identity, features, all);
    const { conflict: _, ...components }: Readonly<Record<string, Component>> = JSON.parse(document.payload).components;
    const enabled = Object.values(components).filter(({ enabled_by_default: on }) => on !== false);
    return { name, parts: Map.groupBy(enabled, (one) => partOf(topicOf(one).replaceAll('/', '.')) ?? 'heating') };
  });

const counts = (all: readonly Page[]): readonly string[] =>
  all.flatMap(({ name, parts }) => [...parts].map(([part, { length }]) => `${name} ${part} ${length}`));
const countIn = (line: string): number => Number(line.split(' ').at(-1));

describe('the pages of devices', () => {
  it.each([
    ['without profiles', {}],
    ['with a profile', { profiles: [readProfile('summer', 'daily none')] }],
  ])('have few enough entities enabled, %s', (_, offering) => {
    const all = pages(offering);
    expect(counts(all).filter((line) => countIn(line) > MOST_OF_PART)).toEqual([]);
    for (const { name, parts } of all) {
      const [rooms, others] = [...parts].reduce(
        ([a, b], [part, { length }]) => (part.startsWith('rooms.') ? [a + length, b] : [a, b + length]),
        [0, 0],
      );
      expect(others, name).toBeLessThanOrEqual(MOST_IN_ALL);
      expect(rooms, name).toBeLessThanOrEqual(MOST_OF_PART * parts.size);
    }
  });

  it('show heat per electricity of the simulated home, which has too many entities', () => {
    const house = new House(defaultHome, 0, 0, live);
    const features = house.records('0').flatMap((record) => {
      const feature = parseFeature(record.show());
      return feature.ok ? [feature.value] : [];
    });
    const identity = { name: 'home', installation: '1', gateway: 'g', device: '0', tellsFaults: true };
    const components: Readonly<Record<string, Component>> = JSON.parse(deviceDocument(WHERE, identity, features).payload).components;
    const isOn = ['month_factor', 'starts_per_day'].map((key) => components[key]?.['enabled_by_default'] ?? true);
    expect(isOn).toEqual([true, false]);
  });

  it('show of each part what it is there for', () => {
    const main: readonly (readonly [part: RegExp, shown: RegExp])[] = [
      [/^heating\.circuits\.\d+$/, /^climate|^select .+operating\/modes\/active/],
      [/^rooms\.\d+$/, /^climate|sensors\/temperature/],
      [/^heating\.dhw$/, /^water_heater/],
      [/^generator$/, /(burner|burners\/\d+|compressors\/\d+)\/active$/],
      [/^ventilation$/, /operating\/(modes|state)/],
      [/^heating\.solar$/, /temperature/],
      [/^heating$/, /^event/],
    ];
    let looked = 0;
    for (const { name, parts } of pages()) {
      for (const [part, components] of parts) {
        const shown = main.find(([pattern]) => pattern.test(part))?.[1];
        const found = components.map((one) => `${String(one['platform'])} ${topicOf(one)}`);
        expect(found, `${name} ${part}`).toContainEqual(expect.stringMatching(shown ?? /./));
        looked += 1;
      }
    }
    expectFound(looked, 48);
  });

  it('show of each schedule the week and its mode, and where there is room its next change and the profile', () => {
    const leaves = (offering: Partial<Offering>): readonly string[] => [
      ...new Set(
        pages(offering)
          .flatMap(({ name, parts }) => [...parts.values()].flat().map((one) => `${name} ${topicOf(one)}`))
          .filter((place) => /schedule\//i.test(place))
          .map((place) => place.split('/').at(-1) ?? ''),
      ),
    ];
    // Not the buttons for a temporary write (`until/set`), which mostly have nothing to do.
    expect(leaves({}).toSorted()).toEqual(['next_at', 'now', 'text']);
    expect(leaves({ profiles: [readProfile('summer', 'daily none')] }).toSorted()).toEqual(['next_at', 'now', 'profile', 'text']);
    const weeks = pages().flatMap(({ parts }) => [...parts.values()].flat().filter((one) => /schedule\/(text|now)$/i.test(topicOf(one))));
    const bySchedule = Map.groupBy(weeks, (one) => topicOf(one).replace(/\/[^/]+$/, ''));
    expectFound(bySchedule.size, 14);
    for (const all of bySchedule.values()) expect(all.length % 2).toBe(0);
  });

  it('has nothing pushed out by profiles in the settings', () => {
    const idsOf = (offering: Partial<Offering>) =>
      pages(offering).flatMap(({ name, parts }) => [...parts.values()].flat().map((one) => `${name} ${String(one['unique_id'])}`));
    expect(idsOf({ profiles: [readProfile('summer', 'daily none')] })).toEqual(expect.arrayContaining(idsOf({})));
  });

  it('show all of the heating schedule where a circuit has too many schedules to show all of each', () => {
    const SCHEDULE = /schedule\//;
    const circuits = pages({ profiles: [readProfile('summer', 'daily none')] }).flatMap(({ parts }) =>
      [...parts].flatMap(([part, components]) => {
        const weeks = components.map(topicOf).filter((topic) => SCHEDULE.test(topic));
        const schedules = new Set(weeks.map((topic) => topic.replace(/schedule.*/, '')));
        return /circuits/.test(part) && schedules.size > 2 ? [weeks] : [];
      }),
    );
    for (const weeks of circuits) {
      expect(weeks.filter((topic) => /\/circulation\//.test(topic)).length).toBeLessThan(4);
      const ofHeating = weeks.filter((topic) => topic.includes('/heating/schedule/')).map((topic) => topic.split('/').at(-1) ?? '');
      expect(ofHeating.toSorted()).toEqual(['next_at', 'now', 'text']);
    }
    expectFound(circuits.length, 2);
  });
});

describe('a page with too many entities', () => {
  const entity = (key: string, order?: number, more: Partial<Entity> = {}): Entity => ({
    ...{ key, platform: 'sensor', part: 'heating.dhw', name: key, short: key, idText: key, config: {} },
    ...(order === undefined ? {} : { rank: { shown: 'main', order } }),
    ...more,
  });
  const enabledOf = (entities: readonly Entity[]): readonly string[] =>
    withinLimits(entities)
      .filter(({ config }) => config.enabled_by_default !== false)
      .map(({ key }) => key);

  it('keeps the most important ones, and those without a rank', () => {
    const many = Array.from({ length: 20 }, (_, n) => entity(`e${String(n).padStart(2, '0')}`, 20 - n));
    expect(enabledOf([...many, entity('total')])).toEqual([...many.slice(20 - MOST_OF_PART + 1).map(({ key }) => key), 'total']);
  });

  it('does not count what is disabled anyway', () => {
    const hidden = Array.from({ length: 30 }, (_, n) => entity(`h${n}`, 0, { config: { enabled_by_default: false } }));
    expect(enabledOf([...hidden, entity('shown', 5)])).toEqual(['shown']);
  });

  it('limits the whole too, but for rooms', () => {
    const parts = (name: string) =>
      Array.from({ length: 8 }, (_, part) =>
        Array.from({ length: 12 }, (_, n) => entity(`${name}${part}_${n}`, n, { part: `${name}.${part}` })),
      ).flat();
    // Each of the eight circuits has the same.
    expect(enabledOf(parts('heating.circuits'))).toHaveLength(MOST_IN_ALL - (MOST_IN_ALL % 8));
    expect(enabledOf(parts('rooms'))).toHaveLength(96);
  });

  it('shows amounts that add up together or not at all, and counts a single part with the heating', () => {
    const total = { rank: { shown: 'main', order: 15, group: 'heat in all' } } as const;
    const of = (n: number) => Array.from({ length: n }, (_, i) => entity(`e${i}`, i, i % 2 ? { part: undefined } : {}));
    const more = [entity('x', 0, total), entity('y', 0, total), entity('z', 20)];
    expect(enabledOf([...of(MOST_OF_PART - 2), ...more])).toHaveLength(MOST_OF_PART);
    expect(enabledOf([...of(MOST_OF_PART - 1), ...more])).not.toContain('x');
  });

  it('shows both numbers of a curve, or none', () => {
    const curve = { rank: { shown: 'main', order: 15, group: 'curve' } } as const;
    const others = Array.from({ length: MOST_OF_PART - 1 }, (_, n) => entity(`e${n}`, n));
    expect(enabledOf([...others, entity('shift', 0, curve), entity('slope', 0, curve), entity('z', 20)]).at(-1)).toBe('z');
  });

  it('shows the same of parts of one kind, also where only one of them has room for it', () => {
    const circuit = (n: number, own: number) =>
      Array.from({ length: own }, (_, i) => entity(`c${n}_${i}`, i, { part: `heating.circuits.${n}` }));
    const room = (n: number) => [0, 1].map((i) => entity(`c${n}_last${i}`, 20, { part: `heating.circuits.${n}` }));
    const enabled = enabledOf([...circuit(0, MOST_OF_PART - 1), ...circuit(1, 5), ...room(0), ...room(1)]);
    expect(enabled.filter((key) => key.includes('last'))).toEqual([]);
  });

  it('shows what people set rather than when a schedule changes', () => {
    const order = (platform: 'number' | 'sensor', feature: string, word: string) => rankOf(platform, feature, word).order;
    const setting = order('number', 'heating.circuits.0.operating.programs.normal', 'temperature');
    expect(order('sensor', 'heating.circuits.0.dhw.schedule', 'week/next_at')).toBeGreaterThan(setting);
    expect(order('sensor', 'heating.circuits.0.heating.schedule', 'week/next_at')).toBeLessThan(setting);
  });

  it('shows the amount that is called today, where the platform lists the days too', () => {
    const names = pages().flatMap(({ parts }) => [...parts.values()].flat().map((one) => String(one['name'])));
    expect(names.filter((name) => /\bby (day|week|month|year)$/.test(name))).toEqual([]);
    expectFound(names.filter((name) => /consumption total today$/.test(name)).length, 5);
  });

  it('shows of a group what its first row found, all of it', () => {
    const rank = (order: number) => ({ rank: { shown: 'main', order, group: 'source' } }) as const;
    expect(enabledOf([entity('c', 0, rank(2)), entity('a', 0, rank(1)), entity('b', 0, rank(1))])).toEqual(['a', 'b']);
    expect(enabledOf([entity('c', 0, rank(2)), entity('other', 0, { ...rank(1), part: 'generator' })])).toEqual(['c', 'other']);
  });
});
