import { describe, expect, it, onTestFinished } from 'vitest';
import { wiredSystem } from '../../support/system/virtualSystem.ts';
import { startVirtualSystem, type VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const HOUR_MS = 3_600_000;
const BASE = 'heating2mqtt/home';
const ERRORS = 'device.messages.errors.raw';
const GATEWAY = '7571381699991111';

const start = async (options: VirtualTestOptions = {}) => {
  const system = await startVirtualSystem({
    ...options,
    device: { features: ['*'], ...options.device },
    overrides: {
      events: { minutes: 60 },
      ...options.overrides,
      platform: { profile: 'v2', ...options.overrides?.platform },
      poll: { seconds: 600 },
    },
  });
  onTestFinished(() => system.close());
  const { recorder, simulator, time } = system;
  const onTopic = (leaf: string): readonly unknown[] =>
    recorder.heard.filter(({ topic }) => topic === `${BASE}/${leaf}`).map(({ payload }) => JSON.parse(payload));
  return {
    ...system,
    restart: system.restart,
    faults: () => JSON.parse(system.onBroker.get(`${BASE}/faults`) ?? 'null'),
    problems: () => JSON.parse(system.onBroker.get(`${BASE}/problems`) ?? 'null'),
    told: () => onTopic('fault') as readonly { event: string; code: string }[],
    raise: (code: string, more: object = {}) =>
      simulator.control({ command: 'raise', code, device: '0', text: 'No flame formation', ...more }),
    end: (code: string, more: object = {}) => simulator.control({ command: 'end', code, device: '0', text: 'No flame formation', ...more }),
    reads: () => simulator.calls().filter(({ path }) => path.includes('/events-history/')),
    pass: (hours: number) => time.pass(hours * HOUR_MS),
  };
};

describe('faults', () => {
  it('begin and end once, as events, in the list, and as a problem', async () => {
    const { raise, end, faults, problems, told, pass, reads } = await start();
    await pass(2);
    expect(faults()).toEqual({ active: [] });
    expect(reads().map(({ path }) => path.split('?')[1])).toContain('limit=1000&lastNDays=7');
    raise('F.74', { late_ms: 600_000 });
    raise('S.134', { type: 'device-message-status' });
    await pass(2);
    expect(faults()).toMatchObject({
      active: [{ code: 'F.74', kind: 'fault', text: 'No flame formation', since: '2026-11-21T08:01:00.000Z', source: 'events' }],
      last: { code: 'F.74' },
    });
    expect(problems()).toMatchObject({ fault: { since: '2026-11-21T08:01:00.000Z' } });
    expect(problems().fault.message).toContain('F.74 ("No flame formation") since 2026-11-21 08:01.');
    // The sensor *Fault* of Home Assistant, whose attributes this is, has the sentence too.
    expect(faults().message).toBe(problems().fault.message);
    end('F.74');
    await pass(2);
    expect(faults()).toMatchObject({ active: [], last: { code: 'F.74', until: '2026-11-21T10:01:00.000Z' } });
    expect(faults()).not.toHaveProperty('message');
    expect(problems()).toEqual({});
    expect(told().map(({ event, code }) => `${event} ${code}`)).toEqual(['began F.74', 'ended F.74']);
  });

  it('begin by the clock of the platform, where that of the machine is years behind at the start', async () => {
    const home = { name: 'home', installation: '111222', gateway: GATEWAY, device: '0', features: ['*'], exclude: [] };
    const system = await wiredSystem({ devices: [home], read: 'device', poll: { seconds: 600 } });
    const years = 20 * 365 * 24 * HOUR_MS;
    system.time.setWall(-years);
    await system.start();
    await system.time.pass(HOUR_MS);
    const raisedMs = system.time.trueMs();
    system.simulator.control({ command: 'raise', code: 'F.1', device: '0' });
    await system.time.pass(HOUR_MS);
    system.time.setWall(years);
    await system.time.pass(HOUR_MS);
    const { active } = JSON.parse(system.retained.get(`${BASE}/faults`) ?? '{}');
    expect(active).toMatchObject([{ code: 'F.1' }]);
    expect(Math.abs(Date.parse(active[0].since) - raisedMs)).toBeLessThan(HOUR_MS);
  });

  it('have the sentence of an event that is stored ten minutes late before the next hourly read', async () => {
    const { raise, faults, pass } = await start();
    await pass(1.2);
    raise('F.74', { late_ms: 600_000 });
    await pass(0.5);
    expect(faults().active).toMatchObject([{ code: 'F.74', text: 'No flame formation', source: 'events' }]);
  });

  it('that lie between two reads are told too, also where both share a second', async () => {
    const { raise, end, told, pass } = await start();
    await pass(1.5);
    raise('ee');
    end('ee');
    await pass(2);
    expect(told()).toMatchObject([
      { event: 'began', code: 'ee', kind: 'fault' },
      { event: 'ended', code: 'ee' },
    ]);
  });

  it('of before the first start are taken over silently, and a restart tells nothing anew', async () => {
    const { raise, faults, told, pass, restart, reads } = await start({
      prepare: (simulator) => {
        simulator.control({ command: 'raise', code: 'A.11', device: '0', late_ms: 0 });
        simulator.control({ command: 'raise', code: 'F.5', device: '0', late_ms: 0 });
        simulator.control({ command: 'end', code: 'F.5', device: '0', late_ms: 0 });
      },
    });
    await pass(1.5);
    expect(faults().active).toMatchObject([{ code: 'A.11', kind: 'warning' }]);
    expect(told()).toEqual([]);
    raise('F.7');
    await pass(1.5);
    const before = reads().length;
    await restart();
    await pass(0.2);
    expect(faults().active).toMatchObject([{ code: 'F.7' }, { code: 'A.11' }]);
    expect(told()).toMatchObject([{ event: 'began', code: 'F.7' }]);
    // What an earlier run has read lately is not due.
    expect(reads().length - before).toBeLessThanOrEqual(1);
  });

  it('are known from the list alone where the events are refused, which costs nothing else', async () => {
    const { raise, faults, told, pass, simulator, reads, onBroker } = await start({
      prepare: (simulator) => {
        simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/events-history/' } });
      },
    });
    await pass(2);
    raise('F.1');
    await pass(3);
    expect(faults()).toMatchObject({ active: [{ code: 'F.1', source: 'messages' }], read_at: null });
    expect(told()).toMatchObject([{ event: 'began', code: 'F.1' }]);
    expect(onBroker.get(`${BASE}/availability`)).toBe('online');
    // After an hour once more, then six hours later.
    expect(reads()).toHaveLength(2);
    simulator.control({ command: 'clear' });
  });

  it('say nothing of the login where the events alone are refused for it', async () => {
    const { pass, simulator, recorder, reads } = await start();
    await pass(1.5);
    simulator.control({ command: 'fault', kind: 'expired_token', match: { path: '/events-history/' } });
    const before = reads().length;
    await pass(3);
    expect(reads().length).toBeGreaterThan(before);
    const states = recorder.heard
      .filter(({ topic }) => topic === 'heating2mqtt/bridge/auth')
      .map(({ payload }) => JSON.parse(payload).state);
    expect(states).not.toContain('failing');
  });

  it('last on where a page of events has a cursor that leads to itself', async () => {
    const { raise, faults, pass, simulator, time, reads } = await start();
    await pass(1.5);
    // No list of the device has it.
    raise('F.4', { type: 'device-message-hint' });
    await pass(30);
    const eventTimestamp = new Date(time.now()).toISOString();
    const event = {
      eventType: 'device-message-hint',
      gatewaySerial: GATEWAY,
      eventTimestamp,
      body: { errorCode: 'F.5', deviceId: '0', active: true },
    };
    const body = { data: [event], cursor: { next: 'again' } };
    simulator.control({ command: 'fault', status: 200, body, match: { path: '/events-history/' } });
    const before = reads().length;
    await pass(1.5);
    expect(faults().active.map(({ code }: { code: string }) => code)).toEqual(['F.5', 'F.4']);
    expect(
      reads()
        .slice(before)
        .filter(({ path }) => path.includes('cursor=again')),
    ).toHaveLength(1);
  });

  it('that come again while the events are refused begin and end once each, also when those can be read again', async () => {
    const { raise, end, told, faults, pass, simulator } = await start();
    await pass(1.5);
    raise('ee');
    await pass(1.5);
    simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/events-history/' } });
    end('ee');
    await pass(3);
    raise('ee');
    await pass(3);
    const all = ['began', 'ended', 'began'];
    expect(faults().active).toMatchObject([{ code: 'ee', source: 'messages' }]);
    expect(told().map(({ event }) => event)).toEqual(all);
    simulator.control({ command: 'clear' });
    await pass(26);
    expect(faults().active).toMatchObject([{ code: 'ee', source: 'events', since: '2026-11-21T12:01:00.000Z' }]);
    expect(told().map(({ event }) => event)).toEqual(all);
  });

  it('of which the end was not told while the bridge was away for long end with its last read', async () => {
    const { raise, end, told, faults, pass, kill, restart } = await start();
    // No list of the device has it.
    const type = { type: 'device-message-hint' };
    await pass(1.5);
    for (const code of ['ee', 'F.5']) raise(code, type);
    await pass(2);
    expect(faults().active).toHaveLength(2);
    kill();
    end('ee', type);
    await pass(40 * 24);
    end('F.5', type);
    await pass(1);
    await restart();
    await pass(2);
    expect(faults()).toMatchObject({ active: [], last: { until: expect.stringMatching(/^2026-(?:11-21|12-31)/) } });
    expect(told().map(({ event }) => event)).toEqual(['began', 'began']);
  });

  it('are asked for again an hour after a refusal that follows other failures', async () => {
    const fail = (kind: string, times: number) => ({ command: 'fault', kind, times, match: { path: '/events-history/' } });
    const { pass, reads } = await start({
      prepare: ({ control }) => {
        control(fail('failed_dependency', 2));
        control(fail('not_paid', 1));
      },
    });
    await pass(3.5);
    expect(reads()).toHaveLength(4);
  });

  it('cost at most an hourly call and ten more a day', async () => {
    const { raise, end, pass, reads } = await start();
    for (let hour = 0; hour < 24; hour += 1) {
      for (const code of ['F.1', 'F.2', 'F.3']) {
        raise(code);
        await pass(1 / 6);
        end(code);
        await pass(1 / 6);
      }
    }
    expect(reads().length).toBeGreaterThan(25);
    expect(reads().length).toBeLessThanOrEqual(34);
  });

  it('are not read with events.minutes 0, and a heating that tells none is said to tell none', async () => {
    const { faults, pass, reads, onBroker } = await start({
      overrides: { events: { minutes: 0 } },
      prepare: (simulator) => {
        simulator.control({ command: 'remove_feature', feature: ERRORS });
      },
    });
    await pass(3);
    expect(reads()).toEqual([]);
    expect(faults()).toEqual({ active: [], tells: false });
    const document = [...onBroker].find(([topic]) => /_0\/config$/.test(topic))?.[1] ?? '';
    expect(document).toContain('connection');
    expect(document).not.toContain('/faults');
  });
});
