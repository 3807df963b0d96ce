import { expect, test } from 'vitest';
import { tooOldNode } from '../../../src/shared/version.ts';

test.each(['20.20.2', '22.23.3', '24.14.1', '24.2.0', '9.99.99'])('Node %s is too old', (version) => {
  expect(tooOldNode(version, '>=24.15.0')).toBe(`heating2mqtt needs Node 24.15.0 or newer; this is Node ${version}.`);
});

test.each(['24.15.0', '24.15.1', '24.100.0', '25.0.0', '26.10.0', '100.0.0'])('Node %s is new enough', (version) => {
  expect(tooOldNode(version, '>=24.15.0')).toBeUndefined();
});

test('the Node of this project is new enough', () => expect(tooOldNode()).toBeUndefined());
