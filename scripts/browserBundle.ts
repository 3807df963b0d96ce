import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

/** A script of the page: its name, its content as text, and whether the first one imports it. */
export type Script = { readonly name: string; readonly code: string; readonly isNeededFirst: boolean };

/** The scripts of the page, and the modules from which they are; of some only the constants are left in them. */
export type BrowserBundle = { readonly scripts: readonly Script[]; readonly modules: readonly string[] };

/** How names are formed: `[name]` and `[hash]` are filled in. */
type Names = { readonly entry: string; readonly others: string };

/** What every view needs is in one file: smaller than in several, and asked for at once. */
const BASE =
  /node_modules[/\\](?!uplot|uqr)|src[/\\](?:page[/\\](?:shell(?![/\\](?:loginForm|facts))|state|model[/\\](?:device|moments|outcome|schedules)|overview[/\\](?:outcome|temporaries)|schedules[/\\]sentence)|shared)[/\\.]|src[/\\](?:topics[/\\]topicNames|schedule[/\\](?:profileName|shown[/\\]\w+)|editor[/\\]view[/\\]modeLook|language[/\\](?:modes|rules|language|page))\.ts/;

/** What the editor and the versions of a week share: in several files it would be larger. */
const WEEK =
  /src[/\\](?:schedule[/\\](?:validateWeek|constraints|jsonWeek|profile|text[/\\]\w+)\.ts|editor[/\\](?:model|state|view[/\\]context)|page[/\\](?:schedules|model[/\\]profiles)(?![/\\](?:hints|measured)))/;

/** What the page needs first in German: together it is smaller than in two files. */
const GERMAN = /src[/\\]language[/\\](?:pageDe|codesDe|rulesDe)\.ts/;

/** Style sheets in templates without comments, and without space that means nothing. */
const squeezeStyles: Plugin = {
  name: 'squeeze-styles',
  transform: {
    filter: { id: /[/\\]editor[/\\]style[/\\]/ },
    handler: (code) => code.replace(/`[^`]*`/g, squeezeCss),
  },
};

/** A style sheet without comments, and without space that means nothing. */
export const squeezeCss = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    // A property of nothing keeps its space: without it browsers of before 2023 drop the line.
    .replace(/(?<!:) ?([{};,]) ?/g, '$1')
    .replace(/: (?!;)/g, ':')
    .replaceAll(';}', '}');

type Generated = { readonly chunks: readonly OutputChunk[]; readonly modules: readonly string[] };

const generate = async (input: string, names?: Names): Promise<Generated> => {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    plugins: [squeezeStyles],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // Each icon is where it is used, and not all of them in the file that every view needs.
    optimization: { inlineConst: { mode: 'all' } },
    // It does not say of itself that what is not used of it can be left out.
    treeshake: { moduleSideEffects: [{ test: /jsonc-parser/, sideEffects: false }] },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    // Notes for bundlers.
    comments: { annotation: false },
    codeSplitting: names
      ? {
          groups: [
            { name: 'base', test: BASE, priority: 1 },
            { name: 'week', test: WEEK },
            { name: 'german', test: GERMAN },
          ],
        }
      : false,
    ...(names ? { entryFileNames: names.entry, chunkFileNames: names.others } : {}),
  });
  const modules = await bundle.watchFiles;
  await bundle.close();
  return { chunks: output.filter((one) => one.type === 'chunk'), modules };
};

/** Bundles code for the browser: TSX with Preact, one minified module, as text. */
export const browserBundle = async (input: string): Promise<string> => (await generate(input)).chunks[0]?.code ?? '';

/** Bundles the same as several modules: the first has what is always needed, the others are loaded when a page asks for them. */
export const browserBundles = async (input: string, names: Names): Promise<BrowserBundle> => {
  const generated = await generate(input, names);
  const chunks = generated.chunks.toSorted((a, b) => Number(b.isEntry) - Number(a.isEntry));
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = new Set<string>();
  const follow = (name: string): void => {
    if (first.has(name)) return;
    first.add(name);
    byName.get(name)?.imports.forEach(follow);
  };
  chunks[0]?.imports.forEach(follow);
  const scripts = chunks.map(({ fileName, code }) => ({ name: fileName, code, isNeededFirst: first.has(fileName) }));
  return { scripts, modules: generated.modules };
};
