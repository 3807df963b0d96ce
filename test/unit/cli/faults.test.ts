import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { faults, reportFaults } from '../../../src/cli/faults.ts';
import { keptData } from '../../support/cli/keptData.ts';

const REST = {
  events: { minutes: 60 },
  platform: { profile: 'v2' },
  schedules: { time_zone: 'auto', profiles: [], seasons: [] },
} as const;
const HOME = { gateway: 'g', device: '0' };

type Options = { readonly choices?: []; readonly time_zone?: string; readonly minutes?: number; readonly readAt?: number } & {
  readonly profile?: 'v1' | 'v2';
};

const kept = ({ choices, time_zone = 'auto', minutes = 60, readAt = Date.now(), profile = 'v2' }: Options = {}) => {
  const { data_dir, storage, printed } = keptData();
  const settings = {
    data_dir,
    events: { minutes },
    platform: { profile },
    schedules: { ...REST.schedules, time_zone },
    devices: [{ ...HOME, name: 'home', installation: '1', features: [], exclude: [] }],
    ...(choices && { choices }),
  };
  const print = (options: object = {}) => printed((io) => faults(settings, { json: false, states: false, ...options }, io));
  const event = { gateway: 'g', device: '0', from: 'events', at: Date.now() - 60_000, active: true };
  const checked = (): readonly unknown[] => {
    const lines: unknown[] = [];
    reportFaults(settings, (mark, _, sentence) => lines.push([mark, sentence]) > 0);
    return lines;
  };
  storage.faults.write('read 1', { at: readAt });
  return { table: storage.faults, frozen: storage.frozen.told, refusals: storage.accountRefusals, print, event, checked };
};

it('says where the data folder or its database cannot be read, in place of that nothing is kept', () => {
  const root = mkdtempSync(join(tmpdir(), 'heating2mqtt-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const print = (data_dir: string) => () =>
    faults({ ...REST, data_dir, devices: [] }, { json: false, states: false }, { out: () => undefined, err: () => undefined });
  symlinkSync('loop', join(root, 'loop'));
  expect(print(join(root, 'loop'))).toThrow(/^data_dir .*loop cannot be used: its symbolic links form a loop/);
  writeFileSync(join(root, 'heating2mqtt.db'), 'no database, but long enough to look like one');
  expect(print(root)).toThrow(
    /^data_dir .* cannot be used now: the database is damaged; at its next start the bridge renames the file.* \(heating2mqtt\.db\)$/,
  );
});

it('says that nothing is kept yet', () => {
  expect(kept().print()).toEqual([1, expect.stringContaining('No faults are stored in')]);
});

it('says that nothing is kept because the account may not read the device, and not because of a refused command', () => {
  const { print, refusals } = kept();
  const refusal = { ...HOME, since: 0, last: 0 };
  refusals.write('command', { ...refusal, feature: 'heating.dhw', command: 'set' });
  expect(print()[1]).toMatch(/has not read its devices\.$/u);
  refusals.write('device', refusal);
  expect(print()[1]).toMatch(/refuses reads to this account \(402; .* Nothing is wrong with your heating or your settings\.$/u);
});

it('shows what lasts, beside the running bridge, and states where they are asked for', () => {
  const { table, print, event } = kept();
  table.write('device g/0', { name: 'home', tells: true });
  table.write('event 1', { ...event, code: 'F.74', kind: 'fault', text: 'Pressure too low' });
  table.write('event 2', { ...event, code: 'S.6', kind: 'status' });
  table.write('event 3', { broken: true });
  const [code, text] = print();
  expect(code).toBe(0);
  expect(text).toMatch(/^home\n.*\n.* active +F\.74 +fault +Pressure too low$/);
  expect(print({ states: true })[1]).toContain('S.6');
  expect(JSON.parse(print({ json: true })[1])).toMatchObject([
    { name: 'home', faults: [{ code: 'F.74', active: true, source: 'events' }] },
  ]);
});

it.each(['Pacific/Auckland', 'America/New_York'])('has the times of the house, as the sentence of its problem has: %s', (time_zone) => {
  const { table, print, event } = kept({ time_zone });
  table.write('device g/0', { name: 'home', tells: true });
  table.write('event 1', { ...event, code: 'F.74', kind: 'fault' });
  const wall = new Date(event.at).toLocaleString('sv-SE', { timeZone: time_zone }).slice(0, 16);
  expect(print()[1].split('\n').slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^  since +until +code +kind \\(times of ${time_zone}\\)$`)),
    expect.stringMatching(new RegExp(`^  ${wall}  active `)),
  ]);
});

it('leaves out devices that are gone, unless they have told something', () => {
  const { table, print, event } = kept();
  for (const id of [0, 1, 2]) table.write(`device g/${id}`, { name: `home ${id}`, tells: true });
  table.write('event 1', { ...event, device: '2', code: 'F.74', kind: 'fault' });
  const names = (): unknown => JSON.parse(print({ json: true })[1]).map(({ name }: { name: string }) => name);
  expect(names()).toEqual(['home 0', 'home 2']);
});

it('leaves out no device where it is not known which ones there are', () => {
  const { table, print } = kept({ choices: [] });
  table.write('device g/1', { name: 'other', tells: true });
  expect(print()[0]).toBe(0);
});

it('is a line of check, where something is kept', () => {
  const { table, checked, event } = kept();
  expect(checked()).toEqual([]);
  table.write('device g/0', { name: 'home', tells: true });
  expect(checked()).toEqual([['ok', 'no fault is reported']]);
  table.write('event 1', { ...event, code: 'F.74', kind: 'fault' });
  expect(checked()).toEqual([['note', expect.stringMatching(/^home F\.74 \(fault\);/)]]);
});

const HOUR = 3_600_000;
const UNREAD: readonly (readonly [what: string, options: Options, row: object | undefined, mark: string, sentence: RegExp])[] = [
  ['were never read', {}, undefined, 'note', /^no fault is known; the events of the platform were last read: never$/],
  ['were read days ago', { readAt: 0 }, { at: 0 }, 'note', /^no fault is known; the events .* last read: 1970-01-01T00:00:00.000Z$/],
  [
    'are refused',
    {},
    { at: HOUR, failed: { code: 'forbidden', since: 2 * HOUR } },
    'note',
    /^no fault is known; .* cannot be read since 1970-01-01T02:00:00.000Z \(forbidden\); last read: 1970-01-01T01:00:00.000Z$/,
  ],
  ['fail from the beginning', {}, { failed: { code: 'server_error', since: HOUR } }, 'note', /\(server_error\); last read: never$/],
  ['are not offered', { profile: 'v1' }, undefined, 'ok', /^no fault is known; .* not read \(this platform has no path for them\)$/],
  ['are off', { minutes: 0 }, undefined, 'ok', /^no fault is known; .* not read \(events\.minutes: 0\)$/],
];

it.each(UNREAD)('does not claim that there is no fault where the events %s', (_, options, row, mark, sentence) => {
  const { table, print, checked } = kept(options);
  table.write('device g/0', { name: 'home', tells: true });
  table.write('read 1', row);
  expect(checked()).toEqual([[mark, expect.stringMatching(sentence)]]);
  expect(print()[1]).toMatch(/^home\n {2}none known\n {2}the events of the platform /);
});

it('names the devices that report none where others never did', () => {
  const { table, checked } = kept({ choices: [] });
  table.write('device g/0', { name: 'home', tells: false });
  table.write('device g/1', { name: 'room', tells: true });
  expect(checked()).toEqual([['ok', 'no fault of room is reported']]);
});

it('has a line of check for frozen data', () => {
  const { table, frozen, checked } = kept();
  table.write('device g/0', { name: 'home', tells: true });
  frozen.write('device g/0', { stale: { rule: 'hours', since: 0, features: [], isSlow: false } });
  frozen.write('device g/1', { stale: { rule: 'hours', since: 0, features: [], isSlow: false } });
  frozen.write('restart g', { at: 0 });
  expect(checked()).toEqual([
    ['ok', 'no fault is reported'],
    ['note', expect.stringMatching(/^the data are frozen: home since 1970-01-01T00:00:00.000Z;/)],
  ]);
});

it('says so of a heating that has told no faults, and refuses other days', () => {
  const { table, print } = kept();
  table.write('device g/0', { name: 'home', tells: false });
  expect(print()[1]).toContain('has never reported a fault');
  expect(() => print({ days: '0' })).toThrow('from 1 to 366');
});
