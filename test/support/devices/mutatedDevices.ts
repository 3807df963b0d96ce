import fc from 'fast-check';
import type { Command, Feature, Json, Parameter, Property } from '../../../src/features/feature.ts';
import { anyText } from '../anyText.ts';

const word = fc.oneof(
  fc.constantFrom('temperature', 'value', 'active', 'enabled', 'name', '温度', 'Grüße', 'next_at', 'call', 'none', 'status', 'a b'),
  anyText({ minLength: 1, maxLength: 300 }),
);
const json: fc.Arbitrary<Json> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100, max: 100 }),
  fc.boolean(),
  word,
  fc.array(fc.oneof(word, fc.integer()), { maxLength: 5 }),
  fc.constant({}),
);
const type = fc.constantFrom('number', 'string', 'boolean', 'array', 'object', 'Schedule', 'DeviceList', 'Level');
const KEYS = 'min max stepping enum minLength maxLength regEx sameDayAllowed maxEntries resolution modes defaultMode'.split(' ');

const parameter: fc.Arbitrary<Parameter> = fc.record({
  type,
  required: fc.boolean(),
  constraints: fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 6 }),
});
const commandName = fc.oneof(
  fc.constantFrom('setValue', 'setMode', 'activate', 'deactivate', 'setTemperature', 'unschedule', 'reset'),
  word,
);
const command: fc.Arbitrary<Command> = fc
  .tuple(commandName, fc.boolean(), fc.dictionary(word, parameter, { maxKeys: 9 }))
  .map(([name, isExecutable, params]) => ({ name, isExecutable, params: new Map(Object.entries(params)) }));
const property: fc.Arbitrary<Property> = fc.record(
  { type, unit: fc.oneof(fc.constantFrom('celsius', 'percent', 'furlong', ''), word), value: json },
  { requiredKeys: ['type'] },
);

/** What is done to one feature. */
type Mutation = (feature: Feature) => Feature;

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constant((feature: Feature) => feature),
  fc.tuple(word, property).map(([name, added]) => (feature: Feature) => ({
    ...feature,
    properties: new Map([...feature.properties, [name, added]]),
  })),
  property.map((other) => (feature: Feature) => ({
    ...feature,
    properties: new Map([...feature.properties].map(([name, old]) => [name, { ...old, ...other }])),
  })),
  command.map((added) => (feature: Feature) => ({ ...feature, commands: new Map([...feature.commands, [added.name, added]]) })),
  fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 3 }).map((constraints) => (feature: Feature) => ({
    ...feature,
    commands: new Map(
      [...feature.commands].map(([name, one]) => [
        name,
        {
          ...one,
          params: new Map([...one.params].map(([key, old]) => [key, { ...old, constraints: { ...old.constraints, ...constraints } }])),
        },
      ]),
    ),
  })),
);

/** A device of which many features are not what they were: types, units, values, names, constraints and commands of any kind. Each has commands of its own, by which `writingsOf` knows it. */
export const mutated = (features: readonly Feature[]): fc.Arbitrary<readonly Feature[]> =>
  fc
    .array(mutation, { minLength: features.length, maxLength: features.length })
    .map((mutations) => features.map((feature, i) => mutations[i]?.({ ...feature, commands: new Map(feature.commands) }) ?? feature));
