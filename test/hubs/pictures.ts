import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from './browser.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/images');

/** Remakes one of the documentation's pictures where `UPDATE_PICTURES=1` asks for it; they differ by some pixels each time. */
export const updatePicture = async (page: Pick<Page, 'picture'>, name: string): Promise<void> => {
  if (process.env['UPDATE_PICTURES'] !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  await page.picture(path.join(FOLDER, name));
};
