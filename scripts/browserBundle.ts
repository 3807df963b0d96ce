import { rolldown } from 'rolldown';

/** Bundles code for the browser: TSX with Preact, one minified module, as text. */
export const browserBundle = async (input: string): Promise<string> => {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // It does not say of itself that what is not used of it can be left out.
    treeshake: { moduleSideEffects: [{ test: /jsonc-parser/, sideEffects: false }] },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
};
