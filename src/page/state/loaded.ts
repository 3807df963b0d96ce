import { useEffect, useRef, useState } from 'preact/hooks';
import { isLetIn } from './api.ts';
import { now } from './time.ts';

/**
 * What was loaded last, or that it failed, and what sets it. It is loaded when it is first shown, with other inputs, after a login that had
 * ended, and each minute after a failure: the bridge may have started anew.
 */
export const useLoaded = <T>(load: () => Promise<T>, inputs: readonly unknown[]) => {
  const [loaded, setLoaded] = useState<T | 'failed' | undefined>();
  const asked = useRef(0);
  const mayLoad = isLetIn.value;
  const ask = (): void => {
    if (!mayLoad) return;
    asked.current += 1;
    const number = asked.current;
    // A later question makes the answer to an earlier one void.
    const take = (found: T | 'failed'): void => {
      if (number === asked.current) setLoaded(found);
    };
    load().then(take, () => take('failed'));
  };
  useEffect(ask, [mayLoad, ...inputs]);
  useEffect(() => {
    if (loaded === 'failed') ask();
  }, [now.value]);
  return [loaded, setLoaded] as const;
};

/** What was loaded last, also while it cannot be loaded anew; the inputs say when, and not what. */
export const useKept = <T>(load: () => Promise<T>, inputs: readonly unknown[]): T | undefined => {
  const [loaded] = useLoaded(load, inputs);
  const kept = useRef<T | undefined>(undefined);
  if (loaded !== 'failed') kept.current = loaded ?? kept.current;
  return kept.current;
};
