import { expect, test } from 'vitest';
import { bugReport } from '../../../src/page/model/bugReport.ts';

test('a bug report has what is needed, and no number of a gateway', () => {
  const info = {
    version: '0.1.0',
    devices: [{ name: 'home', gateway: '7571381681420106' }],
    settings: { mqtt: { url: 'mqtt://broker' }, devices: [{ gateway: '7571381681420106' }] },
  };
  const topics = new Map([
    ['base/bridge/info', JSON.stringify(info)],
    ['base/bridge/quota', '{"used":{"per_day":12}}'],
    ['base/bridge/health', '{"failures":3}'],
    ['base/bridge/auth', '{"state":"ok"}'],
  ]);
  const log = Array.from({ length: 150 }, (_, index) => ({
    at: '2026-11-22T10:00:00Z',
    level: 'warn',
    message: `line ${index} of 7571381681420106`,
  }));
  const device = { name: 'home', model: 'E3_Vitocal', isOnline: false, features: new Map() };
  const text = bugReport({
    topics,
    base: 'base',
    version: '0.1.0',
    platform: 'linux x64, Node 26',
    browser: 'Firefox',
    devices: [device],
    log,
  });
  for (const part of [
    'heating2mqtt 0.1.0',
    'linux x64, Node 26',
    'Firefox',
    'E3_Vitocal, 0 features, offline',
    'mqtt://broker',
    '"per_day": 12',
  ])
    expect(text).toContain(part);
  expect(text).toContain('"failures": 3');
  expect(text).toContain('line 149 of …0106');
  expect(text).not.toContain('line 49 ');
  expect(text).not.toContain('757138168142');
});
