import { expect, onTestFinished, test } from 'vitest';
// Loaded now: the bridge loads it at its first use, for which the time of these tests does not wait.
import 'undici';
import { BRIDGE_RESULT, barrier, terminalFor } from '../../support/schedules/writing.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { type Overrides, SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startVirtualSystem, type VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const BASE = 'heating2mqtt';
const CALENDAR = `${BASE}/bridge/calendar`;
const HOUR = 3_600_000;
const RULES = [
  `Away -> profile away; on home/${SCHEDULE}`,
  'Guests -> program comfort; on heating.circuits.0.*',
  'Vacation -> holiday; on heating.operating.programs.holiday',
];
const PROFILES = [
  ['away', 'daily 06:00-07:00 normal'],
  ['party', 'daily 10:00-23:00 normal'],
] as const;

const start = async (rules: readonly string[] = RULES, overrides: Overrides = {}): Promise<VirtualTestSystem> => {
  const system = await startVirtualSystem({
    ...ALL,
    simulator: { furtherGateways: 1 },
    overrides: { ...overrides, calendar: { rules, ...overrides.calendar }, schedules: { time_zone: 'UTC', profiles: PROFILES } },
  });
  onTestFinished(() => system.close());
  await published(system);
  await system.time.pass(1000);
  return system;
};

const said = async (system: VirtualTestSystem, topic: string, payload: string): Promise<{ status: string; message?: string }> => {
  const from = system.recorder.heard.length;
  await system.recorder.publish(topic, payload);
  return terminalFor(system.recorder, topic, from, BRIDGE_RESULT);
};

/** As `calendar.get_events` of Home Assistant answers. */
const sends = (system: VirtualTestSystem, events: readonly object[]) =>
  said(system, `${BASE}/calendar/family/set`, JSON.stringify({ 'calendar.family': { events } }));

const shown = (system: VirtualTestSystem) => JSON.parse(system.onBroker.get(CALENDAR) ?? 'null');
const overview = (system: VirtualTestSystem) => JSON.parse(system.onBroker.get(`${SCHEDULE_TOPIC}/overview`) ?? 'null');
const approve = (system: VirtualTestSystem) => said(system, `${CALENDAR}/set`, shown(system).key);
const pass = async (system: VirtualTestSystem, ms: number): Promise<void> => {
  await system.time.pass(ms);
  await barrier(system);
};

const AWAY = { summary: 'We are AWAY', start: '2026-11-21T08:00:00+00:00', end: '2026-11-21T12:00:00+00:00' };

test('without rules there is no calendar', async () => {
  const system = await start([]);
  expect(system.onBroker.has(CALENDAR)).toBe(false);
  expect(await approve({ ...system, onBroker: new Map([[CALENDAR, '{"key":"x"}']]) })).toMatchObject({ status: 'rejected' });
});

test('an address that cannot be read is told by its host and why, not by its path', async () => {
  const system = await start(RULES, { calendar: { addresses: 'https://127.0.0.1/secret-token.ics' } });
  await system.untilSo(() => shown(system)?.calendars.length === 1);
  const unread = 'the address is in a private network; this needs the setting allow_private';
  expect(shown(system).calendars).toEqual([{ name: '127.0.0.1/….ics', events: 0, skipped: 0, unread }]);
});

test('another address needs another approval, and a calendar by topic none', async () => {
  const system = await start(RULES, { calendar: { addresses: 'https://127.0.0.1/a/basic.ics' } });
  await approve(system);
  await sends(system, [AWAY]);
  expect(shown(system).state).toBe('on');
  const restart = (addresses: string): Promise<void> =>
    system.restart({ calendar: { rules: RULES, addresses }, schedules: { time_zone: 'UTC', profiles: PROFILES } });
  await restart('https://127.0.0.1/b/basic.ics');
  await pass(system, 60_000);
  expect(shown(system).state).toBe('changed');
  expect(system.onBroker.get(CALENDAR)).not.toContain('/b/');
  await restart('https://127.0.0.1/a/basic.ics');
  await pass(system, 60_000);
  expect(shown(system).state).toBe('on');
});

test('events are planned, and nothing is sent before a person has seen it', async () => {
  const system = await start();
  const own = system.onBroker.get(`${SCHEDULE_TOPIC}/entries`);
  expect(await sends(system, [AWAY, { summary: 'Dentist', start: '2026-11-22', end: '2026-11-23' }])).toMatchObject({ status: 'applied' });
  expect(shown(system)).toMatchObject({ state: 'off', unmatched: ['Dentist'], calendars: [{ name: 'family', events: 2, skipped: 0 }] });
  expect(shown(system).plan).toEqual([
    {
      begin: '2026-11-21T08:00:00+00:00',
      until: '2026-11-21T12:00:00+00:00',
      device: 'home',
      feature: SCHEDULE,
      titles: ['We are AWAY'],
      does: { profile: 'away' },
      rule: RULES[0],
    },
  ]);
  // What is planned is the same; what is shown is not.
  await sends(system, [AWAY, { summary: 'Dentist', start: '2026-11-22', end: '2026-11-23' }, { summary: 'No day' }]);
  expect(shown(system).calendars).toEqual([{ name: 'family', events: 2, skipped: 1 }]);
  const calls = system.posts().length;
  await pass(system, 3 * HOUR);
  expect(system.posts().length).toBe(calls);
  expect(await said(system, `${CALENDAR}/set`, 'wrong')).toMatchObject({ status: 'rejected', code: 'conflict' });
  expect(await said(system, `${CALENDAR}/set`, '{"value":"wrong","id":7}')).toMatchObject({ code: 'conflict', id: 7 });
  expect(await approve(system)).toMatchObject({ status: 'applied' });
  await pass(system, 60_000);
  expect(overview(system)).toMatchObject({ owner: 'calendar', reason: 'We are AWAY', until: '2026-11-21T12:00:00+00:00' });
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/profile`)).toBe('away');
  // The event is over: the week before is back, and nobody has it.
  await pass(system, 3 * HOUR);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(own);
  expect(overview(system)).not.toHaveProperty('owner');
});

test('of all calendars together the first 1,000 events are planned', async () => {
  const system = await start();
  for (const name of ['a', 'b', 'c'])
    await said(system, `${BASE}/calendar/${name}/set`, JSON.stringify(Array.from({ length: 400 }, () => ({ ...AWAY, title: name }))));
  expect(shown(system).calendars).toEqual(['a', 'b', 'c'].map((name) => ({ name, events: 400, skipped: name === 'c' ? 200 : 0 })));
  expect(shown(system).plan).toHaveLength(1);
});

test('a person who writes within an event has the schedule until the next one', async () => {
  const system = await start();
  await sends(system, [AWAY, { ...AWAY, start: '2026-11-21T14:00:00+00:00', end: '2026-11-21T16:00:00+00:00' }]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  expect(overview(system).owner).toBe('calendar');
  await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, 'daily 05:00-23:00 normal');
  await pass(system, 5 * 60_000);
  expect(overview(system).owner).toBe('hand');
  const week = system.onBroker.get(`${SCHEDULE_TOPIC}/entries`);
  await pass(system, HOUR);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(week);
  await pass(system, 5 * HOUR);
  expect(overview(system).owner).toBe('calendar');
  await pass(system, 3 * HOUR);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(week);
});

test.each<[name: string, command: readonly [leaf: string, payload: string] | undefined, owner: string]>([
  ['stays', undefined, 'calendar'],
  ['is moved by the same week with another end', ['set', '{"value":"daily 05:00-23:00 normal","until":"10:00"}'], 'hand'],
  ['is moved on its own', ['until/set', '10:00'], 'hand'],
])(
  'a person wrote with an end before an event began; the end comes within the event, and during the event it %s',
  async (_, command, owner) => {
    const system = await start();
    await sends(system, [AWAY]);
    await approve(system);
    await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"value":"daily 05:00-23:00 normal","until":"09:00"}');
    await pass(system, 2.5 * HOUR);
    expect(overview(system).owner).toBe('hand');
    if (command) await system.recorder.publish(`${SCHEDULE_TOPIC}/${command[0]}`, command[1]);
    await pass(system, 1.75 * HOUR);
    expect(overview(system).owner).toBe(owner);
  },
);

test('a deleted event ends at once, also after a restart, and an event that runs goes on over one', async () => {
  const system = await start();
  const own = system.onBroker.get(`${SCHEDULE_TOPIC}/entries`);
  await sends(system, [AWAY]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  const posts = system.posts().length;
  await system.restart();
  await pass(system, 10 * 60_000);
  expect(overview(system).owner).toBe('calendar');
  expect(system.posts().length).toBe(posts);
  await sends(system, []);
  await pass(system, 60_000);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(own);
  expect(system.posts().length).toBe(posts + 1);
});

test('an event and a holiday go on over a restart and kills, also where a device is read later, and end once it is read', async () => {
  const holiday = 'heating.operating.programs.holiday';
  const device = (name: string, gateway: string, features: readonly string[]) => ({
    ...{ name, gateway, features, installation: '111222', device: '0', exclude: [] },
  });
  const system = await start(
    ['Away -> profile away; on */heating.circuits.0.heating.schedule', 'Vacation -> holiday; on *.programs.holiday'],
    {
      devices: [device('home', '7571381699991111', ['*']), device('cabin', '7571381699991112', [SCHEDULE, holiday])],
    },
  );
  const shownNow = () =>
    ['home', 'cabin'].map((name) => {
      const { reason } = JSON.parse(system.onBroker.get(`${BASE}/${name}/heating/circuits/0/heating/schedule/overview`) ?? '{}');
      return [reason, system.onBroker.get(`${BASE}/${name}/heating/operating/programs/holiday/end`)].filter(Boolean);
    });
  await sends(system, [
    { ...AWAY, end: '2026-11-22T12:00:00+00:00' },
    { summary: 'Vacation', start: '2026-11-21', end: '2026-11-25' },
  ]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  const posts = system.posts().length;
  for (let index = 0; index < 3; index += 1) {
    if (index > 0) system.kill();
    system.simulator.control({ command: 'disconnect', gateway: system.simulator.gateways[1] });
    await system.restart();
    await pass(system, 10 * 60_000);
    system.simulator.control({ command: 'connect', gateway: system.simulator.gateways[1] });
    await pass(system, 1.5 * HOUR);
  }
  expect([shownNow(), posts, system.posts().length]).toEqual([Array(2).fill(['We are AWAY', '2026-11-24']), 4, 4]);
  system.kill();
  system.simulator.control({ command: 'disconnect', gateway: system.simulator.gateways[1] });
  await system.restart();
  await sends(system, []);
  await pass(system, 10 * 60_000);
  expect([shownNow(), system.posts().length]).toEqual([[[], ['We are AWAY', '2026-11-24']], 6]);
  system.simulator.control({ command: 'connect', gateway: system.simulator.gateways[1] });
  await pass(system, 1.5 * HOUR);
  expect([shownNow(), system.posts().length]).toEqual([[[], []], 8]);
});

test('a program ends with its event, and a holiday has the dates of the device', async () => {
  const system = await start();
  const program = `${BASE}/home/heating/circuits/0/operating/programs/comfort/active`;
  const holiday = `${BASE}/home/heating/operating/programs/holiday`;
  await sends(system, [
    { summary: 'Guests', start: '2026-11-21T08:00:00+00:00', end: '2026-11-21T10:00:00+00:00' },
    { summary: 'Vacation', start: '2026-11-22', end: '2026-11-25' },
  ]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  expect(system.onBroker.get(program)).toBe('true');
  await pass(system, 2 * HOUR);
  expect(system.onBroker.get(program)).toBe('false');
  await pass(system, 15 * HOUR);
  expect([system.onBroker.get(`${holiday}/start`), system.onBroker.get(`${holiday}/end`)]).toEqual(['2026-11-22', '2026-11-24']);
  // The holiday is shorter: its dates follow. It goes: it is cancelled.
  await sends(system, [{ summary: 'Vacation', start: '2026-11-22', end: '2026-11-24' }]);
  await pass(system, 5 * 60_000);
  expect(system.onBroker.get(`${holiday}/end`)).toBe('2026-11-23');
  await sends(system, []);
  await pass(system, 5 * 60_000);
  expect(system.onBroker.get(`${holiday}/start`) ?? '').not.toBe('2026-11-22');
});

test('a cancel of a holiday that the heating ignores is sent again, until it is carried out', async () => {
  const system = await start();
  const begin = (): string | undefined => system.onBroker.get(`${BASE}/home/heating/operating/programs/holiday/start`);
  const cancels = (): number => system.posts().filter(({ path }) => path.endsWith('/unschedule')).length;
  await sends(system, [{ summary: 'Vacation', start: '2026-11-21', end: '2026-11-25' }]);
  await approve(system);
  await pass(system, 5 * 60_000);
  expect(begin()).toBe('2026-11-21');
  const accepts = { command: 'fault', status: 200, body: { data: { success: true } } };
  system.simulator.control({ ...accepts, times: 1, match: { method: 'POST', path: 'unschedule' } });
  await sends(system, []);
  await pass(system, 5 * 60_000);
  expect([begin(), cancels()]).toEqual(['2026-11-21', 1]);
  await pass(system, HOUR);
  expect([begin() ?? '', cancels()]).toEqual(['', 2]);
  await pass(system, 12 * HOUR);
  expect(cancels()).toBe(2);
});

test('other rules are seen before they do anything, and off brings back what was', async () => {
  const system = await start();
  const own = system.onBroker.get(`${SCHEDULE_TOPIC}/entries`);
  await sends(system, [AWAY]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  await system.restart({ calendar: { rules: [`Away -> profile away; on home/${SCHEDULE}; lead 1h`] } });
  await pass(system, 10 * 60_000);
  expect(shown(system).state).toBe('changed');
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(own);
  await approve(system);
  await pass(system, 60_000);
  expect(overview(system).owner).toBe('calendar');
  expect(await said(system, `${CALENDAR}/set`, 'off')).toMatchObject({ status: 'applied' });
  await pass(system, 60_000);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(own);
});

const HOSTILE: readonly unknown[] = [
  { toString: 1 },
  { value: { toString: 1 } },
  { value: [{ toString: 1, valueOf: 1 }] },
  [{ toString: 1 }],
  { id: { toString: 1 } },
];

test('JSON whose text cannot be told ends nothing: each message has its answer', async () => {
  const system = await start();
  // Every topic that the bridge subscribes to, as its documents and docs/topics.md name them.
  const topics = [
    ...['set', 'validate', 'profile/set', 'mon/set', 'until/set', 'undo/set', 'call/setSchedule'].map(
      (leaf) => `${SCHEDULE_TOPIC}/${leaf}`,
    ),
    ...['heating/circuits/0/operating/modes/active/value/set', 'heating/circuits/0/operating/programs/comfort/temperature/set'].map(
      (leaf) => `${BASE}/home/${leaf}`,
    ),
    ...['climate/circuit_0/mode/set', 'climate/circuit_0/temperature/set', 'climate/circuit_0/preset/set'].map(
      (leaf) => `${BASE}/home/${leaf}`,
    ),
    ...['calendar', 'price_plan', 'poll', 'restart_gateway', 'auth', 'republish'].map((leaf) => `${BASE}/bridge/${leaf}/set`),
    `${BASE}/calendar/family/set`,
  ];
  for (const topic of topics)
    for (const payload of HOSTILE) {
      const from = system.recorder.heard.length;
      await system.recorder.publish(topic, JSON.stringify(payload));
      const results = () =>
        system.recorder.heard.slice(from).filter((one) => one.topic.endsWith('/result') && one.payload.includes(`"${topic}"`));
      await expect.poll(() => results().length, { message: `${topic} ${JSON.stringify(payload)}` }).toBeGreaterThan(0);
      expect(results().map((one) => JSON.parse(one.payload).code)).not.toContain('internal');
    }
  expect(await said(system, `${CALENDAR}/set`, 'off')).toMatchObject({ status: 'unchanged' });
});

test('an event that goes while the platform says yes to its return and does nothing is no act of a person: it comes again', async () => {
  const system = await start();
  const own = system.onBroker.get(`${SCHEDULE_TOPIC}/entries`);
  await sends(system, [AWAY]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  expect(overview(system).owner).toBe('calendar');
  const yes = { data: { success: true, message: null, reason: null } };
  system.simulator.control({ command: 'fault', match: { path: 'commands' }, status: 200, body: yes });
  await sends(system, []);
  await pass(system, 30_000);
  expect(overview(system)).toMatchObject({ owner: 'calendar' });
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/profile`)).toBe('away');
  system.simulator.control({ command: 'clear' });
  await pass(system, HOUR / 4);
  expect(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`)).toBe(own);
  await sends(system, [AWAY]);
  await pass(system, HOUR / 60);
  expect([overview(system).owner, system.onBroker.get(`${SCHEDULE_TOPIC}/profile`)]).toEqual(['calendar', 'away']);
});

test.each([
  ['touches it', '2026-11-21T12:00:00+00:00', true],
  ['takes its place before its end', '2026-11-21T10:00:00+00:00', false],
])('what the app changes of an event stays behind it, and the next one that %s comes after one return', async (_, begin, touches) => {
  const party = `Party -> profile party; on home/${SCHEDULE}`;
  const system = await start([party, ...RULES]);
  const next = { summary: 'Party', start: begin, end: '2026-11-21T14:00:00+00:00' };
  await sends(system, touches ? [AWAY, next] : [AWAY]);
  await approve(system);
  await pass(system, 2.5 * HOUR);
  const shownWeek = () => JSON.parse(system.onBroker.get(`${SCHEDULE_TOPIC}/entries`) ?? '{}');
  const tue = [{ start: '05:00', end: '06:00', mode: 'normal', position: 0 }];
  system.simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: { ...shownWeek(), tue } });
  await pass(system, HOUR / 2);
  if (!touches) await sends(system, [next]);
  const from = system.recorder.heard.length;
  await pass(system, 4 * HOUR);
  const endings = system.recorder.heard
    .slice(from)
    .filter(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('/until'))
    .map(({ payload }) => JSON.parse(payload).status);
  expect([overview(system).owner, shownWeek().tue[0].start, endings]).toEqual(['calendar', '10:00', ['accepted', 'applied']]);
  await pass(system, 2 * HOUR);
  expect([overview(system).owner, shownWeek().tue, shownWeek().mon[0].start]).toEqual([undefined, tue, '05:30']);
});
