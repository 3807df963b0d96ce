import { expect } from 'vitest';
import { msOf } from '../story.ts';
import type { Fate } from './schedulePlatform.ts';
import { S, ScheduleWorld, type WorldOptions } from './scheduleWorld.ts';
import { daily, day, type ShownWeek } from './weeks.ts';
import type { Result } from './writing.ts';

export const WEEK: ShownWeek = daily('06:00-22:00 normal');
export const [A, B, C] = [day('01:00-02:00 normal'), day('03:00-04:00 comfort'), day('05:00-06:00 normal')];

export const begin = (options: Partial<WorldOptions> = {}): Promise<ScheduleWorld> => ScheduleWorld.begin({ week: WEEK, ...options });

/** Writes and waits for the end; gives the terminal answer. */
export const write = async (world: ScheduleWorld, leaf: string, value: unknown): Promise<string> => {
  const id = world.write(leaf, value);
  await world.clock.pass(120_000);
  return world.end(id);
};

/** All answers that were given on ends. */
export const onEnds = ({ sent }: ScheduleWorld): readonly Result[] =>
  sent
    .filter(({ topic }) => topic === `${S}/result`)
    .map(({ payload }): Result => JSON.parse(payload))
    .filter(({ topic }) => topic === `${S}/until`);

export const untilOf = (world: ScheduleWorld): string | undefined => world.shown('until').at(-1) || undefined;

/** The weeks that were sent, as what they alter of the first one. */
export const sentBy = ({ platform }: ScheduleWorld): ShownWeek[] =>
  platform.posts.map(({ week = {} }) =>
    Object.fromEntries(Object.entries(week).filter(([name, entries]) => JSON.stringify(entries) !== JSON.stringify(WEEK[name]))),
  );

const NAMED: Readonly<Record<string, ShownWeek[string]>> = { A, B, C, none: [], was: WEEK['mon'] ?? [], odd: day('06:05-07:00 normal') };
const ALL_DAYS = Object.keys(WEEK).join(',');

/** `mon,tue=A sun=none`: days with what stands for their entries; `all`: each day. */
const daysOf = (words: readonly string[]): ShownWeek =>
  Object.fromEntries(
    words.flatMap((word) => {
      const [names = '', value = ''] = word.split('=');
      return names
        .replace('all', ALL_DAYS)
        .split(',')
        .map((name) => [name, NAMED[value] ?? []]);
    }),
  );

type Story = { readonly world: ScheduleWorld; readonly ids: Map<string, number> };

/** What can happen in a story, by its word; first what happens, then what has to be true. */
const STEPS: Readonly<Record<string, (story: Story, rest: readonly string[], text: string) => unknown>> = {
  // A write with a name, whose end is not waited for: of one day by its own topic, of several by the week's.
  put: ({ world, ids }, [name = '', ...rest]) => {
    const days = daysOf(rest);
    const [[only, entries] = ['', []], ...more] = Object.entries(days);
    ids.set(name, more.length === 0 ? world.write(`${only}/set`, entries) : world.write('set', days));
  },
  begin: ({ world }, rest) => world.write('set', daysOf(rest)),
  write: ({ world }, rest) => write(world, 'set', daysOf(rest)),
  // In words, as `mon,tue none for 3h`.
  say: ({ world }, _, text) => write(world, 'set', text),
  '4h': async ({ world }, rest) => {
    world.write('set', daysOf(rest), { for: '4h' });
    await world.clock.pass(120_000);
  },
  // A write that ends by itself, of one day as `temp late 30s tue=B`; the name `same` is its id too.
  temp: ({ world, ids }, [name = '', span, ...rest]) => {
    const days = daysOf(rest);
    const [[only, entries] = ['', []], ...others] = Object.entries(days);
    const [leaf, value] = others.length > 0 ? ['set', days] : [`${only}/set`, entries];
    ids.set(name, world.write(leaf, value, { for: span, ...(name === 'same' && { id: name }) }));
  },
  // A whole week in which these days are other than at first.
  whole: ({ world }, rest) => world.write('set', { ...WEEK, ...daysOf(rest) }),
  until: ({ world }, _, text) => world.write('until/set', text),
  torn: ({ world, ids }, [name = '']) => ids.set(name, world.write('wed/set', 7)),
  reset: ({ world, ids }) => ids.set('reset', world.write('call/resetSchedule', {})),
  refused: async ({ world }, rest) => expect(await write(world, 'set', daysOf(rest))).toBe('failed validation'),
  lost: async ({ world }, rest) => expect(await write(world, 'set', daysOf(rest))).toBe('failed unknown_outcome'),
  app: ({ world }, rest) => world.platform.app(daysOf(rest)),
  fate: ({ world }, rest) => world.platform.fates.push(...(rest as Fate[])),
  wait: ({ world }, [span = '2m']) => world.clock.pass(msOf(span)),
  poll: async ({ world }) => {
    world.poll();
    await world.clock.pass(1000);
  },
  stop: ({ world }) => world.stop(),
  restart: ({ world }) => world.restart(),
  kill: ({ world }) => world.kill(),
  undo: async ({ world }, _, outcome) => expect(await write(world, 'undo/set', 'now')).toBe(outcome),
  // `a=applied b=failed/stopping`; nothing after the sign: not answered yet.
  ends: ({ world, ids }, rest) =>
    expect(rest.map((word) => word.replace(/=.*/, `=${world.end(ids.get(word.replace(/=.*/, '')) ?? 0).replace(' ', '/')}`))).toEqual(rest),
  // What was sent of a write that another one superseded.
  kept: ({ world, ids }, [name = '', ...days]) => expect(world.answers(ids.get(name) ?? 0).at(-1)).toMatchObject({ kept: days }),
  changed: ({ world, ids }, [name = '', ...days]) => expect(world.answers(ids.get(name) ?? 0).at(-1)).toMatchObject({ changed: days }),
  // How many commands were on their way at a time.
  most: ({ world }, [count]) => expect(world.platform.most).toBe(Number(count)),
  posts: ({ world }, [count]) => expect(world.platform.posts).toHaveLength(Number(count)),
  // How the weeks that were sent differ from the first one: `mon=A | mon=A tue=B`.
  sent: ({ world }, _, text) => expect(sentBy(world)).toEqual(text === '' ? [] : text.split(' | ').map((days) => daysOf(days.split(' ')))),
  // How the week of the platform differs from the first one, and the week that the bridge shows.
  is: ({ world }, rest) => expect(world.platform.week).toEqual({ ...WEEK, ...daysOf(rest) }),
  shows: ({ world }, rest) => expect(world.week()).toEqual({ ...WEEK, ...daysOf(rest) }),
  // The days that somebody else has changed of a temporary write, as the bridge shows it now, and how often it has said so.
  conflict: ({ world }, _, days) => {
    const shown = JSON.parse(world.shown('until/conflict').at(-1) || '{"parts":[]}');
    expect(shown.parts.map((part: { readonly day: string }) => part.day).join(',')).toBe(days);
    const { conflict } = JSON.parse(world.sent.findLast(({ topic }) => topic === 'heating2mqtt/home/problems')?.payload ?? '{}');
    expect(conflict === undefined).toBe(days === '');
  },
  'conflicts said': ({ world }, [count]) =>
    expect(world.shown('until/conflict').filter((payload) => payload !== '')).toHaveLength(Number(count)),
  // What a person decides, and its answer.
  decide: async ({ world }, [word, ...outcome]) => expect(await write(world, 'until/set', word)).toBe(outcome.join(' ')),
  'has end': ({ world }) => expect(untilOf(world)).toBeDefined(),
  end: ({ world }, _, text) => expect(untilOf(world) ?? '').toBe(text),
  'on ends': ({ world }, _, text) =>
    expect(
      onEnds(world)
        .map(({ status }) => status)
        .join(' '),
    ).toBe(text),
};

/** `lagMs=100000 deny=x`: the settings of a story's world. */
const optionsOf = (words: readonly string[]): Partial<WorldOptions> =>
  Object.fromEntries(
    words.map((word) => {
      const [name = '', value = ''] = word.split('=');
      return [name, name === 'deny' ? [value] : name === 'zone' ? value : Number(value)];
    }),
  );

/** Tells a story, step by step; `; ` stands between steps. The first may be `with` and settings. */
export const tell = async (...parts: readonly string[]): Promise<ScheduleWorld> => {
  const steps = parts.flatMap((part) => part.split('; '));
  const options = steps[0]?.startsWith('with ') ? optionsOf((steps.shift() ?? '').split(' ').slice(1)) : {};
  const story: Story = { world: await begin(options), ids: new Map() };
  for (const step of steps) {
    const word = Object.keys(STEPS).find((one) => step === one || step.startsWith(`${one} `));
    const take = word === undefined ? undefined : STEPS[word];
    if (!take || word === undefined) throw new Error(`no such step: ${step}`);
    const text = step.slice(word.length + 1);
    await take(story, text === '' ? [] : text.split(' '), text);
  }
  return story.world;
};
