import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** A fenced block of a page. */
export type Block = {
  readonly page: string;
  /** The line of its opening fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
};

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Every page that people read: README and other pages at the root, docs, and those of the app and the examples. */
export const PAGES: readonly string[] = globSync(['*.md', 'docs/**/*.md', 'app/**/*.md', 'examples/**/*.md', '.github/**/*.md'], {
  cwd: ROOT,
})
  .filter((page) => !page.endsWith('CHANGELOG.md'))
  .sort();

/** The fenced blocks of a text, also those that are indented in lists. Throws an Error where a fence is not closed. */
export const blocksIn = (page: string, text: string): readonly Block[] => {
  const blocks: Block[] = [];
  let open: { line: number; indent: string; fence: string; language: string; lines: string[] } | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const [, indent = '', fence = '', language = ''] = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { line: i + 1, indent, fence, language, lines: [] };
    } else if (fence === open.fence && language === '') {
      blocks.push({ page, line: open.line, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the block has no end`);
  return blocks;
};

export const blocksOf = (page: string): readonly Block[] => blocksIn(page, readPage(page));
