import { useEffect, useRef, useState } from 'preact/hooks';
import { isLetIn } from './api.ts';
import { now } from './time.ts';

/**
 * The last loaded value or 'failed', and its setter. Loads at first render, on new inputs, after a renewed
 * login, and each minute after a failure, because the bridge may have restarted.
 */
export const useLoaded = <T>(load: () => Promise<T>, inputs: readonly unknown[]) => {
  const [loaded, setLoaded] = useState<T | 'failed' | undefined>();
  const asked = useRef(0);
  const mayLoad = isLetIn.value;
  const ask = (): void => {
    if (!mayLoad) return;
    asked.current += 1;
    const number = asked.current;
    // A later request discards the answer of an earlier one.
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

/** The last loaded value, kept while a reload fails. The inputs decide when to load, not what. */
export const useKept = <T>(load: () => Promise<T>, inputs: readonly unknown[]): T | undefined => {
  const [loaded] = useLoaded(load, inputs);
  const kept = useRef<T | undefined>(undefined);
  if (loaded !== 'failed') kept.current = loaded ?? kept.current;
  return kept.current;
};
