import { parse } from 'yaml';
import { foldSchema, type Leaf } from './schema.ts';
import { type JsonSchema, objectShape } from './validation/formats.ts';

const ofLeaf = ({ setting }: Leaf): JsonSchema => {
  const { doc, default: value, defaultText, example, shape } = setting;
  return {
    description: doc,
    ...(value === '' || value === null || defaultText !== undefined ? {} : { default: value }),
    ...(example === undefined ? {} : { examples: [parse(example)] }),
    ...shape(setting),
  };
};

/** A JSON Schema of the settings file, with which editors complete and check it. */
export const settingsSchema = (): string => {
  const schema = foldSchema<JsonSchema>(ofLeaf, (entries) => objectShape(Object.fromEntries(entries)));
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of heating2mqtt' };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
};
