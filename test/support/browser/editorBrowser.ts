import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { EditorBrowser, type EditorPage } from './editorPage.ts';

/** Chromium for the tests of a file, in which each editor ends with its test. */
export const editorBrowser = (): Pick<EditorBrowser, 'open'> => {
  let browser: EditorBrowser;
  beforeAll(async () => {
    browser = await EditorBrowser.start();
  });
  afterAll(() => browser.close());
  return {
    open: async (...given): Promise<EditorPage> => {
      const editor = await browser.open(...given);
      onTestFinished(() => editor.page.context().close());
      return editor;
    },
  };
};
