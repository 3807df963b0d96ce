import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOf, slug } from '../../../src/homeassistant/words.ts';

describe('names for people', () => {
  it.each([
    ['heating.circuits.0.sensors.temperature.supply', 'value', 'Circuit 1 supply temperature'],
    ['heating.circuits.0.sensors.temperature.supply', 'status', 'Circuit 1 supply temperature status'],
    ['heating.burners.0.errorStatus', 'status', 'Burner 1 error status'],
    ['heating.burners.0.errorStatus', 'errorCode', 'Burner 1 error status error code'],
    ['device.measurement.1.1', undefined, 'Measurement 2 2'],
    ['heating.circuits.1.heating.schedule', undefined, 'Circuit 2 heating schedule'],
    ['heating.circuits.1.heating.schedule', 'active', 'Circuit 2 heating schedule active'],
    ['heating.circuits.0.operating.modes.active', 'value', 'Circuit 1 operating mode'],
    ['heating.circuits.0.operating.modes.dhwAndHeating', 'active', 'Circuit 1 hot water and heating mode active'],
    ['heating.circuits.0.operating.programs.active', 'value', 'Circuit 1 active program'],
    ['heating.circuits.0.operating.programs.comfort', 'temperature', 'Circuit 1 comfort program temperature'],
    ['heating.circuits.0.heating.curve', 'slope', 'Circuit 1 heating curve slope'],
    ['heating.circuits.0.name', 'name', 'Circuit 1 name'],
    ['heating.circuits', 'enabled', 'Circuits enabled'],
    ['heating.dhw.sensors.temperature.hotWaterStorage.top', 'value', 'Hot water storage top temperature'],
    ['heating.dhw.pumps.circulation', 'status', 'Hot water circulation pump status'],
    ['heating.dhw.temperature.main', 'value', 'Hot water target temperature'],
    ['heating.sensors.temperature.outside', 'value', 'Outside temperature'],
    ['heating.sensors.volumetricFlow.allengra', 'value', 'Allengra volumetric flow'],
    ['heating.burners.0.statistics', 'starts', 'Burner 1 starts'],
    ['heating.power.consumption.summary.dhw', 'currentDay', 'Power consumption hot water today'],
    ['heating.gas.consumption.total', 'dayValueReadAt', 'Gas consumption total day read at'],
    ['heating.device.mainECU', 'runtime', 'Device main ECU runtime'],
    ['ventilation.airQuality.pm2d5', 'value', 'Ventilation air quality PM2.5'],
    ['ventilation.levels.levelFour', 'volumeFlow', 'Ventilation level four volume flow'],
    ['ventilation.quickmodes.forcedLevelFour', 'active', 'Ventilation forced level four quick mode active'],
    ['device.messages.errors.raw', 'entries', 'Error messages'],
    ['device.serial', 'value', 'Serial'],
    ['rooms.3.sensors.humidity', 'value', 'Room 4 humidity'],
    ['rooms.features.supplyChannel0FTDCUseValveInformation', 'active', 'Rooms features supply channel 0 FTDC use valve information active'],
    ['tcu.wifi', 'strength', 'TCU Wi-Fi strength'],
    ['heating', 'active', 'Heating active'],
    ['heating.konstruktor.constructor', '__proto__', 'Konstruktor constructor proto'],
    ['heating.暖房', 'value', '暖房'],
    ['heating.überhöht', 'größe', 'Überhöht größe'],
    ['heating.-', 'value', 'Heating.- value'],
    ['\n', '', 'Value'],
  ])('%s %s is "%s"', (feature, property, name) => expect(nameOf(feature, property)).toBe(name));

  it('is never empty, never has a control character, and ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'binary' }), (feature, property) => {
        const name = nameOf(feature, property);
        expect(name.trim()).not.toBe('');
        expect(name).not.toMatch(/\p{Cc}/u);
        expect([...name].length).toBeLessThanOrEqual(125);
      }),
    );
  });
});

describe('parts of entity ids', () => {
  it.each([
    ['Circuit 1 supply temperature', 'circuit_1_supply_temperature'],
    ['Haus Öl & Größe', 'haus_ol_grosse'],
    ['  CO2 (ppm)', 'co2_ppm'],
    ['暖房', ''],
  ])('"%s" is "%s"', (text, part) => expect(slug(text)).toBe(part));
});
