import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownDevices } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { identitiesIn, OFFERING, WHERE } from '../../support/devices/identities.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';
import { expectGolden, GOLDEN } from '../../support/golden.ts';

const fileOf = (name: string): string => `${name.replaceAll(' ', '_')}.json`;

test.each(ownDevices())('platforms, keys and unique ids are frozen: $name', ({ name, device, features }) => {
  const identity = { name: 'home', installation: '1', gateway: '7571381699990001', device };
  const document = deviceDocument(WHERE, identity, features, OFFERING);
  expect(lintDocument(document)).toEqual([]);
  expectGolden(`identities/${fileOf(name)}`, identitiesIn(document));
});

test('each file is of a device', () =>
  expect(readdirSync(path.join(GOLDEN, 'identities')).sort()).toEqual(
    ownDevices()
      .map(({ name }) => fileOf(name))
      .sort(),
  ));
