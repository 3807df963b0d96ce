import type { Language } from '../language.ts';
import { textsOf } from '../texts.ts';

/** The texts for data that the platform refuses to the account. */
export const REFUSAL_WORDS = textsOf({
  title: [
    (count: number) => `Viessmann refuses ${count === 1 ? 'one thing' : `${count} things`} to this account`,
    (count: number) => `Viessmann verweigert diesem Konto ${count === 1 ? 'etwas' : `${count} Dinge`}`,
  ],
  why: [
    'This depends on the plan and the age of the account, and may change. Nothing is wrong with your heating or your settings. Reads are tried again each day.',
    'Das hängt vom Tarif und vom Alter des Kontos ab und hat sich schon öfter geändert. An der Heizung und an den Einstellungen ist nichts falsch. Abfragen werden jeden Tag wieder versucht.',
  ],
  all: [(of: string) => `All data of ${of}`, (of: string) => `Alle Daten von ${of}`],
  gateway: [
    (serial: string) => `Reading gateway ${serial} as a whole (its devices are read one by one)`,
    (serial: string) => `Die Abfrage des ganzen Gateways ${serial} (seine Geräte werden einzeln abgefragt)`,
  ],
  restart: [(serial: string) => `The restart of gateway ${serial}`, (serial: string) => `Den Neustart des Gateways ${serial}`],
  events: [
    (installation: string) => `The events of installation ${installation} (faults are known from the lists of devices)`,
    (installation: string) => `Die Ereignisse der Anlage ${installation} (Störungen melden die Geräte selbst)`,
  ],
  command: [(feature: string) => `Changes of ${feature}`, (feature: string) => `Änderungen von ${feature}`],
  here: [
    'Viessmann refuses some changes here to your account (402). Nothing is wrong with your heating.',
    'Viessmann verweigert deinem Konto hier manche Änderungen (402). An der Heizung ist nichts falsch.',
  ],
  old: [
    'Viessmann no longer tells your account what is here (402): it may be old. Nothing is wrong with your heating.',
    'Viessmann liefert deinem Konto diese Werte nicht mehr (402): Sie können veraltet sein. An der Heizung ist nichts falsch.',
  ],
});

/** A refusal in `bridge/plan`. No device: the gateway; no feature: the device; `installation`: its events. */
export type RefusedPlace = Readonly<Partial<Record<'installation' | 'gateway' | 'device' | 'feature' | 'command', string | undefined>>>;

/** The refused item as text; `called`: display names of devices and features, if they differ. */
export const refusalText = (
  { installation, gateway = '', device, feature, command }: RefusedPlace,
  language: Language,
  called?: { readonly device: (name: string) => string; readonly feature: (name: string) => string },
): string => {
  const w = REFUSAL_WORDS[language];
  if (installation !== undefined) return w.events(installation);
  if (device === undefined) return command === undefined ? w.gateway(gateway) : w.restart(gateway);
  const owner = called?.device(device) ?? device;
  if (feature === undefined) return w.all(owner);
  const place = [feature, command].filter(Boolean).join(' ');
  if (!called) return `${place} (${owner})`;
  const name = called.feature(feature);
  return `${command === undefined ? name : w.command(name)} (${owner}, ${place})`;
};
