import type { Page } from 'playwright-core';

/**
 * Every text that people see or hear on a page, also in the week editor: what stands between tags, names and hints. Left out is what is said to
 * be English (messages of the log), and what is code.
 */
const TEXTS = `(() => {
  const found = new Set();
  const isLeftOut = (element) => element.closest('[lang="en"]:not(html), code, pre, textarea, bdi, script, style, option') !== null;
  const isShown = (element) => element.checkVisibility?.({ visibilityProperty: true }) ?? true;
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (isLeftOut(element) || !isShown(element)) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext']) found.add(element.getAttribute(name) ?? '');
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.add(node.textContent ?? '');
    }
  };
  walk(document);
  return [...found].map((text) => text.trim()).filter((text) => /[A-Za-z]{2}/.test(text));
})()`;

/** Words of English sentences that are no German words. */
const ENGLISH = /(?<![\w./-])(?:the|is|are|with|and|of|for|this|that|has|have|you|your|from|which|cannot|there|nobody|allowed)(?![\w./-])/i;

const leaves = (words: unknown): readonly string[] => {
  if (typeof words === 'string') return [words];
  return typeof words === 'object' && words !== null ? Object.values(words).flatMap(leaves) : [];
};

/** The texts of a page that are English: those of the English dictionaries that no German one has, and those with words of English sentences. */
export const englishOn = async (page: Page, english: readonly unknown[], german: readonly unknown[]): Promise<readonly string[]> => {
  const both = new Set(german.flatMap(leaves));
  // Single words without a capital are what the platform calls things.
  const known = new Set(english.flatMap(leaves).filter((text) => /^[A-Z]|\s/.test(text) && !both.has(text)));
  const texts = (await page.evaluate(TEXTS)) as readonly string[];
  return texts.filter((text) => known.has(text) || ENGLISH.test(text));
};
