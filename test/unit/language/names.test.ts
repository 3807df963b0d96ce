import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceDocuments } from '../../../src/homeassistant/document.ts';
import { nameOf, PHRASES } from '../../../src/language/names/name.ts';
import { tokensWithoutGerman } from '../../../src/language/names/words.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';

const DEVICES = allDevices();

type Component = Readonly<Record<string, unknown>> & { readonly name: string };
type Page = { readonly device: string; readonly components: Readonly<Record<string, Component>> };

/** The pages of a device; every device is called `Vito`. */
const pagesOf = (index: number, language: 'en' | 'de', parts: boolean): readonly Page[] => {
  const { gateway = '', device = '', features = [] } = DEVICES[index] ?? {};
  const where = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1' };
  const identity = { name: 'Vito', installation: '1', gateway, device };
  const offering = { language, parts, profiles: [], isAllowed: () => true };
  return deviceDocuments(where, identity, features, offering).map(({ payload }) => {
    const document = JSON.parse(payload);
    return { device: document.device.name, components: document.components };
  });
};

/** All four ways in which a device is shown. */
const waysOf = (index: number): readonly Page[] =>
  [false, true].flatMap((parts) => (['en', 'de'] as const).flatMap((language) => pagesOf(index, language, parts)));

describe('names for people', () => {
  it.each([
    ['heating.circuits.0.sensors.temperature.supply', 'value', 'Circuit 1 supply temperature', 'Heizkreis 1 Vorlauftemperatur'],
    [
      'heating.circuits.0.sensors.temperature.supply',
      'status',
      'Circuit 1 supply temperature status',
      'Heizkreis 1 Vorlauftemperatur Status',
    ],
    ['heating.circuits.0.temperature', 'value', 'Circuit 1 target supply temperature', 'Heizkreis 1 Vorlauftemperatur Soll'],
    ['heating.circuits.0.temperature.levels', 'max', 'Circuit 1 maximum supply temperature', 'Heizkreis 1 maximale Vorlauftemperatur'],
    ['heating.circuits.0.heating.curve', 'slope', 'Circuit 1 heating curve slope', 'Heizkreis 1 Heizkurve: Neigung'],
    ['heating.circuits.1.heating.schedule', undefined, 'Circuit 2 heating schedule', 'Heizkreis 2 Zeitplan Heizen'],
    ['heating.circuits.1.heating.schedule', 'active', 'Circuit 2 heating schedule active', 'Heizkreis 2 Zeitplan Heizen aktiv'],
    ['heating.circuits.0.operating.modes.active', 'value', 'Circuit 1 operating mode', 'Heizkreis 1 Betriebsart'],
    [
      'heating.circuits.0.operating.modes.dhwAndHeating',
      'active',
      'Circuit 1 hot water and heating mode',
      'Heizkreis 1 Betriebsart Warmwasser und Heizen',
    ],
    ['heating.circuits.0.operating.programs.active', 'value', 'Circuit 1 active program', 'Heizkreis 1 aktives Programm'],
    ['heating.circuits.0.operating.programs.comfort', 'temperature', 'Circuit 1 comfort temperature', 'Heizkreis 1 Komforttemperatur'],
    ['heating.circuits.0.operating.programs.comfort', 'active', 'Circuit 1 comfort program', 'Heizkreis 1 Programm Komfort'],
    ['heating.circuits.0.name', 'name', 'Circuit 1 name', 'Heizkreis 1 Name'],
    ['heating.circuits.0', 'name', 'Circuit 1 label', 'Heizkreis 1 Bezeichnung'],
    ['heating.circuits', 'enabled', 'List of circuits', 'Liste der Heizkreise'],
    [
      'heating.dhw.sensors.temperature.hotWaterStorage.top',
      'value',
      'Hot water storage top temperature',
      'Warmwasser Temperatur im Speicher oben',
    ],
    ['heating.dhw.pumps.circulation', 'status', 'Hot water circulation pump', 'Warmwasser Zirkulationspumpe'],
    ['heating.dhw.pumps.circulation.schedule', undefined, 'Hot water circulation schedule', 'Warmwasser Zeitplan Zirkulation'],
    ['heating.dhw.temperature.main', 'value', 'Hot water target temperature', 'Warmwasser Solltemperatur'],
    ['heating.dhw.oneTimeCharge', 'activate', 'Hot water start one-time charge', 'Warmwasser Einmalladung starten'],
    ['heating.boiler.temperature', 'value', 'Target boiler temperature', 'Kesseltemperatur Soll'],
    ['heating.boiler.sensors.temperature.main', 'value', 'Boiler temperature', 'Kesseltemperatur'],
    ['heating.sensors.temperature.outside', 'value', 'Outside temperature', 'Außentemperatur'],
    ['heating.sensors.volumetricFlow.allengra', 'value', 'Volumetric flow', 'Volumenstrom'],
    ['heating.burners.0.statistics', 'starts', 'Burner 1 starts', 'Brenner 1 Starts'],
    ['heating.burners.0.errorStatus', 'errorCode', 'Burner 1 error code', 'Brenner 1 Fehlercode'],
    ['heating.power.consumption.summary.dhw', 'currentDay', 'Power consumption hot water today', 'Stromverbrauch Warmwasser heute'],
    ['heating.power.consumption.dhw', 'day', 'Power consumption hot water by day', 'Stromverbrauch Warmwasser nach Tagen'],
    ['heating.operating.programs.holiday', 'unschedule', 'Cancel holiday', 'Urlaub abbrechen'],
    ['heating.operating.programs.holiday', 'end', 'Holiday end', 'Urlaubsende'],
    ['heating.solar.power.production', 'day', 'Solar yield by day', 'Solaranlage Ertrag nach Tagen'],
    ['ventilation.quickmodes.silent', 'active', 'Ventilation quiet operation', 'Lüftung leiser Betrieb'],
    ['ventilation.quickmodes.other', 'activate', 'Ventilation start other quick mode', 'Lüftung Schnellwahl other starten'],
    ['rooms.3.sensors.humidity', 'value', 'Room 4 humidity', 'Raum 4 Luftfeuchte'],
    ['photovoltaic.production.cumulated', 'currentDay', 'Photovoltaics production today', 'Photovoltaik Erzeugung heute'],
    ['ess.stateOfCharge', 'value', 'Battery charge', 'Stromspeicher Ladezustand'],
    ['heating.pumps.mixing', 'status', 'Mixing pump status', 'Pumpe mixing Status'],
    ['heating.power.consumption.dhw', 'total', 'Power consumption hot water total', 'Stromverbrauch Warmwasser gesamt'],
    ['heating.power.consumption.total', 'total', 'Power consumption total', 'Stromverbrauch gesamt'],
    ['device.messages.errors.raw', 'entries', 'Error messages', 'Fehlermeldungen'],
    ['device.serial', 'value', 'Serial number', 'Seriennummer'],
    ['tcu.wifi', 'strength', 'Wi-Fi signal', 'WLAN-Signal'],
  ])('%s %s is "%s", in German "%s"', (feature, property, en, de) => {
    expect(nameOf(feature, property, 'en')).toBe(en);
    expect(nameOf(feature, property, 'de')).toBe(de);
  });

  it.each([
    ['device.measurement.1.1', undefined, 'Measurement 2 2', 'Messung 2 2'],
    ['heating.newThing.3.outsideFlap', 'value', 'New thing 4 outside flap', 'New thing 4 außen Klappe'],
    ['heating.pool.sensors.temperature.tiles', 'value', 'Pool tiles temperature', 'Schwimmbad Temperatur tiles'],
    ['heating.pool.errorStatus', 'errorStatus', 'Pool error status', 'Schwimmbad Fehlerstatus'],
    ['heating.pool.status', 'status', 'Pool status', 'Schwimmbad Status'],
    ['ventilation.levels.levelFour', 'volumeFlow', 'Ventilation level 4 volume flow', 'Lüftung Stufe 4 Volumenstrom'],
    ['heating', 'active', 'Heating active', 'Heizen aktiv'],
    ['heating.konstruktor.constructor', '__proto__', 'Konstruktor constructor proto', 'Konstruktor constructor proto'],
    ['heating.暖房', 'value', '暖房', '暖房'],
    ['heating.überhöht', 'größe', 'Überhöht größe', 'Überhöht größe'],
    ['heating.-', 'value', 'Heating.- value', 'Heating.- value'],
    ['\n', '', 'Value', 'Value'],
  ])('what no table has is split and read by its words: %s %s', (feature, property, en, de) => {
    expect(nameOf(feature, property, 'en')).toBe(en);
    expect(nameOf(feature, property, 'de')).toBe(de);
  });

  it('has each row in both languages, with the same places to fill', () => {
    for (const [key, [en, de]] of PHRASES) {
      expect([key, en.trim() === '', /\s{2}|^\s|\s$/.test(en + de)]).toEqual([key, de.trim() === '', false]);
      expect([key, [...en.matchAll(/\{.\}/g)].length]).toEqual([key, [...de.matchAll(/\{.\}/g)].length]);
    }
  });

  it('is never empty, never has a control character, and ends', () => {
    const level = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('heating', 'circuits', '0', 'sensors', '$&', '{*}', '{N}'),
    );
    fc.assert(
      fc.property(fc.array(level), fc.option(fc.string({ unit: 'binary' }), { nil: undefined }), (levels, property) => {
        for (const language of ['en', 'de'] as const) {
          const name = nameOf(levels.join('.'), property, language);
          expect(name.trim()).not.toBe('');
          expect(name).not.toMatch(/\p{Cc}/u);
          expect([...name].length).toBeLessThanOrEqual(125);
        }
      }),
    );
  });
});

describe('the names of every device', () => {
  it('have a German word for every level, property and command', () => {
    const names = DEVICES.flatMap(({ features }) => features).flatMap(({ name, properties, commands }) => [
      ...name.split('.'),
      ...properties.keys(),
      ...commands.keys(),
    ]);
    const missing = new Set(names.flatMap((level) => tokensWithoutGerman(level).map((token) => `${token} of ${level}`)));
    expect([...missing].sort()).toEqual([]);
  });

  it('find words that the German table lacks', () => {
    expect(tokensWithoutGerman('outsideFrobnicator')).toEqual(['Frobnicator']);
    expect(tokensWithoutGerman('mainECU')).toEqual([]);
  });

  const KEPT = ['platform', 'unique_id', 'default_entity_id', 'state_topic', 'command_topic'];
  const EACH = DEVICES.map(({ name }, index) => [name, index] as const);

  it.each(EACH)('say nothing twice, with the name of the device or part before them: %s', (_, index) => {
    const isTwice = (name: string): boolean => {
      // A heating rod is one thing.
      const words =
        name
          .toLowerCase()
          .replace('heating rod', 'rod')
          .match(/[\p{L}-]{4,}/gu) ?? [];
      return new Set(words).size < words.length;
    };
    for (const { device, components } of waysOf(index))
      expect(
        Object.values(components)
          .map(({ name }) => `${device} ${name}`)
          .filter(isTwice),
      ).toEqual([]);
  });

  it.each(EACH)('are not numbered because they would meet: %s', (_, index) => {
    const NUMBER = / (?:[2-9]|\d\d+)$/;
    for (const { components } of waysOf(index)) {
      // The user's own names of circuits and rooms may be numbers of each other: "Kids Room 2".
      const all = Object.values(components).filter(({ platform }) => platform !== 'climate');
      const names = new Set(all.map(({ name }) => name));
      expect(all.filter(({ name }) => NUMBER.test(name) && names.has(name.replace(NUMBER, '')))).toEqual([]);
    }
  });

  it.each(EACH)('change no key, id or topic with the language: %s', (_, index) => {
    const idsIn = (language: 'en' | 'de', parts: boolean): unknown =>
      pagesOf(index, language, parts).map(({ components }) =>
        Object.entries(components).map(([key, one]) => [key, ...KEPT.map((member) => one[member])]),
      );
    for (const parts of [false, true]) expect(idsIn('de', parts)).toEqual(idsIn('en', parts));
  });
});
