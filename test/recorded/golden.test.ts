import path from 'node:path';
import { expect, test } from 'vitest';
import { allDevices } from '../support/devices/deviceFiles.ts';
import { lintDocument } from '../support/devices/discoveryLint.ts';
import { digestOf, OFFERING, WHERE } from '../support/devices/identities.ts';
import { deviceDocument } from '../support/devices/onePage.ts';
import { expectGolden } from '../support/golden.ts';

test.each(allDevices())('platforms, keys and unique ids are frozen: $name', ({ name, gateway, device, features }) => {
  const document = deviceDocument(WHERE, { name, installation: '1', gateway, device }, features, OFFERING);
  expect(lintDocument(document)).toEqual([]);
  expectGolden(`${name.replaceAll(' ', '_')}.json`, digestOf(document), path.join(import.meta.dirname, 'golden'));
});
