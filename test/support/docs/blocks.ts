import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** A fenced block of a page, with the line of its opening fence, counted from 1. */
export type Block = { readonly page: string; readonly line: number; readonly language: string; readonly text: string };

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Every page that people read: README and other pages at the root, docs, and those of the app and the examples. */
export const PAGES: readonly string[] = globSync(['*.md', '{docs,app,examples,.github}/**/*.md'], { cwd: ROOT })
  .filter((page) => !page.endsWith('CHANGELOG.md'))
  .sort();

const BLOCK = /^([ \t]*)(`{3,}|~{3,})[ \t]*(.*?)[ \t]*\n([\s\S]*?)(?:^[ \t]*\2[ \t]*$|(?![\s\S]))/gm;

/** The fenced blocks of a text, also those that are indented in lists. Throws an Error where a fence is not closed. */
export const blocksIn = (page: string, text: string): readonly Block[] =>
  [...text.matchAll(BLOCK)].map(({ 0: all, 1: indent = '', 2: fence = '', 3: language = '', 4: inner = '', index }) => {
    const line = text.slice(0, index).split('\n').length;
    if (!all.trimEnd().endsWith(`\n${indent}${fence}`)) throw new Error(`${page}:${line}: the block has no end`);
    const lines = inner.split('\n').slice(0, -1);
    return { page, line, language, text: lines.map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one)).join('\n') };
  });

export const blocksOf = (page: string): readonly Block[] => blocksIn(page, readPage(page));
