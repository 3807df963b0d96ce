import type { Language } from '../language.ts';

/** The name of a device by its function, if its model is unknown. */
const DEVICES = {
  battery: { en: 'Battery storage', de: 'Stromspeicher' },
  boiler: { en: 'Boiler', de: 'Heizkessel' },
  climateSensor: { en: 'Climate sensor', de: 'Klimasensor' },
  device: { en: 'Device', de: 'Gerät' },
  energyManager: { en: 'Energy manager', de: 'Energiemanager' },
  floorThermostat: { en: 'Floor thermostat', de: 'Fußbodenthermostat' },
  fuelCell: { en: 'Fuel cell', de: 'Brennstoffzelle' },
  gasBoiler: { en: 'Gas boiler', de: 'Gasheizung' },
  gateway: { en: 'Gateway', de: 'Gateway' },
  heatPump: { en: 'Heat pump', de: 'Wärmepumpe' },
  heating: { en: 'Heating', de: 'Heizung' },
  oilBoiler: { en: 'Oil boiler', de: 'Ölheizung' },
  photovoltaics: { en: 'Photovoltaics', de: 'Photovoltaik' },
  radiatorThermostat: { en: 'Radiator thermostat', de: 'Heizkörperthermostat' },
  repeater: { en: 'Repeater', de: 'Repeater' },
  roomControl: { en: 'Room control', de: 'Raumregelung' },
  roomThermostat: { en: 'Room thermostat', de: 'Raumthermostat' },
  ventilation: { en: 'Ventilation unit', de: 'Lüftungsgerät' },
  wallbox: { en: 'Charging station', de: 'Wallbox' },
  woodBoiler: { en: 'Wood boiler', de: 'Holzheizung' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type DeviceKind = keyof typeof DEVICES;

/** "Heat pump", "Wärmepumpe". */
export const deviceWords = (kind: DeviceKind, language: Language): string => DEVICES[kind][language];
