import type { Feature, Json } from '../../../features/feature.ts';
import { chooseCommand, isDateProperty, isSame, type Written } from '../../../features/propertyCommands.ts';
import { writableProperties, writingsOf } from '../../../features/writings.ts';
import { type Form, readWritten, readWrittenObject } from '../../../features/writtenValue.ts';
import { measure } from '../../../homeassistant/units.ts';
import { nearestWords } from '../../../shared/closestMatch.ts';
import { bad, broken, type Checked, good, type Issue, pointer } from '../../../shared/issue.ts';
import { isRecord } from '../../../shared/json.ts';
import { type Enveloped, readBare, readEnveloped, withRightKeys } from '../../../topics/commandPayload.ts';
import { payloadOf } from '../../../topics/valuePayload.ts';
import { invalid, type Refusal } from '../request/rejection.ts';
import type { DeferredWrite, ResolvedWrite, WaitingCommand, WaitingOf } from './resolveWrite.ts';

/** Values of properties as they were sent: one bare value, or several in an object. */
export type Values = Enveloped<ReadonlyMap<string, Json>> & { readonly bare: boolean };

/**
 * The write of a command on `<property>/set` (`leaf`) or `<feature>/set`. Its turn chooses the platform's
 * command, by the shown and waiting values.
 */
export const parsePropertyWrite = ({ name }: Feature, leaf: string | undefined, text: string, waitingOf: WaitingOf): DeferredWrite => ({
  feature: name,
  choose: (state) => {
    const feature = state.shown(name);
    if (!feature) return undefined;
    const read = readValues(feature, leaf, text);
    if (read.ok) return { ...chooseWithWaiting(feature, read.value, waitingOf(state, name)), from: [name] };
    return { kind: 'refused', from: [name], refusal: invalid(read.issues), mayAge: false, about: { envelope: {}, feature: name } };
  },
});

/** The form in which a value of this property is written. */
const formOf = (feature: Feature, name: string): Form => {
  const { type = 'string', unit = '' } = feature.properties.get(name) ?? {};
  const beside = feature.properties.get('unit')?.value;
  const word = unit === '' && typeof beside === 'string' ? beside : unit;
  const symbol = measure(word, feature.name, name).unit_of_measurement ?? '';
  // A writable temperature may be shown without its unit.
  const units = word === '' && /temperature/iu.test(name) ? ['°C'] : [symbol, word].filter((one) => one !== '');
  return { name, type, units, isDate: type === 'string' && isDateProperty(feature, name) };
};

const readValues = (feature: Feature, leaf: string | undefined, text: string): Checked<Values> => {
  if (leaf !== undefined) return readOne(feature, leaf, text);
  const writable = writableProperties(feature);
  const object = readObject(feature, writable, text);
  if (object) return object;
  const [only, ...others] = writable;
  if (only !== undefined && others.length === 0) return readOne(feature, only, text);
  const enveloped = readEnveloped(text);
  // The envelope of a value and a property named `value` look the same.
  if (enveloped.ok && enveloped.value.at !== '' && writable.includes('value')) return readOne(feature, 'value', text);
  const example = `{${writable.map((name) => `"${name}": …`).join(', ')}}`;
  const message = `${feature.name} has several values to write: send an object with some of them, ${example}`;
  return bad(broken('type', '', message, { got: text, allowed: 'object' }));
};

const readOne = (feature: Feature, name: string, text: string): Checked<Values> => {
  const shown = feature.properties.get(name)?.value;
  const one = (value: Json, { envelope, at }: Pick<Values, 'envelope' | 'at'>): Checked<Values> =>
    good({ envelope, value: new Map([[name, value]]), at, bare: true });
  // A shown value can always be sent back, even a text that looks like an envelope.
  if (shown !== undefined && payloadOf(shown) === text) return one(shown, { envelope: {}, at: '' });
  const form = formOf(feature, name);
  const bare = readBare(text, form.type === 'string');
  const read = form.type === 'number' || form.type === 'boolean' ? withRightKeys(bare) : bare;
  if (!read.ok) return read;
  const value = readWritten(form, read.value.value, read.value.at);
  return value.ok ? one(value.value, read.value) : value;
};

/** Values by property; undefined where the payload is no such object. */
const readObject = (feature: Feature, writable: readonly string[], text: string): Checked<Values> | undefined => {
  const read = readEnveloped(text);
  if (!read.ok || !isRecord(read.value.value)) return undefined;
  const { envelope, value: object, at } = read.value;
  const isText = writable.length === 1 && feature.properties.get(writable[0] ?? '')?.type === 'string';
  // The only writable value is a text, and this text only looks like an object.
  if (isText && at === '' && !Object.keys(object).some((name) => feature.properties.has(name))) return undefined;
  const forms = new Map([...feature.properties.keys()].map((name) => [name, formOf(feature, name)]));
  const unknown = (name: string, got: Json): Issue => {
    const message = `${feature.name} has no property ${name}; ${writable.join(', ')} can be written`;
    return broken('unknown', at + pointer(name), message, { got, allowed: writable, nearest: nearestWords(name, writable) });
  };
  const values = readWrittenObject(forms, object, at, unknown);
  return values.ok ? good({ envelope, value: values.value, at, bare: false }) : values;
};

type WithoutFrom<T> = T extends unknown ? Omit<T, 'from'> : never;

/** The write of these values with waiting ones. It waits itself while the command needs more. */
const chooseWithWaiting = (feature: Feature, values: Values, waits: WaitingCommand | undefined): WithoutFrom<ResolvedWrite> => {
  const others = new Map([...(waits?.values ?? [])].filter(([name]) => !values.value.has(name)));
  const together = others.size > 0 ? chooseCommand(feature, new Map([...others, ...values.value])) : 'nothing waits';
  if (waits && typeof together !== 'string' && [...others.keys()].every((name) => together.effect.has(name))) {
    const write = writeOf(feature, values, together, others);
    const joined = waits.writes.filter(({ properties }) => properties.some((name) => others.has(name)));
    if (together.missing.length === 0) return { ...write, joined };
    if (mayWait(together, values)) return write;
  }
  return chooseWrite(feature, values, true);
};

/** True where the missing values are properties. A write with an end never waits. */
const mayWait = ({ missing, missingProperties }: Written, { envelope }: Values): boolean =>
  missing.length > 0 && missingProperties !== undefined && !envelope.end;

const isShown = (feature: Feature, wanted: ReadonlyMap<string, Json>): boolean =>
  [...wanted].every(([name, value]) => isSame(feature.properties.get(name)?.value, value));

/** The single write of these values, or its refusal. `isKept`: values wait where the command needs others. */
export const chooseWrite = (feature: Feature, values: Values, isKept = false): WithoutFrom<ResolvedWrite> => {
  const { envelope, value: wanted, at } = values;
  const chosen = chooseCommand(feature, wanted);
  const about = { envelope, feature: feature.name };
  if (typeof chosen === 'string') {
    const able = isShown(feature, wanted) ? writingsOf(feature).find(({ property }) => wanted.has(property)) : undefined;
    if (!able) return { kind: 'refused', refusal: { code: 'not_writable', message: chosen }, mayAge: true, about };
    const content = { kind: 'arguments', args: {}, placeOf: () => at, chosen: { effect: wanted, completed: false } } as const;
    return { kind: 'write', write: { ...about, command: able.command.name, dryRun: false, content } };
  }
  const isComplete = chosen.missing.length === 0 || isShown(feature, wanted);
  if (!isComplete && isKept && mayWait(chosen, values)) return writeOf(feature, values, chosen);
  if (!isComplete)
    return { kind: 'refused', refusal: incomplete(feature, chosen), mayAge: true, about: { ...about, command: chosen.command.name } };
  return writeOf(feature, values, { ...chosen, missing: [] });
};

/** The write of a chosen command; `waiting`: values of earlier writes that go with it. */
const writeOf = (
  feature: Feature,
  { envelope, value: wanted, at, bare }: Values,
  chosen: Written,
  waiting: ReadonlyMap<string, Json> = new Map(),
): WithoutFrom<ResolvedWrite> & { readonly kind: 'write' } => {
  const placeOf = (path: string): string => {
    const property = chosen.sources.get(path.slice(1));
    return property === undefined || !wanted.has(property) || bare ? at : at + pointer(property);
  };
  const { command, effect, args, filled, rounded } = chosen;
  const [first] = rounded.values();
  const details = first === undefined ? {} : { details: { rounded_from: bare ? first : Object.fromEntries(rounded) } };
  const missing = chosen.missing.length > 0 ? (chosen.missingProperties ?? []) : [];
  const values = new Map([...wanted].map(([name, value]) => [name, effect.get(name) ?? value]));
  const wait = missing.length > 0 ? { wait: { missing, values } } : {};
  const hint = waiting.size > 0 ? { hint: hintOf(wanted, waiting) } : {};
  const content = { kind: 'arguments', args, placeOf, chosen: { effect, completed: filled.length > 0, filled, ...wait, ...hint } } as const;
  return { kind: 'write', write: { envelope, feature: feature.name, command: command.name, dryRun: false, content, ...details } };
};

/** What to do where values conflict with waiting ones. */
const hintOf = (wanted: ReadonlyMap<string, Json>, waits: ReadonlyMap<string, Json>) => {
  const shown = (values: ReadonlyMap<string, Json>): readonly string[] =>
    [...values].map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const waiting = shown(waits);
  const message = `${waiting.join(', ')} still waits: change ${[...wanted.keys()].join(', ')}, or ${[...waits.keys()].join(', ')}`;
  return { message, written: shown(wanted), waiting };
};

const incomplete = (feature: Feature, { command, missing }: Written): Refusal => {
  const names = missing.join(', ');
  const message = `${command.name} of ${feature.name} needs ${names} too, and no current value is known; use call/${command.name} with all of its parameters`;
  const errors = missing.map((name) => broken('required', pointer(name), `${name} is missing; ${command.name} needs it`));
  return { code: 'incomplete', message, errors, facts: { about: 'needs', command: command.name, names: missing } };
};
