import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widened } from '../../../src/homeassistant/widen.ts';
import { runs } from '../../support/chance.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { featureOf } from '../../support/devices/features.ts';
import { mutated } from '../../support/devices/mutatedDevices.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const HOME = { name: 'home', installation: '1', gateway: '7571381699990001', device: '0' };
const ALL = [...fixtureDevice('boiler'), ...fixtureDevice('rooms')];

describe('a device that is not what it was', () => {
  it('has a document that no hub refuses', () => {
    fc.assert(
      fc.property(mutated(ALL), (features) => {
        expect(lintDocument(deviceDocument(WHERE, HOME, features))).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('has one also after its features were widened, and only ever wider', () => {
    fc.assert(
      fc.property(mutated(ALL), mutated(ALL), (before, now) => {
        const first = before.map((feature) => widened(undefined, feature));
        const both = now.map((feature, i) => widened(first[i], feature));
        expect(lintDocument(deviceDocument(WHERE, HOME, both))).toEqual([]);
        expect(both.map((feature, i) => widened(feature, now[i] ?? feature))).toEqual(both);
      }),
      { numRuns: runs(50) },
    );
  });

  it('is offered whole with 400 features and a command of nine parameters', () => {
    const nine = commandOf('setNine', Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, ['number']])));
    const many = Array.from({ length: 400 }, (_, i) =>
      featureOf(`test.extra.${i}.温度`, { 值: { value: i, unit: 'furlong' } }, { commands: new Map([nine]) }),
    );
    const document = deviceDocument(WHERE, { ...HOME, name: '暖房' }, many);
    expect(lintDocument(document)).toEqual([]);
    expect(Object.keys(JSON.parse(document.payload).components)).toHaveLength(402);
  });
});
