import type { Asset } from '../../scripts/pageBuild.ts';

export type { Asset };

let built: Promise<readonly Asset[]> | undefined;

/** The files of the page. The release contains them; from source they are bundled at the first call, which takes about 0.1 s. */
export const pageAssets = (): Promise<readonly Asset[]> => {
  built ??= import('../../scripts/pageBuild.ts').then(({ buildPage }) => buildPage());
  return built;
};
