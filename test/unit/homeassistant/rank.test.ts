import { describe, expect, it } from 'vitest';
import { rankOf } from '../../../src/homeassistant/rank.ts';

describe('how near to people an entity is', () => {
  it.each([
    ['heating.sensors.temperature.outside', 'value', 'main'],
    ['heating.sensors.temperature.outside', 'status', 'hidden'],
    ['heating.sensors.temperature.hotGas', 'value', 'hidden'],
    ['heating.circuits.12.heating.schedule', 'active', 'diagnostic'],
    ['heating.circuits.12.operating.modes.active', 'value', 'main'],
    ['heating.circuits.12.operating.modes.standby', 'active', 'hidden'],
    ['heating.circuits.0.circulation.pump', 'status', 'main'],
    ['heating.circuits.0', 'active', 'hidden'],
    ['heating.burners.0.statistics', 'starts', 'main'],
    ['heating.power.consumption.summary.dhw', 'currentDay', 'main'],
    ['heating.power.consumption.summary.dhw', 'lastYear', 'hidden'],
    ['rooms.3.sensors.temperature', 'value', 'main'],
    ['device.messages.errors.raw', 'entries', 'diagnostic'],
    ['device.serial', 'value', 'hidden'],
    ['something.nobody.knows', 'yet', 'hidden'],
  ])('%s %s is %s', (feature, property, rank) => expect(rankOf(feature, property)).toBe(rank));
});
