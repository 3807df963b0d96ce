import { parse } from 'yaml';
import { foldSchema, type Leaf } from './schema.ts';
import { LONGEST_TOPIC } from './validation/addressChecks.ts';
import { DEVICE_KEYS } from './validation/deviceEntries.ts';
import { type FormatName, NUMBER, type Setting } from './validation/formats.ts';
import { WEEK_NAME } from './validation/storedWeeks.ts';

type JsonSchema = { readonly [key: string]: unknown };

/** Every scalar is text to the bridge: `007` and `true` too, which YAML reads as a number and a boolean. */
const SCALAR = ['string', 'number', 'boolean'];

const text: JsonSchema = { type: [...SCALAR, 'null'], minLength: 1 };
const numeric = (type: 'number' | 'integer', { min, max }: Setting, pattern = NUMBER.source): JsonSchema => ({
  type: [type, 'string', 'null'],
  minimum: min,
  maximum: max,
  pattern,
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: ['array', ...SCALAR, 'null'], items });
const address = (protocol: string): JsonSchema => ({ type: ['string', 'null'], pattern: `^(?:${protocol}):` });

const object = (properties: JsonSchema): JsonSchema => ({ type: ['object', 'null'], additionalProperties: false, properties });

const deviceKeys = Object.entries(DEVICE_KEYS).map(([key, { doc }]) => [
  key,
  { description: doc, ...(key === 'features' || key === 'exclude' ? listOf({ type: SCALAR }) : text) },
]);

/** Each format in JSON Schema. It accepts everything that the check of the format accepts, so that editors never mark a right setting. */
const SHAPES: Readonly<Record<FormatName, (setting: Setting) => JsonSchema>> = {
  text: () => text,
  pem_file: () => text,
  zone_or_auto: () => text,
  choice: ({ choices = [] }) => ({ enum: [...choices, ...choices.map(Number).filter(Number.isInteger), null] }),
  flag: () => ({ type: ['boolean', 'string', 'null'], pattern: '^(?:[Tt]rue|[Ff]alse|TRUE|FALSE)$' }),
  whole: (setting) => numeric('integer', setting),
  number: (setting) => numeric('number', setting),
  number_or_auto: (setting) => numeric('number', setting, `^auto$|${NUMBER.source}`),
  ascending: ({ min, max }) => ({
    type: ['array', 'number', 'string', 'null'],
    items: { type: ['number', 'string'], minimum: min, maximum: max },
    minItems: 1,
    maxItems: 10,
  }),
  topic: () => ({ ...text, maxLength: LONGEST_TOPIC, pattern: '^(?!\\$)[^+#/]+(?:/[^+#/]+)*$' }),
  url: ({ protocols = [] }) => address(protocols.join('|')),
  base_url: ({ protocols = [] }) => address(protocols.join('|')),
  any_url: () => address('[A-Za-z][A-Za-z0-9+.-]*'),
  path: () => ({ type: ['string', 'null'], pattern: '^/' }),
  command_globs: () => listOf({ type: 'string', pattern: '[/*]' }),
  devices: () => ({
    type: ['array', 'string', 'null'],
    items: { ...object(Object.fromEntries(deviceKeys)), type: 'object' },
    pattern: '^\\s*\\[',
  }),
  profiles: () => ({ type: ['object', 'string', 'null'], propertyNames: { pattern: WEEK_NAME.source } }),
};

const ofLeaf = ({ setting }: Leaf): JsonSchema => {
  const { doc, default: value, defaultText, example, format } = setting;
  return {
    description: doc,
    ...(value === '' || value === null || defaultText !== undefined ? {} : { default: value }),
    ...(example === undefined ? {} : { examples: [parse(example)] }),
    ...SHAPES[format](setting),
  };
};

/** A JSON Schema of the settings file, with which editors complete and check it. */
export const settingsSchema = (): string => {
  const schema = foldSchema<JsonSchema>(ofLeaf, (entries) => object(Object.fromEntries(entries)));
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of heating2mqtt' };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
};
