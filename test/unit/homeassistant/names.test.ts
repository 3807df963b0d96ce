import { describe, expect, it } from 'vitest';
import { partName } from '../../../src/homeassistant/names.ts';

describe('the name of a part', () => {
  it.each([
    ['heating.circuits.0', 'Circuit 1', 'Heizkreis 1'],
    ['heating.coolingCircuits.1', 'Cooling circuit 2', 'Kühlkreis 2'],
    ['rooms.9', 'Room 10', 'Raum 10'],
    ['heating.dhw', 'Hot water', 'Warmwasser'],
    ['heating.solar', 'Solar', 'Solaranlage'],
    ['ventilation', 'Ventilation', 'Lüftung'],
    ['generator', 'Heat generator', 'Wärmeerzeuger'],
  ])('%s is "%s", in German "%s"', (part, en, de) => {
    expect(partName({ named: new Map(), language: 'en' }, part)).toBe(en);
    expect(partName({ named: new Map(), language: 'de' }, part)).toBe(de);
  });

  it('is the name that the user gave it', () => {
    const named = new Map([['heating.circuits.0', 'Upstairs']]);
    expect(partName({ named, language: 'de' }, 'heating.circuits.0')).toBe('Upstairs');
    expect(partName({ named, language: 'de' }, 'heating.circuits.1')).toBe('Heizkreis 2');
  });
});
