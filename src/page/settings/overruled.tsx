import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { Problem } from '../setup/field.tsx';
import { isRight, type Problems, rows, textOf, words } from '../setup/setupState.ts';
import { isSaving, saveSettings } from './saveSettings.ts';
import { linesOfValue } from './settingValue.ts';

/** The values in the settings file that the page overrides, and a button to restore them. */
export const Overruled = ({ paths, onReset }: { readonly paths: readonly string[]; readonly onReset: () => void }) => {
  const problems = useSignal<Problems>({});
  const w = words.value;
  const found = paths.flatMap((path) => {
    const row = rows.value.get(path);
    return row?.inFile ? [{ row, ...row.inFile }] : [];
  });
  if (found.length === 0) return null;
  const reset = async (): Promise<void> => {
    problems.value = await saveSettings(Object.fromEntries(found.map(({ row }) => [row.path, null])));
    if (isRight(problems.value)) onReset();
  };
  return (
    <section class="card stack">
      <p>{w.overruled}</p>
      {found.map(({ row, value, where }) => (
        <div key={row.path}>
          <p>
            <code>{row.path}</code>: {w.inFile('', where)}
          </p>
          <ul class="plain-list">
            {(row.secret ? [w.isSet] : linesOfValue({ ...row, value })).map((line) => (
              <li key={line} class="mono">
                {line || w.notSet}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Problem text={textOf(problems.value)} />
      <Button text={w.resetToFile} class="start" disabled={isSaving.value} onClick={() => void reset()} />
    </section>
  );
};
