import { effect, signal, useSignal } from '@preact/signals';
import type { SettingRow as Row } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { loadSettingTexts, type SettingTexts } from '../../language/setup/settings.ts';
import { Problem, TextField } from '../setup/field.tsx';
import { elsewhere, fixedText, isRight, type Problems, rows, words } from '../setup/setupState.ts';
import { Form, Select } from '../shell/form.tsx';
import { language } from '../state/preferences.ts';
import { isSaving, saveSettings } from './saveSettings.ts';
import { fitsSearch, textOfValue, valueOfText } from './settingValue.ts';

/** Undefined until loaded. */
const texts = signal<SettingTexts | undefined>();

effect(() => {
  const wanted = language.value;
  void loadSettingTexts(wanted).then((loaded) => {
    if (language.peek() === wanted) texts.value = loaded;
  });
});

/** The meaning of a setting in the language of the page. */
const meaningOf = ({ path, doc }: Pick<Row, 'path' | 'doc'>): string => (texts.value ? (texts.value.meanings[path] ?? doc) : '');

/** The placeholder of an empty field: a valid value, or how the default is determined. */
const hintOf = ({ hint = '' }: Pick<Row, 'hint'>): string => (texts.value ? (texts.value.defaults[hint] ?? hint) : '');

/** Edited field texts by path, kept on navigation. Null: reset to the value without the page. */
const edits = signal<ReadonlyMap<string, string | null>>(new Map());

addEventListener('beforeunload', (event) => {
  if (edits.value.size > 0) event.preventDefault();
});

const textOf = (row: Row, value: unknown): string => (row.secret ? '' : textOfValue({ ...row, value }));

const edit = (row: Row, text: string | null): void => {
  const next = new Map(edits.value);
  if (text === textOf(row, row.value)) next.delete(row.path);
  else next.set(row.path, text);
  edits.value = next;
};

/** The text in the field. */
const shownText = (row: Row): string => {
  const edited = edits.value.get(row.path);
  return edited ?? textOf(row, edited === null ? (row.inFile ? row.inFile.value : row.default) : row.value);
};

const Control = ({ row, id, isWrong }: { readonly row: Row; readonly id: string; readonly isWrong: boolean }) => {
  const w = words.value;
  const text = shownText(row);
  const common = { id, disabled: row.fixed || isSaving.value, 'aria-describedby': `${id}-doc ${id}-problem`, 'aria-invalid': isWrong };
  const flags = [['true', w.yes] as const, ['false', w.no] as const];
  const options = row.format === 'flag' ? flags : row.choices?.map((one) => [one, one] as const);
  if (options) return <Select {...common} value={text} options={options} onPick={(one) => edit(row, one)} />;
  return (
    <input
      {...common}
      class="mono"
      {...(row.secret ? { type: 'password' } : { type: 'text' })}
      autocomplete={row.secret ? 'new-password' : 'off'}
      inputMode={row.format === 'number' ? 'decimal' : 'text'}
      spellcheck={false}
      autocapitalize="off"
      placeholder={row.secret && row.isSet ? '••••••••' : hintOf(row)}
      value={text}
      onInput={({ currentTarget }) => edit(row, currentTarget.value)}
    />
  );
};

const SettingField = ({ row, problem }: { readonly row: Row; readonly problem: string | undefined }) => {
  const w = words.value;
  const id = `setting-${row.path.replaceAll('.', '-')}`;
  const { kind, where } = row.origin;
  // An example is no default.
  const fallback = textOfValue({ ...row, value: row.default }) || (row.hint === row.example ? '' : hintOf(row)) || w.notSet;
  return (
    <div class="field setting">
      <label class="mono" for={id}>
        {row.path}
      </label>
      <Control row={row} id={id} isWrong={problem !== undefined} />
      <p id={`${id}-doc`} class="quiet">
        {meaningOf(row)}
        {row.format === 'list' && ` ${w.listHint}`}
      </p>
      <p class="quiet origin">
        {row.fixed ? fixedText(row.path) : `${w.origins[kind]}${kind === 'file' || kind === 'environment' ? ` (${w.place(where)})` : ''}`}
        {kind !== 'default' && ` · ${w.default(fallback)}`}
        {row.inFile && ` · ${w.inFile(textOf(row, row.inFile.value) || w.isSet, row.inFile.where)}`}
        {kind === 'page' && !row.fixed && (
          <>
            {' · '}
            <Button
              text={row.inFile ? w.resetToFile : w.reset}
              class="as-link"
              aria-label={row.inFile ? w.resetToFileNamed(row.path) : w.resetNamed(row.path)}
              onClick={() => edit(row, null)}
            />
          </>
        )}
      </p>
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
};

/** Scrolls to the first invalid field, which may be far from the pressed button. */
const showMistake = (): void => {
  const field = document.querySelector<HTMLElement>('.setting [aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
};

/** The problem of a setting, or of one of its entries. */
const problemOf = (problems: Problems, { path }: Pick<Row, 'path'>): string | undefined =>
  problems[path] ?? Object.entries(problems).find(([place]) => place.startsWith(`${path}[`))?.[1];

const sectionOf = ({ path }: Pick<Row, 'path'>): string => path.split('.')[0] ?? path;

/** All settings, one line each, by section, with a search. */
export const AllSettings = () => {
  const search = useSignal('');
  const problems = useSignal<Problems>({});
  const w = words.value;
  const shown = [...rows.value.values()].filter(
    (row) =>
      row.format !== 'devices' &&
      row.format !== 'profiles' &&
      // Accounts have their own table.
      row.path !== 'accounts' &&
      fitsSearch({ path: row.path, doc: `${row.doc} ${meaningOf(row)}` }, search.value),
  );
  const sections = [...new Set(shown.map(sectionOf))];
  const count = edits.value.size;
  const send = async (): Promise<void> => {
    const changes = [...edits.value].flatMap(([path, text]) => {
      const row = rows.value.get(path);
      return row ? [[path, text === null ? null : valueOfText(text, row)] as const] : [];
    });
    problems.value = await saveSettings(Object.fromEntries(changes));
    if (isRight(problems.value)) edits.value = new Map();
    else requestAnimationFrame(showMistake);
  };
  const isOpen = (name: string): boolean =>
    search.value !== '' || [...edits.value.keys(), ...Object.keys(problems.value)].some((path) => path.split('.')[0] === name);
  return (
    <Form class="stack" onSend={send} noValidate>
      <TextField label={w.search} type="search" text={search} hint={w.searchHint} />
      {shown.length === 0 && <p role="status">{w.noneFound}</p>}
      {sections.map((name) => (
        <details key={name} class="card" open={isOpen(name)}>
          <summary>
            {w.sections[name] ?? name} <code>{name}</code>
          </summary>
          <div class="stack">
            {shown
              .filter((row) => sectionOf(row) === name)
              .map((row) => (
                <SettingField key={row.path} row={row} problem={problemOf(problems.value, row)} />
              ))}
          </div>
        </details>
      ))}
      <Problem text={elsewhere(problems.value, (path) => shown.some((row) => row.path === path.replace(/\[.*$/su, '')))} />
      {count > 0 && (
        <div class="save-bar">
          <span role="status">{w.changed(count)}</span>
          <span class="buttons">
            <Button text={w.save} class="primary" type="submit" disabled={isSaving.value} />
            <Button
              text={w.discard}
              disabled={isSaving.value}
              onClick={() => {
                edits.value = new Map();
                problems.value = {};
              }}
            />
          </span>
        </div>
      )}
    </Form>
  );
};
