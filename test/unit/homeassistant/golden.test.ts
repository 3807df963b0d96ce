import { describe, expect, it } from 'vitest';
import { deviceDocument } from '../../../src/homeassistant/document.ts';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { fixtureDevice } from '../../support/devices/fixtureDevices.ts';
import { digestOf, golden, identitiesIn } from '../../support/devices/golden.ts';
import { recordedDevices } from '../../support/devices/recordedDevices.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const OFFERING: Offering = {
  language: 'en',
  parts: false,
  profiles: [readProfile('summer', 'daily none')],
  isAllowed: (_: string, command: string) => !/^(remove|add|move)/.test(command),
};

describe('platforms, keys and unique ids are frozen', () => {
  it.each(['boiler', 'rooms'] as const)('of our own device: %s', (name) => {
    const identity = { name: 'home', installation: '1', gateway: '7571381699990001', device: '0' };
    const document = deviceDocument(WHERE, identity, fixtureDevice(name), OFFERING);
    expect(lintDocument(document)).toEqual([]);
    expect(identitiesIn(document)).toEqual(golden(name, identitiesIn(document)));
  });

  it('of every recorded device', () => {
    for (const { name, gateway, device, features } of recordedDevices()) {
      const document = deviceDocument(WHERE, { name, installation: '1', gateway, device }, features, OFFERING);
      expect(digestOf(document), name).toEqual(golden(`recorded/${name.replaceAll(' ', '_')}`, digestOf(document)));
      expect(lintDocument(document), name).toEqual([]);
    }
  });
});
