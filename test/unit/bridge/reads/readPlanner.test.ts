import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallFailure } from '../../../../src/bridge/ports.ts';
import { ClosedReads, kindOf, OPEN, planReads, type ReadMode, type ReadOptions } from '../../../../src/bridge/reads/readPlanner.ts';
import type { Device } from '../../../../src/bridge/state/deviceState.ts';
import { devicesOf, readKey } from '../../../../src/bridge/state/readTarget.ts';

const device = (id: string, features: readonly string[], gateway = 'g'): Device => ({
  name: `${gateway}-${id}`,
  installation: '1',
  gateway,
  device: id,
  features,
  exclude: [],
});

const plan = (devices: readonly Device[], mode: ReadMode, options: Partial<ReadOptions> = {}): readonly string[] =>
  planReads(devices, { ...OPEN, mode, gateways: true, ...options }).map(({ target }) => readKey(target));

const HOUR_MS = 3_600_000;
const TWO = [device('0', ['*']), device('1', ['*'])];

it.each<[string, readonly Device[], ReadMode, boolean, readonly string[]]>([
  ['v1, names', [device('0', ['a', 'b'])], 'auto', false, ['g/0/a', 'g/0/b']],
  ['v1, a glob', [device('0', ['a', 'b.*'])], 'auto', false, ['g/0/']],
  ['v1, device', [device('0', ['a'])], 'device', false, ['g/0/']],
  ['v2, one feature is one call', [device('0', ['a'])], 'auto', true, ['g/0/a']],
  ['v2, two features of one device', [device('0', ['a', 'b'])], 'auto', true, ['g/0/']],
  ['v2, two devices', TWO, 'auto', true, ['g//']],
  ['v2, one feature each of two devices', [device('0', ['a']), device('1', ['a'])], 'auto', true, ['g//']],
  ['v2, a device at each of two gateways', [device('0', ['*']), device('0', ['*'], 'h')], 'auto', true, ['g/0/', 'h/0/']],
  ['gateway, even for one device', [device('0', ['a'])], 'gateway', true, ['g//']],
  ['feature', [device('0', ['a', 'b'])], 'feature', true, ['g/0/a', 'g/0/b']],
  ['nothing', [], 'auto', true, []],
])('%s', (_, devices, mode, gateways, reads) => {
  expect(plan(devices, mode, { gateways })).toEqual(reads);
});

it('falls back from the gateway to its devices, and from a device to the features known', () => {
  const known = () => ['x.a', 'x.b', 'y'];
  const named = [{ ...device('0', ['x.*', 'z']), exclude: ['x.b'] }, device('1', ['*'])];
  expect(plan(named, 'auto', { barred: (target) => kindOf(target) === 'gateway' })).toEqual(['g/0/', 'g/1/']);
  const barred: ReadOptions['barred'] = (target) => kindOf(target) === 'gateway' || (kindOf(target) === 'device' && target.device === '0');
  expect(plan(named, 'auto', { barred, known })).toEqual(['g/0/z', 'g/0/x.a', 'g/1/']);
  expect(plan(named, 'auto', { barred: () => true, known })).toEqual([]);
});

it('reads the gateway where the way of a device is closed, also of one whose features nobody knows yet', () => {
  const barred: ReadOptions['barred'] = (target) => kindOf(target) === 'device';
  expect(plan([device('0', ['*'])], 'auto', { barred })).toEqual(['g//']);
  expect(plan(TWO, 'auto', { barred })).toEqual(['g//']);
  expect(plan([device('0', ['*'])], 'auto', { barred, known: () => ['a'] })).toEqual(['g//']);
  expect(plan([device('0', ['a'])], 'auto', { barred: (target) => kindOf(target) === 'feature' })).toEqual(['g//']);
  expect(plan([device('0', ['a'])], 'auto', { barred })).toEqual(['g/0/a']);
  expect(plan([device('0', ['*'])], 'device', { barred })).toEqual([]);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '*'), { minLength: 1 });
const homes = fc
  .uniqueArray(fc.tuple(fc.constantFrom('g', 'h'), fc.constantFrom('0', '1', '2'), names), { selector: ([g, d]) => `${g}${d}` })
  .map((all) => all.map(([gateway, id, features]) => device(id, features, gateway)));

it('shows every device, and auto never needs more calls than any other mode that can show all', () => {
  fc.assert(
    fc.property(homes, (devices) => {
      const reads = planReads(devices, { ...OPEN, mode: 'auto', gateways: true });
      expect(new Set(reads.flatMap(devicesOf))).toEqual(new Set(devices));
      for (const mode of ['device', 'gateway'] as const) expect(reads.length).toBeLessThanOrEqual(plan(devices, mode).length);
    }),
  );
});

const failure = (code: string, errorType?: string): CallFailure =>
  Object.assign(new Error(code), { code, executed: 'no' as const, errorType });

it.each<[CallFailure, boolean]>([
  [failure('not_paid'), true],
  [failure('forbidden'), true],
  [failure('gone'), true],
  [failure('not_found'), true],
  [failure('not_found', 'GATEWAY_NOT_FOUND'), false],
  [failure('not_found', 'DEVICE_NOT_FOUND'), false],
  [failure('server_error'), false],
  [failure('gateway_offline'), false],
])('%s closes a way of reading: %s', (one, closing) => {
  const read = { device: device('0', ['a', '*']), target: { installation: '1', gateway: 'g' } };
  expect(new ClosedReads().note(read, one, 0)).toBe(closing);
});

it('leaves what was refused alone for hours, a path that is gone for every device', () => {
  const refusals = new ClosedReads();
  const [read] = planReads([device('0', ['a', '*'])], { ...OPEN, mode: 'device', gateways: true });
  const other = { installation: '1', gateway: 'h', device: '7' };
  if (!read) throw new Error('no read');
  expect(refusals.note(read, failure('timeout'), 0)).toBe(false);
  expect(refusals.note({ ...read, device: device('0', ['*']) }, failure('not_paid'), 0)).toBe(false);
  expect(refusals.note(read, failure('not_paid'), 0)).toBe(true);
  expect([refusals.isClosed(read.target, HOUR_MS - 1), refusals.isClosed(other, 1)]).toEqual([true, false]);
  expect(refusals.isClosed(read.target, HOUR_MS)).toBe(false);
  for (const [hours, open] of [
    [1, 7],
    [7, 31],
    [31, 55],
  ] as const) {
    expect(refusals.note(read, failure('not_paid'), hours * HOUR_MS)).toBe(true);
    expect([-1, 0].map((ms) => refusals.isClosed(read.target, open * HOUR_MS + ms))).toEqual([true, false]);
  }
  refusals.worked(read);
  refusals.note(read, failure('not_paid'), 0);
  expect(refusals.isClosed(read.target, HOUR_MS)).toBe(false);
  expect(refusals.note(read, failure('gone'), 0)).toBe(true);
  expect(refusals.isClosed(other, 1)).toBe(true);
  expect(refusals.isClosed({ installation: '1', gateway: 'h' }, 1)).toBe(false);
});
