import type { Composite, Part } from '../../../features/composites/composite.ts';
import { decidersOf, type Route, routeOf } from '../../../features/composites/compositeWrite.ts';
import { isActive } from '../../../features/composites/program.ts';
import { readWritten } from '../../../features/writtenValue.ts';
import { bad, broken, type Checked, good, shown } from '../../../shared/issue.ts';
import { type Enveloped, readBare, withRightKeys } from '../../../topics/commandPayload.ts';
import { type Composites, shownFeatures } from '../../state/composites.ts';
import { deviceKey } from '../../state/deviceState.ts';
import type { ResultDetails } from '../request/commandRequest.ts';
import type { CompositeTarget } from '../request/commandTarget.ts';
import { invalid } from '../request/rejection.ts';
import { otherRevision, type PlannedWrite } from './evaluate.ts';
import { chooseWrite } from './parsePropertyWrite.ts';
import type { DeferredWrite, ResolvedWrite } from './resolveWrite.ts';

type EnvelopedValue = Enveloped<string | number>;

/** A write to a part of a composite. Its turn chooses the feature and the command. */
export const parseCompositeWrite = (
  composites: Composites,
  { feature: name, part }: Pick<CompositeTarget, 'feature' | 'part'>,
  text: string,
): DeferredWrite => ({
  feature: name,
  choose: (state) => {
    const features = shownFeatures(state);
    const composite = composites.of(state, features).find((one) => one.name === name);
    if (!composite) return undefined;
    const sent = readPart(composite, part, text);
    if (!sent.ok)
      return { kind: 'refused', from: [], refusal: invalid(sent.issues), mayAge: false, about: { envelope: {}, feature: name } };
    const route = routeOf(features, composite, part, sent.value.value, composites.recall(deviceKey(state.device), name));
    return chosenBy(route, sent.value, decidersOf(composite, part, features), composite.name);
  },
});

/** `deciders` are the features that decided the route. */
const chosenBy = (route: Route, sent: EnvelopedValue, deciders: readonly string[], composite: string): ResolvedWrite => {
  const about = { envelope: sent.envelope, feature: composite };
  const from = 'feature' in route && route.feature ? [...new Set([...deciders, route.feature.name])] : deciders;
  if (route.kind === 'refused') {
    const { code, message, instead } = route;
    const errors = route.errors?.map((issue) => ({ ...issue, path: sent.at + issue.path }));
    const facts = instead && ({ about: 'not_writable', ...instead } as const);
    return { kind: 'refused', from, refusal: { code, message, errors, facts }, mayAge: true, about };
  }
  if (route.kind === 'unchanged') {
    const refusal = otherRevision(sent.envelope, route.feature);
    if (refusal) return { kind: 'refused', from, refusal, mayAge: true, about };
    // The moved end belongs to the feature, not to the composite.
    const through = sent.envelope.end && route.feature?.name;
    const ofFeature = through === undefined ? about : { ...about, feature: through, details: { feature: composite, through } };
    return { kind: 'unchanged', from, feature: route.feature, about: ofFeature };
  }
  if (route.kind === 'temperature') return { kind: 'write', from, write: temperatureWrite(route, sent, composite) };
  const chosen = chooseWrite(route.feature, { ...sent, value: new Map([[route.property, route.value]]), bare: true });
  const details = { feature: composite, through: route.feature.name };
  if (chosen.kind === 'write') return { ...chosen, from, write: { ...chosen.write, details: { ...chosen.write.details, ...details } } };
  return { ...chosen, from, about: { ...chosen.about, details } };
};

const temperatureWrite = (
  { feature, command, args, filled, temperature }: Route & { readonly kind: 'temperature' },
  { envelope, value, at }: EnvelopedValue,
  composite: string,
): PlannedWrite => {
  const begins = !isActive(feature) && feature.properties.get('active')?.type === 'boolean';
  // No property shows the temperature of an active override.
  const effect = begins ? new Map([['active', true]]) : undefined;
  const chosen = { effect, completed: filled.length > 0, filled };
  const rounded = typeof value === 'number' && value !== temperature ? { rounded_from: value } : {};
  const details: ResultDetails = { feature: composite, through: feature.name, ...rounded };
  return {
    feature: feature.name,
    command: command.name,
    envelope,
    content: { kind: 'arguments', args, placeOf: () => at, chosen },
    dryRun: false,
    details,
    setpoint: { composite, celsius: temperature },
  };
};

const CELSIUS = { name: 'target', type: 'number', units: ['°C', 'C', 'celsius'], isDate: false };

/** A temperature in °C, or a mode or preset; case is ignored. */
const readPart = ({ modes, presets }: Composite, part: Part, text: string): Checked<EnvelopedValue> => {
  const read = withRightKeys(readBare(text, false));
  if (!read.ok) return read;
  const { value, at } = read.value;
  if (part === 'target') {
    const celsius = readWritten(CELSIUS, value, at);
    if (!celsius.ok) return celsius;
    return typeof celsius.value === 'number' ? good({ ...read.value, value: celsius.value }) : bad();
  }
  // These parts are read-only: the refusal does not depend on the payload.
  if (part === 'current' || part === 'action') return good({ ...read.value, value: text });
  if (typeof value !== 'string')
    return bad(broken('type', at, `${part} is a word, not ${shown(value)}`, { got: value, allowed: 'string' }));
  const word = value.trim();
  const known = [...modes, ...presets, 'none'].find((one) => one.toLowerCase() === word.toLowerCase());
  return good({ ...read.value, value: known ?? word });
};
