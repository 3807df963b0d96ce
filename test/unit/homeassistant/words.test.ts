import { describe, expect, it } from 'vitest';
import { slug } from '../../../src/homeassistant/words.ts';

describe('parts of entity ids', () => {
  it.each([
    ['Circuit 1 supply temperature', 'circuit_1_supply_temperature'],
    ['Haus Öl & Größe', 'haus_ol_grosse'],
    ['  CO2 (ppm)', 'co2_ppm'],
    ['暖房', ''],
  ])('"%s" is "%s"', (text, part) => expect(slug(text)).toBe(part));
});
