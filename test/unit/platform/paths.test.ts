import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillPath, V1_PATHS } from '../../../src/platform/paths.ts';

const ids = {
  installation: '123456',
  gateway: '7571381699991111',
  device: '0',
  feature: 'heating.circuits.0.heating.schedule',
  command: 'setSchedule',
};

it('keeps every id in its place, whatever it holds', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed() && !/^\.{1,2}$/.test(text));
  fc.assert(
    fc.property(id, id, (device, feature) => {
      const url = new URL(fillPath(V1_PATHS.feature, { ...ids, device, feature }), 'http://platform.example');
      const segments = url.pathname.split('/').map(decodeURIComponent);
      expect(segments).toHaveLength(12);
      expect([segments[9], segments[11]]).toEqual([device, feature]);
      expect(url.search + url.hash).toBe('');
    }),
  );
});

it.each(['', '.', '..'])('refuses the id %j, which would be a step in the path', (device) => {
  expect(() => fillPath(V1_PATHS.device_features, { ...ids, device })).toThrow('cannot be a device');
});

it('refuses to leave a place empty', () => {
  expect(() => fillPath(V1_PATHS.command, { ...ids, command: undefined })).toThrow('needs an id for command');
});
