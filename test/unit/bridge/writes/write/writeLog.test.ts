import { expect, test } from 'vitest';
import { DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import type { CommandResult } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import type { WriteEvent } from '../../../../../src/bridge/writes/write/step.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const PARTS = [{ property: 'slope', written: 2, former: 1 }];
const END = { untilMs: 9000, parts: PARTS };
const DAYS = [{ property: 'entries', day: 'mon' as const, written: [], former: [] }];
const ROW: Omit<SentWrite, 'key'> = {
  ...{ device: deviceKey(DEVICE), feature: 'curve', at: 1, name: 'home', topic: 't', command: 'setCurve' },
  ...{ state: 'accepted', values: { slope: 2 }, change: PARTS, answer: 'open' },
};
const curve = (slope: number) => featureOf('curve', { slope: { value: slope } });

/** A log of writes whose steps tell what is stored (`!`: also over a power cut), shown and answered. */
const world = () => {
  const steps: string[] = [];
  const state = new DeviceState(DEVICE);
  state.take(curve(1), 0);
  const store = writeStore();
  const writes = writeLog(
    {
      ...store,
      put: (write, isDurable) => {
        const { state: is, answer } = write.facts as { readonly state: string; readonly answer?: string };
        steps.push([`stored ${write.key}`, is, answer, isDurable && '!'].filter((word) => word).join(' '));
        store.put(write, isDurable);
      },
      remove: (key) => {
        steps.push(`removed ${key}`);
        store.remove(key);
      },
    },
    new Map([[deviceKey(DEVICE), state]]),
    { replyTo: () => (_, result: CommandResult, onDelivered) => steps.push(`answered ${result.status}${onDelivered ? ' for good' : ''}`) },
    fakeClock(),
    recordingLog([]),
  );
  writes.on('shownChanged', () => steps.push(`shown ${state.shown('curve')?.properties.get('slope')?.value}`));
  writes.on('endChanged', () => steps.push('end changed'));
  /** The steps since then. */
  const told = (): readonly string[] => steps.splice(0);
  return { writes, state, told };
};

test('what is accepted is stored, then shown, then answered', () => {
  const { writes, told } = world();
  const key = writes.add({ ...ROW, state: 'sent' }, undefined, true);
  writes.apply([key], { kind: 'accepted', words: {} });
  expect(told()).toEqual(['stored 1 sent open !', 'stored 1 accepted open !', 'shown 2', 'answered accepted']);
  writes.apply([key], { kind: 'confirmed', result: { status: 'applied' } });
  expect(told()).toEqual(['stored 1 accepted given', 'shown 2', 'answered applied for good']);
});

test.each<[event: WriteEvent, write: Partial<SentWrite>, isDurable: boolean]>([
  [{ kind: 'accepted', words: {} }, { state: 'sent' }, true],
  [{ kind: 'lost' }, { state: 'sent' }, true],
  [{ kind: 'refused', result: { status: 'failed' } }, { state: 'sent' }, true],
  [{ kind: 'adapted', change: PARTS, shows: curve(3), result: { status: 'applied' } }, {}, true],
  [{ kind: 'made', change: DAYS }, {}, true],
  [{ kind: 'shown', feature: curve(2) }, { end: { ...END, unseen: true } }, true],
  [{ kind: 'endChanged', end: { ...END, untilMs: 7 } }, { end: END }, true],
  [{ kind: 'followed', by: { untilMs: 5, parts: [] } }, { end: END }, true],
  [{ kind: 'returnIgnored', by: { ...ROW, key: 9 } }, { end: END }, true],
  [{ kind: 'undone' }, { isUndoable: true }, true],
  // The next run finds these out again.
  [{ kind: 'confirmed', result: { status: 'applied' } }, {}, false],
  [{ kind: 'unknown', result: { status: 'unconfirmed' } }, {}, false],
  [{ kind: 'settled' }, {}, false],
  [{ kind: 'delivered' }, { answer: 'given' }, false],
  [{ kind: 'replaced', by: { ...ROW, key: 9, values: { slope: 4 } } }, { end: END }, false],
  [{ kind: 'uncovered' }, { over: true }, false],
])('%j of a write survives a power cut, or is found again: %#', (event, write, isDurable) => {
  const { writes, told } = world();
  const key = writes.add({ ...ROW, ...write }, undefined);
  told();
  writes.apply([key], event);
  expect(
    told()
      .filter((step) => step.startsWith('stored'))
      .map((step) => step.endsWith('!')),
  ).toEqual([isDurable]);
});
