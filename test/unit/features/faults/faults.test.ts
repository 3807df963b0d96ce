import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Device, DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import { type FaultStore, faultStore } from '../../../../src/bridge/state/faults/faultStore.ts';
import { type FaultEvent, parseEvents } from '../../../../src/features/faults/faultEvent.ts';
import { type FaultSource, kindOf } from '../../../../src/features/faults/faultKind.ts';
import { isActive, livesOf } from '../../../../src/features/faults/lives.ts';
import { messageListOf } from '../../../../src/features/faults/messageList.ts';
import { runs } from '../../../support/chance.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const MINUTE = 60_000;

const raw = (over: object, body: object = {}) => ({
  eventType: 'device-error',
  gatewaySerial: 'g',
  eventTimestamp: '2026-11-26T10:00:00.000Z',
  createdAt: '2026-11-26T10:09:59.123Z',
  body: { errorCode: 'F.74', deviceId: '0', active: true, errorDescription: 'Pressure too low', ...body },
  ...over,
});

describe('the kind of a code', () => {
  it.each<[string, FaultSource, string]>([
    ['F.74', 'error', 'fault'],
    ['A.11', 'error', 'warning'],
    ['P.1', 'error', 'service'],
    ['0F', 'error', 'service'],
    ['ee', 'error', 'fault'],
    ['18', 'error', 'fault'],
    ['S.134', 'error', 'warning'],
    ['XYZ', 'error', 'fault'],
    ['F.74', 'status', 'status'],
    ['F.74', 'info', 'info'],
    ['S.6', 'status', 'status'],
    ['P.8', 'service', 'service'],
    ['A.19', 'unknown', 'warning'],
    ['XYZ', 'unknown', 'other'],
    ['00', 'error', 'status'],
    ['0', 'service', 'status'],
  ])('%s by %s: %s', (code, source, kind) => expect(kindOf(code, source)).toBe(kind));
});

describe('a page of events', () => {
  it.each<[string, object, object | undefined]>([
    ['a text on one line', raw({}, { errorDescription: 'a\n\u001b[31mb\u202ec' }), { text: 'a [31mb c' }],
    ['a moment that lies ahead', raw({ eventTimestamp: '9999-12-31T00:00:00.000Z' }), { at: NOW }],
    ['a fault', raw({}), { device: '0', code: 'F.74', kind: 'fault', active: true, text: 'Pressure too low' }],
    ['a number as id', raw({}, { deviceId: 0 }), { device: '0' }],
    ['an id beside the body', raw({ deviceId: '2' }, { deviceId: undefined }), { device: '2' }],
    ['a state', raw({ eventType: 'device-message-status' }, { errorCode: 'S.134' }), { code: 'S.134', kind: 'status' }],
    ['a message of a new type', raw({ eventType: 'device-message-hint' }, { errorCode: 'A.1' }), { kind: 'warning' }],
    ['a gateway that went away', raw({ eventType: 'gateway-online', body: { online: false } }), { kind: 'connection', active: true }],
    ['a gateway that is back', raw({ eventType: 'gateway-online', body: { online: true } }), { device: '', active: false }],
    [
      'a gateway of which it is not said',
      raw({ eventType: 'gateway-online', body: { online: 'yes' } }),
      { code: 'gateway-online', kind: 'other', active: undefined },
    ],
    ['an error without a code', raw({}, { errorCode: undefined }), { code: 'device-error', kind: 'fault', active: true }],
    ['a state without a code', raw({ eventType: 'device-message-status' }, { errorCode: '' }), { kind: 'status' }],
    ['a message of a new type without a code', raw({ eventType: 'device-message-hint', body: {} }), { kind: 'other' }],
    ['no type', raw({ eventType: '' }), undefined],
    ['an unknown type', raw({ eventType: 'firmware-update-status', body: 7 }), { code: 'firmware-update-status', kind: 'other' }],
    ['a time with an offset', raw({ eventTimestamp: '2026-11-26T11:00:00+01:00' }), { at: NOW - 120 * MINUTE }],
    ['no time', raw({ eventTimestamp: undefined }), { at: Date.parse('2026-11-26T10:09:59.123Z') }],
    ['a time that is none', raw({ eventTimestamp: 'soon', createdAt: 7 }), { at: NOW }],
    ['a time without a zone', raw({ eventTimestamp: '2026-11-26T11:00:00' }), { at: Date.parse('2026-11-26T10:09:59.123Z') }],
    ['a time that JavaScript alone reads', raw({ eventTimestamp: 'F.1', createdAt: '1' }), { at: NOW }],
    ['a time that lies ahead', raw({ eventTimestamp: '2027-01-01T00:00:00.000Z' }), { at: NOW }],
    ['a type that is too long', raw({ eventType: 'x'.repeat(101) }), undefined],
    ['an id that is too long', raw({}, { deviceId: '1'.repeat(101) }), undefined],
    ['half a character as the id of a device', raw({}, { deviceId: '\ud800' }), undefined],
    ['half a character as a serial number', raw({ gatewaySerial: '\ud800' }), undefined],
    ['a time that is too long', raw({ eventTimestamp: '1'.repeat(101), createdAt: undefined }), undefined],
    ['a command of some program', raw({ eventType: 'feature-changed' }), undefined],
    ['no event', { eventType: 7 }, undefined],
  ])('%s', (_, event, expected) => {
    const [found] = parseEvents({ data: [event, null] }, NOW)?.events ?? [];
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });

  it('has two begins without a time apart, by when they were stored', () => {
    const begins = ['2026-11-25T10:00:00.000Z', '2026-11-26T10:00:00.000Z'].map((createdAt) => raw({ eventTimestamp: null, createdAt }));
    expect(new Set(parseEvents({ data: begins }, NOW)?.events.map(({ key }) => key)).size).toBe(2);
  });

  it('has no sentence where that only repeats the code', () => {
    expect(parseEvents({ data: [raw({}, { errorDescription: 'F.74' })] }, NOW)?.events[0]?.text).toBeUndefined();
  });

  it('has a cursor while it holds something, and is none without data', () => {
    expect(parseEvents({ data: [raw({})], cursor: { next: 'c' } }, NOW)?.next).toBe('c');
    expect(parseEvents({ data: [], cursor: { next: 'c' } }, NOW)?.next).toBeUndefined();
    expect(parseEvents({ error: 1 }, NOW)).toBeUndefined();
  });

  it('has the time of its oldest event, of commands too', () => {
    const old = raw({ eventType: 'feature-changed', eventTimestamp: '2026-11-26T09:00:00.000Z' });
    const untimed = raw({ eventTimestamp: 'F.1' });
    expect(parseEvents({ data: [raw({}), old, untimed, null] }, NOW)).toMatchObject({
      oldestMs: NOW - 180 * MINUTE,
      events: [{ code: 'F.74' }, {}],
    });
  });
});

describe('a list of a device', () => {
  const entry = (errorCode: string, timestamp = '2026-11-26T11:52:33.000Z') => ({ timestamp, errorCode, priority: 'status' });
  it.each<[string, string, object[], object | undefined]>([
    ['errors', 'device.messages.errors.raw', [entry('F.1')], { source: 'error', isOpen: true, entries: [{ code: 'F.1' }] }],
    ['a code as an event has it', 'device.messages.errors.raw', [entry('\u001b F.1\n')], { entries: [{ code: 'F.1' }] }],
    ['none', 'device.messages.errors.raw', [], { isOpen: true, entries: [] }],
    [
      'states, with doubles',
      'device.messages.status.raw',
      [entry('S.1'), entry('S.1', 'x')],
      { isOpen: false, entries: [{ code: 'S.1' }] },
    ],
    ['entries without a code', 'device.messages.service.raw', [{ actor: 'SEK_PUMPE1' }], { isOpen: true, entries: [] }],
    ['an error without a code', 'device.messages.errors.raw', [{ code: 'F.1' }], { entries: [{ code: 'device-error' }] }],
    ['errors that are empty places', 'device.messages.errors.raw', [{ errorCode: null, timestamp: '' }, {}, ''] as never, { entries: [] }],
    ['errors of another form', 'device.messages.errors.raw', ['F.1', null] as never, { entries: [{ code: 'device-error' }] }],
    ['a log of the inside', 'device.messages.logbook', [entry('F.1')], undefined],
  ])('%s', (_, name, entries, expected) => {
    const list = messageListOf(featureOf(name, { entries: { value: entries as never } }));
    if (expected) expect(list).toMatchObject(expected);
    else expect(list).toBeUndefined();
  });
});

describe('the error status of a part', () => {
  it.each<[string, string, string | number, string | undefined]>([
    ['none', 'ok', 0, undefined],
    ['a code of an earlier one', 'ok', 5, undefined],
    ['a code of an earlier one while the part is off', 'off', 5, undefined],
    ['a code of an earlier one of a part that is not there', 'notConnected', '0F', undefined],
    ['an error that is active, as events call it', 'active', 'F.160', 'F.160'],
    ['one of a status of an unknown name', 'lockout', 5, '5'],
    ['one with a code', 'error', 5, '5'],
    ['one with a code as text', 'warning', 'ee', 'ee'],
    ['one without a code', 'error', 0, 'device-error'],
    ['a state of an unknown name without a code', 'notConnected', 0, undefined],
  ])('%s', (_, status, errorCode, code) => {
    const properties = { status: { value: status }, errorCode: { value: errorCode }, errorDetails: { value: 'error' } };
    const entries = code === undefined ? [] : [{ code }];
    expect(messageListOf(featureOf('heating.burners.0.errorStatus', properties))).toMatchObject({ isOpen: true, entries });
  });
});

const event = (minute: number, active: boolean | undefined, over: Partial<FaultEvent> = {}): FaultEvent => {
  const [code, from] = [over.code ?? 'F.1', over.from ?? 'events'];
  const key = JSON.stringify([code, from, minute, active]);
  const base = { key, gateway: 'g', device: '0', code, kind: 'fault' as const, at: NOW + minute * MINUTE, from };
  return { ...base, ...(active === undefined ? {} : { active }), ...over };
};
const seen = (minute: number, active: boolean): FaultEvent => event(minute, active, { from: 'messages' });
const spans = (events: readonly FaultEvent[]) =>
  livesOf(events).map(({ since, until }) => [since, until].map((at) => (at === undefined ? undefined : (at - NOW) / MINUTE)));

describe('lives', () => {
  it.each<[string, FaultEvent[], (number | undefined)[][]]>([
    ['begin and end', [event(0, true), event(9, false)], [[0, 9]]],
    ['both in one second', [event(0, false), event(0, true)], [[0, 0]]],
    ['a begin twice keeps the first', [event(0, true), event(5, true)], [[0, undefined]]],
    ['an end alone', [event(5, false)], [[undefined, 5]]],
    ['an end twice', [event(0, true), event(5, false), event(7, false)], [[0, 5]]],
    [
      'ends alone, as older boilers tell them (openviess/PyViCare#250)',
      [event(5, false), event(7, false), event(1273, false)],
      [
        [undefined, 1273],
        [undefined, 5],
      ],
    ],
    [
      'a newer fault that ended beside an older one that lasts',
      [event(0, true), event(5, true, { code: 'A.1' }), event(6, false, { code: 'A.1' })],
      [
        [5, 6],
        [0, undefined],
      ],
    ],
    ['a moment', [event(3, undefined)], [[3, 3]]],
    ['a list that saw it later', [event(0, true), seen(60, true)], [[0, undefined]]],
    ['a list that saw it first', [seen(0, true), event(10, true)], [[10, undefined]]],
    [
      'too far apart',
      [event(100, true), seen(0, true)],
      [
        [100, undefined],
        [0, undefined],
      ],
    ],
    ['old, and still in the list', [event(-4000, true), seen(0, true)], [[-4000, undefined]]],
    ['the list proves that it lasts', [event(0, true), event(5, false), seen(4, true)], [[0, undefined]]],
    ['the list no longer has it', [event(0, true), seen(4, true), seen(20, false)], [[0, 20]]],
    ['a log lists it, which ends nothing', [event(0, true), event(10, undefined, { from: 'messages' })], [[0, undefined]]],
    [
      'events whose end is not read yet, and the list has it once more',
      [event(0, true), seen(1, true), seen(600, false), seen(900, true)],
      [
        [900, undefined],
        [0, 600],
      ],
    ],
    [
      'the list has it once more, soon after both ended',
      [event(0, true), event(5, false), seen(1, true), seen(6, false), seen(20, true)],
      [
        [20, undefined],
        [0, 5],
      ],
    ],
    [
      'one that the events tell as a whole, and the list twice',
      [event(0, true), seen(1, true), seen(6, false), seen(20, true), event(30, false), seen(32, false)],
      [[0, 30]],
    ],
    [
      'a list that was missing meanwhile',
      [event(0, true), seen(1, true), seen(600, false), seen(900, true)],
      [
        [900, undefined],
        [0, 600],
      ],
    ],
    [
      'one that ends and begins again before its list is read',
      [event(0, true), seen(1, true), event(5, false), event(7, true)],
      [
        [7, undefined],
        [0, 5],
      ],
    ],
    [
      'the second one ends with the list',
      [event(0, true), seen(1, true), event(5, false), event(7, true), seen(20, false)],
      [
        [7, 20],
        [0, 5],
      ],
    ],
    [
      'the second one ends, and the list still has it',
      [event(0, true), seen(1, true), event(5, false), event(7, true), event(9, false)],
      [
        [7, undefined],
        [0, 5],
      ],
    ],
    [
      'a list that a moment follows',
      [event(0, true), seen(1, true), event(5, false), event(7, undefined)],
      [
        [7, 7],
        [0, undefined],
      ],
    ],
    [
      'one too short for the list, and the same code again, which the list has before its event is read',
      [event(0, true), event(5, false), seen(45, true)],
      [
        [45, undefined],
        [0, 5],
      ],
    ],
    [
      'the same once its event is read, and both have ended',
      [event(0, true), event(5, false), seen(45, true), event(40, true), event(49, false), seen(50, false)],
      [
        [40, 49],
        [0, 5],
      ],
    ],
    ['a list that is late on both sides', [event(0, true), event(2, false), seen(4, true), seen(8, false)], [[0, 2]]],
  ])('%s', (_, events, expected) => expect(spans(events)).toEqual(expected));

  const CODES = ['F.1', 'A.2', 'S.3'];
  const pair = fc.record({ code: fc.constantFrom(...CODES), minute: fc.nat(5000), lasts: fc.nat(3) });

  it('are the same for the same events in any order, double or overlapping; each begin has one end', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (pairs, order) => {
        // One fault at a time for each code, as the platform tells them.
        const slots = [...new Map(pairs.map((one) => [`${one.code} ${Math.floor(one.minute / 10)}`, one])).values()];
        const events = slots.flatMap(({ code, minute, lasts }) => {
          const begin = Math.floor(minute / 10) * 10;
          return [event(begin, true, { code }), event(begin + lasts, false, { code })];
        });
        const shuffled = [...events, ...events.filter((_, i) => i % 2 === 0)]
          .map((one) => [order.next().value, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
        const lives = livesOf(shuffled);
        expect(lives).toEqual(livesOf(events));
        expect(lives).toHaveLength(slots.length);
        expect(lives.every(({ since, until }) => since !== undefined && until !== undefined)).toBe(true);
        expect(lives.some(isActive)).toBe(false);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the faults that are kept', () => {
  const device = { installation: '1', gateway: 'g', device: '0', name: 'home' } as Device;
  const start = (rows = new Map<string, unknown>(), readsEvents = true, startsAt = NOW) => {
    let now = startsAt;
    const state = new DeviceState(device);
    const states = new Map([[deviceKey(device), state]]);
    const store = faultStore(keyedStore(rows), states, { now: () => now }, readsEvents);
    const list = (codes: string[], timestamp?: string, of = 'errors'): void => {
      const feature = featureOf(
        `device.messages.${of}.raw`,
        { entries: { value: codes.map((errorCode) => ({ errorCode })) as never } },
        timestamp === undefined ? {} : { timestamp },
      );
      state.remember(feature);
      store.learnFeatures(state, [feature]);
    };
    const remove = (): void => {
      states.clear();
      store.removed([device]);
      states.set(deviceKey(device), state);
    };
    const pass = (ms = 600 * MINUTE): void => {
      now += ms;
    };
    return { store, state, list, remove, pass, rows };
  };

  it('end with each removal of their device', () => {
    const { store, state, list, remove, pass } = start();
    for (let time = 0; time < 2; time += 1) {
      list(['F.1']);
      expect(store.of(state).active).toHaveLength(1);
      pass();
      remove();
      expect(store.of(state).active).toEqual([]);
      pass();
    }
  });

  it('last on where the device comes back and still lists them, as it did before', () => {
    const { store, state, list, remove, pass } = start();
    const before = new Date(NOW).toISOString();
    list(['F.1'], before);
    pass();
    remove();
    pass();
    expect(store.of(state).active).toEqual([]);
    for (let read = 0; read < 3; read += 1) {
      list(['F.1'], before);
      expect(store.of(state).active).toHaveLength(1);
      pass();
    }
    list([], new Date(NOW + 1_800_000_000).toISOString());
    expect(store.of(state).active).toEqual([]);
    list(['F.1'], before);
    expect(store.of(state).active).toEqual([]);
  });

  it('end with their list, also where a log has had the same code meanwhile', () => {
    const { store, state, list, pass } = start();
    const told: string[] = [];
    store.on('event', (_, what, { code }) => told.push(`${what} ${code}`));
    const steps = [
      ['errors', []],
      ['errors', ['F.1']],
      ['info', ['F.1']],
      ['errors', ['F.2']],
    ] as const;
    const active = steps.map(([of, codes], step) => {
      list([...codes], new Date(NOW + step * 600 * MINUTE).toISOString(), of);
      pass();
      return store
        .of(state)
        .active.map(({ code }) => code)
        .join();
    });
    expect(active).toEqual(['', 'F.1', 'F.1', 'F.2']);
    expect(told.toSorted()).toEqual(['began F.1', 'began F.2', 'ended F.1']);
  });

  it('begin and end with the error status of a part, once with the same code in the list, and it proves no health', () => {
    const { store, state, list, pass } = start();
    const told: string[] = [];
    store.on('event', (_, what, { code, kind }) => told.push(`${what} ${kind} ${code}`));
    const part = (status: string, errorCode: number): void => {
      const feature = featureOf('heating.burners.0.errorStatus', { status: { value: status }, errorCode: { value: errorCode } });
      state.remember(feature);
      store.learnFeatures(state, [feature]);
      pass();
    };
    part('ok', 0);
    expect(store.of(state)).toMatchObject({ tells: false, active: [] });
    part('error', 5);
    expect(store.of(state)).toMatchObject({ tells: true, active: [{ code: '5' }] });
    list(['5']);
    pass();
    list([]);
    expect(store.of(state).active).toHaveLength(1);
    part('ok', 0);
    expect([store.of(state).active, told]).toEqual([[], ['began fault 5', 'ended fault 5']]);
  });

  it('have the text of an earlier event of their code where a list shows them first, until their own event has one', () => {
    const { store, list, pass } = start();
    const texts: (string | undefined)[] = [];
    store.on('event', (_, _what, { text }) => texts.push(text));
    store.learnEvents('1', [
      event(-5000, true, { text: 'too low' }),
      event(-4000, false),
      event(-4000, undefined, { code: 'device-error', text: 'x' }),
    ]);
    list([]);
    store.eventsRead('1');
    list(['F.1', 'device-error']);
    expect(texts.toSorted()).toEqual(['too low', undefined]);
    pass(MINUTE);
    store.learnEvents('1', [event(1, true, { text: 'far too low' })]);
    list([]);
    expect(texts.slice(2).toSorted()).toEqual(['far too low', undefined]);
  });

  it('have no text of another event where their own event has no code of its own', () => {
    const { store, state, list } = start();
    const [code, kind] = ['device-message-error', 'fault'] as const;
    list([]);
    store.learnEvents('1', [event(-5000, true, { code, kind, text: 'too low' }), event(-4000, false, { code, kind })]);
    store.learnEvents('1', [event(0, true, { code, kind })]);
    expect(store.of(state).active.map(({ text }) => text)).toEqual([undefined]);
  });

  it('are told by a list of errors, or by what another list has, and not by an empty list of maintenance', () => {
    const { store, state, list, pass } = start();
    list([], undefined, 'service');
    list(['I.1'], undefined, 'info');
    expect(store.of(state).tells).toBe(false);
    pass();
    list(['P.8'], undefined, 'service');
    expect(store.of(state)).toMatchObject({ tells: true, active: [{ code: 'P.8' }] });
    const other = start();
    other.list([]);
    expect(other.store.of(other.state).tells).toBe(true);
  });

  it('last where one list ends them and another one still has them', () => {
    const { store, state, list, pass } = start();
    const steps = [
      ['errors', ['P.1'], ['P.1']],
      ['service', ['P.1'], ['P.1']],
      ['errors', [], ['P.1']],
      ['errors', ['F.2'], ['F.2', 'P.1']],
      ['service', [], ['F.2']],
    ] as const;
    for (const [step, [of, codes, active]] of steps.entries()) {
      list([...codes], new Date(NOW + (step * 600 - 1) * MINUTE).toISOString(), of);
      expect(store.of(state).active.map(({ code }) => code)).toEqual(active);
      pass();
    }
  });

  it('are not those of a log of last year again where another list changes', () => {
    const { store, state, list, pass } = start();
    let [added, changed] = [0, 0];
    store.on('entryAdded', () => (added += 1));
    store.on('changed', () => (changed += 1));
    list(['F.1'], new Date(NOW).toISOString());
    list(['I.1'], new Date(NOW - 400 * 1440 * MINUTE).toISOString(), 'info');
    [added, changed] = [0, 0];
    pass();
    list([], new Date(NOW + 600 * MINUTE).toISOString());
    expect([store.of(state).active, added, changed]).toEqual([[], 0, 1]);
  });

  it('begin and end once each, where one begins again before its list is read', () => {
    const { store, state, list, pass } = start();
    const told: string[] = [];
    store.on('event', (_, what, { since = 0, until = NOW }) => told.push(`${what} ${(since - NOW) / MINUTE} ${(until - NOW) / MINUTE}`));
    list([]);
    store.eventsRead('1');
    store.learnEvents('1', [event(0, true)]);
    list(['F.1'], new Date(NOW).toISOString());
    pass();
    store.learnEvents('1', [event(0, true), event(5, false), event(7, true)]);
    expect(store.of(state).active).toMatchObject([{ code: 'F.1', since: NOW + 7 * MINUTE }]);
    list([], new Date(NOW + 20 * MINUTE).toISOString());
    expect(store.of(state).active).toEqual([]);
    expect(told).toEqual(['began 0 0', 'ended 0 5', 'began 7 0', 'ended 7 20']);
  });

  it('begin and end once each, where the first one was too short for the list', () => {
    const { store, list, pass } = start();
    const told: string[] = [];
    store.on('event', (_, what, { since = 0 }) => told.push(`${what} ${(since - NOW) / MINUTE}`));
    list([], new Date(NOW - MINUTE).toISOString());
    store.eventsRead('1');
    pass();
    store.learnEvents('1', [event(0, true), event(5, false)]);
    list(['F.1'], new Date(NOW + 45 * MINUTE).toISOString());
    store.learnEvents('1', [event(40, true)]);
    list([], new Date(NOW + 50 * MINUTE).toISOString());
    expect(told).toEqual(['began 0', 'ended 0', 'began 45', 'ended 40']);
  });

  it.each(['without a time', 'gone'])('last in another list, where the first one ends with the read: %s', (how) => {
    const { store, state, list, pass } = start();
    const told: string[] = [];
    store.on('event', (_, what, { code }) => told.push(`${what} ${code}`));
    list([]);
    pass();
    list(['P.1']);
    pass();
    list(['P.1'], undefined, 'service');
    pass();
    if (how === 'gone') state.features.delete('device.messages.errors.raw');
    if (how === 'gone') store.featuresGone(state, ['device.messages.errors.raw']);
    else list([]);
    expect(store.of(state).active).toMatchObject([{ code: 'P.1' }]);
    pass();
    list([], undefined, 'service');
    expect(store.of(state).active).toEqual([]);
    expect(new Set(told)).toEqual(new Set(['began P.1', 'ended P.1']));
    expect(told).toHaveLength(how === 'gone' ? 4 : 2);
  });

  it('end with the list that had them last, where they came from another one', () => {
    const { store, state, list, pass } = start();
    list(['P.1']);
    pass();
    list(['P.1'], undefined, 'service');
    list([]);
    pass();
    state.features.delete('device.messages.service.raw');
    store.featuresGone(state, ['device.messages.service.raw']);
    expect(store.of(state).active).toEqual([]);
  });

  it.each([-56 * 365, 400])('are kept and told where the clock of the machine is %i days wrong at the start', (days) => {
    const { store, list, rows } = start();
    list([]);
    store.learnEvents('1', [event(-9, true), event(-8, false)]);
    store.eventsRead('1');
    const wrongMs = days * 1440 * MINUTE;
    const again = start(rows, true, NOW + wrongMs);
    again.pass(60 * MINUTE - wrongMs);
    const told: string[] = [];
    again.store.on('event', (_, what) => told.push(what));
    again.store.learnEvents('1', [event(30, true)]);
    expect(told).toEqual(['began']);
    expect(again.store.devices(0)[0]?.lives).toHaveLength(2);
  });

  it('are those of the lists alone, where events are read no more', () => {
    const { store, state, list, rows } = start();
    list([]);
    store.learnEvents('1', [event(-5, true), event(-5, true, { code: 'F.2' })]);
    store.eventsRead('1');
    list(['F.1'], new Date(NOW).toISOString());
    const active = (one: FaultStore): readonly string[] => one.of(state).active.map(({ code }) => code);
    expect(active(store).toSorted()).toEqual(['F.1', 'F.2']);
    const { store: off } = start(rows, false);
    expect(active(off)).toEqual(['F.1']);
    expect(off.devices(0)[0]?.lives.find(({ code }) => code === 'F.2')).toMatchObject({ since: NOW - 5 * MINUTE, until: NOW });
    expect(active(start(rows).store).toSorted()).toEqual(['F.1', 'F.2']);
  });

  it('end with the last read where the events do not go back to it, unless a list has them', () => {
    const { store, state, list, pass } = start();
    const active = (): readonly string[] => store.of(state).active.map(({ code }) => code);
    list(['F.1'], new Date(NOW).toISOString());
    store.learnEvents('1', [event(-5, true), event(-5, true, { code: 'F.2' }), event(-5, true, { code: 'F.3' })]);
    store.eventsRead('1');
    pass();
    store.learnEvents('1', [event(590, true, { code: 'F.3' }), event(595, true, { code: 'F.4' })]);
    expect(active().toSorted()).toEqual(['F.1', 'F.2', 'F.3', 'F.4']);
    store.learnEvents('1', [], false);
    expect(active().toSorted()).toEqual(['F.1', 'F.3', 'F.4']);
    expect(store.devices(0)[0]?.lives.find(({ code }) => code === 'F.2')).toMatchObject({ since: NOW - 5 * MINUTE, until: NOW });
    expect(store.of(state).active.find(({ code }) => code === 'F.3')).toMatchObject({ since: NOW + 590 * MINUTE });
  });

  it('say since when the events cannot be read, over restarts, until one read works or they are off', () => {
    const { store, list, pass, rows } = start();
    const failure = (code: 'forbidden' | 'server_error') => Object.assign(new Error(code), { code, executed: 'no' as const });
    list([]);
    store.eventsRead('1');
    pass();
    store.eventsRead('1', failure('server_error'));
    pass();
    store.eventsRead('1', failure('forbidden'));
    const again = start(rows);
    expect(again.store.of(again.state)).toEqual({ active: [], tells: true, readAt: NOW, failed: 'forbidden' });
    expect(again.store.lastRead('1')).toEqual({ at: NOW, failed: { code: 'forbidden', since: NOW + 600 * MINUTE } });
    const off = start(rows, false);
    expect(off.store.of(off.state)).toEqual({ active: [], tells: true });
    again.store.eventsRead('1');
    expect(start(rows).store.lastRead('1')).toEqual({ at: NOW });
  });

  it.each([true, false])(
    'say that the events cannot be read since the clock was set, where it was at its beginning (read before: %s)',
    (isRead) => {
      const { store, list, rows } = start();
      const failure = Object.assign(new Error('unreachable'), { code: 'unreachable' as const, executed: 'no' as const });
      list([]);
      if (isRead) store.eventsRead('1');
      const again = start(rows, true, 60_000);
      again.store.eventsRead('1', failure);
      for (const ms of [NOW, MINUTE]) {
        again.pass(ms);
        again.store.eventsRead('1', failure);
      }
      expect(again.store.lastRead('1')).toEqual({ at: isRead ? NOW : undefined, failed: { code: 'unreachable', since: NOW + 60_000 } });
    },
  );

  it('are at most 5000 events of a device, of which states go first', () => {
    const { store, rows } = start();
    const states = Array.from({ length: 5001 }, (_, minute) => event(-minute, undefined, { code: 'S.1', kind: 'status' }));
    store.learnEvents('1', [event(-9000, true), event(-8999, false), ...states]);
    const kept = [...rows.keys()].filter((row) => row.startsWith('event '));
    expect(kept).toHaveLength(5000);
    expect(kept.filter((row) => row.includes('F.1'))).toHaveLength(2);
  });
});
