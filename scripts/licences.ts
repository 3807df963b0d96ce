import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = /^(?:licen[cs]e|copying|notice)/i;
const RULE = '='.repeat(80);

/** The folder of the package that a bundled module is from; undefined for one of our own. */
const packageOf = (module: string): string | undefined => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0];

type Package = { readonly title: string; readonly text: string };

const readPackage = (folder: string): Package => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile() && TEXT.test(file.name));
  const text = files
    .map((file) => readFileSync(join(folder, file.name), 'utf8').trim())
    .toSorted()
    .join('\n\n');
  if (text === '') throw new Error(`${folder} has no text of its licence (${license}): the release cannot carry it`);
  return { title: `${name} ${version} (${license})`, text };
};

/** The licence texts of the packages from which the modules of a bundle are, as one text. Throws where a package has none. */
export const licenceTexts = (modules: readonly string[]): string => {
  const folders = new Set(modules.flatMap((module) => packageOf(module) ?? []));
  const packages = [...folders].map(readPackage).toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  const head =
    'heating2mqtt is licensed as LICENSE says. bridge.js and icsWorker.js also hold code of the packages below, each under its own licence.';
  return [head, ...packages.map(({ title, text }) => `${RULE}\n${title}\n${RULE}\n\n${text}`)].join('\n\n').concat('\n');
};
