import { settled } from './time/fakeClock.ts';

/** What can happen in a story, by its word; `text` is what stands behind the word. */
export type Steps = Readonly<Record<string, (rest: readonly string[], text: string) => unknown>>;

/** A row of a table of stories: its promise, and its steps in one or more pieces. */
export type Story = [promise: string, ...steps: string[]];

/** Tells a story, step by step: a word and what belongs to it; `; ` stands between steps. */
export const tellBy = async (steps: Steps, parts: readonly string[]): Promise<void> => {
  for (const step of parts.flatMap((part) => part.split('; '))) {
    const [word = '', ...rest] = step.split(' ');
    const take = steps[word];
    if (!take) throw new Error(`no such step: ${step}`);
    await take(rest, rest.join(' '));
    await settled();
  }
};

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `-2h` as milliseconds. */
export const msOf = (span: string): number => {
  const [, count, unit = ''] = /^(-?[\d.]+)(ms|[smhd])$/.exec(span) ?? [];
  if (!count) throw new Error(`no such time: ${span}`);
  return Number(count) * MS[unit as keyof typeof MS];
};

/**
 * A table of stories as text: a promise, and its steps in the further-indented lines behind it, or behind ` :: ` where both have room in one
 * line. A line that begins with `#` says something about the story behind it.
 */
export const storiesIn = (text: string): readonly Story[] => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('# '));
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.reduce<Story[]>((stories, line) => {
    if (line.search(/\S/) > indent) stories.at(-1)?.push(line.trim());
    else stories.push(line.trim().split(' :: ') as Story);
    return stories;
  }, []);
};
