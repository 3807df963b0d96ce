import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { scheduleWith } from '../../src/cli/schedule.ts';
import { readScheduleRequest } from '../../src/cli/scheduleRequest.ts';
import { type House, SCHEDULE } from '../support/house.ts';
import { ENTRIES, sharedHouse } from '../support/writing.ts';

const PROFILES = [
  ['summer', 'daily none'],
  ['odd', 'daily 6:05-8 normal'],
] as const;

type Typed = { readonly code: number; readonly out: string; readonly err: string };

/** What `heating2mqtt schedule …` says and gives, beside the bridge of the house. */
const type = async (
  house: House,
  args: readonly string[],
  { stdin = '', isTTY = false, env = {} }: { stdin?: string; isTTY?: boolean; env?: Record<string, string> } = {},
): Promise<Typed> => {
  const request = await readArguments(['schedule', ...args]);
  if (request.kind !== 'command') throw new Error('no command');
  let [out, err] = ['', ''];
  const code = await scheduleWith(house.settings, readScheduleRequest(request.words ?? [], request.values), {
    env,
    cwd: '/',
    out: (text) => {
      out += `${text}\n`;
    },
    err: (text) => {
      err += `${text}\n`;
    },
    stdin: Readable.from([stdin]),
    isTTY,
  });
  return { code, out, err };
};

describe('heating2mqtt schedule', () => {
  const house = sharedHouse({
    device: { features: ['*'] },
    overrides: { schedules: { profiles: PROFILES } },
    prepare: (simulator) => void simulator.control({ command: 'live', on: false }),
  });

  test('show draws every schedule, or those that are meant', async () => {
    const all = await type(house(), ['show']);
    expect(all).toMatchObject({ code: 0, err: '' });
    const titles = all.out.split('\n').filter((line) => line.startsWith('home '));
    expect(titles).toContain(`home ${SCHEDULE}`);
    expect(titles).toContain('home heating.dhw.schedule');
    expect(all.out).not.toContain('\u001b');
    for (const line of all.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const one = await type(house(), ['show', 'circuits.0']);
    expect(one.out.split('\n').filter((line) => line.startsWith('home '))).toEqual([`home ${SCHEDULE}`]);
    expect((await type(house(), ['show', 'home', 'circuits.0'], { isTTY: true })).out).toContain('\u001b[');
    expect((await type(house(), ['show', 'home', 'circuits.0'], { isTTY: true, env: { NO_COLOR: '1' } })).out).toBe(one.out);
  });

  test('show --text can be given back, and changes nothing', async () => {
    const posts = house().posts().length;
    const { out } = await type(house(), ['show', 'circuits.0', '--text']);
    expect(out).toBe(`${house().ear.last(ENTRIES.replace('entries', 'text'))}\n`);
    const set = await type(house(), ['set', 'circuits.0'], { stdin: out });
    expect(set).toEqual({ code: 0, out: `home ${SCHEDULE}\nNothing changes.\nunchanged: it is so already; nothing was sent.\n`, err: '' });
    expect(house().posts()).toHaveLength(posts);
  });
});
